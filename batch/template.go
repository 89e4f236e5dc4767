package batch

import (
	"math/bits"
	"slices"

	"github.com/neardup/neardup"
)

// templates finds leaders of the template of a text without looking at each. All that agree with it in as many fillers
// match it alike, and those that agree in fewer match it no better. Otherwise texts that differ only in a number would be
// compared pair by pair, and there may be as many as texts.
type templates struct {
	method neardup.TwoStage
	number map[uint64]uint32   // of a template, from 1 on
	first  map[uint64]position // the first leader with a template and some of the fillers
	room   int                 // for entries in first
}

const (
	templateEntryBytes = 32
	// mostFillers bounds the sets of fillers, of which a text has 2^n.
	mostFillers = 6
)

// templateFrom is how many leaders of a bucket are looked at one by one before the
// templates of more are noted. Variable for tests.
var templateFrom = uint32(64)

// newTemplates returns nil if the method has none, or if there are rulings, because each is on one pair only.
func newTemplates(v *verifier, memory int64) *templates {
	m, ok := v.method.(neardup.TwoStage)
	if !ok || len(v.rulings) > 0 {
		return nil
	}
	return &templates{m, map[uint64]uint32{}, map[uint64]position{}, int(memory / templateEntryBytes)}
}

// of returns the template of a text, or 0 if it has none that is recorded.
func (t *templates) of(v neardup.Prepared) (template uint64, fillers []uint64) {
	template, fillers = t.method.Template(v)
	if len(fillers) > mostFillers {
		return 0, nil
	}
	return template, fillers
}

// add records a leader and returns the number of its template, or 0 if it has none or memory is used up. Leaders come
// in order.
func (t *templates) add(v neardup.Prepared, leader position) uint32 {
	template, fillers := t.of(v)
	if template == 0 || len(t.first)+1<<len(fillers) > t.room {
		return 0
	}
	if t.number[template] == 0 {
		t.number[template] = uint32(len(t.number)) + 1
	}
	for set := range uint(1) << len(fillers) {
		key := agreeing(template, fillers, set)
		if _, ok := t.first[key]; !ok {
			t.first[key] = leader
		}
	}
	return t.number[template]
}

// nearest returns the number of a text's template. For each number of fillers it also returns the first leader that
// agrees in as many, because one that agrees in fewer may match as well. The number is 0 if no leader has the
// template, or if a filler of the text is in another slot of some leader. Then each pair must be compared.
func (t *templates) nearest(v neardup.Prepared) (number uint32, leaders []position) {
	template, fillers := t.of(v)
	if template == 0 || t.number[template] == 0 {
		return 0, nil
	}
	var moved [mostFillers]uint64
	for i, f := range fillers {
		for k := range fillers {
			moved[k] = f
			if _, ok := t.first[agreeing(template, moved[:], 1<<k)]; ok && k != i {
				return 0, nil
			}
		}
	}
	var first [mostFillers + 1]position // by the number of fillers, plus 1
	for set := range uint(1) << len(fillers) {
		p, ok := t.first[agreeing(template, fillers, set)]
		if n := bits.OnesCount(set); ok && (first[n] == 0 || p < first[n]-1) {
			first[n] = p + 1
		}
	}
	for _, p := range slices.Compact(first[:]) { // fewer equal fillers, no later leader
		if p > 0 {
			leaders = append(leaders, p-1)
		}
	}
	return t.number[template], leaders
}

// agreeing hashes a template and a set of its fillers.
func agreeing(template uint64, fillers []uint64, set uint) uint64 {
	h := template
	for i, f := range fillers {
		if set>>i&1 != 0 {
			h = (h ^ f ^ uint64(i+1)<<56) * 0xd6e8feb86659fd93
			h ^= h >> 32
		}
	}
	return h
}

// hot reports whether one of the buckets of a text has many leaders.
func (x *index) hot(candidates []candidate) bool {
	for _, c := range candidates {
		if c.role() != 0 {
			if lo, hi := x.find(c.bucket()); hi-lo >= templateFrom {
				return true
			}
		}
	}
	return false
}

// noteTemplate records the template of a new leader if that may save work.
func (s *search) noteTemplate(leader position, candidates []candidate) (uint32, error) {
	if s.x.templates == nil || !s.x.hot(candidates) {
		return 0, nil
	}
	v, err := s.view(leader)
	if err != nil {
		return 0, err
	}
	return s.x.templates.add(v, leader), nil
}

// ofTemplate collects the leaders that may match best of those recorded with the template of the text. It returns the number of
// the template, whose other leaders can be skipped, or 0 if none can.
func (s *search) ofTemplate(text position, candidates []candidate, where positionRange) (uint32, error) {
	if s.x.templates == nil || !s.x.hot(candidates) {
		return 0, nil
	}
	v, err := s.view(text)
	if err != nil {
		return 0, err
	}
	number, leaders := s.x.templates.nearest(v)
	if slices.ContainsFunc(leaders, func(p position) bool { return !s.x.shares(candidates, p) }) {
		return 0, nil
	}
	for _, p := range leaders {
		if p >= where.from && p < where.to {
			s.found = append(s.found, p)
		}
	}
	return number, nil
}

// shares reports whether a leader is in a bucket that the text searches.
func (x *index) shares(candidates []candidate, leader position) bool {
	for _, c := range candidates {
		if c.role()&Probing != 0 {
			lo, hi := x.find(c.bucket())
			if _, ok := slices.BinarySearch(x.pos[lo:hi], leader); ok {
				return true
			}
		}
	}
	return false
}
