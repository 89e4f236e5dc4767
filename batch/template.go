package batch

import (
	"slices"
	"sync"

	"github.com/neardup/neardup"
)

// templates saves comparisons of texts that have one template and differ only in its fillers. The match of two such texts
// depends only on their pattern: which fillers are equal. There are few patterns, so most pairs cost a comparison of
// fillers instead of a comparison of texts.
type templates struct {
	method neardup.TwoStage
	number map[uint64]uint32 // template -> its number, from 1 on
	groups []*templateGroup
	room   int // bytes left for leaders

	mu     sync.RWMutex
	judged map[uint64]neardup.Match // hash of template and pattern -> match
}

// templateGroup holds the leaders of a template, in order. With n fillers, leader i has fillers[i*n : i*n+n].
type templateGroup struct {
	leaders []position
	fillers []uint64
	having  map[uint32][]uint32 // filler -> leaders that have it
	repeats []uint64            // of each leader: which of its fillers are equal
	repeat  []uint32            // leaders that repeat a filler
	varied  []bool              // for each slot of the template: whether its leaders differ there
}

// repeats describes which fillers of a text are equal to each other, or returns 0 if all differ.
func repeats(fillers []uint64) (all uint64) {
	for i, f := range fillers {
		if first := slices.Index(fillers[:i], f); first >= 0 {
			all = mixed(all, uint64(i)<<32|uint64(first))
		}
	}
	return all
}

// mixed adds a number to a hash.
func mixed(hash, n uint64) uint64 {
	hash = (hash + n + 1) * 0xd6e8feb86659fd93
	return hash ^ hash>>32
}

// Memory of a leader's filler and of a pattern, in bytes.
const (
	fillerBytes  = 72
	patternBytes = 256
)

// templateFrom is the least number of leaders in a bucket at which templates are recorded. It is a variable for tests.
var templateFrom = uint32(8)

// newTemplates returns nil if the method has no templates, or if there are rulings, because a ruling applies to a single
// pair.
func newTemplates(v *verifier, memory int64) *templates {
	m, ok := v.method.(neardup.TwoStage)
	if !ok || len(v.rulings) > 0 {
		return nil
	}
	return &templates{method: m, number: map[uint64]uint32{}, room: int(memory), judged: map[uint64]neardup.Match{}}
}

// add records a leader with a template and returns the template's number, or 0 if memory is used up. Leaders must be added
// in order.
func (t *templates) add(template uint64, fillers []uint64, leader position) uint32 {
	size := fillerBytes * (1 + len(fillers))
	if t.room < size {
		return 0
	}
	t.room -= size
	if t.number[template] == 0 {
		t.groups = append(t.groups, &templateGroup{having: map[uint32][]uint32{}, varied: make([]bool, len(fillers))})
		t.number[template] = uint32(len(t.groups))
	}
	g := t.groups[t.number[template]-1]
	for i, f := range fillers {
		g.varied[i] = g.varied[i] || (len(g.leaders) > 0 && f != g.fillers[i])
		g.having[uint32(f)] = append(g.having[uint32(f)], uint32(len(g.leaders)))
	}
	g.repeats = append(g.repeats, repeats(fillers))
	if g.repeats[len(g.leaders)] != 0 {
		g.repeat = append(g.repeat, uint32(len(g.leaders)))
	}
	g.leaders, g.fillers = append(g.leaders, leader), append(g.fillers, fillers...)
	return t.number[template]
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

// templateOf returns the template of a text and its fillers if that may save work, otherwise 0. A text with an outline is
// long and has no template.
func (s *search) templateOf(text position, candidates []candidate) (template uint64, fillers []uint64, err error) {
	if s.x.templates == nil || s.outlines.at(int(text)) != nil || !s.x.hot(candidates) {
		return 0, nil, nil
	}
	v, err := s.view(text)
	if err != nil {
		return 0, nil, err
	}
	template, fillers = s.x.templates.method.Template(v)
	return template, fillers, nil
}

// noteTemplate records the template of a new leader, if that may save work.
func (s *search) noteTemplate(leader position, candidates []candidate) (uint32, error) {
	template, fillers, err := s.templateOf(leader, candidates)
	if err != nil || template == 0 {
		return 0, err
	}
	return s.x.templates.add(template, fillers, leader), nil
}

// ofTemplate is the search among the leaders of the text's template.
type ofTemplate struct {
	*templateGroup        // nil if no leader has the template
	number         uint32 // number of the template, or 0
	fillers        []uint64
	repeats        uint64
	some           uint64              // a Bloom filter of the text's fillers
	upTo           int                 // end of the leaders that were skipped in a bucket
	patterns       map[uint64]position // pattern -> the first leader that was found with it
}

// findTemplate finds the leaders of the template of a text, if that may save work.
func (s *search) findTemplate(text position, candidates []candidate) error {
	s.templateGroup, s.number, s.upTo = nil, 0, 0
	if s.x.kinds == nil {
		return nil
	}
	template, fillers, err := s.templateOf(text, candidates)
	if err != nil || template == 0 {
		return err
	}
	t := s.x.templates
	s.number = t.number[template]
	if s.number == 0 {
		return nil
	}
	s.templateGroup, s.fillers, s.repeats, s.some = t.groups[s.number-1], fillers, repeats(fillers), 0
	for _, f := range fillers {
		s.some |= 1 << (f % 64)
	}
	return nil
}

// skip reports whether a bucket that has many leaders of the template, up to last, has most of them. If so, each of them is
// looked at once instead of in each bucket.
func (o *ofTemplate) skip(many int, last position) bool {
	if 2*many <= len(o.leaders) {
		return false
	}
	leader, _ := slices.BinarySearch(o.leaders, last)
	o.upTo = max(o.upTo, leader+1)
	return true
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

// pattern returns a hash of which fillers of the text equal which fillers of a leader. alike is false if the
// only equal fillers are those that all leaders have. known is false if the match depends on more than the pattern.
func (o *ofTemplate) pattern(leader int) (pattern uint64, alike, known bool) {
	n := len(o.fillers)
	other := o.templateGroup.fillers[leader*n:][:n]
	first, moved, equal := n, o.repeats != 0, false
	pattern = mixed(mixed(o.repeats, 0), o.templateGroup.repeats[leader])
	for i, f := range other {
		at := i
		if own := o.fillers[i]; f != own {
			first, at = min(first, i), -1
			if o.some>>(f%64)&1 != 0 {
				at = slices.IndexFunc(o.fillers, func(g uint64) bool { return uint32(g) == uint32(f) })
			}
			if at >= 0 {
				moved = true
				if o.fillers[at] != f {
					return 0, true, false
				}
			}
		}
		equal = equal || at >= 0
		alike = alike || (at >= 0 && (at != i || o.varied[i]))
		pattern = mixed(pattern, uint64(at+1))
	}
	if first == n {
		return 0, true, false // the texts may be equal
	}
	if x, y := o.fillers[first]>>32, other[first]>>32; moved && equal {
		if x == y {
			return 0, true, false
		}
		if x < y {
			pattern = ^pattern
		}
	}
	return pattern, alike, true
}

// verifyTemplate passes on the matches with leaders of the text's template. These are the found ones, which it removes from
// s.found, and the skipped ones that share a bucket. It compares the text with the first leader of each pattern only.
func (s *search) verifyTemplate(t position, candidates []candidate, where positionRange, to collector) error {
	if s.templateGroup == nil {
		return nil
	}
	if s.patterns == nil {
		s.patterns = map[uint64]position{}
	}
	clear(s.patterns)
	s.sortFound()
	open := func(leader int, found bool) (alike bool) {
		p := s.leaders[leader]
		pattern, alike, known := s.pattern(leader)
		first, ok := s.patterns[pattern]
		switch {
		case known && ok && first <= p:
		case !found && !s.x.shares(candidates, p):
			return true
		case known:
			s.patterns[pattern] = p
		default:
			s.found = append(s.found, p)
		}
		return alike
	}
	found := s.found
	s.found = s.found[:0]
	for _, p := range found {
		if leader, ok := slices.BinarySearch(s.leaders, p); ok {
			open(leader, true)
		} else {
			s.found = append(s.found, p)
		}
	}
	lo, _ := slices.BinarySearch(s.leaders[:s.upTo], where.from)
	hi, _ := slices.BinarySearch(s.leaders[:s.upTo], where.to)
	having := [][]uint32{s.repeat}
	many := len(s.repeat)
	for i, f := range s.fillers {
		if !s.varied[i] && f == s.templateGroup.fillers[i] {
			continue
		}
		having = append(having, s.having[uint32(f)])
		many += len(s.having[uint32(f)])
	}
	few := many < (hi-lo)/2 && s.ofTemplate.repeats == 0
	for i := 0; few && i < len(having); i++ {
		for _, leader := range having[i] {
			if int(leader) >= lo && int(leader) < hi {
				open(int(leader), false)
			}
		}
	}
	for ; lo < hi; lo++ {
		if alike := open(lo, false); few && !alike && s.templateGroup.repeats[lo] == 0 {
			break
		}
	}
	for pattern, p := range s.patterns {
		m, err := s.matchOf(t, p, pattern)
		if err == nil {
			s.work.Verified++
			err = s.reportMatch(t, p, m, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// matchOf returns the match of a text with a leader of its template. It takes the match from another pair with the same
// pattern, or else compares the texts.
func (s *search) matchOf(t, leader position, pattern uint64) (neardup.Match, error) {
	all := s.x.templates
	key := mixed(pattern, uint64(s.number))
	all.mu.RLock()
	m, ok := all.judged[key]
	all.mu.RUnlock()
	if ok {
		return m, nil
	}
	own := &subject{position: t}
	m, decided, err := s.screen(own, leader, false)
	if err == nil && !decided {
		m, err = s.finish(own, leader, false, m.Closeness)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if err == nil && patternBytes*len(all.judged) < all.room {
		all.judged[key] = m
	}
	return m, err
}
