package redis

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/storetest"
)

// TestSettingsChanged: a Redis that is told to keep no log, or to sync it now and then,
// after the servers had looked takes no change any more, by name, is read, and takes them
// again once that is mended.
func TestSettingsChanged(t *testing.T) {
	ctx := t.Context()
	_, s := opened(t)
	d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	add := func() error {
		n++
		var sub docid.Submission
		sub.ID, sub.Text = storetest.Base(n)[:20], storetest.Base(n)
		_, err := d.Add(ctx, sub)
		return err
	}
	set := func(name, value string) {
		t.Helper()
		if err := s.c.Do(ctx, s.c.B().Arbitrary("CONFIG", "SET", name, value).Build()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	until := func(what string, want func(error) bool) {
		t.Helper()
		var err error
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if err = add(); want(err) {
				return
			}
		}
		t.Fatalf("%s: %v", what, err)
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{{"appendonly", "no", "yes"}, {"appendfsync", "everysec", "always"}} {
		set(c[0], c[1])
		until(c[0]+" "+c[1], func(err error) bool {
			return errors.Is(err, docid.ErrUnavailable) && strings.Contains(err.Error(), c[0]+" is "+c[1])
		})
		if _, err := d.Index().Catalog().Stats(ctx); err != nil {
			t.Errorf("it is not read meanwhile: %v", err)
		}
		set(c[0], c[2])
		until(c[0]+" "+c[2], func(err error) bool { return err == nil })
	}
}
