package ledger

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
)

// index is the index of one tenant.
type index struct {
	store    *Store
	tenant   string
	id       uint32
	identity docid.Identity
	table    table
	seen     *seen // rows of nids and idempotency keys; the writer's

	head    uint64 // last change applied; the writer's
	durable atomic.Uint64
	leaders atomic.Int64
	members atomic.Int64
}

func newIndex(s *Store, tenant string, id uint32, identity docid.Identity) *index {
	return &index{store: s, tenant: tenant, id: id, identity: identity, seen: newSeen()}
}

// Identity returns what makes the index itself.
func (ix *index) Identity() docid.Identity { return ix.identity }

// Catalog reads the rest.
func (ix *index) Catalog() docid.Catalog { return catalog{ix} }

func (ix *index) key(space byte, numbers ...uint64) []byte { return keyOf(space, ix.id, numbers...) }

// view runs read on the durable state.
func (ix *index) view(read func(Reader) error) error {
	v, err := ix.store.kv.View()
	if err != nil {
		return err
	}
	defer v.Close()
	return read(v)
}

const defaultLimit = 1 << 16

// Lookup finds leaders by name and key. Keys take no disk access, names one
// row for each leader found.
func (ix *index) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	f := docid.Found{At: ix.durable.Load()}
	if err := ctx.Err(); err != nil {
		return f, err
	}
	f.Probes = make([][]docid.Hit, len(q.Probes))
	for i, p := range q.Probes {
		f.Probes[i] = ix.probe(p, q, &f)
	}
	f.Names = make([][]docid.Hit, len(q.Names))
	for i, n := range q.Names {
		var err error
		if f.Names[i], err = ix.named(n, q, f.At); err != nil {
			return f, err
		}
	}
	return f, nil
}

// probe collects the leaders under the keys of one probe, in their order. The
// sketch is asked first, so of a crowded bucket only what may count takes
// memory: 4 bytes for each key that it shares.
func (ix *index) probe(p docid.Probe, q docid.Query, f *docid.Found) []docid.Hit {
	limit := limitOf(q.Limit)
	var numbers []uint32
	for _, k := range p.Keys {
		most := len(numbers) + limit + 1
		ix.table.number(k, q.Since, f.At, func(n uint32, l *leader) bool {
			if p.Plausible == nil || p.Plausible(l.sketch) {
				numbers = append(numbers, n)
			}
			return len(numbers) < most
		})
		if len(numbers) > 4*limit {
			numbers = distinct(numbers)
		}
	}
	numbers = distinct(numbers)
	if over := len(numbers) - limit; over > 0 {
		f.Crowded = true
		numbers = numbers[over:]
	}
	hits := make([]docid.Hit, len(numbers))
	for i, n := range numbers {
		hits[i] = ix.table.leaders.at(n).hit()
	}
	return hits
}

// distinct sorts numbers and drops repeats, in place. Leaders are numbered in
// the order of their changes. Many that lie close together, as a crowded bucket
// has, go through a set of bits.
func distinct(numbers []uint32) []uint32 {
	if len(numbers) < 64 {
		slices.Sort(numbers)
		return slices.Compact(numbers)
	}
	low, high := slices.Min(numbers), slices.Max(numbers)
	words := int(high-low)/64 + 1
	if words > 8*len(numbers) {
		slices.Sort(numbers)
		return slices.Compact(numbers)
	}
	set := make([]uint64, words)
	for _, n := range numbers {
		set[(n-low)/64] |= 1 << ((n - low) % 64)
	}
	numbers = numbers[:0]
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			numbers = append(numbers, low+uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return numbers
}

func (l *leader) hit() docid.Hit { return docid.Hit{Leader: l.seq, Sketch: l.sketch, Time: l.time} }

func limitOf(n int) int {
	if n <= 0 {
		return defaultLimit
	}
	return n
}

// named collects the leaders of a name: memory has half of the name, the row
// has all.
func (ix *index) named(n docid.Name, q docid.Query, at uint64) ([]docid.Hit, error) {
	var found []docid.Hit
	ix.table.each(nameHash(n), q.Since, at, func(l *leader) bool {
		found = append(found, l.hit())
		return len(found) < limitOf(q.NameLimit)
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

// Commit hands a change to the writer.
func (ix *index) Commit(ctx context.Context, c *docid.Change) (docid.Receipt, error) {
	var receipt docid.Receipt
	err := ix.store.do(ctx, func(b Batch) (func(), error) {
		tx := change{ix: ix, b: b, c: c, seq: ix.head + 1}
		publish, err := tx.apply()
		receipt = tx.receipt
		return publish, err
	})
	if err != nil {
		return docid.Receipt{}, err
	}
	return receipt, nil
}
