package ngram

import (
	"math"
	"math/bits"
	"slices"

	"github.com/neardup/neardup"
)

// countMethod finds pairs by the Euclidean distance of how often each shingle
// occurs: 1 - |x-y| / sqrt(|x|^2 + |y|^2), which is 1 for equal counts and 0
// where no shingle is in both.
//
// A pair at the threshold t has 2xy >= r (|x|^2 + |y|^2) with r = 1 - (1-t)^2,
// so xy >= r|x||y|. Order the features of all texts by rank, and let all that
// two texts have in common be from some feature on: then xy is at most the
// length of that rest of x times |y|, and the rest is at least r|x| long. So
// the first common feature is one of those from which on the rest of a text
// is long enough, in either text, and these are its keys.
type countMethod struct {
	settings
	rest float64 // of the squared length of a text, what is left at a key
	part float64 // of the squared lengths of both, what near texts differ by
}

func newCountMethod(s settings) (*countMethod, error) {
	if _, err := newSetMethod(s); err != nil {
		return nil, err
	}
	apart := (1 - s.Threshold) * (1 - s.Threshold)
	return &countMethod{settings: s, rest: (1 - apart) * (1 - apart) * roughly, part: apart / roughly}, nil
}

// withTable returns the method choosing its keys by the table.
func (m *countMethod) withTable(t *table) Method {
	with := *m
	with.table = t
	return &with
}

// Trainer counts the features as for the set similarities.
func (m *countMethod) Trainer(int64) neardup.Trainer {
	return &countTrainer{&setTrainer{&setMethod{settings: m.settings}, newCounts()}, m}
}

type countTrainer struct {
	*setTrainer
	method *countMethod
}

// Method returns the method with what was counted.
func (t *countTrainer) Method() neardup.Method { return t.method.withTable(t.counts.table()) }

// countView is how often each feature of a text occurs.
type countView struct {
	set    []uint64 // sorted
	counts []uint32
	square uint64 // of the length: the sum of the squared counts
	text   string // only where the variant guard needs it
}

// Bytes is the memory of the view.
func (v *countView) Bytes() int { return 96 + 12*cap(v.set) + len(v.text) }

// count fills v with the features of a prepared text.
func (m *countMethod) count(v *countView, text string, s *scratch) {
	s.hashes = m.Shingle.Append(s.hashes[:0], text, m.Seed)
	slices.Sort(s.hashes)
	v.set, v.counts, v.square = v.set[:0], v.counts[:0], 0
	for i := 0; i < len(s.hashes); {
		end := i + 1
		for end < len(s.hashes) && s.hashes[end] == s.hashes[i] {
			end++
		}
		n := uint32(end - i)
		v.set, v.counts = append(v.set, s.hashes[i]), append(v.counts, n)
		v.square += uint64(n) * uint64(n)
		i = end
	}
}

// Record makes the keys. The sketch holds the squared length in its high 16
// bits, at most 65535, and in the low 48 a bit for each feature.
func (m *countMethod) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	text := m.Prepare.Prepare(clean)
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	var v countView
	m.count(&v, text, s)
	if len(v.set) == 0 {
		return
	}
	rec.Sketch = sketchSet(v.set)&bitmap | min(v.square, longest)<<lengthShift
	if m.Keys == Any {
		rec.Index = m.anyKeys(rec.Index, text, s)
		return
	}
	rec.Index = appendKeys(rec.Index, m.prefix(&v, s), tagShared)
}

// prefix returns the ranks of the features that are keys.
func (m *countMethod) prefix(v *countView, s *scratch) []uint64 {
	s.ranks = s.ranks[:0]
	order := make([]int, len(v.set))
	for i, h := range v.set {
		s.ranks = append(s.ranks, m.table.rank(h))
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if s.ranks[a] < s.ranks[b] {
			return -1
		}
		if s.ranks[a] > s.ranks[b] {
			return 1
		}
		return 0
	})
	rest, least := v.square, m.rest*float64(v.square)
	s.sorted = s.sorted[:0]
	for _, i := range order {
		if float64(rest) < least {
			break
		}
		s.sorted = append(s.sorted, s.ranks[i])
		rest -= uint64(v.counts[i]) * uint64(v.counts[i])
	}
	return s.sorted
}

// Plausible bounds the distance: by each bit that only one side has, and by the
// difference of the lengths.
func (m *countMethod) Plausible(a, b uint64) bool {
	x, y := float64(a>>lengthShift), float64(b>>lengthShift)
	if x == longest || y == longest {
		return true
	}
	most := m.part * (x + y)
	return float64(bits.OnesCount64((a^b)&bitmap)) <= most && (x+y-2*math.Sqrt(x*y))*roughly <= most+roughlyNothing
}

// roughlyNothing lets rounding of numbers below 2^17 pass.
const roughlyNothing = 1e-6

// View makes the counts.
func (m *countMethod) View(clean string) neardup.View {
	text := m.Prepare.Prepare(clean)
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	v := &countView{}
	m.count(v, text, s)
	if m.Variants {
		v.text = text
	}
	return v
}

// Compare is exact and symmetric: sums of whole numbers, a quotient and a root.
func (m *countMethod) Compare(a, b neardup.View) neardup.Match {
	x, y := a.(*countView), b.(*countView)
	match := neardup.Match{Distance: -1, Method: m.name, Basis: m.basis()}
	if len(x.set) == 0 || len(y.set) == 0 {
		return match
	}
	similarity := m.Measure(x, y)
	if similarity < m.Threshold {
		return match
	}
	return m.similar(match, similarity, x.text, y.text)
}

// Measure is the similarity of the counts, however small.
func (m *countMethod) Measure(a, b neardup.View) float64 {
	x, y := a.(*countView), b.(*countView)
	both := x.square + y.square
	if both == 0 {
		return 0
	}
	return 1 - math.Sqrt(float64(both-2*dot(x, y))/float64(both))
}

// dot is the sum of the products of the counts of common features.
func dot(x, y *countView) uint64 {
	sum := uint64(0)
	for i, j := 0, 0; i < len(x.set) && j < len(y.set); {
		switch {
		case x.set[i] < y.set[j]:
			i++
		case x.set[i] > y.set[j]:
			j++
		default:
			sum += uint64(x.counts[i]) * uint64(y.counts[j])
			i++
			j++
		}
	}
	return sum
}
