package ledger

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Few numbers, many close together and many far apart: the same as sorting.
func TestDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Uint32().Draw(t, "low")
		reach := rapid.SampledFrom([]uint32{0, 10, 5000, 1 << 20, 1<<32 - 1}).Draw(t, "reach")
		numbers := rapid.SliceOfN(rapid.Uint32Range(0, reach), 0, 500).Draw(t, "numbers")
		for i := range numbers {
			numbers[i] = low + min(numbers[i], 1<<32-1-low)
		}
		want := slices.Clone(numbers)
		slices.Sort(want)
		want = slices.Compact(want)
		if got := distinct(numbers); !slices.Equal(got, want) {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}
