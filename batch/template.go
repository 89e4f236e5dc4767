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

// add records a leader and returns the number of its template, or 0 if it has none or memory is used up. Leaders come
// in order.
func (t *templates) add(v neardup.Prepared, leader position) uint32 {
	template, fillers := t.method.Template(v)
	size := fillerBytes * (1 + len(fillers))
	if template == 0 || t.room < size {
		return 0
	}
	t.room -= size
	if t.number[template] == 0 {
		t.groups = append(t.groups, &templateGroup{having: map[uint32][]uint32{}})
		t.number[template] = uint32(len(t.groups))
	}
	g := t.groups[t.number[template]-1]
	for _, f := range fillers {
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

// ofTemplate is the part of a search among the leaders of the text's template.
type ofTemplate struct {
	*templateGroup        // nil: no leader has the template
	number         uint32 // of the template, or 0
	fillers        []uint64
	repeats        uint64
	some           uint64              // a bit for each filler, by its hash
	shared         int                 // the text shares a bucket with each of the first leaders, as many
	patterns       map[uint64]position // the first leader that was found with each
}

// findTemplate finds the leaders of the template of a text, if that may save work.
func (s *search) findTemplate(text position, candidates []candidate) error {
	s.templateGroup, s.number, s.shared = nil, 0, 0
	t := s.x.templates
	if t == nil || s.x.kinds == nil || !s.x.hot(candidates) {
		return nil
	}
	v, err := s.view(text)
	if err != nil {
		return err
	}
	template, fillers := t.method.Template(v)
	s.number = t.number[template]
	if template == 0 || s.number == 0 {
		return nil
	}
	s.templateGroup, s.fillers, s.repeats, s.some = t.groups[s.number-1], fillers, repeats(fillers), 0
	for _, f := range fillers {
		s.some |= 1 << (f % 64)
	}
	return nil
}

// skip reports whether the leaders of a bucket up to one, as many, are the first of the template.
func (o *ofTemplate) skip(many int, last position) bool {
	if many > len(o.leaders) || o.leaders[many-1] != last {
		return false
	}
	o.shared = max(o.shared, many)
	return true
}

// pattern hashes which fillers of the text equal which of a leader. alike is false if none do. known is false if the
// match depends on more than that.
func (o *ofTemplate) pattern(leader int) (pattern uint64, alike, known bool) {
	n := len(o.fillers)
	other := o.templateGroup.fillers[leader*n:][:n]
	first, moved := n, o.repeats != 0
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
		alike = alike || at >= 0
		pattern = mixed(pattern, uint64(at+1))
	}
	if first == n {
		return 0, true, false // the texts may be equal
	}
	if x, y := o.fillers[first]>>32, other[first]>>32; moved && alike {
		if x == y {
			return 0, true, false
		}
		if x < y {
			pattern = ^pattern
		}
	}
	return pattern, alike, true
}

// note keeps the first leader of each pattern. It returns what pattern does.
func (o *ofTemplate) note(leader int) (alike, known bool) {
	pattern, alike, known := o.pattern(leader)
	if p := o.leaders[leader]; known {
		if first, ok := o.patterns[pattern]; !ok || p < first {
			o.patterns[pattern] = p
		}
	}
	return alike, known
}

// verifyTemplate passes on the matches with the leaders of the text's template: those found, which it removes from
// the found ones, and those skipped. Of the skipped ones that share no filler the first represents all.
func (s *search) verifyTemplate(t position, where positionRange, to collector) error {
	if s.templateGroup == nil {
		return nil
	}
	if s.patterns == nil {
		s.patterns = map[uint64]position{}
	}
	clear(s.patterns)
	s.sortFound()
	open := func(leader int) (alike bool) {
		alike, known := s.note(leader)
		if !known {
			s.found = append(s.found, s.leaders[leader])
		}
		return alike
	}
	found := s.found
	s.found = s.found[:0]
	for _, p := range found {
		if leader, ok := slices.BinarySearch(s.leaders, p); ok {
			open(leader)
		} else {
			s.found = append(s.found, p)
		}
	}
	lo, _ := slices.BinarySearch(s.leaders[:s.shared], where.from)
	hi, _ := slices.BinarySearch(s.leaders[:s.shared], where.to)
	having := [][]uint32{s.repeat}
	many := len(s.repeat)
	for _, f := range s.fillers {
		having = append(having, s.having[uint32(f)])
		many += len(s.having[uint32(f)])
	}
	few := many < (hi-lo)/2
	for i := 0; few && i < len(having); i++ {
		for _, leader := range having[i] {
			if int(leader) >= lo && int(leader) < hi {
				open(int(leader))
			}
		}
	}
	for ; lo < hi; lo++ {
		if alike := open(lo); few && !alike && s.templateGroup.repeats[lo] == 0 {
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
