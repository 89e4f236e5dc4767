package ngram

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// setMethod finds pairs by a similarity of their sets of shingles.
//
// Its keys use prefix filtering: sort the features of all texts by rank. A near partner shares at least c(n) of n features
// (leastCommon). So the partner has one of the first n-c(n)+1 features. Of two near texts, let a be the one whose prefix
// ends at the lower rank. The common feature is then also before the end of b's prefix, so both have it as a key.
//
// Containment is judged by the smaller set, and for the larger one c(n) = 1. So each text is indexed twice: under its
// prefix as the smaller one, and under all its features as the larger one. With each it finds texts in the other role.
type setMethod struct {
	settings
	least [planned]int32
}

func newSetMethod(s settings) (*setMethod, error) {
	if err := s.Shingle.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	m := &setMethod{settings: s}
	for n := range m.least {
		m.least[n] = int32(m.leastCommon(n))
	}
	return m, nil
}

// leastCommon returns the least number of n features that a near partner has, which is reached if the partner is a subset.
// For containment, n is the smaller set.
func (m *setMethod) leastCommon(n int) int {
	similarity := func(common int) float64 {
		if m.Similarity == Containment {
			return m.similarity(n, n, common)
		}
		return m.similarity(common, n, common)
	}
	guess := m.Threshold
	if m.Similarity == Cosine {
		guess *= m.Threshold
	}
	common := max(1, int(guess*float64(n)))
	for common > 1 && similarity(common-1) >= m.Threshold {
		common--
	}
	for common < n && similarity(common) < m.Threshold {
		common++
	}
	return common
}

// similarity returns the similarity of sets with a and b features, of which common are in both.
func (m *setMethod) similarity(a, b, common int) float64 {
	switch m.Similarity {
	case Cosine:
		return float64(common) / math.Sqrt(float64(a)*float64(b))
	case Containment:
		return float64(common) / float64(min(a, b))
	}
	return float64(common) / float64(a+b-common)
}

func (m *setMethod) withTable(t *rarityTable) Method {
	with := *m
	with.table = t
	return &with
}

// set fills s.hashes with the features of a clean text, sorted and without repetitions.
func (m *setMethod) set(text string, s *scratch) []uint64 {
	s.hashes = feature.Set(m.Shingle.Append(s.hashes[:0], text, m.Seed))
	return s.hashes
}

// Record makes the keys. The high 16 bits of the sketch hold the number of features, at most 65535. The low 48 bits have a
// bit for each feature.
func (m *setMethod) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	text := m.Config.Prepare.Prepare(clean)
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	set := m.set(text, s)
	if len(set) == 0 {
		return
	}
	rec.Sketch = sketchSet(set)
	if m.Keys == Any {
		rec.Index = m.anyKeys(rec.Index, text, s)
		return
	}
	s.rank(set, m.table)
	prefix := s.sorted[:len(set)-m.leastOf(len(set))+1]
	if m.Similarity != Containment {
		rec.Index = appendKeys(rec.Index, prefix, tagShared)
		return
	}
	rec.Index = appendKeys(rec.Index, prefix, tagSmaller)
	rec.Index = appendKeys(rec.Index, s.sorted, tagLarger)
	rec.Probe = appendKeys(nil, prefix, tagLarger)
	rec.Probe = appendKeys(rec.Probe, s.sorted, tagSmaller)
}

func (m *setMethod) leastOf(n int) int {
	if n < planned {
		return int(m.least[n])
	}
	return m.leastCommon(n)
}

// Trainer returns a trainer that counts features in 8 MB.
func (m *setMethod) Trainer(int64) neardup.Trainer { return &setTrainer{m, newCounts()} }

type setTrainer struct {
	method *setMethod
	counts *counts
}

// Add counts the distinct features of a text.
func (t *setTrainer) Add(clean string) {
	if t.method.Keys == Any {
		return
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for _, h := range t.method.set(t.method.Config.Prepare.Prepare(clean), s) {
		t.counts.add(h)
	}
}

// Method returns the method with the table of the counts.
func (t *setTrainer) Method() neardup.Method { return t.method.withTable(t.counts.rarityTable()) }

// NextPass returns nil, because one pass is enough.
func (t *setTrainer) NextPass() neardup.Trainer { return nil }

func sketchSet(set []uint64) uint64 {
	sketch := uint64(min(len(set), longest)) << lengthShift
	for _, h := range set {
		sketch |= bitOf(h)
	}
	return sketch
}

// Plausible bounds the overlap: each bit that only one side has set comes from a feature that only this side has.
func (m *setMethod) Plausible(a, b uint64) bool {
	x, y := int(a>>lengthShift), int(b>>lengthShift)
	if x == longest || y == longest {
		return true
	}
	common := min(x-bits.OnesCount64(a&^b&bitmap), y-bits.OnesCount64(b&^a&bitmap))
	switch m.Similarity {
	case Jaccard:
		return float64(common) >= m.Threshold*roughly*float64(x+y-common)
	case Cosine:
		return float64(common)*float64(common) >= m.Threshold*m.Threshold*roughly*float64(x)*float64(y)
	}
	return float64(common) >= m.Threshold*roughly*float64(min(x, y))
}

// roughly relaxes filters that multiply, so that they pass everything that the exact rule, which divides, may accept.
const roughly = 1 - 1e-9

// setView is the sorted set of a prepared text.
type setView struct {
	set  []uint64
	odd  feature.OddSketch
	text string // only kept for the variant guard
}

// Bytes returns the memory of the view.
func (v *setView) Bytes() int { return 88 + 8*(cap(v.set)+len(v.odd)) }

// Prepare makes the set.
func (m *setMethod) Prepare(clean string) neardup.Prepared {
	text := m.Config.Prepare.Prepare(clean)
	s := scratches.Get().(*scratch)
	v := &setView{set: slices.Clone(m.set(text, s))}
	scratches.Put(s)
	v.odd = make(feature.OddSketch, feature.OddSketchWords(len(v.set)))
	v.odd.Fill(v.set)
	if m.Variants {
		v.text = text
	}
	return v
}

// Measure returns the similarity of the sets, even if it is small.
func (m *setMethod) Measure(a, b neardup.Prepared) float64 {
	x, y := a.(*setView), b.(*setView)
	if len(x.set) == 0 || len(y.set) == 0 {
		return 0
	}
	return m.similarity(len(x.set), len(y.set), feature.IntersectSorted(x.set, y.set))
}

// Compare counts the common features, unless there cannot be enough.
func (m *setMethod) Compare(a, b neardup.Prepared) neardup.Match {
	x, y := a.(*setView), b.(*setView)
	match := neardup.Match{Distance: -1, Method: m.name, Basis: m.basis()}
	if len(x.set) == 0 || len(y.set) == 0 {
		return match
	}
	most := (len(x.set) + len(y.set) - x.odd.AtLeast(y.odd)) / 2
	if m.similarity(len(x.set), len(y.set), most) < m.Threshold {
		return match
	}
	similarity := m.Measure(x, y)
	if similarity < m.Threshold {
		return match
	}
	return m.similar(match, similarity, x.text, y.text)
}
