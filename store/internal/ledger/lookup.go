package ledger

import (
	"context"
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/neardup/neardup/docid"
)

// Lookup finds leaders by name and key. Absent keys and names need no disk access.
func (ix *index) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	f := docid.Found{At: ix.durable.Load(), Names: make([][]docid.Hit, len(q.Names)), KeySets: make([][]docid.Hit, len(q.KeySets))}
	f.Ruled = ix.lastRule.Load() // not older than f.At
	if err := ctx.Err(); err != nil {
		return f, err
	}
	docIDs, tables := int(ix.leaders.Load()), ix.posts.tables.Load()
	err := ix.atSnapshot(func(r Reader) (err error) {
		var runs [][][]leaderNo
		runs, f.Rest, err = ix.runs(r, tables, &q, f.At)
		if err != nil {
			return err
		}
		for i, p := range q.KeySets {
			f.KeySets[i] = ix.posts.hits(runs[i], p.Plausible, f.At)
		}
		_, hits := q.Bounds()
		for i, n := range q.Names {
			f.Names[i], err = ix.named(r, n, hits, f.At)
			if err != nil {
				return err
			}
		}
		f.Common, err = ix.common(r, &q, docIDs)
		return err
	})
	return f, err
}

// runs returns the runs of the keys of each key set. If there are more postings than the limit, it returns the newest
// and the oldest change that it read.
func (ix *index) runs(r Reader, t *tables, q *docid.Query, at uint64) (runs [][][]leaderNo, rest uint64, err error) {
	if q.Before != 0 {
		at = min(at, q.Before-1)
	}
	limit, _ := q.Bounds()
	total, runs := 0, make([][][]leaderNo, len(q.KeySets))
	for i, set := range q.KeySets {
		for _, k := range set.Keys {
			run, err := ix.run(r, t, k, q.Since, at, limit+1)
			if err != nil {
				return nil, 0, err
			}
			if len(run) > 0 {
				runs[i], total = append(runs[i], run), total+len(run)
			}
		}
	}
	if total <= limit {
		return runs, 0, nil
	}
	first, last, left := oldest(slices.Concat(runs...), limit), leaderNo(math.MaxUint32), false
	for _, rs := range runs {
		for i, run := range rs {
			rs[i] = run[:from(run, first)]
			if len(rs[i]) > 0 {
				last = min(last, rs[i][len(rs[i])-1])
			}
			left = left || len(rs[i]) < len(run)
		}
	}
	if left {
		rest = ix.posts.leaders.at(last).seq
	}
	return runs, rest, nil
}

// from returns how many leaders of a run are not older than one.
func from(run []leaderNo, first leaderNo) int {
	return sort.Search(len(run), func(i int) bool { return run[i] < first })
}

// oldest returns the oldest leader such that the runs hold at most limit postings from it on, or the newest leader.
func oldest(runs [][]leaderNo, limit int) leaderNo {
	newest := leaderNo(0)
	for _, run := range runs {
		newest = max(newest, run[0])
	}
	return leaderNo(sort.Search(int(newest), func(first int) bool {
		n := 0
		for _, run := range runs {
			n += from(run, leaderNo(first))
		}
		return n <= limit
	}))
}

// hits collects the leaders of the runs of a key set, in order. It checks the sketch first, so a hot bucket
// takes memory only for plausible leaders: 4 bytes for each shared key.
func (p *postings) hits(runs [][]leaderNo, plausible func(uint64) bool, at uint64) []docid.Hit {
	var numbers []leaderNo
	for _, run := range runs {
		for _, n := range run {
			if l := p.leaders.at(n); l.lives(at) && (plausible == nil || plausible(l.sketch)) {
				numbers = append(numbers, n)
			}
		}
	}
	var found []docid.Hit
	shared(numbers, func(n leaderNo, times int) { found = append(found, p.leaders.at(n).hit(times)) })
	return found
}

// shared visits each number once, in order, with its count. Leaders are numbered in the order of their changes.
// A hot bucket has many numbers close together, which are counted instead of sorted.
func shared(numbers []leaderNo, visit func(n leaderNo, times int)) {
	if len(numbers) == 0 {
		return
	}
	low := slices.Min(numbers)
	if span := int(slices.Max(numbers)-low) + 1; len(numbers) >= 64 && span <= 8*len(numbers) {
		counts := make([]uint16, span) // a set has fewer keys than that
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

// named returns the newest leaders of a name.
func (ix *index) named(r Reader, n docid.Name, limit int, at uint64) (hits []docid.Hit, err error) {
	if !ix.posts.keys.has(nameHash(n)) {
		return nil, nil
	}
	err = ix.byName(r, n, 0, at, func(leader uint64) error {
		if l := ix.posts.living(leader, at); l != nil {
			hits = append(hits, l.hit(1))
		}
		if len(hits) == limit {
			return errStop
		}
		return nil
	})
	return hits, err
}

// common reports for each rated name whether more docIds have it than the query's share of all docIds.
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

// nameHash returns the key of a name in the Bloom filter and the negative cache.
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
		ok, err := read(r, ix.key(spaceText, leader), func(c *coder) { materialFields(c, &m) })
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
