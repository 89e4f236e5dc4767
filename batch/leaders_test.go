package batch

import (
	"errors"
	"fmt"
	"iter"
)

// ErrOrder is wrapped by the error about edges that do not come in their order.
var ErrOrder = errors.New("edges are not in their order")

// Leaders runs the third stage, verified pairs -> decisions. It applies the greedy leader rule, which gives the
// lexicographically first independent set of the graph. It takes all edges in the order of [Edge.Compare], and
// yields in that order the edge to the leader of each duplicate. All other documents are new. A new variant
// yields the edge to its best leader, which is not Near. Errors of edges are passed on and end it; edges out of
// order are ErrOrder. O(1) an edge; memory of a bit a removed document, in pages of 512 bytes.
func Leaders(edges iter.Seq2[Edge, error]) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		removed := sparseSet{}
		var best, last Edge
		flush := func() bool {
			g := best.strength().grade
			if g.removes() {
				removed.add(best.Later)
			}
			ok := g == none || yield(best, nil)
			best = Edge{}
			return ok
		}
		for e, err := range edges {
			if err == nil && (e.Earlier >= e.Later || e.Compare(last) < 0) {
				err = fmt.Errorf("%w: %d, %d after %d, %d", ErrOrder, e.Earlier, e.Later, last.Earlier, last.Later)
			}
			if err != nil {
				yield(Edge{}, err)
				return
			}
			if e.Later != last.Later && !flush() {
				return
			}
			last = e
			if !removed.has(e.Earlier) && e.Stronger(best) {
				best = e
			}
		}
		flush()
	}
}

// sparseSet is a set of ordinals, in pages.
type sparseSet map[Ordinal]*[64]uint64

func (s sparseSet) add(o Ordinal) {
	page := s[o>>12]
	if page == nil {
		page = new([64]uint64)
		s[o>>12] = page
	}
	page[o>>6&63] |= 1 << (o & 63)
}

func (s sparseSet) has(o Ordinal) bool {
	page := s[o>>12]
	return page != nil && page[o>>6&63]>>(o&63)&1 != 0
}
