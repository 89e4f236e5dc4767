package audit

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/neardup/neardup"
)

const (
	// mostRefused bounds the refused pairs whose similarity is measured.
	mostRefused = 512
	// mostText is the length in bytes to which listed texts are cut.
	mostText = 64 << 10
)

// Refusal is a pair of texts that were compared and are not near.
type Refusal struct {
	hash           uint64
	Later, Earlier uint32
}

// Refuse samples the refused pairs with the lowest hashes. It is safe for concurrent use, and the sample does not depend on
// the order of calls.
func (a *Auditor) Refuse(later, earlier uint32) {
	if a == nil || a.Lax == nil {
		return
	}
	hash := mixed(uint64(later), uint64(earlier))
	if hash >= a.bound.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at, there := slices.BinarySearchFunc(a.refused, hash, func(r Refusal, hash uint64) int { return cmp.Compare(r.hash, hash) })
	if there || at == mostRefused {
		return
	}
	a.fresh = append(a.fresh, Refusal{hash, later, earlier})
	a.refused = slices.Insert(a.refused, at, Refusal{hash, later, earlier})
	if len(a.refused) > mostRefused {
		a.refused = a.refused[:mostRefused]
	}
	if len(a.refused) == mostRefused {
		a.bound.Store(a.refused[mostRefused-1].hash)
	}
}

// Samples reports whether refused pairs are sampled.
func (a *Auditor) Samples() bool { return a != nil && a.Lax != nil }

// Taken returns the refused pairs that were sampled since the last call.
func (a *Auditor) Taken() []Refusal {
	if a == nil {
		return nil
	}
	fresh := a.fresh
	a.fresh = nil
	return fresh
}

// listed is a pair of documents.
type listed struct {
	similarity float64
	item       uint32
	other      uint32
	basis      string
	conflicts  []neardup.Conflict
}

// Near counts a removal, or a pair, by its distance to the threshold.
func (a *Auditor) Near(of, other uint32, similarity float64, basis string) {
	if a == nil || basis == neardup.BasisEqual || basis == neardup.BasisOverride {
		return
	}
	a.out.Borderline.Near++
	if similarity < a.Threshold+Border {
		a.out.Borderline.Above++
	}
	a.nearest = a.keep(a.nearest, listed{similarity: similarity, item: of, other: other, basis: basis}, false)
}

// Variant records a document that was kept as a variant.
func (a *Auditor) Variant(of, other uint32, similarity float64, conflicts []neardup.Conflict) {
	if a != nil {
		a.variants = a.keep(a.variants, listed{similarity: similarity, item: of, other: other, conflicts: conflicts}, true)
	}
}

// keep inserts into a list by similarity, highest first if descending. It keeps one pair for each other document, because
// ten pairs of one group show little more than one.
func (a *Auditor) keep(list []listed, x listed, descending bool) []listed {
	order := func(x, y listed) int {
		if descending {
			x, y = y, x
		}
		return cmp.Compare(x.similarity, y.similarity)
	}
	at, _ := slices.BinarySearchFunc(list, x, order)
	for at < len(list) && order(list[at], x) == 0 {
		at++ // equal pairs stay in their order
	}
	if at >= a.List {
		return list
	}
	if i := slices.IndexFunc(list, func(y listed) bool { return y.other == x.other }); i >= 0 {
		if i <= at {
			return list
		}
		list = slices.Delete(list, i, i+1)
	}
	return slices.Insert(list, at, x)[:min(len(list)+1, a.List)]
}

// Finish measures the sampled refused pairs and fills in the lists of pairs. refused is the number of all refused pairs.
// removed reports whether a text was removed.
func (a *Auditor) Finish(ctx context.Context, refused int64, removed func(position uint32) (bool, error)) (*Result, error) {
	if a == nil {
		return nil, nil
	}
	begun := time.Now()
	a.out.Borderline.Refused = refused
	misses, err := a.measure(ctx, removed)
	if err != nil {
		return nil, err
	}
	a.out.Removals, err = a.pairs(a.nearest)
	if err != nil {
		return nil, err
	}
	// List both refused pairs and variants.
	half := max(a.List/2, a.List-len(a.variants))
	misses = misses[:min(len(misses), half)]
	variants := a.variants[:min(len(a.variants), a.List-len(misses))]
	a.out.Misses, err = a.pairs(slices.Concat(misses, variants))
	if err != nil {
		return nil, err
	}
	for i := range variants {
		a.out.Misses[len(misses)+i].Variant = true
	}
	a.out.Time += time.Since(begun)
	return &a.out, nil
}

// measure compares the sampled refused pairs by the lax method, within the budget, and returns those to list.
func (a *Auditor) measure(ctx context.Context, removed func(uint32) (bool, error)) ([]listed, error) {
	var misses []listed
	budget := a.budget
	for _, r := range a.refused {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x, err := a.run.Texts.Text(r.Later)
		if err != nil {
			return nil, err
		}
		y, err := a.run.Texts.Text(r.Earlier)
		if err != nil {
			return nil, err
		}
		budget -= int64(len(x) + len(y))
		if budget < 0 {
			break
		}
		m := a.Lax.Compare(a.Lax.Prepare(x), a.Lax.Prepare(y))
		a.out.Borderline.Sampled++
		if m.Similarity >= a.Threshold-Border && m.Similarity < a.Threshold {
			a.out.Borderline.Below++
		}
		gone, err := removed(r.Later)
		if err != nil || gone || m.Similarity == 0 {
			if err != nil {
				return nil, err
			}
			continue
		}
		own, err := a.run.Texts.First(r.Later)
		if err != nil {
			return nil, err
		}
		other, err := a.run.Texts.First(r.Earlier)
		if err != nil {
			return nil, err
		}
		misses = a.keep(misses, listed{similarity: m.Similarity, item: own, other: other, basis: m.Basis}, true)
	}
	return misses, nil
}

// pairs returns the listed pairs with their ids and texts.
func (a *Auditor) pairs(list []listed) ([]Pair, error) {
	out := make([]Pair, len(list))
	for i, x := range list {
		p := Pair{Similarity: x.similarity, Basis: x.basis, Conflicts: x.conflicts}
		var err error
		p.ID, p.Texts[0], err = a.document(x.item)
		if err != nil {
			return nil, err
		}
		p.Other, p.Texts[1], err = a.document(x.other)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// document returns the id of an item, and its clean text cut for display.
func (a *Auditor) document(item uint32) (id, clean string, err error) {
	id, clean, err = a.run.Texts.Document(item)
	return id, strings.ToValidUTF8(clean[:min(len(clean), mostText)], ""), err
}
