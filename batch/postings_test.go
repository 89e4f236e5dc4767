package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/neardup/neardup/batch"
)

// Postings come by key, none lost and none twice, also where most of them lay on disk; nothing is left there.
func TestPostingsComeByKey(t *testing.T) {
	for _, n := range []int{0, 1, 5000, 30_000} { // the least memory holds 4,096
		dir := t.TempDir()
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		p := batch.NewPostings(dir, 0)
		var want, got []batch.Posting
		for i := range n {
			one := batch.NewPosting(rng.Uint64N(uint64(n)), rng.Uint64(), batch.Ordinal(i), batch.Indexed|batch.Probing)
			want = append(want, one)
			if err := p.Add(one); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.EachAgainst(t.Context(), nil, func(one batch.Posting) error { got = append(got, one); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(got, func(a, b batch.Posting) int { return int(a.Key()) - int(b.Key()) }) {
			t.Errorf("%d postings do not come by key", n)
		}
		byText := func(a, b batch.Posting) int { return int(a.Text()) - int(b.Text()) }
		slices.SortFunc(got, byText)
		if !slices.Equal(got, want) {
			t.Errorf("%d of %d postings come back, or others", len(got), n)
		}
		p.Close()
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v is left (%v)", left, err)
		}
	}
}

func TestPostingsStop(t *testing.T) {
	p := batch.NewPostings(t.TempDir(), 0)
	defer p.Close()
	if err := p.Add(batch.NewPosting(1, 2, 3, batch.Indexed)); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	if err := p.EachAgainst(context.Background(), nil, func(batch.Posting) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("the error of the caller is %v", err)
	}
}
