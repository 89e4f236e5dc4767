package ngram

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup"
)

// sample keeps some texts of a corpus, those of the least hashes, so that the choice does not depend on the
// order or on the goroutine.
type sample struct {
	mu    sync.Mutex
	texts []sampled
	most  atomic.Uint64 // texts of this hash and above are not wanted
}

type sampled struct {
	hash uint64
	text string
}

const (
	sampleSize  = 512
	sampleBytes = 4096 // longer texts are left out
)

func newSample() *sample {
	s := &sample{}
	s.most.Store(^uint64(0))
	return s
}

func (s *sample) add(clean string) {
	hash := neardup.DigestOf(clean).Key()
	if hash >= s.most.Load() || len(clean) > sampleBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := slices.BinarySearchFunc(s.texts, hash, func(t sampled, h uint64) int { return cmp.Compare(t.hash, h) })
	if found {
		return
	}
	s.texts = slices.Insert(s.texts, at, sampled{hash, strings.Clone(clean)})
	if len(s.texts) > sampleSize {
		s.texts = s.texts[:sampleSize]
		s.most.Store(s.texts[sampleSize-1].hash)
	}
}

// bearable is how many other texts may have a key of plan.go of a text, on average: a fixed number, or a share
// of all. Those keys save a pass and are few, and those of pieces.go are many. Of headlines about one in 10,000
// has a key of another (and a quarter of these becomes a candidate), and the join takes half the time. Of texts
// with a common greeting it is one in 200, and in an alphabet up to one in two.
const (
	bearable      = 24
	bearableShare = 4_000
)

// fewCandidates reports whether the keys of plan.go are good enough for the
// corpus that was counted, going by the texts of the sample. It decides how
// much work is done, never what is found.
func (t *editTrainer) fewCandidates(table *rarityTable) bool {
	if t.method.selecting {
		return false
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	total := uint64(0)
	for _, of := range t.sample.texts {
		runes := s.decode(t.method.Config.Prepare.Prepare(of.text))
		if len(runes) == 0 {
			continue
		}
		for _, p := range t.method.plans.of(len(runes)) {
			s.grams(runes, p.q, t.method.Seed)
			s.rankGrams(p.q, table)
			for _, rank := range s.sorted[:s.disjoint(p.q, p.need)] {
				// A rank has all of a hash but the lowest byte, which the
				// corpus does not look at.
				if hash := rank << 8; spot(hash) {
					total += spotted * uint64(max(t.corpus.count(hash), 1)-1)
				}
			}
		}
	}
	most := max(bearable, uint64(t.texts.Load())/bearableShare)
	return total <= 2*most*uint64(len(t.sample.texts))
}
