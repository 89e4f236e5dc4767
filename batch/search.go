package batch

import (
	"cmp"
	"context"
	"slices"

	"github.com/neardup/neardup"
)

// Work counts what was done to find candidates and to verify them.
type Work struct {
	Candidates int64 `json:"candidates"` // postings met under shared keys
	Verified   int64 `json:"verified"`   // pairs compared exactly
	Near       int64 `json:"near"`       // pairs at or above the threshold
}

func (w *Work) add(o Work) {
	w.Candidates += o.Candidates
	w.Verified += o.Verified
	w.Near += o.Near
}

// positionRange holds the positions from from up to to, without to.
type positionRange struct{ from, to position }

// search looks for the matches of one text after the other, among the texts that it was paired with and those
// in its hot buckets of an index. For one goroutine.
type search struct {
	*verifier
	x        *index
	removed  bitset // texts that are not compared
	found    []position
	screened []screenedText // of these, to be judged
	seen     bitset         // of those found, while they are sorted out
	work     Work
	joined   []searchedBucket // very hot buckets of the current text
	grouped  []position       // in a group of these
	prefixer
	ofTemplate
}

// screenedText is a text that the cheap comparison left open.
type screenedText struct {
	position
	closeness float64
}

// collector takes the texts that one is near, or a variant of, in any order.
type collector struct {
	// wants reports whether a match this close could replace the current best. If nil, every match is wanted.
	wants func(p position, closeness float64) bool
	take  func(p position, m neardup.Match) error
}

// searchRange passes each text in the range that t is near, or a variant of, to the collector, if it wants it.
func (s *search) searchRange(where positionRange, t position, candidates []candidate, to collector) error {
	row, err := s.texts.Get(t)
	if err != nil {
		return err
	}
	if err := s.gather(t, row.sketch, candidates, where); err != nil {
		return err
	}
	if err := s.verifyTemplate(t, candidates, where, to); err != nil {
		return err
	}
	return s.verify(t, false, to)
}

// amongRemoved passes to the collector each candidate near t that is itself a duplicate and has copies.
func (s *search) amongRemoved(t position, candidates []candidate, to collector) error {
	s.found = s.found[:0]
	for _, c := range candidates {
		if c.role() != 0 || !s.removed.has(uint32(c.text())) {
			continue
		}
		row, err := s.texts.Get(c.text())
		if err != nil {
			return err
		}
		if row.copies {
			s.found = append(s.found, c.text())
		}
	}
	return s.verify(t, true, to)
}

// gather collects the candidates of t that are not removed, and the plausible leaders in its hot buckets. Very hot
// buckets are searched by features.
func (s *search) gather(t position, sketch uint64, candidates []candidate, where positionRange) error {
	s.found, s.joined = s.found[:0], s.joined[:0]
	if err := s.findTemplate(t, candidates); err != nil {
		return err
	}
	for _, c := range candidates {
		if c.role() == 0 {
			if p := c.text(); p >= where.from && p < where.to && !s.removed.has(uint32(p)) {
				s.found = append(s.found, p)
			}
			continue
		}
		if c.role()&Probing == 0 {
			continue
		}
		lo, hi := s.x.find(c.bucket())
		if b := s.x.join.bucket(lo, hi); b != nil {
			s.joined = append(s.joined, searchedBucket{b, lo, hi})
			continue
		}
		s.scan(sketch, lo, hi, where)
	}
	return s.gatherJoined(t, sketch, where)
}

// scan collects the plausible leaders at places of a bucket. They are in the order of positions, so a range
// is read from its end backwards. It skips those of the text's template if they are most of it.
func (s *search) scan(sketch uint64, lo, hi uint32, where positionRange) {
	for hi > lo && s.x.pos[hi-1] >= where.to {
		hi--
	}
	texts, sketches := s.x.pos[lo:hi], s.x.sketch[lo:hi]
	seen := 0
	for i := len(texts) - 1; i >= 0 && texts[i] >= where.from; i-- {
		if s.number != 0 {
			if k := s.x.kinds[lo+uint32(i)]; k.template == s.number && s.skip(int(lo)+i+1-int(k.from), texts[i]) {
				i = int(k.from) - int(lo)
				continue
			}
		}
		seen++
		// Equal texts have equal sketches, and no method compares them.
		if sketch == sketches[i] || s.method.Plausible(sketch, sketches[i]) {
			s.found = append(s.found, texts[i])
		}
	}
	s.work.Candidates += int64(seen)
}

// verify compares a text with the gathered ones. If leads is set, the text is the leader of each pair, otherwise the
// other text is. Unless every match is wanted, it judges expensive pairs last, the closest first.
func (s *search) verify(t position, leads bool, to collector) error {
	if len(s.found) == 0 {
		return nil
	}
	s.sortFound()
	own := &subject{position: t}
	s.screened = s.screened[:0]
	for _, p := range s.found {
		if p == t {
			continue
		}
		s.work.Verified++
		m, decided, err := s.screen(own, p, leads)
		if err != nil {
			return err
		}
		switch {
		case decided:
		case to.wants != nil:
			s.screened = append(s.screened, screenedText{p, m.Closeness})
			continue
		default: // all are wanted: decide now, while the view is loaded
			m, err = s.finish(own, p, leads, m.Closeness)
			if err != nil {
				return err
			}
		}
		if err := s.reportMatch(t, p, m, to); err != nil {
			return err
		}
	}
	slices.SortFunc(s.screened, func(a, b screenedText) int {
		return cmp.Or(cmp.Compare(b.closeness, a.closeness), cmp.Compare(a.position, b.position))
	})
	for _, o := range s.screened {
		if !to.wants(o.position, o.closeness) {
			continue
		}
		m, err := s.finish(own, o.position, leads, o.closeness)
		if err == nil {
			err = s.reportMatch(t, o.position, m, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reportMatch counts a comparison. It passes a match to the collector, and shows other pairs to the audit.
func (s *search) reportMatch(t, p position, m neardup.Match, to collector) error {
	if m.Near {
		s.work.Near++
	}
	if !m.Near && !m.Variant {
		s.audit.Refuse(uint32(t), uint32(p))
		return nil
	}
	return to.take(p, m)
}

// sortFound sorts what was found and removes repetitions. Texts of a template share many keys, so it drops
// repetitions of many before sorting.
func (s *search) sortFound() {
	if len(s.found) > manyFound {
		if s.seen == nil {
			s.seen = newBitset(s.texts.Len())
		}
		distinct := s.found[:0]
		for _, p := range s.found {
			if !s.seen.has(uint32(p)) {
				s.seen.set(uint32(p))
				distinct = append(distinct, p)
			}
		}
		s.found = distinct
		for _, p := range s.found {
			s.seen[p/64] = 0
		}
	}
	slices.Sort(s.found)
	s.found = slices.Compact(s.found)
}

// manyFound is the number of found texts from which on a set removes repetitions.
const manyFound = 1 << 10

// searchBlock runs fn for the texts of a block on all workers, and adds up
// their work.
func (j *job) searchBlock(ctx context.Context, b *textBlock, proto search, fn func(s *search, i int) error) error {
	var all []*search
	err := parallel(ctx, j.cfg.Workers, len(b.texts), func() *search {
		s := proto
		all = append(all, &s)
		return &s
	}, fn)
	for _, s := range all {
		j.sum.Work.add(s.work)
	}
	return err
}
