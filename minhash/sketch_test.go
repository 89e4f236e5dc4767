package minhash

import (
	"fmt"
	"math"
	"testing"

	"github.com/neardup/neardup/feature"
)

// pair returns two sets whose union has size elements, both of them share
// of these.
func pair(state *uint64, size, both int) (a, b []uint64) {
	for i := range size {
		*state += 0x9e3779b97f4a7c15
		h := feature.Mix(*state)
		if i < both || i%2 == 0 {
			a = append(a, h)
		}
		if i < both || i%2 == 1 {
			b = append(b, h)
		}
	}
	return a, b
}

// TestSlotsAndBandsFollowTheory draws pairs of sets of a known similarity, of
// one shingle to a thousand, and compares how often a slot and how often a key
// is shared with J and with 1 - (1 - J^rows)^bands. Fixed seeds.
func TestSlotsAndBandsFollowTheory(t *testing.T) {
	const bands, rows = 26, 5
	state := uint64(1)
	for _, size := range []int{1, 2, 3, 5, 10, 20, 50, 130, 200, 1000} {
		draws := 6000
		if size > 100 {
			draws = 2000
		}
		seen := map[int]bool{}
		for _, j := range []float64{0.3, 0.5, 0.7, 0.8, 0.9, 1} {
			both := int(j*float64(size) + 0.5)
			if seen[both] {
				continue
			}
			seen[both] = true
			t.Run(fmt.Sprintf("%d of %d", both, size), func(t *testing.T) {
				equal, found := 0, 0
				for range draws {
					a, b := pair(&state, size, both)
					var x, y [bands * rows]uint64
					sketch(x[:], a)
					sketch(y[:], b)
					hit := false
					for band := range bands {
						same := 0
						for i := band * rows; i < band*rows+rows; i++ {
							if x[i] == y[i] && len(a) > 0 && len(b) > 0 {
								same++
							}
						}
						equal += same
						hit = hit || same == rows
					}
					if hit {
						found++
					}
				}
				want := float64(both) / float64(size)
				got := float64(equal) / float64(draws*bands*rows)
				// Five standard deviations of independent slots, doubled: those
				// of one sketch are not quite independent.
				if math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/float64(draws*bands*rows))*2+1e-9 {
					t.Errorf("slots: %.4f equal, want %.4f", got, want)
				}
				theory := Candidate(want, bands, rows)
				hits := float64(found) / float64(draws)
				if math.Abs(hits-theory) > 5*math.Sqrt(theory*(1-theory)/float64(draws))+0.003 {
					t.Errorf("keys: %.4f shared, want %.4f", hits, theory)
				}
			})
		}
	}
}

func TestSketchIgnoresRepeatsAndOrder(t *testing.T) {
	state := uint64(7)
	for _, size := range []int{1, 4, 50, 700} {
		a, _ := pair(&state, size, size)
		var x, y [130]uint64
		sketch(x[:], a)
		for i := len(a) - 1; i >= 0; i -= 2 {
			a = append(a, a[i])
		}
		for i, j := 0, len(a)-1; i < j; i, j = i+1, j-1 {
			a[i], a[j] = a[j], a[i]
		}
		sketch(y[:], a)
		if x != y {
			t.Errorf("%d hashes: another sketch", size)
		}
		for i, slot := range x {
			if slot == empty {
				t.Errorf("%d hashes: slot %d is empty", size, i)
			}
		}
	}
}

func TestBoundsEncloseTheNumberOfDistinctHashes(t *testing.T) {
	state := uint64(3)
	bitmap := make([]uint64, 1<<(maxBitmap-6))
	for _, size := range []int{1, 2, 10, 300, 5000, 60000, 400000} {
		a, _ := pair(&state, size, size)
		b := bounds(append(a, a[:size/3]...), bitmap)
		most, least := int(b>>32), int(uint32(b))
		if least > size || most < size {
			t.Errorf("%d distinct: bounds %d..%d", size, least, most)
		}
		if size <= 10000 && least < size*95/100 {
			t.Errorf("%d distinct: lower bound %d is loose", size, least)
		}
	}
}

func BenchmarkSketch(b *testing.B) {
	for _, size := range []int{1, 10, 100, 1000, 3000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			state := uint64(1)
			a, _ := pair(&state, size, size)
			slots := make([]uint64, 96)
			for b.Loop() {
				sketch(slots, a)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/hash")
		})
	}
}
