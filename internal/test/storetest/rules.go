package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// testIdempotency checks that one key gets one answer, and that other content under the key is a conflict.
func testIdempotency(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	sub := article("a", Base(1))
	sub.Idempotency = "k"
	first := o.add(sub)
	again := o.add(sub)
	equal(t, "same answer", outcome(again), outcome(first))
	equal(t, "replayed", again.Replayed, true)

	other := article("b", Base(2))
	other.Idempotency = "k"
	_, err := o.Add(ctx, other)
	must(t, "same key, other content", err, docid.ErrMismatch)
	sameText := article("c", Base(1))
	sameText.Idempotency = "k"
	_, err = o.Add(ctx, sameText)
	must(t, "same key and text, other nid", err, docid.ErrMismatch)
	_, err = o.Add(ctx, article("a", Base(3)))
	must(t, "same nid, other content", err, docid.ErrTaken)

	if p.Lasting {
		o.reopen()
		equal(t, "same answer after a restart", outcome(o.add(sub)), outcome(first))
	}
	upTo, err := o.Forget(ctx, 0, time.Now().Add(1e6*time.Hour), 100)
	must(t, "forget", err, nil)
	equal(t, "forgotten up to", upTo, first.Seq)
	equal(t, "a forgotten key is free", o.add(other).Decision.Decision, neardup.New)
}

// testRefusals checks what Commit must refuse.
func testRefusals(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	ix := o.Index()
	first := o.add(article("a", Base(1)))

	commit := func(mutate func(*docid.Change)) error {
		c := &docid.Change{Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: []uint64{1, 2}}}
		c.Kind = docid.KindNew
		c.Query = docid.Query{Since: first.Seq, KeySets: []docid.KeySet{{Keys: []uint64{1, 2}}}}
		mutate(c)
		_, err := ix.Commit(ctx, c)
		return err
	}
	must(t, "an unknown kind", commit(func(c *docid.Change) { c.Kind = "?" }), docid.ErrInvalid)
	must(t, "no article", commit(func(c *docid.Change) { c.Article = nil }), docid.ErrInvalid)
	must(t, "first under its keys", commit(func(*docid.Change) {}), nil)
	must(t, "a newer leader under one key", commit(func(c *docid.Change) {
		c.Query.KeySets[0].Keys = []uint64{2, 3}
	}), docid.ErrConflict)
	must(t, "a newer leader that is not plausible", commit(func(c *docid.Change) {
		c.NewLeader.Keys = []uint64{2, 3}
		c.Query.KeySets[0].Plausible = func(uint64) bool { return false }
	}), docid.ErrConflict)
	must(t, "a leader that never was", commit(func(c *docid.Change) {
		c.Kind, c.NewLeader, c.Leader = docid.KindDuplicate, nil, 999
	}), docid.ErrEnded)
	_, err := o.End(ctx, first.DocID)
	must(t, "end", err, nil)
	must(t, "a leader that has ended", commit(func(c *docid.Change) {
		c.Kind, c.NewLeader, c.Leader = docid.KindDuplicate, nil, first.Seq
		c.Query = docid.Query{}
	}), docid.ErrEnded)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = ix.Lookup(cancelled, docid.Query{})
	must(t, "look up with an ended context", err, context.Canceled)
	_, err = o.Group(ctx, "0123456789abcdef-0123456789abcdef", 0, 1)
	must(t, "a forged docId", err, docid.ErrNotFound)
}

// testKept checks that the hottest article is kept whole, the earliest of equally hot ones, and that a deleted one is
// removed.
func testKept(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	add := func(nid string, heat int64) docid.Answer {
		s := article(nid, Base(1))
		s.Heat, s.Category, s.Media, s.ImageCount = heat, "c"+nid, "m"+nid, "3"
		return o.add(s)
	}
	docID := add("cold", 1).DocID
	kept := func() string {
		g, err := o.Group(ctx, docID, 0, 10)
		must(t, "group", err, nil)
		if g.Kept == nil {
			return ""
		}
		equal(t, "kept whole", g.Kept.Category+g.Kept.Media, "c"+g.Kept.ID+"m"+g.Kept.ID)
		return g.Kept.ID
	}
	equal(t, "first", kept(), "cold")
	add("hot", 5)
	equal(t, "hotter", kept(), "hot")
	add("tie", 5)
	equal(t, "tie", kept(), "hot")
	_, err := o.Delete(ctx, "hot")
	must(t, "delete", err, nil)
	equal(t, "deleted", kept(), "")
	equal(t, "the keys of a deleted article stay", add("next", 0).DocID, docID)
	equal(t, "kept again", kept(), "next")
	_, err = o.Delete(ctx, "cold") // the article of the leader
	must(t, "delete the leader's article", err, nil)
	equal(t, "the docId lives on", add("later", 0).DocID, docID)
}

// testPages reads members page by page, and groups by size.
func testPages(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	for family := range 4 {
		for n := range family + 1 {
			s := article(fmt.Sprintf("%d/%d", family, n), Base(family))
			if n == 0 {
				s.URL = fmt.Sprintf("http://example.org/f%d?utm_source=x", family)
			}
			o.add(s)
		}
	}
	cat := o.Index().Catalog()
	var sizes []int
	page := docid.GroupPage{Limit: 1, MinSize: 2}
	for {
		gs, err := cat.Groups(ctx, page)
		must(t, "groups", err, nil)
		if len(gs) == 0 {
			break
		}
		sizes = append(sizes, gs[0].Size)
		page.After = gs[0]
	}
	equal(t, "sizes", fmt.Sprint(sizes), "[4 3 2]")

	ids, err := o.FindURL(ctx, "https://EXAMPLE.org/f3/")
	must(t, "find", err, nil)
	equal(t, "docIds of the address", len(ids), 1)
	var members []string
	for after := uint64(0); ; {
		g, err := o.Group(ctx, ids[0], after, 3)
		must(t, "group", err, nil)
		for _, m := range g.Members {
			members, after = append(members, m.ID), m.Seq
		}
		if !g.More {
			break
		}
	}
	equal(t, "members", fmt.Sprint(members), "[3/0 3/1 3/2 3/3]")
	log, err := cat.Log(ctx, 2, 3)
	must(t, "log", err, nil)
	equal(t, "log", fmt.Sprint(log[0].Seq, log[1].Seq, log[2].Seq), "3 4 5")
	a, err := o.Evidence(ctx, 3)
	must(t, "evidence", err, nil)
	equal(t, "evidence", a.Leader+" "+a.Basis, "1/0 "+neardup.BasisEqual)
}

// testTenants checks that tenants share neither articles nor secrets.
func testTenants(t *testing.T, p Backend) {
	o := start(t, p)
	a, b := o.detector("a", Settings()), o.detector("b", Settings())
	x, err := a.Add(t.Context(), article("n", Base(1)))
	must(t, "add", err, nil)
	y, err := b.Add(t.Context(), article("n", Base(1)))
	must(t, "add", err, nil)
	equal(t, "new for each", y.Decision.Decision, neardup.New)
	if x.DocID == y.DocID || a.Index().Identity().Seed == b.Index().Identity().Seed {
		t.Error("two tenants share a docId or a seed")
	}
	_, err = b.Group(t.Context(), x.DocID, 0, 1)
	must(t, "the docId of another tenant", err, docid.ErrNotFound)
	names, err := o.store.Tenants(t.Context())
	must(t, "tenants", err, nil)
	equal(t, "tenants", fmt.Sprint(names), "[a b tenant]")
	other := Settings()
	other.ContentMethod = Maker(0.9)
	_, err = docid.NewDetector(t.Context(), o.store, "a", other)
	must(t, "other settings", err, neardup.ErrUnlike)
	_, err = o.store.Index(t.Context(), "nobody", nil)
	must(t, "no such tenant", err, docid.ErrNotFound)
}

// testClose checks that a closed store refuses work and leaves no goroutine.
func testClose(t *testing.T, p Backend) {
	s, err := p.Open(t.Context())
	must(t, "open", err, nil)
	d, err := docid.NewDetector(t.Context(), s, "tenant", Settings())
	must(t, "detector", err, nil)
	done := make(chan error)
	for i := range 8 {
		go func() {
			for n := 0; ; n++ {
				if _, err := d.Add(t.Context(), article(fmt.Sprintf("%d-%d", i, n), Base(n))); err != nil {
					done <- err
					return
				}
			}
		}()
	}
	must(t, "close", s.Close(), nil)
	for range 8 {
		if err := <-done; !errors.Is(err, docid.ErrUnavailable) {
			t.Errorf("after Close: %v", err)
		}
	}
}
