package docid_test

import (
	"fmt"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/memory"
)

// TestProgressOverEpochs: numbers of changes jump where an epoch began. A rebuild reports how many it made, not
// their numbers.
func TestProgressOverEpochs(t *testing.T) {
	history, library := storetest.KeptSinks()
	s := docid.Settings{Content: docid.Exact}
	n := 0
	fill := func(store docid.Store) {
		t.Helper()
		d, err := docid.NewDetector(t.Context(), store, "tenant", s)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			n++
			if _, err := d.Add(t.Context(), submission("", "", fmt.Sprint("the text of article ", n))); err != nil {
				t.Fatal(err)
			}
		}
		drain(t, d, history, library)
	}
	rebuilt := func(drained bool, progress func(int)) (*memory.Store, docid.Rebuilt) {
		t.Helper()
		store, err := memory.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		b := docid.Rebuild{Store: store, Source: docid.SourceOf(history, library), Tenant: "tenant", Drained: drained, Settings: s, Page: 2, Progress: progress}
		sum, err := b.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return store, sum
	}
	first, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	fill(first)
	later, sum := rebuilt(false, nil)
	if !sum.Epoch {
		t.Fatal("no epoch began")
	}
	fill(later)
	told := 0
	_, sum = rebuilt(true, func(made int) { told = made })
	if told != 7 || sum.Seq < 1000 { // 6 articles and an epoch
		t.Errorf("progress ends with %d changes of 7, the last of them has number %d", told, sum.Seq)
	}
}

// drain stores pending changes.
func drain(t *testing.T, d *docid.Detector, history, library docid.Sink) {
	t.Helper()
	for name, sink := range map[string]docid.Sink{"map": history, "articles": library} {
		relay, err := d.Relay(t.Context(), name, sink)
		if err == nil {
			_, err = relay.Drain(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
