package batch

import (
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/override"
)

// rulings are overrides by positions, the earlier one first. A document that an override names gets a text of its own, even
// if others have the same, so a ruling applies to this document alone.
type rulings map[[2]position]override.Link

// rule finds the texts of the documents that the overrides name. Several documents may have one id.
func (s *scan) rule(r *records) error {
	if s.cfg.Overrides.Len() == 0 {
		return nil
	}
	s.sum.Method += " overrides=" + s.cfg.Overrides.Digest()
	r.rulings = rulings{}
	return s.cfg.Overrides.Each(func(a, b string, l override.Link) error {
		found := false
		for _, x := range s.named[a] {
			for _, y := range s.named[b] {
				p, err := r.positionOf(x)
				if err != nil {
					return err
				}
				q, err := r.positionOf(y)
				if err != nil {
					return err
				}
				r.rulings[[2]position{min(p, q), max(p, q)}] = l
				found = true
			}
		}
		if found {
			s.sum.Overrides++
		} else {
			s.sum.OverridesIgnored++
		}
		return nil
	})
}

func (c *collection) positionOf(no textNo) (position, error) {
	if c.renumbered == nil {
		return position(no), nil
	}
	p, err := c.renumbered.Get(no)
	return p - 1, err
}

// addTo makes a candidate of each pair that must be linked.
func (r rulings) addTo(out *external.Sorter[keyValue]) error {
	for p, l := range r {
		if l != override.Must {
			continue
		}
		if err := out.Add(keyValue{uint64(p[1]), uint64(candidateText(p[0]))}); err != nil {
			return err
		}
	}
	return nil
}

// match returns the ruling about two texts. ruled is false if there is none.
func (r rulings) match(a, b position) (m neardup.Match, ruled bool) {
	if len(r) == 0 {
		return m, false
	}
	l, ruled := r[[2]position{min(a, b), max(a, b)}]
	if l == override.Must {
		return neardup.Match{Similarity: 1, Distance: -1, Near: true, Basis: neardup.BasisOverride}, true
	}
	return neardup.Match{Distance: -1}, ruled
}
