package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// testRandom runs random operations on the store and on the model and
// compares every answer, and at the end everything that can be read. A store
// that lasts is closed and opened in between.
func testRandom(t *testing.T, p Place) {
	o := start(t, p)
	for seed := range uint64(6) {
		tenant := fmt.Sprintf("random%d", seed)
		o.Detector = o.detector(tenant, Settings())
		w := &walk{opened: o, texts: NewTexts(seed, 12), model: NewModel(Jaccard{Threshold: Threshold}), tenant: tenant}
		for range 150 {
			w.step()
		}
		w.compare()
	}
}

type walk struct {
	*opened
	tenant string
	texts  *Texts
	model  *Model
	nids   []string
	ended  []uint64
}

func (w *walk) step() {
	r := w.texts.R
	switch n := r.IntN(100); {
	case n < 70:
		w.submit()
	case n < 80 && len(w.nids) > 0:
		w.update(w.nids[r.IntN(len(w.nids))])
	case n < 88 && len(w.nids) > 0:
		w.remove(w.nids[r.IntN(len(w.nids))])
	case n < 94:
		if living := w.model.Living(); len(living) > 0 {
			w.end(living[r.IntN(len(living))])
		}
	case n < 97 && w.place.Lasting:
		w.reopen()
		w.Detector = w.detector(w.tenant, Settings())
	}
}

func (w *walk) submit() {
	sub := w.texts.Next()
	got := outcome(w.add(sub))
	equal(w.t, "add "+sub.ID, got, w.model.Add(sub, 0))
	w.nids = append(w.nids, sub.ID)
	if w.texts.R.IntN(5) == 0 { // a retry changes nothing
		again := w.add(sub)
		equal(w.t, "retry", outcome(again), got)
		equal(w.t, "retry is replayed", again.Replayed, true)
	}
}

func (w *walk) update(nid string) {
	heat, text := int64(w.texts.R.IntN(9)), (*string)(nil)
	if w.texts.R.IntN(2) == 0 {
		s := "updated " + nid
		text = &s
	}
	_, err := w.Update(w.t.Context(), nid, docid.Revision{Heat: &heat, Text: text})
	w.sameError("update", err, w.model.Update(nid, heat, text), docid.ErrNotFound)
}

func (w *walk) remove(nid string) {
	_, err := w.Delete(w.t.Context(), nid)
	w.sameError("delete", err, w.model.Delete(nid), docid.ErrNotFound)
}

func (w *walk) end(leader uint64) {
	_, err := w.End(w.t.Context(), w.DocIDs().DocID(leader))
	w.sameError("end", err, w.model.End(leader), docid.ErrEnded)
	_, err = w.End(w.t.Context(), w.DocIDs().DocID(leader))
	must(w.t, "end again", err, docid.ErrEnded)
	w.ended = append(w.ended, leader)
}

func (w *walk) sameError(what string, err error, ok bool, otherwise error) {
	w.t.Helper()
	if ok {
		otherwise = nil
	}
	must(w.t, what, err, otherwise)
}

// compare reads everything.
func (w *walk) compare() {
	ctx := w.t.Context()
	st, err := w.Index().Catalog().Stats(ctx)
	must(w.t, "stats", err, nil)
	equal(w.t, "seq", st.Seq, w.model.Seq)
	equal(w.t, "leaders", st.Leaders, len(w.model.Living()))
	equal(w.t, "members", st.Members, len(w.model.byNID))
	for _, nid := range w.nids {
		m, docID, err := w.Member(ctx, nid)
		if g := w.model.byNID[nid]; g == nil {
			must(w.t, "member", err, docid.ErrNotFound)
		} else {
			equal(w.t, "docId of "+nid, docID, w.DocIDs().DocID(g.seq))
			equal(w.t, "heat of "+nid, m.Heat, g.heat[nid])
		}
	}
	for _, g := range w.model.leaders {
		w.compareGroup(g)
	}
}

func (w *walk) compareGroup(g *modelGroup) {
	got, err := w.Group(w.t.Context(), w.DocIDs().DocID(g.seq), 0, 1000)
	if g.finished {
		must(w.t, "ended group", err, docid.ErrEnded)
		return
	}
	must(w.t, "group", err, nil)
	equal(w.t, "size", got.Size, len(g.heat))
	equal(w.t, "members", len(got.Members), len(g.heat))
	equal(w.t, "has a kept copy", got.Kept != nil, g.kept != nil)
	if got.Kept != nil && g.kept != nil {
		equal(w.t, "kept", keptCopy{got.Kept.ID, got.Kept.Text, got.Kept.Heat}, *g.kept)
	}
}

// testExpiry ends docIds by explicit changes, in the order they are due.
func testExpiry(t *testing.T, p Place) {
	o := start(t, p)
	ctx := t.Context()
	short, long := article("short", Base(1)), article("long", Base(2))
	short.TTL, long.TTL = time.Hour, 1000*time.Hour
	first, second := o.add(short), o.add(long)
	now := time.Unix(1_700_000_000, 0).Add(2 * time.Hour)
	equal(t, "a docId lives until its expiry is committed", o.add(article("late", Base(1))).DocID, first.DocID)
	n, err := o.Expire(ctx, now, 10)
	must(t, "expire", err, nil)
	equal(t, "expired", n, 1)
	_, err = o.Group(ctx, first.DocID, 0, 1)
	must(t, "expired group", err, docid.ErrEnded)
	again := o.add(article("again", Base(1)))
	equal(t, "after expiry the text is new", again.Decision.Decision, neardup.New)
	if again.DocID == first.DocID {
		t.Error("a docId was given again")
	}
	_, err = o.Group(ctx, second.DocID, 0, 1)
	must(t, "the other lives", err, nil)
}
