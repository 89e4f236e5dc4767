package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// cascades is how many cascades testRandom draws.
const cascades = 24

// testRandom draws cascades, runs random operations on the store and on the
// model and compares every answer, and at the end everything that can be read.
// A store that lasts is closed and opened in between.
func testRandom(t *testing.T, p Place) {
	o := start(t, p)
	for seed := range uint64(cascades) {
		w := &walk{opened: o, texts: NewTexts(seed, 8), tenant: fmt.Sprintf("random%d", seed), now: time.Unix(1_700_000_000, 0)}
		w.model = NewModel(w.draw())
		o.Detector = w.detect()
		for range 90 {
			w.step()
		}
		w.compare()
		if t.Failed() {
			t.Fatalf("cascade %d: %+v", seed, w.model.Cascade)
		}
	}
}

type walk struct {
	*opened
	tenant string
	texts  *Texts
	model  *Model
	now    time.Time
	nids   []string
	gone   []string // deleted: to be given anew
}

// draw makes a cascade.
func (w *walk) draw() Cascade {
	pick := func(of ...float64) float64 { return of[w.texts.R.IntN(len(of))] }
	mode := func(of ...docid.Mode) docid.Mode { return of[w.texts.R.IntN(len(of))] }
	return Cascade{
		URL: mode(docid.Off, docid.Exact, docid.Exact), Title: mode(docid.Off, docid.Exact, docid.Near),
		Content: mode(docid.Off, docid.Exact, docid.Near, docid.Near), TitleNear: .7, ContentNear: Threshold,
		TitleAgrees: pick(0, .2, .5), URLAgrees: pick(0, 0, .3),
		Window: time.Duration(pick(0, 0, 9)) * time.Second, TTL: time.Duration(pick(0, 0, 15)) * time.Second,
	}
}

func (w *walk) detect() *docid.Detector {
	return w.detector(w.tenant, w.model.Settings(func() time.Time { return w.now }))
}

func (w *walk) step() {
	r := w.texts.R
	w.now = w.now.Add(time.Duration(r.IntN(3)) * time.Second)
	switch n := r.IntN(100); {
	case n < 70:
		w.submit()
	case n < 79 && len(w.nids) > 0:
		w.update(w.nids[r.IntN(len(w.nids))])
	case n < 87 && len(w.nids) > 0:
		w.remove(w.nids[r.IntN(len(w.nids))])
	case n < 91:
		if living := w.model.Living(); len(living) > 0 {
			w.end(living[r.IntN(len(living))])
		}
	case n < 98:
		w.expire()
	case n < 99 && w.place.Lasting:
		w.reopen()
		w.Detector = w.detect()
	}
}

// expire ends what is due just before, at or after a moment at which something is.
func (w *walk) expire() {
	for _, g := range w.model.living {
		if g.expires != 0 {
			at := time.Unix(0, g.expires+int64(w.texts.R.IntN(3)-1))
			n, err := w.Expire(w.t.Context(), at, 1000)
			must(w.t, "expire", err, nil)
			equal(w.t, "expired", n, w.model.Expire(at.UnixNano()))
			return
		}
	}
}

func (w *walk) submit() {
	sub := w.texts.NextOf(w.model.Cascade)
	if len(w.gone) > 0 && w.texts.R.IntN(2) == 0 {
		sub.ID, sub.Idempotency, w.gone = w.gone[0], "", w.gone[1:]
	}
	cutoff := int64(0)
	if window := cmp.Or(sub.Window, w.model.Window); window > 0 {
		cutoff = w.now.Add(-window).UnixNano()
	}
	checked, err := w.Check(w.t.Context(), sub)
	must(w.t, "check", err, nil)
	got, want := outcome(w.add(sub)), w.model.Add(sub, w.now.UnixNano(), cutoff)
	equal(w.t, "add "+sub.ID, got, want)
	want.Seq, want.Leader = 0, 0
	said := outcome(checked)
	said.Seq, said.Leader = 0, 0
	equal(w.t, "check "+sub.ID, said, want)
	w.nids = append(w.nids, sub.ID)
	if w.texts.R.IntN(5) == 0 { // a retry changes nothing
		again := w.add(sub)
		equal(w.t, "retry", outcome(again), got)
		equal(w.t, "retry is replayed", again.Replayed, true)
	}
}

func (w *walk) update(nid string) {
	var r docid.Revision
	if w.texts.R.IntN(3) > 0 {
		heat := int64(w.texts.R.IntN(9))
		r.Heat = &heat
	}
	if w.texts.R.IntN(2) == 0 {
		s := w.texts.Vary(Base(w.texts.R.IntN(w.texts.Families)), 4)
		r.Text = &s
	}
	_, err := w.Update(w.t.Context(), nid, r)
	w.sameError("update", err, w.model.Update(nid, r.Heat, r.Text), docid.ErrNotFound)
}

func (w *walk) remove(nid string) {
	_, err := w.Delete(w.t.Context(), nid)
	w.sameError("delete", err, w.model.Delete(nid), docid.ErrNotFound)
	if err == nil {
		w.gone = append(w.gone, nid)
	}
}

func (w *walk) end(leader uint64) {
	_, err := w.End(w.t.Context(), w.DocIDs().DocID(leader))
	w.sameError("end", err, w.model.End(leader), docid.ErrEnded)
	_, err = w.End(w.t.Context(), w.DocIDs().DocID(leader))
	must(w.t, "end again", err, docid.ErrEnded)
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
			equal(w.t, "heat of "+nid, m.Heat, g.members[nid].heat)
		}
	}
	for _, g := range w.model.leaders {
		w.compareGroup(g)
	}
	w.compareOrder()
}

// compareOrder reads all groups by their size, page by page.
func (w *walk) compareOrder() {
	w.t.Helper()
	least := int(w.model.Seq % 3) // sometimes those without members, too
	var want, got []docid.GroupSize
	for _, g := range w.model.leaders {
		if !g.finished && len(g.members) >= least {
			want = append(want, docid.GroupSize{Leader: g.seq, Size: len(g.members)})
		}
	}
	slices.SortFunc(want, func(a, b docid.GroupSize) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Leader, b.Leader))
	})
	page := docid.GroupPage{MinSize: least, Limit: 3}
	for {
		gs, err := w.Index().Catalog().Groups(w.t.Context(), page)
		must(w.t, "groups", err, nil)
		got = append(got, gs...)
		if len(gs) < page.Limit {
			break
		}
		page.After = gs[len(gs)-1]
	}
	equal(w.t, "groups by size", fmt.Sprint(got), fmt.Sprint(want))
}

func (w *walk) compareGroup(g *modelGroup) {
	got, err := w.Group(w.t.Context(), w.DocIDs().DocID(g.seq), 0, 1000)
	if g.finished {
		must(w.t, "ended group", err, docid.ErrEnded)
		return
	}
	must(w.t, "group", err, nil)
	equal(w.t, "size", got.Size, len(g.members))
	equal(w.t, "members", len(got.Members), len(g.members))
	equal(w.t, "has a kept copy", got.Kept != nil, g.kept != nil)
	if got.Kept != nil && g.kept != nil {
		equal(w.t, "kept", keptCopy{got.Kept.ID, got.Kept.Text, got.Kept.Heat}, *g.kept)
	}
	hotter := ""
	if got.Hotter != nil {
		hotter = got.Hotter.ID
	}
	equal(w.t, "hotter than kept", hotter, g.hotter())
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
