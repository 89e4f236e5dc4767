package storetest

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/neardup/neardup/docid"
)

// pagesOfMembers reads a docId page by page. Some of its members were deleted, some moved away, and one has its nid again.
func (o *opened) pagesOfMembers() {
	t, ctx := o.t, o.t.Context()
	t.Helper()
	first := o.add(article("m0", Base(40)))
	for n := range 9 {
		o.add(article(fmt.Sprint("m", n+1), Base(40)))
	}
	other := o.add(article("other", Base(41)))
	heat := int64(3)
	must(t, "heat", second(o.Update(ctx, "m2", docid.Revision{Heat: &heat})), nil)
	must(t, "delete", second(o.Delete(ctx, "m4")), nil)
	must(t, "correct", second(o.Correct(ctx, docid.Correcting{NID: "m6", DocID: other.DocID, Who: "w"})), nil)
	must(t, "delete the leader", second(o.Delete(ctx, "m0")), nil)
	o.add(article("m4", Base(40)))
	for _, again := range []bool{false, true} {
		if again && o.place.Lasting {
			o.reopen()
		}
		for limit := 1; limit <= 10; limit++ {
			nids, after := "", uint64(0)
			for more := true; more; {
				g, err := o.Group(ctx, first.DocID, after, limit)
				must(t, "group", err, nil)
				equal(t, "size", g.Size, 8)
				equal(t, "who made it", g.NID, docid.AnonymousNID(first.Seq))
				for _, m := range g.Members {
					nids += fmt.Sprint(m.ID, "/", m.Heat, " ")
					after = m.Seq
				}
				more = g.More
			}
			equal(t, fmt.Sprint("members by ", limit), nids, "m1/0 m2/3 m3/0 m5/0 m7/0 m8/0 m9/0 m4/0 ")
		}
	}
	must(t, "end", second(o.End(ctx, first.DocID)), nil)
	must(t, "a member of what ended", third(o.Member(ctx, "m3")), docid.ErrNotFound)
	equal(t, "what was moved away", docIDOf(o.Member(ctx, "m6")), other.DocID)
	if a := o.add(article("m3", Base(40))); a.Replayed || a.DocID == first.DocID {
		t.Errorf("an nid of a docId that ended, sent again: %+v", a)
	}
}

func third[A, B any](_ A, _ B, err error) error { return err }

func docIDOf(_ docid.Member, docID string, _ error) string { return docID }

// testRead reads the log, evidence and docIds page by page, before and after a restart, and repeats submissions.
func testRead(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	sent := map[string]string{}
	add := func(nid string, n int) docid.Answer {
		t.Helper()
		sent[nid] = Base(n)
		return o.add(article(nid, Base(n)))
	}
	first := add("a", 0)
	for n := range 4 {
		add(fmt.Sprint("b", n), n+1)
	}
	ended := add("ended", 5)
	must(t, "end", second(o.End(ctx, ended.DocID)), nil)
	must(t, "epoch", o.Index().BeginEpoch(ctx, 20), nil)
	add("c", 6)
	before := o.logged()
	for range 2 {
		o.pagesOfLog(before)
		a := o.add(article("a", Base(0)))
		equal(t, "retry", fmt.Sprint(a.DocID, a.Replayed, outcome(a)), fmt.Sprint(first.DocID, true, outcome(first)))
		must(t, "another article under the nid", second(o.Add(ctx, article("a", Base(9)))), docid.ErrTaken)
		must(t, "end again", second(o.End(ctx, ended.DocID)), docid.ErrEnded)
		must(t, "group that ended", second(o.Group(ctx, ended.DocID, 0, 9)), docid.ErrEnded)
		must(t, "group that never was", second(o.Index().Catalog().Group(ctx, ended.Seq+1, 0, 9)), docid.ErrNotFound)
		g, err := o.Group(ctx, first.DocID, 0, 9)
		must(t, "group", err, nil)
		equal(t, "who made it", g.NID, "a")
		e, err := o.Evidence(ctx, first.Seq)
		must(t, "evidence", err, nil)
		equal(t, "evidence", outcome(e), outcome(first))
		if p.Lasting {
			o.reopen()
		}
		add(fmt.Sprint("d", len(before)), 7+len(before))
		before = o.logged()
	}
	o.pagesOfMembers()
	before = o.logged()
	o.attachedLater(before)
}

// logged returns the whole log.
func (o *opened) logged() []docid.Entry {
	o.t.Helper()
	es, err := o.Index().Catalog().Log(o.t.Context(), 0, 1000)
	must(o.t, "log", err, nil)
	return withoutNil(es)
}

// withoutNil replaces nil conflicts of entries by empty lists, because stores differ in this.
func withoutNil(es []docid.Entry) []docid.Entry {
	for i := range es {
		es[i].Evidence.Conflicts = nil
	}
	return es
}

// pagesOfLog reads the log from every position, page by page.
func (o *opened) pagesOfLog(all []docid.Entry) {
	o.t.Helper()
	for after := range all {
		for limit := 1; limit <= 3; limit++ {
			want, at := all[after:min(after+limit, len(all))], uint64(0)
			if after > 0 {
				at = all[after-1].Seq
			}
			got, err := o.Index().Catalog().Log(o.t.Context(), at, limit)
			must(o.t, "page of the log", err, nil)
			if !reflect.DeepEqual(withoutNil(got), want) {
				o.t.Errorf("%d entries after %d\n are %+v\nwant %+v", limit, at, got, want)
			}
		}
	}
}

// attachedLater checks that a sink which is attached later gets the whole log.
func (o *opened) attachedLater(all []docid.Entry) {
	t := o.t
	t.Helper()
	path := filepath.Join(t.TempDir(), "late")
	sink, err := OpenFileSink(path)
	must(t, "open sink", err, nil)
	o.drain("late", sink, false)
	lines, _, err := ReadLines(path)
	must(t, "read sink", err, nil)
	equal(t, "changes in a sink that is attached later", len(lines), len(all))
	for i, l := range lines {
		equal(t, "change", fmt.Sprint(l.Seq, l.Kind, l.NID), fmt.Sprint(all[i].Seq, all[i].Kind, all[i].NID))
	}
}
