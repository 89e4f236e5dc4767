package ngram

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup"
)

// sample keeps those texts of a corpus that have the smallest hashes, so that the choice depends neither on the order nor
// on the goroutine.
type sample struct {
	mu    sync.Mutex
	texts []sampled
	most  atomic.Uint64 // texts with this hash or a larger one are not sampled
}

type sampled struct {
	hash uint64
	text string
}

const (
	sampleSize  = 512
	sampleBytes = 4096 // longer texts are not sampled
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

// bearable is the number of other texts, on average, that may share a key of plan.go with a text. It is a fixed number or a
// share of all texts, whichever is larger. The keys of plan.go are few and save a pass; those of pieces.go are many. About one headline in 10,000
// shares a key with another (a quarter of these become candidates), and the join takes half the time. With a common
// greeting it is one in 200, and in an alphabet up to one in two.
const (
	bearable      = 24
	bearableShare = 4_000
)

// fewCandidates reports whether the keys of plan.go are good enough for the counted corpus, judging by the sampled texts.
// That changes the amount of work, but not the result.
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
				// A rank has all bits of a hash except the lowest byte, which corpus does not use.
				if hash := rank << 8; spot(hash) {
					total += spotted * uint64(max(t.corpus.count(hash), 1)-1)
				}
			}
		}
	}
	most := max(bearable, uint64(t.texts.Load())/bearableShare)
	return total <= 2*most*uint64(len(t.sample.texts))
}
