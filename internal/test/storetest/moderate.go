package storetest

import (
	"fmt"
	"math"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/override"
)

// testModerated checks which decisions of people Commit rejects, and the effect of the others.
func testModerated(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	ix := o.Index()
	a, b := o.add(article("a", Base(1))), o.add(article("b", Base(2)))
	commit := func(kind docid.Kind, nid string, leader uint64, r *docid.Ruling, mutate ...func(*docid.Change)) error {
		c := &docid.Change{}
		c.Kind, c.NID, c.Leader, c.Ruling = kind, nid, leader, r
		for _, m := range mutate {
			m(c)
		}
		_, err := ix.Commit(ctx, c)
		return err
	}
	from := func(leader uint64) *docid.Ruling { return &docid.Ruling{Who: "li", Why: "不同", Before: leader} }
	must(t, "a correction without a name", commit(docid.KindCorrect, "b", a.LeaderSeq, nil), docid.ErrInvalid)
	must(t, "of an article that is not there", commit(docid.KindCorrect, "?", a.LeaderSeq, from(b.LeaderSeq)), docid.ErrNotFound)
	must(t, "of one that is elsewhere by now", commit(docid.KindCorrect, "b", a.LeaderSeq, from(a.LeaderSeq)), docid.ErrConflict)
	must(t, "to where it is", commit(docid.KindCorrect, "b", b.LeaderSeq, from(b.LeaderSeq)), docid.ErrInvalid)
	must(t, "to a docId that never was", commit(docid.KindCorrect, "b", 999, from(b.LeaderSeq)), docid.ErrEnded)
	must(t, "to a living one", commit(docid.KindCorrect, "b", a.LeaderSeq, from(b.LeaderSeq)), nil)

	must(t, "a rule without a name", commit(docid.KindRule, "a", 0, nil), docid.ErrInvalid)
	must(t, "a rule about one", commit(docid.KindRule, "a", 0, &docid.Ruling{Who: "li"}), docid.ErrInvalid)
	rule := &docid.Ruling{Who: "li", Why: "为什么", Other: "中", Link: override.Must, Was: override.Unsure}
	must(t, "a rule", commit(docid.KindRule, "a", 0, rule), nil)
	must(t, "one that does not know of it", commit(docid.KindRule, "a", 0, rule), docid.ErrConflict)
	fresh := func(ruled uint64) func(*docid.Change) {
		return func(c *docid.Change) {
			c.Article, c.NewLeader, c.Query.Ruled = &docid.Article{}, &docid.NewLeader{}, ruled
		}
	}
	must(t, "a rule about others that does not know of it", commit(docid.KindRule, "a", 0, &docid.Ruling{Who: "li", Other: "x"}), nil)
	must(t, "the same pair in the other order", commit(docid.KindRule, "x", 0, &docid.Ruling{Who: "li", Other: "a"}), docid.ErrConflict)
	must(t, "a judgement that does not know of it", commit(docid.KindNew, "中", 0, nil, fresh(3)), docid.ErrConflict)
	must(t, "one of another article", commit(docid.KindNew, "c", 0, nil, fresh(3)), nil)
	must(t, "one that does", commit(docid.KindNew, "中", 0, nil, fresh(4)), nil)
	must(t, "an end", second(o.End(ctx, b.DocID)), nil)
	must(t, "a correction to what ended", commit(docid.KindCorrect, "b", b.LeaderSeq, from(a.LeaderSeq)), docid.ErrEnded)

	if p.Lasting {
		o.reopen()
		ix = o.Index()
	}
	must(t, "a judgement from before a restart", commit(docid.KindNew, "x", 0, nil, fresh(3)), docid.ErrConflict)
	found, err := ix.Lookup(ctx, docid.Query{})
	must(t, "look up", err, nil)
	equal(t, "the last rule", found.Ruled, 5)
	for after, want := range []string{"[a 中 4]", "", "", "", ""} {
		es, err := ix.Catalog().Rulings(ctx, uint64(after)*5, 1)
		must(t, "rulings", err, nil)
		got := ""
		for _, e := range es {
			got += fmt.Sprint([]any{e.NID, e.Ruling.Other, e.Seq})
			equal(t, "the rule as it was made", *e.Ruling, *rule)
		}
		equal(t, "rulings", got, want)
	}
	m, docID, err := o.Member(ctx, "b")
	must(t, "member", err, nil)
	equal(t, "where it is", docID, a.DocID)
	if c := m.Correction; c == nil || c.Who != "li" || c.Why != "不同" || c.Before != b.LeaderSeq || c.Seq != 3 || m.Seq != 2 {
		t.Errorf("what was done to it: %+v", m)
	}
	log, err := ix.Catalog().Log(ctx, 2, 1)
	must(t, "log", err, nil)
	if e := log[0]; e.Kind != docid.KindCorrect || e.NID != "b" || e.Leader != a.LeaderSeq || *e.Ruling != *from(b.LeaderSeq) {
		t.Errorf("the correction in the log: %+v", e)
	}
	const last = math.MaxUint64 // the largest number, after which none follows
	log, err = ix.Catalog().Log(ctx, last, 9)
	must(t, "log", err, nil)
	rules, err := ix.Catalog().Rulings(ctx, last, 9)
	must(t, "rulings", err, nil)
	g, err := ix.Catalog().Group(ctx, a.LeaderSeq, last, 9)
	must(t, "group", err, nil)
	if len(log)+len(rules)+len(g.Members) > 0 || g.More {
		t.Errorf("after the last number: %v, %v, %v", log, rules, g.Members)
	}
}
