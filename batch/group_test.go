package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/sync/errgroup"
)

// grouped runs postings, ordered by key, through grouping and pairing and
// returns what came out: for each text the texts it was paired with and the
// whole buckets it is in.
func grouped(t *testing.T, postings []posting) (paired map[[2]uint32]bool, whole map[uint64][]posting, g *grouping) {
	t.Helper()
	out := &pairing{method: shingled{threshold: .5}, live: newSorter[pair](&disk{dir: t.TempDir()}, 1<<20)}
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
	live, err := out.live.sort()
	if err != nil {
		t.Fatal(err)
	}
	paired, whole = map[[2]uint32]bool{}, map[uint64][]posting{}
	err = live.each(context.Background(), func(p pair) error {
		text := uint32(p.key())
		if flags := p.val() & flagBits; flags != 0 {
			whole[p.val()>>2] = append(whole[p.val()>>2], newPosting(0, 0, text, flags))
		} else {
			paired[[2]uint32{uint32(p.val() >> 2), text}] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paired, whole, g
}

// plausiblePairs are, by brute force, the pairs of an earlier text that is
// found and a later one that searches under one key.
func plausiblePairs(postings []posting) map[[2]uint32]bool {
	m, want := shingled{threshold: .5}, map[[2]uint32]bool{}
	for _, a := range postings {
		for _, b := range postings {
			if a.key() == b.key() && a.text() < b.text() && a.flags()&indexed != 0 && b.flags()&probing != 0 &&
				m.Plausible(a.sketch(), b.sketch()) {
				want[[2]uint32{a.text(), b.text()}] = true
			}
		}
	}
	return want
}

// Every plausible pair under a key comes out: as a pair, or in a bucket that
// is left whole. Nothing else is paired.
func TestGroupKeepsEveryPlausiblePair(t *testing.T) {
	for _, c := range []struct {
		what      string
		spread    int // of the sketches: the wider, the fewer pairs are plausible
		flags     []uint64
		allPaired bool
	}{
		{"few plausible", 1 << 20, []uint64{indexed | probing}, true},
		{"mostly alike", 3, []uint64{indexed | probing}, false},
		{"two roles", 1 << 20, []uint64{indexed, probing, probing}, true},
		{"found only", 10, []uint64{indexed}, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(c.spread)))
			sketches := make([]uint64, 500)
			for i := range sketches {
				sketches[i] = 1 << rng.IntN(40) * uint64(1+rng.IntN(c.spread))
			}
			var postings []posting
			for key := range uint64(60) {
				for range rng.IntN(120) {
					text := rng.IntN(len(sketches))
					postings = append(postings, newPosting(key, sketches[text], uint32(text), c.flags[rng.IntN(len(c.flags))]))
				}
			}
			paired, whole, _ := grouped(t, postings)
			want := plausiblePairs(postings)
			missing := map[[2]uint32]bool{}
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
			if c.allPaired != (len(whole) == 0) {
				t.Errorf("%d buckets are left whole", len(whole))
			}
			for _, bucket := range whole {
				for _, a := range bucket {
					for _, b := range bucket {
						delete(missing, [2]uint32{a.text(), b.text()})
					}
				}
			}
			if len(missing) > 0 {
				t.Errorf("%d of %d plausible pairs are lost", len(missing), len(want))
			}
		})
	}
}

// A key with more postings than wait for its end is left whole, and so is
// what comes after.
func TestCrowdedKeyFlows(t *testing.T) {
	var postings []posting
	for text := range uint32(maxPending + 100) {
		postings = append(postings, newPosting(7, uint64(text), text, indexed|probing))
	}
	postings = append(postings, newPosting(8, 1, 3, indexed|probing), newPosting(8, 1, 4, indexed|probing), newPosting(9, 1, 5, indexed|probing))
	paired, whole, g := grouped(t, postings)
	if len(whole) != 1 || len(whole[0]) != maxPending+100 || g.largest != maxPending+100 || g.count != 2 {
		t.Errorf("%d whole buckets, of %d postings the first; %d buckets, the largest of %d", len(whole), len(whole[0]), g.count, g.largest)
	}
	if fmt.Sprint(paired) != "map[[3 4]:true]" {
		t.Errorf("paired are %v", paired)
	}
}
