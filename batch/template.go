package batch

import (
	"slices"
	"sync"

	"github.com/neardup/neardup"
)

// templates judges the texts of a template, which differ in fillers alone, by which fillers are equal. That is a pattern,
// of which there are few, so most pairs cost a comparison of fillers instead of a judgement.
type templates struct {
	method neardup.TwoStage
	number map[uint64]uint32 // of a template, from 1 on
	groups []*templateGroup
	room   int // for leaders, in bytes

	mu     sync.RWMutex
	judged map[uint64]neardup.Match // by template and pattern
}

// templateGroup holds the leaders of a template in order. Leader i has fillers[i*n : i*n+n], for n fillers.
type templateGroup struct {
	leaders []position
	fillers []uint64
	having  map[uint32][]uint32 // leaders by each filler
	repeats []uint64            // of each leader
	repeat  []uint32            // leaders that repeat a filler
	varied  []bool              // places in which leaders have several fillers
}

// repeats describes which of the fillers of a text are equal, 0 if none are.
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

// Bytes of a filler of a leader, and of a pattern.
const (
	fillerBytes  = 72
	patternBytes = 256
)

// templateFrom is how many leaders of a bucket are looked at one by one before the
// templates of more are noted. Variable for tests.
var templateFrom = uint32(8)

// newTemplates returns nil if the method has none, or if there are rulings, because each is on one pair only.
func newTemplates(v *verifier, memory int64) *templates {
	m, ok := v.method.(neardup.TwoStage)
	if !ok || len(v.rulings) > 0 {
		return nil
	}
	return &templates{method: m, number: map[uint64]uint32{}, room: int(memory), judged: map[uint64]neardup.Match{}}
}

// add records a leader with a template and returns the template's number, or 0 if memory is used up. Leaders come in
// order.
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

// templateOf returns the template of a text and its fillers if that may save work, or else 0. A text with an outline is
// long and has none.
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

// noteTemplate records the template of a new leader if that may save work.
func (s *search) noteTemplate(leader position, candidates []candidate) (uint32, error) {
	template, fillers, err := s.templateOf(leader, candidates)
	if err != nil || template == 0 {
		return 0, err
	}
	return s.x.templates.add(template, fillers, leader), nil
}

// ofTemplate is the part of a search among the leaders of the text's template.
type ofTemplate struct {
	*templateGroup        // nil: no leader has the template
	number         uint32 // of the template, or 0
	fillers        []uint64
	repeats        uint64
	some           uint64              // a bit for each filler, by its hash
	upTo           int                 // leaders that were skipped in a bucket
	patterns       map[uint64]position // the first leader that was found with each
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

// skip reports whether as many leaders of a bucket, up to the last, are most of the template. Then each leader of the
// template up to it is looked at once instead of in each bucket.
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

// pattern hashes which fillers of the text equal which of a leader. alike is false if none do but where all
// leaders have one filler. known is false if the match depends on more than that.
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

// verifyTemplate passes on the matches with the leaders of the text's template: those found, which it removes from
// the found ones, and those skipped, if they share a bucket. The first leader of each pattern represents all.
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

// matchOf returns the match of a text with a leader of its template, judged or known of another pair of their pattern.
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
