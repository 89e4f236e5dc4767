package audit

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Recurring is a difference that many texts have: what one has in a place, " / ", and
// what the other has there.
type Recurring struct {
	Difference string `json:"difference"`
	Removed    int    `json:"removed"` // texts that went for a leader with it
	Kept       int    `json:"kept"`    // that were kept as variants
}

// Texts are all that have the difference.
func (r Recurring) Texts() int { return r.Removed + r.Kept }

// differences counts what texts differ in from their leaders. Texts of one kind that
// differ in one thing say together what no pair of them does: that it is a slot.
type differences struct {
	counts map[string]*Recurring
	texts  int
}

// mostDifferences bounds what is counted.
const mostDifferences = 1 << 20

// Differs reports whether the differences of another text are counted.
func (a *Auditor) Differs() bool { return a != nil && a.differs.texts < a.RecurringOf }

// Differ counts what a text differs in from the leader that it was removed for, or is a
// variant of. It sorts the list.
func (a *Auditor) Differ(list []string, removed bool) {
	if a.differs.counts == nil {
		a.differs.counts = map[string]*Recurring{}
	}
	a.differs.texts++
	slices.Sort(list)
	for _, d := range slices.Compact(list) {
		r := a.differs.counts[d]
		if r == nil {
			if len(a.differs.counts) == mostDifferences {
				continue
			}
			r = &Recurring{Difference: d}
			a.differs.counts[d] = r
		}
		if removed {
			r.Removed++
		} else {
			r.Kept++
		}
	}
}

// list returns the differences of the most texts, each of two at least.
func (d *differences) list(most int) []Recurring {
	var all []Recurring
	for r := range maps.Values(d.counts) {
		if r.Texts() > 1 {
			all = append(all, *r)
		}
	}
	slices.SortFunc(all, func(a, b Recurring) int {
		return cmp.Or(cmp.Compare(b.Texts(), a.Texts()), strings.Compare(a.Difference, b.Difference))
	})
	return all[:min(len(all), most)]
}
