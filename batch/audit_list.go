package batch

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
	// auditText is how many bytes a listed text may have; others are cut.
	auditText = 64 << 10
)

// refusal is a pair that was compared and is not near.
type refusal struct {
	hash           uint64
	later, earlier position
}

// refuse samples refused pairs: those of the least hashes. Safe for concurrent
// use; which pairs remain does not depend on their order.
func (a *auditor) refuse(later, earlier position) {
	if a == nil || a.Lax == nil {
		return
	}
	hash := mixed(uint64(later), uint64(earlier))
	if hash >= a.bound.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at, there := slices.BinarySearchFunc(a.refused, hash, func(r refusal, hash uint64) int { return cmp.Compare(r.hash, hash) })
	if there || at == mostRefused {
		return
	}
	a.fresh = append(a.fresh, refusal{hash, later, earlier})
	a.refused = slices.Insert(a.refused, at, refusal{hash, later, earlier})
	if len(a.refused) > mostRefused {
		a.refused = a.refused[:mostRefused]
	}
	if len(a.refused) == mostRefused {
		a.bound.Store(a.refused[mostRefused-1].hash)
	}
}

// auditItem is a pair of documents to be listed.
type auditItem struct {
	similarity float64
	item       item
	other      item
	basis      string
	conflicts  []neardup.Conflict
}

// near counts a removal, or a pair, by its distance to the threshold.
func (a *auditor) near(of, other item, similarity float64, basis string) {
	if a == nil || basis == neardup.BasisEqual || basis == neardup.BasisOverride {
		return
	}
	a.out.Borderline.Near++
	if similarity < a.Threshold+Border {
		a.out.Borderline.Above++
	}
	a.nearest = a.keep(a.nearest, auditItem{similarity: similarity, item: of, other: other, basis: basis}, false)
}

// variant takes a document that was kept as a variant.
func (a *auditor) variant(of, other item, similarity float64, conflicts []neardup.Conflict) {
	if a != nil {
		a.variants = a.keep(a.variants, auditItem{similarity: similarity, item: of, other: other, conflicts: conflicts}, true)
	}
}

// keep inserts into a list by similarity, highest first if descending, one
// of each other document: ten pairs of one group say little more than one.
func (a *auditor) keep(list []auditItem, x auditItem, descending bool) []auditItem {
	order := func(x, y auditItem) int {
		if descending {
			x, y = y, x
		}
		return cmp.Compare(x.similarity, y.similarity)
	}
	at, _ := slices.BinarySearchFunc(list, x, order)
	for at < len(list) && order(list[at], x) == 0 {
		at++ // the earlier one stays before
	}
	if at >= a.List {
		return list
	}
	if i := slices.IndexFunc(list, func(y auditItem) bool { return y.other == x.other }); i >= 0 {
		if i <= at {
			return list
		}
		list = slices.Delete(list, i, i+1)
	}
	return slices.Insert(list, at, x)[:min(len(list)+1, a.List)]
}

// finish measures the refused pairs and lists what is to be looked at.
// removed says of a text that it was removed after all.
func (a *auditor) finish(ctx context.Context, j *job, c *collection, removed func(position) (bool, error)) error {
	if a == nil {
		return nil
	}
	begun := time.Now()
	a.out.Borderline.Refused = j.sum.Work.Verified - j.sum.Work.Near
	misses, err := a.measure(ctx, c, removed)
	if err != nil {
		return err
	}
	if a.out.Removals, err = c.auditPairs(a.nearest); err != nil {
		return err
	}
	// Of both kinds: what was refused for its similarity, and what is a variant.
	a.out.Recurring, a.out.RecurringOf = a.differs.list(a.Recurring), a.differs.texts
	half := max(a.List/2, a.List-len(a.variants))
	misses = misses[:min(len(misses), half)]
	variants := a.variants[:min(len(a.variants), a.List-len(misses))]
	if a.out.Misses, err = c.auditPairs(slices.Concat(misses, variants)); err != nil {
		return err
	}
	for i := range variants {
		a.out.Misses[len(misses)+i].Variant = true
	}
	a.out.Time += time.Since(begun)
	j.sum.Audit = &a.out
	return nil
}

// measure compares the sampled refused pairs by the lax method, as far as that
// may go, and returns those to list.
func (a *auditor) measure(ctx context.Context, c *collection, removed func(position) (bool, error)) ([]auditItem, error) {
	var misses []auditItem
	budget := a.budget
	for _, r := range a.refused {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x, err := c.text(r.later)
		if err != nil {
			return nil, err
		}
		y, err := c.text(r.earlier)
		if err != nil {
			return nil, err
		}
		if budget -= int64(len(x) + len(y)); budget < 0 {
			break
		}
		m := a.Lax.Compare(a.Lax.View(x), a.Lax.View(y))
		a.out.Borderline.Sampled++
		if m.Similarity >= a.Threshold-Border && m.Similarity < a.Threshold {
			a.out.Borderline.Below++
		}
		gone, err := removed(r.later)
		if err != nil || gone || m.Similarity == 0 {
			if err != nil {
				return nil, err
			}
			continue
		}
		own, err := c.firstOf(r.later)
		if err != nil {
			return nil, err
		}
		other, err := c.firstOf(r.earlier)
		if err != nil {
			return nil, err
		}
		misses = a.keep(misses, auditItem{similarity: m.Similarity, item: own, other: other, basis: m.Basis}, true)
	}
	return misses, nil
}

// auditPairs reads ids and texts.
func (c *collection) auditPairs(list []auditItem) ([]AuditPair, error) {
	out := make([]AuditPair, len(list))
	for i, x := range list {
		p := AuditPair{Similarity: x.similarity, Basis: x.basis, Conflicts: x.conflicts}
		var err error
		if p.ID, p.Texts[0], err = c.document(x.item); err != nil {
			return nil, err
		}
		if p.Other, p.Texts[1], err = c.document(x.other); err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// document returns the id and the clean text, as far as it is shown, of an item.
func (c *collection) document(i item) (id, clean string, err error) {
	if id, err = c.id(i); err != nil {
		return "", "", err
	}
	row, err := c.docs.Get(i)
	if err != nil {
		return "", "", err
	}
	clean, err = c.text(position(row.text - 1))
	return id, strings.ToValidUTF8(clean[:min(len(clean), auditText)], ""), err
}
