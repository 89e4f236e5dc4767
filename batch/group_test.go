package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/neardup/neardup/internal/external"
	"golang.org/x/sync/errgroup"
)

// grouped runs postings, ordered by key, through grouping and pairing and
// returns what came out: for each text the texts it was paired with and the
// hot buckets it is in.
func grouped(t *testing.T, postings []Posting) (paired map[Candidate]bool, hot map[uint32][]Posting, g *grouping) {
	t.Helper()
	out := &gathered{method: shingled{threshold: .5}, out: external.NewSorter[keyValue](external.NewFiles(t.TempDir()), 1<<20)}
	g = &grouping{out: out, workers: new(errgroup.Group)}
	g.workers.SetLimit(2)
	for _, p := range postings {
		if err := g.add(p); err != nil {
			t.Fatal(err)
		}
	}
	g.next(0)
	g.hand()
	if err := g.workers.Wait(); err != nil {
		t.Fatal(err)
	}
	from, err := out.sort()
	if err != nil {
		t.Fatal(err)
	}
	paired, hot = map[Candidate]bool{}, map[uint32][]Posting{}
	for b, err := range from.blocks(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range b.texts {
			for _, c := range b.candidatesOf(text) {
				if c.role() != 0 {
					hot[c.bucket()] = append(hot[c.bucket()], NewPosting(0, 0, Ordinal(text.position), c.role()))
				} else {
					paired[Candidate{Later: Ordinal(text.position), Earlier: Ordinal(c.text())}] = true
				}
			}
		}
	}
	return paired, hot, g
}

// plausiblePairs returns, by brute force, the pairs of an earlier text that is found and a later one that
// searches under one key.
func plausiblePairs(postings []Posting) map[Candidate]bool {
	m, want := shingled{threshold: .5}, map[Candidate]bool{}
	for _, a := range postings {
		for _, b := range postings {
			if a.Key() == b.Key() && a.Text() < b.Text() && a.Role()&Indexed != 0 && b.Role()&Probing != 0 &&
				m.Plausible(a.Sketch(), b.Sketch()) {
				want[Candidate{Later: b.Text(), Earlier: a.Text()}] = true
			}
		}
	}
	return want
}

// Every plausible pair under a key comes out: as a pair, or in a bucket that
// is spilled. Nothing else is paired.
func TestGroupKeepsEveryPlausiblePair(t *testing.T) {
	for _, c := range []struct {
		what      string
		spread    int // of the sketches: the wider, the fewer pairs are plausible
		roles     []Role
		allPaired bool
	}{
		{"few plausible", 1 << 20, []Role{Indexed | Probing}, true},
		{"mostly alike", 3, []Role{Indexed | Probing}, false},
		{"two roles", 1 << 20, []Role{Indexed, Probing, Probing}, true},
		{"found only", 10, []Role{Indexed}, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(c.spread)))
			sketches := make([]uint64, 500)
			for i := range sketches {
				sketches[i] = 1 << rng.IntN(40) * uint64(1+rng.IntN(c.spread))
			}
			var postings []Posting
			for key := range uint64(60) {
				for range rng.IntN(120) {
					text := rng.IntN(len(sketches))
					postings = append(postings, NewPosting(key, sketches[text], Ordinal(text), c.roles[rng.IntN(len(c.roles))]))
				}
			}
			paired, hot, _ := grouped(t, postings)
			want := plausiblePairs(postings)
			missing := map[Candidate]bool{}
			for p := range want {
				if !paired[p] {
					missing[p] = true
				}
			}
			for p := range paired {
				if !want[p] {
					t.Fatalf("%v are paired, and are not plausible under any key", p)
				}
			}
			if c.allPaired != (len(hot) == 0) {
				t.Errorf("%d buckets are spilled", len(hot))
			}
			for _, bucket := range hot {
				for _, a := range bucket {
					for _, b := range bucket {
						delete(missing, Candidate{Later: b.Text(), Earlier: a.Text()})
					}
				}
			}
			if len(missing) > 0 {
				t.Errorf("%d of %d plausible pairs are lost", len(missing), len(want))
			}
		})
	}
}

// A key with more pending postings than maxPending is spilled, and so is what follows.
func TestCrowdedKeyFlows(t *testing.T) {
	var postings []Posting
	for text := range Ordinal(maxPending + 100) {
		postings = append(postings, NewPosting(7, uint64(text), text, Indexed|Probing))
	}
	postings = append(postings, NewPosting(8, 1, 3, Indexed|Probing), NewPosting(8, 1, 4, Indexed|Probing), NewPosting(9, 1, 5, Indexed|Probing))
	paired, hot, g := grouped(t, postings)
	if len(hot) != 1 || len(hot[0]) != maxPending+100 || g.largest != maxPending+100 || g.count != 2 {
		t.Errorf("%d hot buckets, of %d postings the first; %d buckets, the largest of %d", len(hot), len(hot[0]), g.count, g.largest)
	}
	if fmt.Sprint(paired) != "map[{4 3}:true]" {
		t.Errorf("paired are %v", paired)
	}
}
