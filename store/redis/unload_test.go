package redis

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/storetest"
)

// away is a library that may not answer.
type away struct {
	docid.Library
	gone  bool
	asked int
}

func (a *away) Texts(ctx context.Context, ids []string) (map[string]docid.Texts, error) {
	if a.asked++; a.gone {
		return nil, docid.ErrUnavailable
	}
	return a.Library.Texts(ctx, ids)
}

// textOf are texts that share no three letters in a row.
func textOf(n int) string {
	r := make([]rune, 400)
	for i := range r {
		r[i] = rune(0x4e00 + 500*n + i)
	}
	return string(r)
}

// posted is how many keys the map has.
func posted(t *testing.T, s *Store) int64 {
	t.Helper()
	ix, err := s.Index(t.Context(), "tenant", nil)
	if err != nil {
		t.Fatal(err)
	}
	figures, err := ix.Catalog().Engine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return figures["keys"]
}

// TestUnload: of texts that were left to the library Redis has nothing, and they
// are read there when an article is compared with them, and only then. Where the
// library does not answer, nothing is decided that needs one.
func TestUnload(t *testing.T) {
	ctx := t.Context()
	_, s := opened(t)
	detector := func() *docid.Detector { // with an empty cache
		t.Helper()
		d, err := docid.NewDetector(ctx, s, "tenant", storetest.Settings())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := detector()
	_, kept := storetest.KeptSinks()
	library := &away{Library: kept}
	relay, err := d.Relay(ctx, "library", library)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	add := func(d *docid.Detector, nid string, text int, want error) docid.Answer {
		t.Helper()
		var sub docid.Submission
		sub.ID = nid
		sub.Text = textOf(text) + nid
		a, err := d.Add(ctx, sub)
		if !errors.Is(err, want) {
			t.Fatalf("add %s: %v, want %v", nid, err, want)
		}
		if err == nil {
			ids[a.DocID] = true
		}
		return a
	}
	old, ended := add(d, "a", 1, nil), add(d, "b", 2, nil)
	if _, err := relay.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	young := add(d, "c", 3, nil) // the library has not got it
	unload := func(before time.Time, want int) {
		t.Helper()
		n, err := d.Index().(docid.Unloader).Unload(ctx, "library", before, 100)
		if err != nil || n != want {
			t.Errorf("unloaded %d changes, %v, want %d", n, err, want)
		}
	}
	size := func() int64 {
		t.Helper()
		n, err := s.c.Do(ctx, s.c.B().Strlen().Key(prefix("tenant")+"t1").Build()).AsInt64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	whole := size()
	unload(time.Unix(0, 0), 0) // not so old
	unload(time.Unix(1<<33, 0), 2)
	unload(time.Unix(1<<33, 0), 0)
	m, err := detector().Index().Material(ctx, old.LeaderSeq)
	if !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("without a library: %+v, %v", m, err)
	}
	s.ReadThrough(library)
	if m, err = d.Index().Material(ctx, old.LeaderSeq); err != nil || m.Text != textOf(1)+"a" || m.NID != "a" {
		t.Errorf("what verification needs: %+v, %v", m, err)
	}
	if now := size(); whole-now < int64(len(m.Text))/4 {
		t.Errorf("the row of a leader has %d bytes, and had %d", now, whole)
	}

	if n, err := s.c.Do(ctx, s.c.B().Exists().Key(prefix("tenant")+"K1").Build()).AsInt64(); err != nil || n != 0 {
		t.Errorf("the text of a kept copy is still there (%v)", err)
	}
	heat := int64(5)
	if _, err := d.Update(ctx, "a", docid.Revision{Heat: &heat}); err != nil {
		t.Fatal(err)
	}
	if _, err := relay.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	if g, err := d.Index().Catalog().Group(ctx, old.LeaderSeq, 0, 1); err != nil || g.Kept == nil || g.Kept.Text != textOf(1)+"a" || g.Kept.Heat != heat {
		t.Errorf("the kept copy at another heat: %+v, %v", g.Kept, err)
	}
	if texts, err := library.Texts(ctx, []string{old.DocID}); err != nil || texts[old.DocID].Kept.Text != textOf(1)+"a" || texts[old.DocID].Kept.Heat != heat {
		t.Errorf("the library keeps %+v, %v", texts[old.DocID].Kept, err)
	}

	library.gone = true
	if g, err := d.Index().Catalog().Group(ctx, old.LeaderSeq, 0, 1); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("a kept copy that cannot be read: %+v, %v", g, err)
	}
	library.gone = false
	// A correction takes the text along.
	if _, err := d.Correct(ctx, docid.Correcting{NID: "a", DocID: young.DocID, Who: "w", Why: "y"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Correct(ctx, docid.Correcting{NID: "a", DocID: old.DocID, Who: "w", Why: "y"}); err != nil {
		t.Fatal(err)
	}
	if _, err := relay.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	if g, err := d.Index().Catalog().Group(ctx, old.LeaderSeq, 0, 1); err != nil || g.Kept == nil || g.Kept.Text != textOf(1)+"a" {
		t.Errorf("the kept copy after corrections: %+v, %v", g.Kept, err)
	}

	library.gone, library.asked = true, 0
	d = detector()
	if a := add(d, "new", 4, nil); a.Decision.Decision != neardup.New {
		t.Errorf("an article that shares nothing: %+v", a)
	}
	if a := add(d, "near c", 3, nil); a.DocID != young.DocID {
		t.Errorf("an article near one whose text is here: %+v", a)
	}
	if library.asked > 0 {
		t.Errorf("the library was asked %d times by articles that need nothing of it", library.asked)
	}
	add(d, "near a", 1, docid.ErrUnavailable)
	if _, err := d.End(ctx, ended.DocID); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("end a docId whose keys would be made of a text that is away: %v", err)
	}
	before := posted(t, s)
	library.gone = false
	if _, err := d.End(ctx, ended.DocID); err != nil {
		t.Errorf("end a docId: %v", err)
	}
	if after := posted(t, s); after >= before {
		t.Errorf("%d keys were posted, and %d after a docId ended", before, after)
	}
	library.gone = true
	if a := add(d, "again b", 2, nil); a.DocID == ended.DocID || a.Decision.Decision != neardup.New {
		t.Errorf("an article near one that ended: %+v", a)
	}
	library.gone = false
	_, empty := storetest.KeptSinks()
	s.ReadThrough(empty)
	add(detector(), "near a", 1, docid.ErrTextless)
	if relay, err = d.Relay(ctx, "another", empty); err == nil { // in the place of one that was lost
		_, err = relay.Drain(ctx)
	}
	if err != nil {
		t.Errorf("feed an empty library: %v", err)
	}
	s.ReadThrough(library)
	if a := add(d, "near a", 1, nil); a.DocID != old.DocID {
		t.Errorf("the library is back: %+v", a)
	}
	// In the end nothing is left under any key, wherever the texts were.
	for id := range ids {
		if _, err := d.End(ctx, id); err != nil && !errors.Is(err, docid.ErrEnded) {
			t.Errorf("end docId %s: %v", id, err)
		}
	}
	if left := posted(t, s); left != 0 {
		t.Errorf("%d keys are left of what ended", left)
	}
}
