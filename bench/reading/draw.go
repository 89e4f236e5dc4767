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

// decision is what a run did with the second text of a pair.
type decision int

const (
	removed decision = iota
	kept             // as a variant of the first
)

func (d decision) String() string { return [...]string{"removed", "kept"}[d] }

// seed is of the hash that pairs are drawn by; docs/reading was drawn by another.
const seed = 22

type drawing struct {
	documents
	options
	learned map[pairKey]bool
}

// draw returns the first n pairs of each decision, mixed.
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
	// By other bits: of the kind that is rarer in the set, the ranks are larger.
	slices.SortFunc(drawn, func(a, b pair) int { return cmp.Compare(bits.Reverse64(a.rank), bits.Reverse64(b.rank)) })
	return drawn, nil
}

// mostShort is how many bytes two texts have together at most so that they
// stand with their label.
const mostShort = 1500

// documents are the different clean texts of a set.
type documents struct {
	list  []neardup.Document // clean, each once, under the id of the first
	texts map[string]string  // clean, by id
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
