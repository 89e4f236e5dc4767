package docid

import (
	"cmp"
	"slices"

	"github.com/neardup/neardup"
)

// proven is what is known about a subject and the leaders. All of it stays true as long as they live, so it can
// be reused after any number of look-ups.
type proven struct {
	names    [][]Hit    // by name of the subject: every leader it leads to
	searched []searched // by key set of the subject
	contents map[content]agreement
	rated    []Rated // names of extras that were looked up
}

// searched is the state of the leaders under a key set.
type searched struct {
	left          []Hit    // found, not compared yet
	more          bool     // and others share fewer keys
	best, variant *matched // of those compared
}

// matched is a leader that was verified.
type matched struct {
	leader uint64
	neardup.Match
	agreement
	Extras // of the leader
}

// outcome is the decision on a subject: the duplicate of match, or new, and then perhaps the variant of
// another.
type outcome struct {
	stage     Stage
	match     *matched
	variant   *matched
	conflicts []neardup.Conflict
	alike     Advice // of an article without words
}

// question names the proof that is missing for an outcome: whether two contents agree, or which leaders a key set has.
type question struct {
	content
	keySet int
}

const askContent = -1 // the key set of a question about contents

const (
	basisURL   = "equal url"
	basisTitle = "equal title"
)

// hotName is the number of docIds from which a title identifies none of them, so the content decides. The same applies
// to a url if the contents must agree. Otherwise a url leads to one docId at a time.
const hotName = 64

// judge decides on the subject. It is a pure function: the first stage that has a match decides. It returns a
// question instead if the outcome depends on something that is not proven.
func judge(s *subject, p *proven) (outcome, *question) {
	for _, stage := range []Stage{StageOverride, StageURL, StageTitle, StageContent} {
		m, q := match(s, p, stage)
		if m != nil || q != nil {
			return outcome{stage: stage, match: m}, q
		}
	}
	o := outcome{alike: alike(s, p)}
	o.variant, _ = matchName(s, p, StageTitle, true)
	for i := range p.searched {
		o.variant = better(o.variant, p.searched[i].variant)
	}
	return o, nil
}

// match returns the best leader of one stage: equal text first, then near, then contained. Ties go to the
// higher similarity, then the smaller distance, then the earlier leader.
func match(s *subject, p *proven, stage Stage) (*matched, *question) {
	best, q := matchName(s, p, stage, false)
	for i := range s.keySets {
		if q != nil {
			return nil, q
		}
		if s.keySets[i].stage != stage || (best != nil && best.Basis == neardup.BasisEqual) {
			continue
		}
		if len(p.searched[i].left) > 0 {
			return nil, &question{keySet: i}
		}
		best = better(best, p.searched[i].best)
	}
	return best, q
}

// matchName returns the earliest leader that the url or title identifies. If contradicted is set, it returns a leader
// that only the advice of the pictures excludes.
func matchName(s *subject, p *proven, stage Stage, contradicted bool) (*matched, *question) {
	for i, a := range s.names {
		if a.stage != stage || (len(p.names[i]) > hotName && (stage == StageTitle || s.urlAgrees != nil)) {
			continue
		}
		for _, h := range p.names[i] {
			if h.Time < s.cutoff {
				continue
			}
			about := content{h.Leader, stage}
			a, ok := p.contents[about]
			if !ok {
				return nil, &question{about, askContent}
			}
			if a.identifies && (a.apart != nil) == contradicted {
				return named(stage, h.Leader, a), nil
			}
		}
	}
	return nil, nil
}

// named returns the match by a name.
func named(stage Stage, leader uint64, a agreement) *matched {
	m := &matched{leader: leader, agreement: a, Match: neardup.Match{Similarity: 1, Distance: -1,
		Near: a.apart == nil, Variant: a.apart != nil, Method: string(Exact), Basis: basisURL}}
	if stage == StageTitle {
		m.Basis = basisTitle
	}
	m.Basis += a.basis()
	return m
}

// evidence returns the match of the contents for a name whose contents are near but not equal.
func (m *matched) evidence() neardup.Match {
	if m.contents == nil {
		return m.Match
	}
	e := *m.contents
	e.Basis = m.Basis + ", " + e.Basis
	return e
}

// grade returns the strength of the evidence, higher is stronger. A batch grades in the same way.
func grade(m *matched) int {
	switch m.Basis {
	case neardup.BasisEqual:
		return 2
	case neardup.BasisContained:
		return 0
	}
	return 1
}

// better returns the better of two matches, either of which may be nil.
func better(a, b *matched) *matched {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	if x, y := grade(a), grade(b); x != y {
		if x > y {
			return a
		}
		return b
	}
	if b.Better(a.Match) || (!a.Better(b.Match) && b.leader < a.leader) {
		return b
	}
	return a
}

// add takes the result of a look-up. It replaces the hits of names and adds those of keys. If there are more leaders than
// limit, it keeps those that share the most keys.
func (p *proven) add(s *subject, f Found, limit int) {
	for _, hits := range f.Names {
		slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(a.Leader, b.Leader) })
	}
	p.names = f.Names
	for i := range f.KeySets {
		p.searched[i].add(f.KeySets[i], s.cutoff, limit)
	}
}

func (t *searched) add(hits []Hit, cutoff int64, limit int) {
	t.left = slices.Grow(t.left, len(hits))
	for _, h := range hits {
		if h.Time >= cutoff {
			t.left = append(t.left, h)
		}
	}
	if len(t.left) > limit {
		t.order(limit)
	}
}

// order sorts the leaders for comparison, in their own order, so that it does not depend on the store. If there
// are more than limit, it keeps those that share the most keys.
func (t *searched) order(limit int) {
	if len(t.left) > limit {
		slices.SortFunc(t.left, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.Leader, b.Leader))
		})
		t.left, t.more = t.left[:limit], true
	}
	slices.SortFunc(t.left, func(a, b Hit) int { return cmp.Compare(a.Leader, b.Leader) })
}
