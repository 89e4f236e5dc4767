package ledger

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Few numbers, many close together and many far apart: the same as counting in
// a map.
func TestShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Uint32().Draw(t, "low")
		reach := rapid.SampledFrom([]uint32{0, 10, 5000, 1 << 20, 1<<32 - 1}).Draw(t, "reach")
		numbers := rapid.SliceOfN(rapid.Uint32Range(0, reach), 0, 500).Draw(t, "numbers")
		want := map[uint32]int{}
		for i := range numbers {
			numbers[i] = low + min(numbers[i], 1<<32-1-low)
			want[numbers[i]]++
		}
		got := map[uint32]int{}
		var order []uint32
		shared(numbers, func(n uint32, times int) { got[n], order = times, append(order, n) })
		if !maps.Equal(got, want) || !slices.IsSorted(order) || len(order) != len(want) {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}
