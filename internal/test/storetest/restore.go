package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/memory"
)

// kept holds in memory what sinks store for a rebuild. It omits the texts of articles that are not kept copies.
type kept struct{ log []docid.Delivery }

// history stores the log and the articles, and library stores the texts.
type (
	history struct {
		kept
		id       docid.Identity
		articles map[uint64]*docid.Article // change -> the article that came with it
	}
	library struct {
		kept
		texts map[string]docid.Texts
	}
)

// KeptSinks returns two empty sinks in memory from which an index can be rebuilt.
func KeptSinks() (docid.History, docid.Library) {
	return &history{articles: map[uint64]*docid.Article{}}, &library{texts: map[string]docid.Texts{}}
}

func (k *kept) Close() error { return nil }

func (k *history) KeepIdentity(_ context.Context, _ string, id docid.Identity) error {
	k.id = id
	return nil
}

func (k *history) Identity(context.Context, string) (docid.Identity, error) { return k.id, nil }

func (k *kept) Cursor(context.Context, string) (uint64, error) {
	return k.last(), nil
}

func (k *history) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	for _, d := range ds {
		k.log = append(k.log, d)
		k.file(&d)
	}
	return nil
}

func (k *library) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	for _, d := range ds {
		k.log = append(k.log, d)
		k.keep(&d)
	}
	return nil
}

// keep stores a text, like a table of texts.
func (k *library) keep(d *docid.Delivery) {
	if d.Kept.Leaves() {
		t := k.texts[d.Left]
		t.Kept, t.KeptSeq = nil, d.Seq
		k.texts[d.Left] = t
	}
	t := k.texts[d.DocID]
	switch {
	case d.Kept == docid.KeptRemoved:
		t.Kept, t.KeptSeq = nil, d.Seq
	case d.Article != nil && (d.Kept.Replaces() || d.Kept == docid.KeptReheated):
		t.Kept, t.KeptSeq = d.Article, d.Seq
	}
	if d.Material != nil {
		t.Material = d.Material
	}
	if d.Kind == docid.KindEnd || d.Kind == docid.KindExpire {
		t = docid.Texts{Ended: true, KeptSeq: d.Seq}
	}
	k.texts[d.DocID] = t
}

func (k *library) Texts(_ context.Context, ids []string) (map[string]docid.Texts, error) {
	out := map[string]docid.Texts{}
	for _, id := range ids {
		if t, ok := k.texts[id]; ok {
			if t.Kept != nil {
				a := *t.Kept
				t.Kept = &a
			}
			out[id] = t
		}
	}
	return out, nil
}

// reference is an index in another store, with the sinks that it feeds. Its history is random unless a cascade is given.
type reference struct {
	*walk
	history docid.History
	library docid.Library
	crash   func() // stops a rebuild once
}

func newReference(t *testing.T, seed uint64, tenant string, c Cascade) *reference {
	t.Helper()
	store, err := memory.New(t.Context())
	must(t, "open", err, nil)
	t.Cleanup(func() { must(t, "close", store.Close(), nil) })
	o := &opened{t: t, store: store}
	r := &reference{walk: &walk{opened: o, subs: map[string]docid.Submission{}, texts: NewTexts(seed, 8), tenant: tenant, now: time.Unix(1_700_000_000, 0)}}
	r.model = NewModel(c)
	if c == (Cascade{}) {
		r.model = NewModel(r.draw())
	}
	r.Detector = r.detect()
	r.history, r.library = KeptSinks()
	return r
}

// drain feeds the sinks. Before the first call, the index is one whose sinks were attached late.
func (r *reference) drain() { r.feed(r.Detector, "map", "articles") }

// feed feeds sinks from the index of a detector.
func (r *reference) feed(d *docid.Detector, names ...string) {
	r.t.Helper()
	for _, name := range names {
		relay, err := d.Relay(r.t.Context(), name, map[string]docid.Sink{"map": r.history, "articles": r.library}[name])
		if err == nil {
			_, err = relay.Drain(r.t.Context())
		}
		if err != nil {
			r.t.Fatalf("feed sink %q: %v", name, err)
		}
	}
}

// rebuild rebuilds the index in another store. The rebuild is repeatedly stopped and crashed, and new processes continue
// it.
func (r *reference) rebuild(o *opened, drained bool) docid.Rebuilt {
	t := r.t
	t.Helper()
	for n := 1; ; n++ {
		ctx, stop := context.WithCancel(t.Context())
		pages, told := 0, 0
		b := docid.Rebuild{
			Store: o.store, Source: docid.SourceOf(r.history, r.library), Tenant: r.tenant, Drained: drained, Page: 7,
			Settings: r.model.Settings(nil),
			Progress: func(made int) {
				if made <= told || made > told+7 {
					t.Errorf("progress goes from %d changes to %d, by pages of at most 7", told, made)
				}
				told = made
				pages++
				switch {
				case pages != 3 || n > 3:
				case r.crash != nil && n == 1:
					r.crash()
				default:
					stop()
				}
			},
		}
		sum, err := b.Run(ctx)
		stop()
		if err == nil {
			left, err := r.Index().Catalog().Log(t.Context(), sum.From, 10_000)
			must(t, "log", err, nil)
			made := slices.IndexFunc(left, func(e docid.Entry) bool { return e.Seq > sum.Seq })
			if made < 0 {
				made = len(left)
			}
			equal(t, "changes that progress reports", told, made)
			return sum
		}
		if n > 4 || (!errors.Is(err, context.Canceled) && !(r.crash != nil && n == 1)) {
			t.Fatalf("rebuild that was stopped %d times: %v", n, err)
		}
		_, err = docid.NewDetector(t.Context(), o.store, r.tenant, r.model.Settings(nil))
		must(t, "serve what is half made", err, docid.ErrUnfinished)
		other, err := r.history.Identity(t.Context(), r.tenant)
		must(t, "identity", err, nil)
		other.Seed++
		_, err = o.store.Restore(t.Context(), r.tenant, other)
		must(t, "go on under another identity", err, docid.ErrOccupied)
		if o.place.Lasting {
			o.reopen()
		}
	}
}

// testRestore checks that an index rebuilt from its sinks equals the lost one: it reads the same, answers retries the same,
// and decides further articles.
func testRestore(t *testing.T, p Backend) {
	histories := 6
	if testing.Short() {
		histories = 2
	}
	Restore(t, p, Sinks{Open: KeptSinks, Histories: histories})
}

// Sinks are sinks from which indexes can be rebuilt, for several random histories, each in its own tenant. Crash, if not
// nil, ends the store and starts it again.
type Sinks struct {
	Open      func() (docid.History, docid.Library)
	Histories int
	Crash     func()
}

// Restore loses indexes and rebuilds them from sinks.
func Restore(t *testing.T, p Backend, sinks Sinks) {
	if p.Follows {
		return // this kind of index is rebuilt without the log
	}
	o := start(t, p)
	for seed := range uint64(sinks.Histories) {
		r := newReference(t, 100+seed, fmt.Sprint("restored", seed), Cascade{})
		r.history, r.library = sinks.Open()
		r.crash = sinks.Crash
		for n := range 100 {
			r.step()
			if n%10 == 9 && n > 30*int(seed%2) {
				r.drain()
			}
			if n == 50 && seed == 2 { // it lost changes before, and continued
				must(t, "resume after a loss", r.Resume(t.Context(), r.seq()+3), nil)
				r.model.Seq = r.seq()
			}
		}
		_, err := r.Forget(t.Context(), 0, r.now.Add(-20*time.Second), 1000)
		must(t, "forget", err, nil)
		r.model.Seq, err = r.seq(), nil
		r.drain()
		sum := r.rebuild(o, true)
		want, err := r.LogDigest(t.Context(), r.model.Seq)
		must(t, "digest", err, nil)
		equal(t, "digest of the log", sum.Digest, want)
		equal(t, "texts that are missing", fmt.Sprint(sum.Textless, sum.Missing, sum.Keptless), "0 0 0")

		again := *r.walk
		again.opened = &opened{t: t, place: p, store: o.store}
		again.Detector = again.detect()
		r.same(again.Detector)
		r.walk = &again
		for range 40 {
			again.step()
		}
		again.compare()
		o.store = again.store
		if t.Failed() {
			t.Fatalf("cascade %d: %+v", seed, r.model.Cascade)
		}
	}
	_, err := o.store.Restore(t.Context(), "restored0", docid.Identity{})
	must(t, "restore over an index", err, docid.ErrOccupied)
}

// same compares everything that can be read of two indexes: articles, docIds and counts.
func (r *reference) same(d *docid.Detector) {
	t := r.t
	t.Helper()
	ctx := t.Context()
	a, err := r.Stats(ctx)
	must(t, "stats", err, nil)
	b, err := d.Stats(ctx)
	must(t, "stats", err, nil)
	equal(t, "counts", b, a)
	for _, nid := range r.nids {
		a, idA, errA := r.Member(ctx, nid)
		b, idB, errB := d.Member(ctx, nid)
		if idA != idB || !reflect.DeepEqual(a, b) || errors.Is(errA, docid.ErrNotFound) != errors.Is(errB, docid.ErrNotFound) {
			t.Errorf("article %s: was %+v %v, is %+v %v", nid, a, errA, b, errB)
		}
	}
	for _, g := range r.model.leaders {
		a, errA := r.Group(ctx, r.DocIDs().DocID(g.seq), 0, 1000)
		b, errB := d.Group(ctx, r.DocIDs().DocID(g.seq), 0, 1000)
		if !sameGroup(a, b) || errors.Is(errA, docid.ErrEnded) != errors.Is(errB, docid.ErrEnded) {
			t.Errorf("docId %d:\nwas %+v %v\n is %+v %v", g.seq, a, errA, b, errB)
		}
	}
}

func sameGroup(a, b docid.Group) bool {
	if (a.Kept == nil) != (b.Kept == nil) || (a.Kept != nil && !reflect.DeepEqual(*a.Kept, *b.Kept)) ||
		(a.Hotter == nil) != (b.Hotter == nil) || (a.Hotter != nil && !reflect.DeepEqual(*a.Hotter, *b.Hotter)) {
		return false
	}
	a.Kept, b.Kept, a.Hotter, b.Hotter = nil, nil, nil, nil
	return (len(a.Members) == 0 && len(b.Members) == 0 && a.Size == b.Size) || reflect.DeepEqual(a, b)
}

// testRestoreLate checks the rebuild of an index that was lost before its sinks had everything. The changes of the sinks
// are rebuilt, then an epoch begins. No lost docId is given again.
func testRestoreLate(t *testing.T, p Backend) {
	if p.Follows {
		return // this kind of index is rebuilt without the log
	}
	o := start(t, p)
	r := newReference(t, 7, "late", standard)
	given := map[string]bool{}
	add := func(d *docid.Detector, nid string, n int) docid.Answer {
		t.Helper()
		a, err := d.Add(t.Context(), article(nid, Base(n)))
		must(t, "add "+nid, err, nil)
		return a
	}
	a := add(r.Detector, "a", 1)
	r.drain()
	textless := add(r.Detector, "b", 2)
	r.feed(r.Detector, "map") // but not the library
	for n := range 5 {
		given[add(r.Detector, fmt.Sprint("lost", n), 3+n).DocID] = true
	}
	b := docid.Rebuild{
		Store: o.store, Source: docid.SourceOf(r.history, r.library), Tenant: r.tenant, Drained: true,
		Settings: r.model.Settings(nil),
	}
	_, err := b.Run(t.Context())
	must(t, "sinks that are not equally far", err, docid.ErrUndrained)
	sum := r.rebuild(o, false)
	equal(t, "what was rebuilt", fmt.Sprint(sum.Stats.Seq, sum.Textless, sum.Missing, sum.Keptless, sum.Epoch), "2 1 0 1 true")

	d := o.detector(r.tenant, r.model.Settings(func() time.Time { return r.now }))
	equal(t, "a retry", outcome(add(d, "a", 1)), outcome(a))
	equal(t, "a retry of one without text", outcome(add(d, "b", 2)), outcome(textless))
	equal(t, "a copy", add(d, "copy", 1).DocID, a.DocID)
	for n := range 5 {
		c := add(d, fmt.Sprint("new", n), 3+n)
		if given[c.DocID] || c.Seq < 8 {
			t.Errorf("docId %s of change %d was given before", c.DocID, c.Seq)
		}
	}
	// The sinks continue with the rebuilt index.
	r.feed(d, "map", "articles")
	st, err := d.Stats(t.Context())
	must(t, "stats", err, nil)
	at, err := r.history.Cursor(t.Context(), r.tenant)
	must(t, "cursor", err, nil)
	equal(t, "the history ends with", at, st.Seq)
}

// holed is a library that has lost the texts of one docId.
type holed struct {
	docid.Library
	lost string
}

func (h holed) Texts(ctx context.Context, docIDs []string) (map[string]docid.Texts, error) {
	all, err := h.Library.Texts(ctx, docIDs)
	delete(all, h.lost)
	return all, err
}

// testRestoreHoles checks that a text lost by the library is distinguished from one that it has not received yet, and an
// article lost by the history from a deleted one.
func testRestoreHoles(t *testing.T, p Backend) {
	if p.Follows {
		return // this kind of index is rebuilt without the log
	}
	o := start(t, p)
	r := newReference(t, 8, "holes", standard)
	for n := range 3 {
		a, err := r.Detector.Add(t.Context(), article(fmt.Sprint(n), Base(n)))
		must(t, "add", err, nil)
		if n == 1 {
			r.library = holed{r.library, a.DocID}
		}
		if n < 2 {
			r.feed(r.Detector, "articles")
		}
		r.feed(r.Detector, "map")
	}
	must(t, "delete", second(r.Delete(t.Context(), "0")), nil)
	r.feed(r.Detector, "map")
	delete(r.history.(*history).articles, 2) // the second article, which no client has deleted
	sum := r.rebuild(o, false)
	equal(t, "what was rebuilt", fmt.Sprint(sum.Stats.Seq, sum.Textless, sum.Missing, sum.Rowless), "4 2 1 1")
}
