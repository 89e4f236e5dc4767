package batch

import (
	"errors"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/neardup/neardup"
)

// What is settled while some texts wait is what all edges decide, and with
// none that waits everything is.
func TestSettledIsFinal(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 2 + rng.IntN(12)
		var all []Edge
		waits := make([]bool, n)
		for later := range n {
			waits[later] = rng.IntN(4) == 0
			for earlier := range later {
				if rng.IntN(3) == 0 {
					all = append(all, Edge{Earlier: Ordinal(earlier), Later: Ordinal(later), Match: neardup.Match{Near: true, Similarity: .9}})
				}
			}
		}
		removed := map[Ordinal]bool{}
		for e, err := range Leaders(edgesOf(all)) {
			if err != nil {
				t.Fatal(err)
			}
			removed[e.Later] = true
		}
		for _, known := range []bool{false, true} {
			s := NewSettling()
			for i, w := range waits {
				if w && !known {
					s.Wait(Ordinal(i))
				}
			}
			var some []Edge // of a text that waits some are missing
			for _, e := range all {
				if known || !waits[e.Later] || rng.IntN(2) == 0 {
					some = append(some, e)
				}
			}
			for i, e := range some {
				if err := s.Edge(Candidate{Later: e.Later, Earlier: e.Earlier}); err != nil {
					t.Fatal(err)
				}
				if i+1 < len(some) && some[i+1].Later == e.Later {
					continue
				}
				switch got := s.End(); {
				case got == SettledOpen && known:
					t.Fatalf("seed %d: %d is open and nothing waits", seed, e.Later)
				case got == SettledDuplicate && !removed[e.Later], got == SettledLeader && removed[e.Later]:
					t.Fatalf("seed %d: %d is settled as %d, removed: %v", seed, e.Later, got, removed[e.Later])
				}
			}
		}
	}
	s := NewSettling()
	if err := errors.Join(s.Edge(Candidate{2, 1}), s.Edge(Candidate{2, 0})); !errors.Is(err, ErrOrder) {
		t.Errorf("out of order: %v", err)
	}
}

func edgesOf(all []Edge) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}
