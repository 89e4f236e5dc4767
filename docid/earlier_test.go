package docid_test

import (
	"context"
	"errors"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/store/memory"
)

// An index that the earlier method made goes on with it under the settings of
// today; an index of any other kind is refused as before.
func TestIndexOfTheEarlierMethodGoesOn(t *testing.T) {
	named := func(name string) docid.Maker {
		return func(seed uint64, _ []byte) (neardup.Method, error) {
			return methods.New(methods.Config{Name: name, Seed: seed})
		}
	}
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		t.Fatal(err)
	}
	open := func(tenant string, content, earlier docid.Maker) (*docid.Detector, error) {
		return docid.NewDetector(ctx, store, tenant, docid.Settings{Content: docid.Near, ContentMethod: content, EarlierMethod: earlier})
	}
	for _, c := range []struct{ tenant, made string }{{"old", methods.Auto2}, {"new", "auto"}, {"other", "minhash"}} {
		if _, err := open(c.tenant, named(c.made), nil); err != nil {
			t.Fatal(err)
		}
		d, err := open(c.tenant, named("auto"), named(methods.Auto2))
		switch {
		case c.tenant == "other":
			if !errors.Is(err, neardup.ErrUnlike) {
				t.Errorf("an index of minhash was opened by auto: %v", err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.tenant, err)
		case d.Earlier() != (c.tenant == "old"):
			t.Errorf("%s: earlier is %v", c.tenant, d.Earlier())
		}
	}
	if _, err := open("old", named("auto"), nil); !errors.Is(err, neardup.ErrUnlike) {
		t.Errorf("an index of auto/2 was opened by the auto of today: %v", err)
	}
}
