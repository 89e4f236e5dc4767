package ngram

import (
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// FeatureSets appends the numbered grams of a text, and the number of them that any near text also has. An edit removes at
// most q of the grams of the longer text (Ukkonen 1992; numbered: Gravano et al., VLDB 2001). If a text is so short that
// edits may remove all grams, the number is 0.
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

// overlapping returns the length of the grams that near texts share. It is the longest length of which edits leave two
// fifths of the grams, and at most 4. Longer grams are rarer.
func (p *plans) overlapping() int {
	q := 1
	for q < 4 && float64(q+1)*(1-p.threshold) <= .6+1e-9 {
		q++
	}
	return q
}

// numberedGrams returns the grams of q runes, sorted. The second occurrence of a gram is another feature than the first.
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

// FeatureSets appends the set, with the least part of it that a near text has.
func (m *setMethod) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	own, ok := v.(*setView)
	if !ok || len(own.set) == 0 {
		return dst
	}
	n := len(own.set)
	o := neardup.FeatureSet{Features: own.set, Least: uint64(m.leastOf(n))}
	switch m.Similarity {
	case Containment: // one feature of the larger set is enough
		o.Least, o.LeastLarger = 1, o.Least
	case Cosine:
		o.LeastLarger = max(1, uint64(m.Threshold*roughly*float64(n)))
	default:
		o.LeastLarger = uint64(feature.MinIntersection(n, n, m.Threshold))
	}
	return append(dst, o)
}
