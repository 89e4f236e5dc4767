package ngram

import (
	"sync/atomic"

	"github.com/neardup/neardup"
)

// Trainer returns a trainer that counts the substrings that plan.go may use as keys. If the sampled texts would have too
// many candidates with those keys, a second pass counts for the keys of pieces.go, and a third marks the selected pieces.
// It takes about memory bytes, but at least 11 MB.
func (m *editMethod) Trainer(memory int64) neardup.Trainer {
	return &editTrainer{method: m, counts: newCounts(), corpus: newCorpusCounts(memory / 4), sample: newSample(), memory: memory}
}

type editTrainer struct {
	method *editMethod
	counts *counts
	corpus *corpusCounts // counts the spotted grams
	sample *sample
	texts  atomic.Int64
	memory int64
}

// each calls use with the substrings of up to q runes of a text.
func (m *editMethod) each(clean string, q int, use func(s *scratch, n int)) {
	if m.Keys == Any {
		return
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	if runes := s.decode(m.Config.Prepare.Prepare(clean)); len(runes) > 0 {
		s.grams(runes, q, m.Seed)
		use(s, len(runes))
	}
}

// One gram in spotted, by hash, is also counted separately. That is enough to estimate the average number of texts that
// share a key.
const spotted = 8

// spot reports whether a gram is counted separately. It ignores the lowest byte of the hash, which a rank does not have.
func spot(hash uint64) bool { return hash>>8%spotted == 0 }

// Add counts the grams of a text.
func (t *editTrainer) Add(clean string) {
	t.texts.Add(1)
	t.sample.add(clean)
	t.method.each(clean, longestGram, func(s *scratch, _ int) {
		for _, h := range s.hashes {
			if h == 0 {
				continue
			}
			t.counts.add(h)
			if spot(h) {
				t.corpus.add(h)
			}
		}
	})
}

// Method returns the method with the keys of plan.go for this corpus.
func (t *editTrainer) Method() neardup.Method { return t.method.withTable(t.counts.rarityTable()) }

// NextPass returns the trainer that counts all substrings, or nil if the keys of plan.go are good enough.
func (t *editTrainer) NextPass() neardup.Trainer {
	if t.method.Keys == Any {
		return nil
	}
	with := *t.Method().(*editMethod)
	if t.fewCandidates(with.table) {
		return nil
	}
	with.corpus = newCorpusCounts(t.memory)
	return &survey{&with}
}

// survey counts all substrings that can be pieces.
type survey struct{ method *editMethod }

// Add counts the substrings of a text.
func (t *survey) Add(clean string) {
	t.method.each(clean, longestPiece, func(s *scratch, _ int) {
		for _, h := range s.hashes {
			if h != 0 {
				t.method.corpus.add(h)
			}
		}
	})
}

// Method returns the method with the keys of pieces.go.
func (t *survey) Method() neardup.Method { return t.method }

// NextPass returns the trainer that marks the pieces that each text selects.
func (t *survey) NextPass() neardup.Trainer {
	t.method.corpus.reselect()
	return &selection{t.method}
}

type selection struct{ method *editMethod }

// Add marks the pieces of a text.
func (t *selection) Add(clean string) {
	t.method.each(clean, longestPiece, func(s *scratch, n int) {
		t.method.pieces(s, n)
		for _, h := range s.chosen {
			t.method.corpus.mark(h)
		}
	})
}

// Method returns the method for this corpus.
func (t *selection) Method() neardup.Method { return t.method }

// NextPass returns nil, because this is the last pass.
func (t *selection) NextPass() neardup.Trainer { return nil }
