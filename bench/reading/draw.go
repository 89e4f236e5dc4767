package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// missedBy is how far below the threshold a near miss lies at most.
const missedBy = .1

// draw returns the first n pairs by hash of the kind that is asked for, and how
// many there are.
func draw(ctx context.Context, docs documents, o options) ([]pair, int, error) {
	m, err := methods.New(o.method)
	if err != nil {
		return nil, 0, err
	}
	d := drawing{documents: docs, options: o, method: m}
	switch o.kind {
	case "reported":
		err = d.reported(ctx)
	case "removed":
		err = d.removed(ctx)
	case "missed":
		err = d.missed(ctx)
	default:
		err = fmt.Errorf("kind %q is none of reported, removed, missed", o.kind)
	}
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(d.found, func(a, b pair) int { return cmp.Compare(a.rank, b.rank) })
	all := len(d.found)
	if o.kind == "missed" {
		d.once()
	}
	return d.found[:min(o.n, len(d.found))], all, nil
}

type drawing struct {
	documents
	options
	method neardup.Method
	found  []pair
}

func (d *drawing) reported(ctx context.Context) error {
	_, err := batch.Pairs(ctx, batch.Documents(d.list), d.config(d.method), func(p batch.Pair) error {
		d.add(p.A, p.B, p.Similarity, nil)
		return nil
	})
	return err
}

func (d *drawing) removed(ctx context.Context) error {
	_, err := batch.Dedup(ctx, batch.Documents(d.list), d.config(d.method), func(o batch.Outcome) error {
		if o.Leader != "" {
			d.add(o.Leader, o.ID, o.Similarity, nil)
		}
		return nil
	})
	return err
}

// missed asks a method with a lower threshold, for variants too, and keeps what the method itself does not call near.
func (d *drawing) missed(ctx context.Context) error {
	lower := d.options.method
	if lower.Threshold == 0 {
		lower.Threshold = thresholdOf(d.method)
	}
	lower.Threshold -= missedBy
	if lower.Name == "ngram" {
		lower.Variants = methods.Merge
	}
	m, err := methods.New(lower)
	if err != nil {
		return err
	}
	config := d.config(m)
	config.Variants = true
	_, err = batch.Pairs(ctx, batch.Documents(d.list), config, func(p batch.Pair) error {
		a, b := d.method.View(d.texts[p.A]), d.method.View(d.texts[p.B])
		if d.method.Compare(b, a).Near {
			return nil
		}
		var conflicts []neardup.Conflict
		if e, ok := d.method.(neardup.Explainer); ok {
			conflicts = e.Conflicts(b, a)
		}
		d.add(p.A, p.B, p.Similarity, conflicts)
		return nil
	})
	return err
}

// thresholdOf reads the first threshold that a method names in its Spec: its own.
func thresholdOf(m neardup.Method) float64 {
	for _, p := range m.Spec().Params {
		var t float64
		if p.Name == "threshold" {
			if _, err := fmt.Sscan(p.Value, &t); err == nil {
				return t
			}
		}
	}
	return 1
}

func (d *drawing) config(m neardup.Method) batch.Config {
	return batch.Config{Method: m, Workers: 1}
}

// add keeps a pair if it is of the half that is asked for.
func (d *drawing) add(a, b string, similarity float64, conflicts []neardup.Conflict) {
	p := pair{Similarity: similarity, Conflicts: conflicts}
	p.Set, p.A, p.B = d.set, a, b
	x, y := d.texts[a], d.texts[b]
	if x > y {
		x, y = y, x
	}
	p.rank = xxh3.HashStringSeed(x+"\x00"+y, 1)
	if d.half >= 0 && int(p.rank&1) != d.half {
		return
	}
	if len(x)+len(y) < mostShort {
		p.TextA, p.TextB = d.raw[a], d.raw[b]
	}
	d.found = append(d.found, p)
}

// mostShort is how many bytes two texts have together at most so that they
// stand with their label.
const mostShort = 1500

// once keeps, of the pairs in their order, those of texts that no kept one has.
func (d *drawing) once() {
	taken := map[string]bool{}
	d.found = slices.DeleteFunc(d.found, func(p pair) bool {
		if taken[p.A] || taken[p.B] {
			return true
		}
		taken[p.A], taken[p.B] = true, true
		return false
	})
}

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
