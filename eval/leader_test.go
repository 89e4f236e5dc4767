package eval_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/neardup/neardup/eval"
)

// Numbers on a line are near if they differ by at most 1.
func ExampleGreedyLeader() {
	at := []float64{0, 1, 1.8, 3, 2}
	placed := eval.GreedyLeader(len(at), nil, func(i, j int) (float64, bool) {
		distance := max(at[i], at[j]) - min(at[i], at[j])
		return 1 - distance/10, distance <= 1
	})
	for i, p := range placed {
		fmt.Printf("%v -> %v %.2f\n", at[i], at[p.Leader], p.Similarity)
	}
	// Output:
	// 0 -> 0 0.00
	// 1 -> 0 0.90
	// 1.8 -> 1.8 0.00
	// 3 -> 3 0.00
	// 2 -> 1.8 0.98
}

func TestGreedyLeaderTakesEarliestOfEqualLeaders(t *testing.T) {
	near := map[[2]int]bool{{2, 0}: true, {2, 1}: true, {0, 2}: true, {1, 2}: true}
	similar := func(i, j int) (float64, bool) { return .9, near[[2]int{i, j}] }
	for _, test := range []struct {
		order []int
		want  []eval.Placement
	}{
		{nil, []eval.Placement{{Leader: 0}, {Leader: 1}, {Leader: 0, Similarity: .9}}},
		{[]int{1, 0, 2}, []eval.Placement{{Leader: 0}, {Leader: 1}, {Leader: 1, Similarity: .9}}},
		{[]int{2, 1, 0}, []eval.Placement{{Leader: 2, Similarity: .9}, {Leader: 2, Similarity: .9}, {Leader: 2}}},
	} {
		if diff := cmp.Diff(test.want, eval.GreedyLeader(3, test.order, similar)); diff != "" {
			t.Errorf("order %v (-want +got):\n%s", test.order, diff)
		}
	}
}
