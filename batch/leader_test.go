package batch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// placement is where greedy leader clustering puts a document: at its own place for a leader, otherwise at its
// best leader.
type placement struct {
	leader     int
	similarity float64 // to the leader; 0 for a leader
}

// greedyLeader decides every document by brute force, as the sequential specification. In the given order (nil:
// 0, 1, ... n-1) a document becomes a leader if no leader is near it. Otherwise it is the duplicate of the
// leader with the highest similarity, the earliest of equal ones. The result is by document. At most n*(n-1)/2
// calls of similar, always with the later document first.
func greedyLeader(n int, order []int, similar func(i, j int) (similarity float64, near bool)) []placement {
	if order == nil {
		order = make([]int, n)
		for i := range order {
			order[i] = i
		}
	}
	placed := make([]placement, n)
	var leaders []int
	for _, i := range order {
		best := placement{leader: i, similarity: -1}
		for _, leader := range leaders {
			if s, near := similar(i, leader); near && s > best.similarity {
				best = placement{leader: leader, similarity: s}
			}
		}
		if best.leader == i {
			best.similarity = 0
			leaders = append(leaders, i)
		}
		placed[i] = best
	}
	return placed
}

func TestGreedyLeaderTakesEarliestOfEqualLeaders(t *testing.T) {
	near := map[[2]int]bool{{2, 0}: true, {2, 1}: true, {0, 2}: true, {1, 2}: true}
	similar := func(i, j int) (float64, bool) { return .9, near[[2]int{i, j}] }
	for _, test := range []struct {
		order []int
		want  []placement
	}{
		{nil, []placement{{leader: 0}, {leader: 1}, {leader: 0, similarity: .9}}},
		{[]int{1, 0, 2}, []placement{{leader: 0}, {leader: 1}, {leader: 1, similarity: .9}}},
		{[]int{2, 1, 0}, []placement{{leader: 2, similarity: .9}, {leader: 2, similarity: .9}, {leader: 2}}},
	} {
		if diff := cmp.Diff(test.want, greedyLeader(3, test.order, similar), cmp.AllowUnexported(placement{})); diff != "" {
			t.Errorf("order %v (-want +got):\n%s", test.order, diff)
		}
	}
}
