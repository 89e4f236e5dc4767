package docid

import (
	"cmp"
	"slices"

	"github.com/neardup/neardup"
)

// proven holds what is known about a subject and the leaders. It stays true as long as the leaders live, so any number of
// look-ups can reuse it.
type proven struct {
	names    [][]Hit    // for each name of the subject: every leader that it leads to
	searched []searched // for each key set of the subject
	contents map[content]agreement
	rated    []Rated // names of extras with known ratings
}

// searched is the state of the search under one key set.
type searched struct {
	left          []Hit    // found, but not compared yet
	more          bool     // other leaders share fewer keys and were left out
	best, variant *matched // the best of the compared leaders
}

// matched is a verified leader.
type matched struct {
	leader uint64
	neardup.Match
	agreement
	Extras // extras of the leader
}

// outcome is the decision on a subject: a duplicate of match, or new. A new subject may be the variant of a leader.
type outcome struct {
	stage     Stage
	match     *matched
	variant   *matched
	conflicts []neardup.Conflict
	alike     Advice // only for an article without words
}

// question names a missing proof: whether two contents agree, or which leaders a key set has.
type question struct {
	content
	keySet int
}

const askContent = -1 // the value of set for a question about contents

const (
	basisURL   = "equal url"
	basisTitle = "equal title"
)

// hotName is the least number of docIds with the same title at which the title no longer identifies a docId, so the content
// decides. It also applies to a url if the contents must agree. Otherwise a url leads to one docId at a time.
const hotName = 64

// judge decides on the subject. It is a pure function. The first stage with a match decides. If the outcome depends on a
// missing proof, it returns a question instead.
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

// matchName returns the earliest leader that the url or title identifies. If contradicted is set, it returns a leader that
// is excluded only by the advice of the pictures.
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

// named returns the match of a leader found by a name.
func named(stage Stage, leader uint64, a agreement) *matched {
	m := &matched{leader: leader, agreement: a, Match: neardup.Match{Similarity: 1, Distance: -1,
		Near: a.apart == nil, Variant: a.apart != nil, Method: string(Exact), Basis: basisURL}}
	if stage == StageTitle {
		m.Basis = basisTitle
	}
	m.Basis += a.basis()
	return m
}

// evidence returns the match of the contents, if they are near but not equal. It is for a leader found by a name.
func (m *matched) evidence() neardup.Match {
	if m.contents == nil {
		return m.Match
	}
	e := *m.contents
	e.Basis = m.Basis + ", " + e.Basis
	return e
}

// grade returns the strength of the evidence, in the same order as a batch. Higher is stronger.
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

// add adds the result of a look-up. It replaces the hits of names, and adds those of keys. If there are more than limit
// leaders, it keeps those that share the most keys.
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

// order sorts the leaders for comparison, in an order that does not depend on the store. If there are more than limit, it
// keeps those that share the most keys.
func (t *searched) order(limit int) {
	if len(t.left) > limit {
		slices.SortFunc(t.left, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.Leader, b.Leader))
		})
		t.left, t.more = t.left[:limit], true
	}
	slices.SortFunc(t.left, func(a, b Hit) int { return cmp.Compare(a.Leader, b.Leader) })
}
