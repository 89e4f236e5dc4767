package batch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
)

// ofTemplates returns texts of two templates, each with own words: few, so that some are near, or many; and copies.
func ofTemplates(seed uint64, n, own int) []neardup.Document {
	rng := rand.New(rand.NewPCG(seed, 1))
	var docs []neardup.Document
	for i := range n {
		words := strings.Fields(fmt.Sprintf("t%d a b c d e f g h", rng.IntN(2)))
		for j := range words {
			words[j] += fmt.Sprint(j)
		}
		for range own {
			words = append(words, fmt.Sprint("own", rng.IntN(5*n)))
		}
		text := strings.Join(words, " ")
		switch {
		case i > 3 && rng.IntN(8) == 0:
			text = docs[rng.IntN(i)].Text
		case i > 3 && rng.IntN(5) == 0:
			text = docs[rng.IntN(i)].Text + fmt.Sprint(" more", i)
		}
		docs = append(docs, neardup.Document{ID: fmt.Sprint("d", i), Text: text})
	}
	return docs
}

// Leaders found by their features equal those found one by one. This holds for any texts of a bucket, from any
// leader on, and if memory suffices only for some of them.
func TestJoinedBucketsChangeNothing(t *testing.T) {
	defer func(n uint32) { joinFrom = n }(joinFrom)
	for seed := range seeds(18) {
		m := shingled{threshold: []float64{.3, .6, .8}[seed%3], asymmetry: seed%2 == 1}
		docs := ofTemplates(seed, 150, []int{1, 3, 8}[seed/3%3])
		want := greedy(m, docs, First)
		for _, joinFrom = range []uint32{2, 20, 1000} {
			for _, memory := range []int64{0, 120_000, 1} { // all of them, some, none
				got, _ := runDedup(t, docs, Config{Method: m, Memory: memory})
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Fatalf("seed %d, joined from %d leaders in %d bytes (-want +got):\n%s", seed, joinFrom, memory, diff)
				}
			}
		}
	}
}

// Texts that share keys and are not near are compared with few of each other.
func TestJoinedBucketsAreNotTheSquare(t *testing.T) {
	defer func(n uint32) { joinFrom = n }(joinFrom)
	docs := ofTemplates(1, 600, 8)
	verified := map[uint32]int64{}
	for _, joinFrom = range []uint32{20, 1000} {
		_, sum := runDedup(t, docs, Config{Method: shingled{threshold: .8}})
		verified[joinFrom] = sum.Work.Verified
	}
	if verified[20]*5 > verified[1000] {
		t.Errorf("%d pairs are compared, and %d where no bucket is joined", verified[20], verified[1000])
	}
}

// Two texts that share exactly as much as they require are found under a common feature, in any order.
func TestPrefixesOfWhatIsNearMeet(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	meet := func(a, b []uint64) bool {
		return slices.ContainsFunc(a, func(f uint64) bool { return slices.Contains(b, f) })
	}
	for range 30_000 {
		g := &joinGroup{frequent: map[uint64]uint32{}}
		var x, y neardup.FeatureSet
		weighed := rng.IntN(2) == 0
		total, common := [2]uint64{}, uint64(0)
		for f := range uint64(5 + rng.IntN(30)) {
			g.frequent[f] = uint32(rng.IntN(4))
			weight := uint64(1)
			if weighed {
				weight += rng.Uint64N(5)
			}
			inX, inY := rng.IntN(3) > 0, rng.IntN(3) > 0
			if inX {
				x.Features, x.Weights = append(x.Features, f), append(x.Weights, weight)
				total[0] += weight
			}
			if inY {
				y.Features, y.Weights = append(y.Features, f), append(y.Weights, weight)
				total[1] += weight
			}
			if inX && inY {
				common += weight
			}
		}
		if common == 0 {
			continue
		}
		if !weighed {
			x.Weights, y.Weights = nil, nil
		}
		never := uint64(1 << 40) // is in common with a text of the other kind
		x.Least, x.LeastLarger, y.Least, y.LeastLarger = never, common, common, never
		if total[0] > total[1] {
			x.Least, x.LeastLarger, y.Least, y.LeastLarger = common, never, never, common
		}
		var p, q prefixer
		p.featureSets, q.featureSets = []neardup.FeatureSet{x}, []neardup.FeatureSet{y}
		a, _ := p.prefixIn(g)
		b, _ := q.prefixIn(g)
		if !meet(a.smaller, b.larger) && !meet(a.larger, b.smaller) {
			t.Fatalf("%+v and %+v are found under %v and %v", x, y, a, b)
		}
	}
}

// If there is no memory for the first leader, a bucket is searched like any other.
func TestNoMemoryToJoin(t *testing.T) {
	j := newJoin(shingled{threshold: .5}, 0)
	g := j.newGroup(map[uint64]uint32{1: 5, 2: 7})
	j.buckets[0] = &joinedBucket{group: g}
	j.add(g, 0, 0, prefix{smaller: []uint64{1}, larger: []uint64{1, 2}})
	if !j.full || j.used != 0 || j.bucket(0, joinFrom) != nil {
		t.Errorf("full %v with %d entries, bucket %+v", j.full, j.used, j.bucket(0, joinFrom))
	}
}
