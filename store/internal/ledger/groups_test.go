package ledger

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
)

// TestGroups compares every page with a sorted list of all durable living docIds.
func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ix := newIndex(&Store{}, "t", 1, docid.Identity{})
	var want []docid.GroupSize
	for seq := uint64(1); seq <= 2000; seq++ {
		l := ix.posts.leaders.at(ix.posts.lead(seq, 0, 0))
		size := int64(r.IntN(6) * r.IntN(6))
		l.size.Store(size)
		switch {
		case r.IntN(4) == 0:
			l.ended.Store(1 + r.Uint64N(1900))
		case seq <= 1900:
			want = append(want, docid.GroupSize{Leader: seq, Size: int(size)})
		}
	}
	ix.durable.Store(1900)
	slices.SortFunc(want, func(a, b docid.GroupSize) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Leader, b.Leader))
	})
	for range 300 {
		page := docid.GroupPage{Limit: 1 + r.IntN(40), MinSize: r.IntN(9)}
		from := r.IntN(len(want) + 1)
		if from > 0 {
			page.After = want[from-1]
		}
		var expected []docid.GroupSize
		for _, g := range want[from:min(len(want), from+page.Limit)] {
			if g.Size >= page.MinSize {
				expected = append(expected, g)
			}
		}
		if got, err := (catalog{ix}).Groups(t.Context(), page); err != nil || !slices.Equal(got, expected) {
			t.Fatalf("%+v: got %v, %v; want %v", page, got, err, expected)
		}
	}
}

func BenchmarkGroups(b *testing.B) {
	ix := newIndex(&Store{}, "t", 1, docid.Identity{})
	r := rand.New(rand.NewPCG(1, 2))
	for seq := uint64(1); seq <= 1_000_000; seq++ {
		ix.posts.leaders.at(ix.posts.lead(seq, 0, 0)).size.Store(1 + int64(r.ExpFloat64()))
	}
	ix.durable.Store(1_000_000)
	for b.Loop() {
		if _, err := (catalog{ix}).Groups(b.Context(), docid.GroupPage{Limit: 1001}); err != nil {
			b.Fatal(err)
		}
	}
}
