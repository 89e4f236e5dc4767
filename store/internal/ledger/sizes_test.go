package ledger

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
)

// Every page is what sorting all leaders gives, whatever came, grew, shrank and
// ended before, and also after a start.
func TestSizesAgainstSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var leaders chunks[leaderNo, leader]
	var s sizes
	size := []int64{} // -1: ended
	check := func() {
		t.Helper()
		var want []docid.GroupSize
		for n, size := range size {
			if size >= 0 {
				want = append(want, docid.GroupSize{Leader: uint64(3 * n), Size: int(size)})
			}
		}
		slices.SortFunc(want, func(a, b docid.GroupSize) int {
			if a.Size != b.Size {
				return b.Size - a.Size
			}
			return int(a.Leader) - int(b.Leader)
		})
		if got := s.page(0, 0, len(want)+1, &leaders); !slices.Equal(got, want) {
			t.Fatalf("all %d: got %d that differ", len(want), len(got))
		}
		for range 20 {
			i, limit, least := r.IntN(len(want)+1), 1+r.IntN(40), r.IntN(4)
			from := place(0)
			if i > 0 {
				g := want[i-1]
				from = placeOf(int64(g.Size), leaderNo(g.Leader/3)+1)
			}
			var page []docid.GroupSize
			for _, g := range want[i:min(len(want), i+limit)] {
				if g.Size >= least {
					page = append(page, g)
				}
			}
			if got := s.page(from, least, limit, &leaders); !slices.Equal(got, page) {
				t.Fatalf("page from %d of %d, at least %d: got %v, want %v", i, limit, least, got, page)
			}
		}
	}
	for step := range 60_000 {
		switch k := r.IntN(10); {
		case k < 5 || len(size) == 0:
			n := leaders.add(func(l *leader) { l.seq = uint64(3 * len(size)); l.size.Store(1) })
			size = append(size, 1)
			s.move(n, -1, 1)
		default:
			n := r.IntN(len(size))
			if size[n] < 0 {
				continue
			}
			to := size[n] + 1
			if n == 7 {
				to += 100 // larger than are counted
			}
			if k == 8 {
				to = max(0, size[n]-1)
			} else if k == 9 || step > 40_000 {
				to = -1
				leaders.at(leaderNo(n)).ended.Store(1)
			}
			s.move(leaderNo(n), size[n], to)
			size[n] = to
			leaders.at(leaderNo(n)).size.Store(to)
		}
		if step%5_000 == 0 {
			check()
		}
	}
	check()
	s.fill(&leaders)
	check()
}

// A page costs a page: that of a hundred does not depend on how many there are.
func BenchmarkGroups(b *testing.B) {
	var leaders chunks[leaderNo, leader]
	var s sizes
	for i := range 1_000_000 {
		leaders.add(func(l *leader) { l.seq = uint64(i); l.size.Store(int64(1 + i%7)) })
	}
	s.fill(&leaders)
	b.Run("page", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			s.page(placeOf(int64(i%7), leaderNo(i*7919%1_000_000)), 0, 100, &leaders)
		}
	})
	b.Run("move", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			n := leaderNo(i * 7919 % 1_000_000)
			s.move(n, int64(1+n%7), int64(2+n%7))
			s.move(n, int64(2+n%7), int64(1+n%7))
		}
	})
	b.Run("fill", func(b *testing.B) {
		for b.Loop() {
			s.fill(&leaders)
		}
	})
}
