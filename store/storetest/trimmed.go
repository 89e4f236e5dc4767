package storetest

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/neardup/neardup/docid"
)

// testTrimmed: of a log whose entries were left to a history all is read as before,
// and what was answered is answered again.
func testTrimmed(t *testing.T, p Place) {
	o := start(t, p)
	ctx := t.Context()
	sent := map[string]string{}
	add := func(nid string, n int) docid.Answer {
		t.Helper()
		sent[nid] = Base(n)
		return o.add(article(nid, Base(n)))
	}
	p.Trim(t, o.Detector) // nothing is there
	first := add("a", 0)
	for n := range 4 {
		add(fmt.Sprint("b", n), n+1)
	}
	ended := add("ended", 5)
	must(t, "end", second(o.End(ctx, ended.DocID)), nil)
	must(t, "epoch", o.Index().BeginEpoch(ctx, 20), nil)
	add("c", 6)
	log := func() []docid.Entry {
		t.Helper()
		es, err := o.Index().Catalog().Log(ctx, 0, 1000)
		must(t, "log", err, nil)
		for i := range es { // nil or not is the store's
			es[i].Evidence.Conflicts = nil
		}
		return es
	}
	before := log()
	for range 2 { // with all of it trimmed, and with some
		p.Trim(t, o.Detector)
		for after := range before {
			for limit := 1; limit <= 3; limit++ {
				want := before[after:min(after+limit, len(before))]
				at := uint64(0)
				if after > 0 {
					at = before[after-1].Seq
				}
				got, err := o.Index().Catalog().Log(ctx, at, limit)
				must(t, "page of the log", err, nil)
				for i := range got {
					got[i].Evidence.Conflicts = nil
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%d entries after %d\n are %+v\nwant %+v", limit, at, got, want)
				}
			}
		}
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
		before = log()
	}
	// Who is attached later gets all of it.
	path := filepath.Join(t.TempDir(), "late")
	sink, err := OpenFileSink(path)
	must(t, "open sink", err, nil)
	o.drain("late", sink, false)
	lines, _, err := ReadLines(path)
	must(t, "read sink", err, nil)
	equal(t, "changes in a sink that is attached later", len(lines), len(before))
	for i, l := range lines {
		equal(t, "change", fmt.Sprint(l.Seq, l.Kind, l.NID), fmt.Sprint(before[i].Seq, before[i].Kind, before[i].NID))
	}
}
