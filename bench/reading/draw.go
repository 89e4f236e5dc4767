package main

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// decision is the decision of a run on the second text of a pair.
type decision int

const (
	removed decision = iota
	kept             // kept as a variant of the first
)

func (d decision) String() string { return [...]string{"removed", "kept"}[d] }

// seed is the seed of the hash by which pairs are drawn. docs/reading used another.
const seed = 22

type drawing struct {
	documents
	options
	learned map[pairKey]bool
}

// draw returns the first n pairs of each decision, in mixed order.
func (d *drawing) draw(ctx context.Context) ([]pair, error) {
	m, err := methods.New(d.method)
	if err != nil {
		return nil, err
	}
	var found [2][]pair
	add := func(what decision, leader string, o batch.Outcome) {
		p := pair{decision: what, similarity: o.Similarity, conflicts: o.Conflicts}
		p.Set, p.A, p.B = d.set, leader, o.ID
		x, y := d.texts[p.A], d.texts[p.B]
		p.rank = xxh3.HashStringSeed(min(x, y)+"\x00"+max(x, y), seed)
		p.learned = d.learned[p.key()]
		found[what] = append(found[what], p)
	}
	_, err = batch.Dedup(ctx, batch.Documents(d.list), batch.Config{Method: m, Workers: 1}, func(o batch.Outcome) error {
		switch {
		case o.Leader != "":
			add(removed, o.Leader, o)
		case o.VariantOf != "":
			add(kept, o.VariantOf, o)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	byRank := func(a, b pair) int { return cmp.Compare(a.rank, b.rank) }
	var drawn []pair
	for _, f := range found {
		slices.SortFunc(f, func(a, b pair) int { return cmp.Or(number(a.learned)-number(b.learned), byRank(a, b)) })
		drawn = append(drawn, f[:min(d.n, len(f))]...)
	}
	// Sort by other bits, because the ranks of the rarer kind are larger.
	slices.SortFunc(drawn, func(a, b pair) int { return cmp.Compare(bits.Reverse64(a.rank), bits.Reverse64(b.rank)) })
	return drawn, nil
}

// mostShort is the largest total size, in bytes, of two texts that are stored with their label.
const mostShort = 1500

// documents holds the distinct clean texts of a set.
type documents struct {
	list  []neardup.Document // clean and distinct, under the id of the first document
	texts map[string]string  // id -> clean text
	raw   map[string]string
}

func (d *documents) add(clean text.Normalizer, seen map[string]bool, id, raw string) {
	c := clean.Clean(raw)
	if seen[c] {
		return
	}
	seen[c] = true
	d.list = append(d.list, neardup.Document{ID: id, Text: c})
	d.texts[id], d.raw[id] = c, raw
}
