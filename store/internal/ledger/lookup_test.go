package ledger

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestShared compares with counting in a map: few numbers, many close together, and many far apart.
func TestShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Uint32().Draw(t, "low")
		reach := rapid.SampledFrom([]uint32{0, 10, 5000, 1 << 20, 1<<32 - 1}).Draw(t, "reach")
		var numbers []leaderNo
		want := map[leaderNo]int{}
		for _, above := range rapid.SliceOfN(rapid.Uint32Range(0, reach), 0, 500).Draw(t, "numbers") {
			n := leaderNo(low + min(above, 1<<32-1-low))
			numbers = append(numbers, n)
			want[n]++
		}
		got := map[leaderNo]int{}
		var order []leaderNo
		shared(numbers, func(n leaderNo, times int) { got[n], order = times, append(order, n) })
		if !maps.Equal(got, want) || !slices.IsSorted(order) || len(order) != len(want) {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}
