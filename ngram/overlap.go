package ngram

import (
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// FeatureSets appends the grams of a text, each with the number of its occurrence, and how many of them any
// near text also has. An edit removes at most q of the grams of the longer text (Ukkonen 1992; numbered:
// Gravano et al., VLDB 2001). A text so short that its edits may remove all grams shares none for certain.
func (m *editMethod) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	own, ok := v.(*runeView)
	if !ok || own.empty {
		return dst
	}
	q, n := m.plans.overlapping(), len(own.runes)
	left := func(longer int) int { return longer - q + 1 - q*m.plans.allowed(longer) }
	least := left(n)
	larger, last := least, longestPartner(m.Threshold, n)
	for longer := n + 1; longer <= last; longer++ {
		larger = min(larger, left(longer))
	}
	if larger <= 0 {
		return append(dst, neardup.FeatureSet{})
	}
	return append(dst, neardup.FeatureSet{Features: numberedGrams(own.runes, q), Least: uint64(least), LeastLarger: uint64(larger)})
}

// overlapping returns the length of the grams that near texts share. It is the longest, hence rarest, length of
// which edits leave two fifths, at most 4.
func (p *plans) overlapping() int {
	q := 1
	for q < 4 && float64(q+1)*(1-p.threshold) <= .6+1e-9 {
		q++
	}
	return q
}

// numberedGrams returns the grams of q runes, sorted: the second of one kind is another feature than the first.
func numberedGrams(runes []rune, q int) []uint64 {
	hashes := runs(runes, q)
	slices.Sort(hashes)
	number, last := uint64(0), uint64(0)
	for i, h := range hashes {
		number++
		if i == 0 || h != last {
			number, last = 0, h
		}
		hashes[i] = feature.Mix(h + number)
	}
	slices.Sort(hashes)
	return hashes
}

// FeatureSets appends the set and how much of it a near text has at the least.
func (m *setMethod) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	own, ok := v.(*setView)
	if !ok || len(own.set) == 0 {
		return dst
	}
	n := len(own.set)
	o := neardup.FeatureSet{Features: own.set, Least: uint64(m.leastOf(n))}
	switch m.Similarity {
	case Containment: // of the larger set a feature is enough
		o.Least, o.LeastLarger = 1, o.Least
	case Cosine:
		o.LeastLarger = max(1, uint64(m.Threshold*roughly*float64(n)))
	default:
		o.LeastLarger = uint64(feature.MinIntersection(n, n, m.Threshold))
	}
	return append(dst, o)
}
