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

// left is an index of two articles, "a" and "b", whose texts were left to a library, and
// of "c", whose text was not.
type left struct {
	*testing.T
	s                *Store
	d                *docid.Detector
	library          *away
	relay            *docid.Relay
	old, ended, last docid.Answer
	ids              map[string]bool // all docIds
	whole            int64           // bytes of the row of the leader "a" before
}

func leave(t *testing.T) *left {
	t.Helper()
	_, s := opened(t)
	_, kept := storetest.KeptSinks()
	l := &left{T: t, s: s, library: &away{Library: kept}, ids: map[string]bool{}}
	l.d = l.detector()
	var err error
	if l.relay, err = l.d.Relay(t.Context(), "library", l.library); err != nil {
		t.Fatal(err)
	}
	l.old, l.ended = l.add(l.d, "a", 1, nil), l.add(l.d, "b", 2, nil)
	l.drain()
	l.last = l.add(l.d, "c", 3, nil) // the library has not got it
	l.whole = l.row()
	l.unload(time.Unix(0, 0), 0) // not so old
	l.unload(future, 2)
	l.unload(future, 0)
	return l
}

// detector has an empty cache.
func (l *left) detector() *docid.Detector {
	l.Helper()
	d, err := docid.NewDetector(l.Context(), l.s, "tenant", storetest.Settings())
	if err != nil {
		l.Fatal(err)
	}
	return d
}

func (l *left) add(d *docid.Detector, nid string, text int, want error) docid.Answer {
	l.Helper()
	var sub docid.Submission
	sub.ID = nid
	sub.Text = textOf(text) + nid
	a, err := d.Add(l.Context(), sub)
	if !errors.Is(err, want) {
		l.Fatalf("add %s: %v, want %v", nid, err, want)
	}
	if err == nil {
		l.ids[a.DocID] = true
	}
	return a
}

func (l *left) drain() {
	l.Helper()
	if _, err := l.relay.Drain(l.Context()); err != nil {
		l.Fatal(err)
	}
}

func (l *left) unload(before time.Time, want int) {
	l.Helper()
	n, err := l.d.Index().(docid.Unloader).Unload(l.Context(), "library", before, 100)
	if err != nil || n != want {
		l.Errorf("unloaded %d changes, %v, want %d", n, err, want)
	}
}

// row is how many bytes verification of the leader "a" takes.
func (l *left) row() int64 {
	l.Helper()
	n, err := l.s.c.Do(l.Context(), l.s.c.B().Strlen().Key(prefix("tenant")+"t1").Build()).AsInt64()
	if err != nil {
		l.Fatal(err)
	}
	return n
}

// keeps fails unless "a" is the kept copy of its docId, at a heat.
func (l *left) keeps(when string, heat int64) {
	l.Helper()
	g, err := l.d.Index().Catalog().Group(l.Context(), l.old.LeaderSeq, 0, 1)
	if err != nil || g.Kept == nil || g.Kept.Text != textOf(1)+"a" || g.Kept.Heat != heat {
		l.Errorf("the kept copy %s: %+v, %v", when, g.Kept, err)
	}
}

// TestUnload: of texts that were left to the library Redis has nothing, and they are
// read there.
func TestUnload(t *testing.T) {
	l := leave(t)
	m, err := l.detector().Index().Material(t.Context(), l.old.LeaderSeq)
	if !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("without a library: %+v, %v", m, err)
	}
	l.s.ReadThrough(l.library)
	if m, err = l.d.Index().Material(t.Context(), l.old.LeaderSeq); err != nil || m.Text != textOf(1)+"a" || m.NID != "a" {
		t.Errorf("what verification needs: %+v, %v", m, err)
	}
	if now := l.row(); l.whole-now < int64(len(m.Text))/4 {
		t.Errorf("the row of a leader has %d bytes, and had %d", now, l.whole)
	}
	if n, err := l.s.c.Do(t.Context(), l.s.c.B().Exists().Key(prefix("tenant")+"K1").Build()).AsInt64(); err != nil || n != 0 {
		t.Errorf("the text of a kept copy is still there (%v)", err)
	}
}

// TestUnloadedKept: a kept copy whose text was left to the library is read there, also
// at another heat and where a person has moved it.
func TestUnloadedKept(t *testing.T) {
	ctx, l := t.Context(), leave(t)
	l.s.ReadThrough(l.library)
	heat := int64(5)
	if _, err := l.d.Update(ctx, "a", docid.Revision{Heat: &heat}); err != nil {
		t.Fatal(err)
	}
	l.drain()
	l.keeps("at another heat", heat)
	if texts, err := l.library.Texts(ctx, []string{l.old.DocID}); err != nil || texts[l.old.DocID].Kept.Text != textOf(1)+"a" || texts[l.old.DocID].Kept.Heat != heat {
		t.Errorf("the library keeps %+v, %v", texts[l.old.DocID].Kept, err)
	}
	l.library.gone = true
	if g, err := l.d.Index().Catalog().Group(ctx, l.old.LeaderSeq, 0, 1); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("a kept copy that cannot be read: %+v, %v", g, err)
	}
	l.library.gone = false
	for _, id := range []string{l.last.DocID, l.old.DocID} { // a correction takes the text along
		if _, err := l.d.Correct(ctx, docid.Correcting{NID: "a", DocID: id, Who: "w", Why: "y"}); err != nil {
			t.Fatal(err)
		}
	}
	l.drain()
	l.keeps("after corrections", heat)
}

// TestUnloadedNeeded: the library is asked when an article is compared with a text that
// was left to it, and only then. Where it does not answer, nothing is decided that
// needs one.
func TestUnloadedNeeded(t *testing.T) {
	ctx, l := t.Context(), leave(t)
	l.s.ReadThrough(l.library)
	l.library.gone = true
	d := l.detector()
	if a := l.add(d, "new", 4, nil); a.Decision.Decision != neardup.New {
		t.Errorf("an article that shares nothing: %+v", a)
	}
	if a := l.add(d, "near c", 3, nil); a.DocID != l.last.DocID {
		t.Errorf("an article near one whose text is here: %+v", a)
	}
	if l.library.asked > 0 {
		t.Errorf("the library was asked %d times by articles that need nothing of it", l.library.asked)
	}
	l.add(d, "near a", 1, docid.ErrUnavailable)
	if _, err := d.End(ctx, l.ended.DocID); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("end a docId whose keys would be made of a text that is away: %v", err)
	}
	before := posted(t, l.s)
	l.library.gone = false
	if _, err := d.End(ctx, l.ended.DocID); err != nil {
		t.Errorf("end a docId: %v", err)
	}
	if after := posted(t, l.s); after >= before {
		t.Errorf("%d keys were posted, and %d after a docId ended", before, after)
	}
	l.library.gone = true
	if a := l.add(d, "again b", 2, nil); a.DocID == l.ended.DocID || a.Decision.Decision != neardup.New {
		t.Errorf("an article near one that ended: %+v", a)
	}
}

// TestLibraryLost: an article that needs a text the library has lost is not decided; in
// the end nothing is left under any key, wherever the texts were.
func TestLibraryLost(t *testing.T) {
	ctx, l := t.Context(), leave(t)
	_, empty := storetest.KeptSinks()
	l.s.ReadThrough(empty)
	l.add(l.detector(), "near a", 1, docid.ErrTextless)
	relay, err := l.d.Relay(ctx, "another", empty) // in the place of one that was lost
	if err == nil {
		_, err = relay.Drain(ctx)
	}
	if err != nil {
		t.Errorf("feed an empty library: %v", err)
	}
	l.s.ReadThrough(l.library)
	if a := l.add(l.detector(), "near a", 1, nil); a.DocID != l.old.DocID {
		t.Errorf("the library is back: %+v", a)
	}
	for id := range l.ids {
		if _, err := l.d.End(ctx, id); err != nil {
			t.Errorf("end docId %s: %v", id, err)
		}
	}
	if left := posted(t, l.s); left != 0 {
		t.Errorf("%d keys are left of what ended", left)
	}
}
