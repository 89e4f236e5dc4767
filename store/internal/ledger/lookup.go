package ledger

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/neardup/neardup/docid"
)

// Lookup finds leaders by name and key. Absent keys need no disk access. For other keys it reads a row of each segment that
// has them. For names it reads another row for each leader found.
func (ix *index) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	f := docid.Found{At: ix.durable.Load()}
	f.Ruled = ix.lastRule.Load() // at least as new as f.At
	if err := ctx.Err(); err != nil {
		return f, err
	}
	var runs [][]run
	err := ix.posts.reading(ix.atSnapshot, func(l *levels, r Reader) (err error) {
		runs, f.Rest, err = ix.posts.runs(l, r, &q, f.At)
		return err
	})
	if err != nil {
		return f, err
	}
	f.KeySets = make([][]docid.Hit, len(q.KeySets))
	for i, p := range q.KeySets {
		f.KeySets[i] = ix.posts.hits(runs[i], p.Plausible, f.At)
	}
	if len(q.Rated) > 0 {
		docIDs := int(ix.leaders.Load())
		if err := ix.atSnapshot(func(r Reader) (err error) { f.Common, err = ix.common(r, &q, docIDs); return err }); err != nil {
			return f, err
		}
	}
	f.Names = make([][]docid.Hit, len(q.Names))
	_, hits := q.Bounds()
	for i, n := range q.Names {
		f.Names[i], err = ix.named(n, hits, f.At)
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// runs returns the runs of the keys of each key set. If there are more postings than the limit, it also returns
// the oldest change that it read.
func (p *postings) runs(l *levels, r Reader, q *docid.Query, at uint64) (runs [][]run, rest uint64, err error) {
	total, runs := 0, make([][]run, len(q.KeySets))
	for i, set := range q.KeySets {
		for _, k := range set.Keys {
			n := len(runs[i])
			runs[i], err = p.runsOf(runs[i], l, r, k, q.Since)
			if err != nil {
				return nil, 0, err
			}
			for j, r := range runs[i][n:] {
				r = r.after(q.Since).until(at)
				if q.Before != 0 {
					r = r.until(q.Before - 1)
				}
				runs[i][n+j], total = r, total+len(r)
			}
		}
	}
	limit, _ := q.Bounds()
	if total <= limit {
		return runs, 0, nil
	}
	last := newest(runs, limit, q.Since, at)
	rest, left := at, false
	for _, rs := range runs {
		for i, r := range rs {
			rs[i] = r.after(last)
			left = left || len(rs[i]) < len(r)
			if len(rs[i]) > 0 {
				rest = min(rest, rs[i][0].seq)
			}
		}
	}
	if !left {
		rest = 0
	}
	return runs, rest, nil
}

// newest returns the change after which the runs hold as many postings as possible, but at most limit or those
// of one change.
func newest(runs [][]run, limit int, since, at uint64) uint64 {
	all := slices.Concat(runs...)
	seq := since + uint64(sort.Search(int(at-since), func(i int) bool {
		n := 0
		for _, r := range all {
			n += len(r) - r.first(since+uint64(i))
		}
		return n <= limit
	}))
	last := uint64(0)
	for _, r := range all {
		if n := len(r); n > 0 {
			last = max(last, r[n-1].seq)
		}
	}
	return min(seq, last-1)
}

// hits collects the leaders of the runs of a key set, in order. It checks the sketch first, so a hot bucket
// takes memory only for plausible leaders: 4 bytes for each shared key.
func (p *postings) hits(runs []run, plausible func(uint64) bool, at uint64) []docid.Hit {
	var numbers []leaderNo
	for _, r := range runs {
		for _, post := range r {
			n := post.leader
			if l := p.leaders.at(n); l.lives(at) && (plausible == nil || plausible(l.sketch)) {
				numbers = append(numbers, n)
			}
		}
	}
	var found []docid.Hit
	shared(numbers, func(n leaderNo, times int) {
		l := p.leaders.at(n)
		found = append(found, docid.Hit{Leader: l.seq, Sketch: l.sketch, Time: l.time, Shared: times})
	})
	return found
}

// shared visits each number once, in order, with its count. Leaders are numbered in the order of their changes. A hot
// bucket has many close numbers, so it is counted instead of sorted.
func shared(numbers []leaderNo, visit func(n leaderNo, times int)) {
	if len(numbers) == 0 {
		return
	}
	low := slices.Min(numbers)
	if span := int(slices.Max(numbers)-low) + 1; len(numbers) >= 64 && span <= 8*len(numbers) {
		counts := make([]uint16, span) // large enough, because a key set has fewer keys
		for _, n := range numbers {
			counts[n-low]++
		}
		for i, c := range counts {
			if c > 0 {
				visit(low+leaderNo(i), int(c))
			}
		}
		return
	}
	slices.Sort(numbers)
	for i := 0; i < len(numbers); {
		j := i + 1
		for j < len(numbers) && numbers[j] == numbers[i] {
			j++
		}
		visit(numbers[i], j-i)
		i = j
	}
}

// named returns the newest leaders of a name. The memtable only has half of the name, so it checks the whole name in the
// rows.
func (ix *index) named(n docid.Name, limit int, at uint64) ([]docid.Hit, error) {
	var found []docid.Hit
	err := ix.posts.each(ix.atSnapshot, nameHash(n), 0, at, func(l *leader) bool {
		// Names that share a half share a key.
		if !slices.ContainsFunc(found, func(h docid.Hit) bool { return h.Leader == l.seq }) {
			found = append(found, docid.Hit{Leader: l.seq, Sketch: l.sketch, Time: l.time, Shared: 1})
		}
		return len(found) < limit
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	hits := found[:0]
	err = ix.atSnapshot(func(r Reader) error {
		for _, h := range found {
			v, err := r.Get(aliasKey(ix.id, n, h.Leader))
			if err != nil {
				return err
			}
			if v != nil {
				hits = append(hits, h)
			}
		}
		return nil
	})
	return hits, err
}

// common reports for each rated name whether more than the query's share of all docIds have it.
func (ix *index) common(r Reader, q *docid.Query, docIDs int) (common []bool, err error) {
	most := q.MostUncommon(docIDs)
	for _, rated := range q.Rated {
		n := 0
		err := scan(r, append(keyOf(spaceAlias, ix.id), rated.Name[:]...), func(_, _ []byte) error {
			n++
			if n > most {
				return errStop
			}
			return nil
		})
		if enough(err) != nil {
			return nil, err
		}
		common = append(common, n > most)
	}
	return common, nil
}

// nameHash returns the key of a name in the memtable.
func nameHash(n docid.Name) uint64 {
	var k uint64
	for _, b := range n[:8] {
		k = k<<8 | uint64(b)
	}
	return k
}

// Material returns what verification needs of a leader.
func (ix *index) Material(ctx context.Context, leader uint64) (docid.Material, error) {
	var m docid.Material
	if err := ctx.Err(); err != nil {
		return m, err
	}
	err := ix.atSnapshot(func(r Reader) error {
		ok, err := read(r, ix.key(spaceText, leader), &m)
		if err == nil && !ok {
			return docid.ErrNotFound
		}
		return err
	})
	return m, err
}

// Replay finds the receipt of an earlier identical submission.
func (ix *index) Replay(ctx context.Context, a docid.ReplayKey) (docid.Receipt, error) {
	var receipt docid.Receipt
	look := func(r Reader) (err error) {
		receipt, err = ix.findReplay(r, a)
		return err
	}
	f, err := ix.store.follower, ctx.Err()
	if f != nil && err == nil {
		err = f.troubled()
	}
	if err == nil {
		err = ix.atSnapshot(look)
	}
	if f == nil || errors.Is(err, docid.ErrNotFound) {
		return receipt, err
	}
	err = ix.store.current(ctx)
	if err == nil { // the earlier submission may have been deleted
		err = ix.atSnapshot(look)
	}
	return receipt, err
}
