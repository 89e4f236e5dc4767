package batch

import (
	"cmp"
	"context"
	"slices"

	"github.com/neardup/neardup"
)

// Work counts the work of finding and verifying candidates.
type Work struct {
	Candidates int64 `json:"candidates"` // pairs of postings that share a key
	Verified   int64 `json:"verified"`   // pairs compared exactly
	Near       int64 `json:"near"`       // pairs at or above the threshold
}

func (w *Work) add(o Work) {
	w.Candidates += o.Candidates
	w.Verified += o.Verified
	w.Near += o.Near
}

// positionRange holds the positions in [from, to).
type positionRange struct{ from, to position }

// search finds the matches of texts, one after the other. It looks among the candidates of a text and in its hot buckets of
// an index. It is for one goroutine.
type search struct {
	*verifier
	x        *index
	removed  bitset // texts that are not compared
	found    []position
	screened []screenedText // those of found that need the expensive comparison
	seen     bitset         // set of found texts, while repetitions are removed
	work     Work
	joined   []searchedBucket // very hot buckets of the current text
	grouped  []position       // leaders found in a group of joined
	prefixer
	ofTemplate
}

// screenedText is a text that the cheap comparison could not decide.
type screenedText struct {
	position
	closeness float64
}

// collector receives, in any order, the texts that a text is near or a variant of.
type collector struct {
	// wants reports whether a match this close could replace the current best. If nil, every match is wanted.
	wants func(p position, closeness float64) bool
	take  func(p position, m neardup.Match) error
}

// searchRange passes to the collector each text in the range that t is near, or a variant of, if the collector wants it.
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

// amongRemoved passes to the collector each candidate near t that is a duplicate itself and has copies.
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

// gather collects the candidates of t that are not removed, and the plausible leaders in its hot buckets. It searches very
// hot buckets by features.
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

// scan collects the plausible leaders in cells of a bucket. They are sorted by position, so it reads a range from its end
// backwards. It skips the leaders of the text's template if they are most of the bucket.
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

// verify compares a text with the gathered ones. If leads is set, the text is the leader of each pair, otherwise the other
// text is. Unless every match is wanted, it compares expensive pairs last, the closest first.
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
		default: // every match is wanted, so decide now while the view is loaded
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

// reportMatch counts a comparison. It passes a match to the collector, and any other pair to the audit.
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

// sortFound sorts the found texts and removes repetitions. Texts of a template share many keys, so it removes repetitions
// before sorting if there are many.
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

// If at least manyFound texts were found, a set removes repetitions.
const manyFound = 1 << 10

// searchBlock runs fn for the texts of a block on all workers, and adds up their work counts.
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
