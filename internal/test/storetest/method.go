package storetest

import (
	"cmp"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/zeebo/xxh3"
)

// Jaccard is a method that is its own oracle: the similarity of the sets of rune 3-grams. Every 3-gram is a key, so it
// misses nothing.
type Jaccard struct {
	Seed      uint64
	Threshold float64
	Unsure    float64 // the least similarity of an unsure pair, below Threshold; 0 disables it
}

// Maker returns a Maker of Jaccard at a threshold, with the seed of an index.
func Maker(threshold float64) docid.Maker {
	return func(seed uint64, _ []byte) (neardup.Method, error) {
		return Jaccard{Seed: seed, Threshold: threshold}, nil
	}
}

type grams []uint64

func (g grams) Bytes() int { return 8*len(g) + 24 }

// Spec describes the method by its threshold. The seed stays secret.
func (m Jaccard) Spec() neardup.Spec {
	return neardup.Spec{Method: "grams", Version: 1, Params: []neardup.Param{{Name: "threshold", Value: formatFloat(m.Threshold)}}}
}

// Record makes a key of every 3-gram. The sketch is their number.
func (m Jaccard) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	g := m.grams(clean)
	rec.Index = append(rec.Index, g...)
	rec.Sketch = uint64(len(g))
}

// Plausible compares the sizes of the sets.
func (m Jaccard) Plausible(a, b uint64) bool {
	return float64(min(a, b)) >= cmp.Or(m.Unsure, m.Threshold)*float64(max(a, b))
}

// Prepare returns the set.
func (m Jaccard) Prepare(clean string) neardup.Prepared { return m.grams(clean) }

// Compare compares two sets exactly.
func (m Jaccard) Compare(a, b neardup.Prepared) neardup.Match {
	s := jaccard(a.(grams), b.(grams))
	match := neardup.Match{Similarity: s, Distance: -1, Near: s >= m.Threshold, Method: "grams", Basis: "jaccard of runes:3"}
	match.Unsure = !match.Near && m.Unsure > 0 && s >= m.Unsure
	match.Variant = match.Unsure
	return match
}

func (m Jaccard) grams(clean string) grams {
	r := []rune(clean)
	if len(r) == 0 {
		return nil
	}
	var g grams
	for i := 0; i == 0 || i+3 <= len(r); i++ {
		g = append(g, xxh3.HashStringSeed(string(r[i:min(i+3, len(r))]), m.Seed))
	}
	slices.Sort(g)
	return slices.Compact(g)
}

func jaccard(a, b grams) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if len(a)+len(b) == both {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
