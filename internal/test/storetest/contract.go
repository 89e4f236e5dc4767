package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
)

// postings is a log of leaders: the keys of each, in order.
type postings [][]uint64

// commit makes a leader with keys and names. It does not check the changes that it follows.
func (o *opened) commit(nid string, keys []uint64, names ...docid.Name) docid.Receipt {
	o.t.Helper()
	c := &docid.Change{Names: names, Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: keys, Sketch: uint64(len(keys))}}
	c.Kind, c.NID = docid.KindNew, nid
	c.Article.Text = "text of " + nid
	r, err := o.Index().Commit(o.t.Context(), c)
	must(o.t, "commit "+nid, err, nil)
	return r
}

// read specifies a bounded look-up. It returns the hits of each probe by leader, with the number of shared keys.
func (p postings) read(q docid.Query) (found []map[uint64]int, rest uint64) {
	before, count := q.Before, 0
	if before == 0 {
		before = uint64(len(p)) + 1
	}
	found = make([]map[uint64]int, len(q.KeySets))
	for i := range found {
		found[i] = map[uint64]int{}
	}
	oldest := before
	for seq := before - 1; seq > q.Since; seq-- {
		n := 0
		hits := make([]int, len(q.KeySets))
		for i, set := range q.KeySets {
			for _, k := range set.Keys {
				if slices.Contains(p[seq-1], k) {
					hits[i]++
					n++
				}
			}
		}
		switch {
		case n == 0:
			continue
		case count > 0 && count+n > q.Limit:
			return found, oldest
		}
		count, oldest = count+n, seq
		for i, h := range hits {
			if h > 0 {
				found[i][seq] = h
			}
		}
	}
	return found, 0
}

// testLookup compares bounded look-ups, page by page, with the specification.
func testLookup(t *testing.T, p Backend) {
	o := start(t, p)
	r := rand.New(rand.NewPCG(1, 2))
	key := func() uint64 { return uint64(r.IntN(12)) * 0x9e3779b97f4a7c15 }
	var log postings
	for n := range 60 {
		var keys []uint64
		for range r.IntN(6) {
			if k := key(); !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
		o.commit(fmt.Sprint("p", n), keys)
		log = append(log, keys)
	}
	if p.Lasting {
		o.reopen()
	}
	for range 200 {
		q := docid.Query{Since: uint64(r.IntN(40)), Limit: 1 + r.IntN(30)}
		for range 1 + r.IntN(2) {
			q.KeySets = append(q.KeySets, docid.KeySet{Keys: []uint64{key()}})
			if other := key(); other != q.KeySets[len(q.KeySets)-1].Keys[0] {
				q.KeySets[len(q.KeySets)-1].Keys = append(q.KeySets[len(q.KeySets)-1].Keys, other)
			}
		}
		for more := true; more; {
			f, err := o.Index().Lookup(t.Context(), q)
			must(t, "look up", err, nil)
			want, rest := log.read(q)
			if f.Rest != rest {
				t.Fatalf("%+v: goes on before %d, want %d", q, f.Rest, rest)
			}
			for i, hits := range f.KeySets {
				for _, h := range hits {
					equal(t, fmt.Sprintf("%+v: keys that leader %d shares", q, h.Leader), h.Shared, want[i][h.Leader])
				}
				equal(t, fmt.Sprintf("%+v: hits of probe %d", q, i), len(hits), len(want[i]))
			}
			q.Before, more = f.Rest, f.Rest != 0
		}
	}
}

// testNames checks that the newest docIds of a name with many are found, whatever Since is.
func testNames(t *testing.T, p Backend) {
	o := start(t, p)
	name := docid.Name{1, 2, 3}
	for n := range 9 {
		o.commit(fmt.Sprint("n", n), nil, name)
	}
	for _, c := range []struct {
		limit int
		want  string
	}{{0, "[1 2 3 4 5 6 7 8 9]"}, {3, "[7 8 9]"}} {
		f, err := o.Index().Lookup(t.Context(), docid.Query{Since: 8, Names: []docid.Name{{}, name}, NameLimit: c.limit})
		must(t, "look up", err, nil)
		var got []uint64
		for _, h := range f.Names[1] {
			got = append(got, h.Leader)
		}
		slices.Sort(got)
		equal(t, "leaders of a name", fmt.Sprint(got), c.want)
		equal(t, "leaders of another name", len(f.Names[0]), 0)
	}
}

// testReplayed checks that Replay answers and refuses like Commit, and writes nothing.
func testReplayed(t *testing.T, p Backend) {
	o := start(t, p)
	c := &docid.Change{Article: &docid.Article{}, NewLeader: &docid.NewLeader{}}
	c.Kind, c.NID, c.Idempotency, c.Request = docid.KindNew, "a", "k", [16]byte{1}
	first, err := o.Index().Commit(t.Context(), c)
	must(t, "commit", err, nil)
	if p.Lasting {
		o.reopen()
	}
	for _, q := range []struct {
		asked docid.ReplayKey
		want  error
	}{
		{docid.ReplayKey{NID: "a", Request: c.Request}, nil},
		{docid.ReplayKey{Idempotency: "k", Request: c.Request}, nil},
		{docid.ReplayKey{Idempotency: "k", NID: "other", Request: c.Request}, nil},
		{docid.ReplayKey{Idempotency: "other", NID: "a", Request: c.Request}, nil},
		{docid.ReplayKey{NID: "other", Request: c.Request}, docid.ErrNotFound},
		{docid.ReplayKey{Request: c.Request}, docid.ErrNotFound},
		{docid.ReplayKey{NID: "a"}, docid.ErrTaken},
		{docid.ReplayKey{Idempotency: "k", NID: "a"}, docid.ErrMismatch},
	} {
		r, err := o.Index().Replay(t.Context(), q.asked)
		must(t, fmt.Sprintf("replay %+v", q.asked), err, q.want)
		if err == nil {
			equal(t, "answer", fmt.Sprint(r.Seq, r.NID, r.Kind, r.Replayed), fmt.Sprint(first.Seq, "a", docid.KindNew, true))
		}
	}
	st, err := o.Index().Catalog().Stats(t.Context())
	must(t, "stats", err, nil)
	equal(t, "last change", st.Seq, first.Seq)
}

// testReplayedNid checks that the answer to a key stays the same when its nid belongs to another article, which a person
// has moved.
func testReplayedNid(t *testing.T, p Backend) {
	o := start(t, p)
	ctx := t.Context()
	add := func(nid, key string, n int) docid.Answer {
		t.Helper()
		var sub docid.Submission
		sub.ID, sub.Idempotency, sub.Text = nid, key, Base(n)
		a, err := o.Add(ctx, sub)
		must(t, "add "+nid, err, nil)
		return a
	}
	first, other := add("a", "k", 1), add("b", "", 2)
	_, err := o.Delete(ctx, "a")
	must(t, "delete", err, nil)
	add("a", "", 3)
	_, err = o.Correct(ctx, docid.Correcting{NID: "a", DocID: other.DocID, Who: "li"})
	must(t, "correct", err, nil)
	again := add("a", "k", 1)
	equal(t, "answer", fmt.Sprint(again.Seq, again.DocID, again.Replayed, again.Corrected), fmt.Sprint(first.Seq, first.DocID, true, (*docid.Corrected)(nil)))
}
