package ngram

import (
	"sync/atomic"

	"github.com/neardup/neardup"
)

// Tally counts the substrings that texts may have as keys. It takes about
// memory bytes, but at least 11 MB.
func (m *editMethod) Tally(memory int64) neardup.Tally {
	return &editTally{method: m, counts: newCounts(), census: newCensus(memory), sample: newSample()}
}

type editTally struct {
	method *editMethod
	counts *counts
	census *census
	sample *sample
	texts  atomic.Int64
}

// each calls add with the grams of one text.
func (m *editMethod) each(clean string, use func(s *scratch, runes []rune)) {
	if m.Keys == Any {
		return
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	if runes := s.decode(m.Prepare.Prepare(clean)); len(runes) > 0 {
		s.grams(runes, longestPiece, m.Seed)
		use(s, runes)
	}
}

// Add counts the grams of one text.
func (t *editTally) Add(clean string) {
	t.texts.Add(1)
	t.sample.add(clean)
	t.method.each(clean, func(s *scratch, runes []rune) {
		for at, h := range s.hashes {
			if h == 0 {
				continue
			}
			t.census.add(h)
			if at%longestPiece < longestGram {
				t.counts.add(h)
			}
		}
	})
}

// Method returns the method for this corpus.
func (t *editTally) Method() neardup.Method {
	with := *t.method
	with.table = t.counts.table()
	if with.Keys != Any && !t.fewCandidates() {
		with.census = t.census
	}
	return &with
}

// Again returns the tally of what each text selects, unless the texts need
// not select anything.
func (t *editTally) Again() neardup.Tally {
	m := t.Method().(*editMethod)
	if m.census == nil {
		return nil
	}
	t.census.reselect()
	return &selection{m}
}

type selection struct{ method *editMethod }

// Add marks the pieces of one text.
func (t *selection) Add(clean string) {
	t.method.each(clean, func(s *scratch, runes []rune) {
		t.method.pieces(s, len(runes))
		for _, h := range s.chosen {
			t.method.census.mark(h)
		}
	})
}

// Method returns the method for this corpus.
func (t *selection) Method() neardup.Method { return t.method }
