package contamination

import (
	"math/rand/v2"
	"testing"
)

// The weight of the best window equals the definition: the heaviest row of equal units in order, less what is
// inserted between.
func TestAlign(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var a aligner
	for range 2000 {
		item, doc := make([]unit, 1+rng.IntN(7)), make([]unit, 1+rng.IntN(9))
		weights := make([]uint16, len(item))
		for i := range item {
			item[i].hash, weights[i] = rng.Uint32N(4), uint16(100+rng.IntN(900))
		}
		for i := range doc {
			doc[i].hash = rng.Uint32N(4)
		}
		got, last := int64(0), int32(-1)
		for _, p := range a.align(item, weights, doc, 0, len(doc)) {
			if item[p.item].hash != doc[p.doc].hash || p.doc <= last {
				t.Fatalf("%v is no row of equal units", p)
			}
			got += int64(weights[p.item])
			if last >= 0 {
				got -= inserted * int64(p.doc-last-1)
			}
			last = p.doc
		}
		if want := heaviest(item, weights, doc, 0, 0, false); got != want {
			t.Fatalf("%v in %v: %d, want %d", item, doc, got, want)
		}
	}
}

// heaviest tries all rows.
func heaviest(item []unit, weights []uint16, doc []unit, i, j int, begun bool) int64 {
	best := int64(0)
	for x := i; x < len(item); x++ {
		for y := j; y < len(doc); y++ {
			if item[x].hash != doc[y].hash {
				continue
			}
			w := int64(weights[x]) + heaviest(item, weights, doc, x+1, y+1, true)
			if begun {
				w -= inserted * int64(y-j)
			}
			best = max(best, w)
		}
	}
	return best
}
