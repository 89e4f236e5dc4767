package ledger

import (
	"context"
	"slices"
	"sort"

	"github.com/neardup/neardup/docid"
)

// Lookup finds leaders by name and key. Keys take no disk access, names one
// row for each leader found.
func (ix *index) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	f := docid.Found{At: ix.durable.Load()}
	if err := ctx.Err(); err != nil {
		return f, err
	}
	if f.At < q.Seen {
		return f, docid.ErrBehind
	}
	runs, rest := ix.table.runs(&q, f.At)
	f.Rest = rest
	f.Probes = make([][]docid.Hit, len(q.Probes))
	for i, p := range q.Probes {
		f.Probes[i] = ix.table.hits(runs[:len(p.Keys)], p.Plausible, f.At)
		runs = runs[len(p.Keys):]
	}
	f.Names = make([][]docid.Hit, len(q.Names))
	for i, n := range q.Names {
		var err error
		if f.Names[i], err = ix.named(n, limitOf(q.NameLimit), f.At); err != nil {
			return f, err
		}
	}
	return f, nil
}

// A run is the postings under one key that a look-up reads, in the order of
// their changes.
type run []uint32

// runs are those of all keys of a query, in the order of its probes, and, if
// there are more postings than its limit, the oldest change that was read.
func (t *table) runs(q *docid.Query, at uint64) (runs []run, rest uint64) {
	total, n := 0, 0
	for _, p := range q.Probes {
		n += len(p.Keys)
	}
	runs, single := make([]run, 0, n), make([]uint32, 0, n)
	for _, p := range q.Probes {
		for _, k := range p.Keys {
			one, list := t.shard(k).get(k)
			if one != 0 {
				single = append(single, one)
				list = single[len(single)-1:]
			}
			r := run(list).after(t, q.Since)
			r = r[:len(r)-len(r.after(t, at))]
			if q.Before != 0 {
				r = r[:len(r)-len(r.after(t, q.Before-1))]
			}
			runs, total = append(runs, r), total+len(r)
		}
	}
	limit := limitOf(q.Limit)
	if total <= limit {
		return runs, 0
	}
	last := t.newest(runs, limit, q.Since, at)
	rest, left := at, false
	for i, r := range runs {
		runs[i] = r.after(t, last)
		left = left || len(runs[i]) < len(r)
		if len(runs[i]) > 0 {
			rest = min(rest, t.posts.at(runs[i][0]-1).seq)
		}
	}
	if !left {
		rest = 0
	}
	return runs, rest
}

// after is the part of a run by changes after one.
func (r run) after(t *table, seq uint64) run {
	return r[sort.Search(len(r), func(i int) bool { return t.posts.at(r[i]-1).seq > seq }):]
}

// newest is the change after which runs hold as many postings as possible, but
// limit at most, or those of one change.
func (t *table) newest(runs []run, limit int, since, at uint64) uint64 {
	seq := since + uint64(sort.Search(int(at-since), func(i int) bool {
		n := 0
		for _, r := range runs {
			n += len(r.after(t, since+uint64(i)))
		}
		return n <= limit
	}))
	last := uint64(0)
	for _, r := range runs {
		if len(r) > 0 {
			last = max(last, t.posts.at(r[len(r)-1]-1).seq)
		}
	}
	return min(seq, last-1)
}

// hits collects the leaders of the runs of a probe, in their order. The sketch
// is asked first, so of a crowded bucket only what may count takes memory: 4
// bytes for each key that it shares.
func (t *table) hits(runs []run, plausible func(uint64) bool, at uint64) []docid.Hit {
	var numbers []uint32
	for _, r := range runs {
		for _, p := range r {
			n := t.posts.at(p - 1).leader
			if l := t.leaders.at(n); l.lives(at) && (plausible == nil || plausible(l.sketch)) {
				numbers = append(numbers, n)
			}
		}
	}
	var found []docid.Hit
	shared(numbers, func(n uint32, times int) {
		l := t.leaders.at(n)
		found = append(found, docid.Hit{Leader: l.seq, Sketch: l.sketch, Time: l.time, Shared: times})
	})
	return found
}

// shared visits each number once, in order, with how often it is there. Leaders
// are numbered in the order of their changes; many that lie close together, as
// a crowded bucket has, are counted instead of sorted.
func shared(numbers []uint32, visit func(n uint32, times int)) {
	if len(numbers) == 0 {
		return
	}
	low := slices.Min(numbers)
	if span := int(slices.Max(numbers)-low) + 1; len(numbers) >= 64 && span <= 8*len(numbers) {
		counts := make([]uint16, span) // a probe has fewer keys than that
		for _, n := range numbers {
			counts[n-low]++
		}
		for i, c := range counts {
			if c > 0 {
				visit(low+uint32(i), int(c))
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

func limitOf(n int) int {
	if n <= 0 {
		return docid.DefaultLimit
	}
	return n
}

// named collects the newest leaders of a name: memory has half of the name, the
// row has all.
func (ix *index) named(n docid.Name, limit int, at uint64) ([]docid.Hit, error) {
	var found []docid.Hit
	ix.table.each(nameHash(n), 0, at, func(l *leader) bool {
		found = append(found, docid.Hit{Leader: l.seq, Sketch: l.sketch, Time: l.time, Shared: 1})
		return len(found) < limit
	})
	if len(found) == 0 {
		return nil, nil
	}
	hits := found[:0]
	err := ix.view(func(r Reader) error {
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

// nameHash is the key of a name in memory.
func nameHash(n docid.Name) uint64 {
	var k uint64
	for _, b := range n[:8] {
		k = k<<8 | uint64(b)
	}
	return k
}

// Material reads what verification needs of a leader.
func (ix *index) Material(ctx context.Context, leader uint64) (docid.Material, error) {
	var m docid.Material
	if err := ctx.Err(); err != nil {
		return m, err
	}
	err := ix.view(func(r Reader) error {
		ok, err := read(r, ix.key(spaceText, leader), func(d *decoder) { getMaterial(d, &m) })
		if err == nil && !ok {
			return docid.ErrNotFound
		}
		return err
	})
	return m, err
}

// Replay finds the answer to a submission that was made before.
func (ix *index) Replay(ctx context.Context, a docid.Asked) (docid.Receipt, error) {
	var receipt docid.Receipt
	if err := ctx.Err(); err != nil {
		return receipt, err
	}
	if ix.durable.Load() < a.Seen {
		return receipt, docid.ErrBehind
	}
	err := ix.view(func(r Reader) (err error) {
		receipt, err = ix.repeated(r, a, func([]byte) bool { return true })
		return err
	})
	return receipt, err
}
