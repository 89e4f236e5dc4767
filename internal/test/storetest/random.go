package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/override"
)

// cascades is the number of cascades that testRandom draws.
const cascades = 24

// testRandom draws cascades, and runs random operations on the store and on the model. It compares every answer and, at the
// end, everything that can be read. If the store is durable, it is closed and opened in between.
func testRandom(t *testing.T, p Backend) {
	o := start(t, p)
	for seed := range uint64(cascades) {
		w := &walk{opened: o, subs: map[string]docid.Submission{}, texts: NewTexts(seed, 8), tenant: fmt.Sprintf("random%d", seed), now: time.Unix(1_700_000_000, 0)}
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

// Fill runs random operations on several new indexes of a store. The sinks of every second index lag.
func Fill(t *testing.T, store docid.Store, indexes, steps int) {
	t.Helper()
	there, err := store.Tenants(t.Context())
	must(t, "tenants", err, nil)
	for seed := uint64(len(there)); seed < uint64(len(there)+indexes); seed++ {
		w := &walk{opened: &opened{t: t, store: store}, subs: map[string]docid.Submission{}, texts: NewTexts(50+seed, 8), tenant: fmt.Sprintf("filled%d", seed), now: time.Unix(1_700_000_000, 0)}
		w.model = NewModel(w.draw())
		w.Detector = w.detect()
		for n := range steps {
			if n == steps/3 && seed%2 > 0 {
				must(t, "attach", second(w.Index().Outbox().Attach(t.Context(), "map")), nil)
				must(t, "attach", second(w.Index().Outbox().Attach(t.Context(), "articles")), nil)
			}
			w.step()
			if n == steps/2 && seed%2 > 0 {
				must(t, "acknowledge", w.Index().Outbox().Acknowledge(t.Context(), "map", w.seq()), nil)
				must(t, "acknowledge", w.Index().Outbox().Acknowledge(t.Context(), "articles", w.seq()-3), nil)
			}
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
	subs   map[string]docid.Submission // nid -> its last submission
	gone   []string                    // deleted nids, to be used again
}

// draw draws a cascade.
func (w *walk) draw() Cascade {
	pick := func(of ...float64) float64 { return of[w.texts.R.IntN(len(of))] }
	mode := func(of ...docid.Mode) docid.Mode { return of[w.texts.R.IntN(len(of))] }
	c := Cascade{
		URL: mode(docid.Off, docid.Exact, docid.Exact), Title: mode(docid.Off, docid.Exact, docid.Near),
		Content: mode(docid.Off, docid.Exact, docid.Near, docid.Near), TitleNear: .7, ContentNear: Threshold,
		TitleAgrees: pick(0, .2, .5), URLAgrees: pick(0, 0, .3),
		Window: time.Duration(pick(0, 0, 9)) * time.Second, TTL: time.Duration(pick(0, 0, 15)) * time.Second,
	}
	c.Titled = c.Content != docid.Off && pick(0, 0, 1) > 0
	c.Pictures = pick(0, 1) > 0
	if c.Pictures {
		c.Common, c.ContentUnsure = pick(.001, .2, .4), pick(0, .3, .3)
	}
	return c
}

func (w *walk) detect() *docid.Detector {
	return w.detector(w.tenant, w.model.Settings(func() time.Time { return w.now }))
}

func (w *walk) step() {
	r := w.texts.R
	w.now = w.now.Add(time.Duration(r.IntN(3)) * time.Second)
	switch n := r.IntN(100); {
	case n < 60:
		w.submit()
	case n < 66 && len(w.nids) > 1:
		w.correct(w.anyNID())
	case n < 70 && len(w.nids) > 1:
		w.rule(w.anyNID())
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

// expire ends docIds shortly before, at or after the time at which one is due.
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
	w.subs[sub.ID] = sub
	if w.texts.R.IntN(5) == 0 { // a retry changes nothing
		w.retry(w.anyNID())
	}
}

// retry repeats a submission. It must get its first answer, with the current docId.
func (w *walk) retry(nid string) {
	g := w.model.byNID[nid]
	if g == nil {
		return
	}
	me := g.members[nid]
	again := w.add(w.subs[nid])
	equal(w.t, "retry of "+nid, fmt.Sprint(again.Seq, again.Replayed), fmt.Sprint(me.seq, true))
	equal(w.t, "docId of a retry", again.DocID, w.DocIDs().DocID(g.seq))
	equal(w.t, "a retry reports a correction", again.Corrected != nil, me.corrected != 0)
	if again.Corrected != nil {
		equal(w.t, "the correction", again.Corrected.Seq, me.corrected)
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

func (w *walk) anyNID() string { return w.nids[w.texts.R.IntN(len(w.nids))] }

// correct moves an article to the docId of another article, to a named docId, or to one of its own.
func (w *walk) correct(nid string) {
	r := w.texts.R
	c := docid.Correcting{NID: nid, Who: "li", Why: fmt.Sprint("because ", r.IntN(9))}
	var to uint64
	switch other := w.anyNID(); r.IntN(4) {
	case 0, 1:
		if g := w.model.byNID[other]; g != nil && other != nid {
			c.With, to = other, g.seq
		}
	case 2:
		g := w.model.leaders[r.IntN(len(w.model.leaders))]
		c.DocID, to = w.DocIDs().DocID(g.seq), g.seq
	}
	if r.IntN(3) > 0 {
		s := w.texts.Vary(Base(r.IntN(w.texts.Families)), 8)
		c.Text = &s
	}
	before := ""
	if g := w.model.byNID[nid]; g != nil {
		before = w.DocIDs().DocID(g.seq)
	}
	got, err := w.Correct(w.t.Context(), c)
	home, moved, want := w.model.Correct(nid, to, c.Text, w.now.UnixNano())
	must(w.t, "correct "+nid, err, want)
	if want != nil || err != nil {
		return
	}
	equal(w.t, "corrected to", got.DocID, w.DocIDs().DocID(home))
	equal(w.t, "nothing to correct", got.Unchanged, !moved)
	if moved {
		equal(w.t, "who, why and from where", got.Who+got.Why+got.Before, c.Who+c.Why+before)
		m, docID, err := w.Member(w.t.Context(), nid)
		must(w.t, "member", err, nil)
		equal(w.t, "docId of what was moved", docID, got.DocID)
		equal(w.t, "what it tells", fmt.Sprint(*w.Corrected(&m)), fmt.Sprint(got.Corrected))
	}
}

// rule makes a ruling on two articles, one of which may not exist yet.
func (w *walk) rule(nid string) {
	r := w.texts.R
	other := w.anyNID()
	if len(w.gone) > 0 && r.IntN(2) == 0 {
		other = w.gone[0]
	}
	if other == nid {
		return
	}
	link := []override.Link{override.Must, override.Must, override.Cannot, override.Unsure, ""}[r.IntN(5)]
	e, err := w.Rule(w.t.Context(), nid, other, docid.Ruling{Who: "li", Link: link})
	must(w.t, "rule", err, nil)
	equal(w.t, "what was said before", e.Ruling.Was, w.model.said(nid, other))
	w.model.Rule(nid, other, link)
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

// compare compares everything that can be read.
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

// compareOrder compares all groups by size, page by page.
func (w *walk) compareOrder() {
	w.t.Helper()
	least := int(w.model.Seq % 3) // sometimes includes those without members
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
func testExpiry(t *testing.T, p Backend) {
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
