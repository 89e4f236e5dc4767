package eval

// Placement is where greedy leader clustering puts a document: at its own place for a leader, otherwise at its
// best leader.
type Placement struct {
	Leader     int
	Similarity float64 // to the leader; 0 for a leader
}

// GreedyLeader decides every document by brute force, as the sequential specification. In the given order (nil:
// 0, 1, ... n-1) a document becomes a leader if no leader is near it. Otherwise it is the duplicate of the
// leader with the highest similarity, the earliest of equal ones. The result is by document. At most n*(n-1)/2
// calls of similar, always with the later document first.
func GreedyLeader(n int, order []int, similar func(i, j int) (similarity float64, near bool)) []Placement {
	if order == nil {
		order = make([]int, n)
		for i := range order {
			order[i] = i
		}
	}
	placed := make([]Placement, n)
	var leaders []int
	for _, i := range order {
		best := Placement{Leader: i, Similarity: -1}
		for _, leader := range leaders {
			if s, near := similar(i, leader); near && s > best.Similarity {
				best = Placement{Leader: leader, Similarity: s}
			}
		}
		if best.Leader == i {
			best.Similarity = 0
			leaders = append(leaders, i)
		}
		placed[i] = best
	}
	return placed
}
