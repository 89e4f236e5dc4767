// Package weighted finds texts that say the same in nearly the same words: the
// Jaccard similarity of their words weighted by idf, so that what a text is
// about counts more than the words that every text has, with a look at the
// facts. Two texts of one template that state another number, name or the
// opposite are variants of each other, not duplicates.
//
// Weights come from fixed tables, in whole numbers: the similarity of two
// texts is the same in every corpus and on every machine. Built for texts of
// up to a few hundred words; longer ones have more words in common whatever
// they say.
package weighted

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature/keyword"
)

// Name is the method's name in specs and decisions; Basis is what it measures.
const (
	Name  = "weighted"
	Basis = "jaccard of words weighted by idf"
)

// version is raised whenever a text would get other keys or another similarity.
const version = 3

// DefaultThreshold is the least similarity of near texts (docs/quality.md).
const DefaultThreshold = .6

// Variants says what becomes of texts that are similar and state other facts.
type Variants string

const (
	// Keep calls them variants: they are not near.
	Keep Variants = "keep"
	// Merge calls them near: facts do not count.
	Merge Variants = "merge"
)

// Config holds what can be chosen. Zero values stand for the defaults.
type Config struct {
	Threshold float64  // in (0, 1]; DefaultThreshold
	Variants  Variants // Keep
	Facts     Facts    // all kinds
	// IDF weighs words in place of the built-in tables, by which Chinese
	// and other words are weighed apart.
	IDF  *keyword.Table
	Seed uint64 // of the keys; secret in a service
}

// Method implements [neardup.Explainer].
type Method struct {
	threshold float64
	variants  Variants
	facts     Facts
	kinds     []string // of facts that are looked at
	seed      uint64
	tables    string
	lexicon   *lexicon
	works     sync.Pool // of *work
}

// work is the memory of one call.
type work struct {
	cutter
	words   []weightedWord
	wordOf  []uint32 // of each token, in words
	packed  []byte
	keys    keyer
	aligns  aligner
	notices aligner
}

// New returns the method, or an error that names the setting that is wrong.
func New(c Config) (*Method, error) {
	if c.Threshold == 0 {
		c.Threshold = DefaultThreshold
	}
	if !(c.Threshold > 0 && c.Threshold <= 1) {
		return nil, fmt.Errorf("%s: threshold %v is not in (0, 1]", Name, c.Threshold)
	}
	if c.Variants == "" {
		c.Variants = Keep
	}
	if c.Variants != Keep && c.Variants != Merge {
		return nil, fmt.Errorf("%s: variants %q are neither %q nor %q", Name, c.Variants, Keep, Merge)
	}
	kinds, err := c.Facts.kinds()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	l, err := newLexicon(c.IDF)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	m := &Method{threshold: c.Threshold, variants: c.Variants, facts: c.Facts, kinds: kinds, seed: c.Seed, tables: tablesLabel, lexicon: l}
	if c.IDF != nil {
		m.tables = c.IDF.Digest()
	}
	m.works.New = func() any { return &work{cutter: cutter{lexicon: l, seed: c.Seed}} }
	return m, nil
}

// Threshold is the least similarity of near texts.
func (m *Method) Threshold() float64 { return m.threshold }

// Spec names the parameters and the tables.
func (m *Method) Spec() neardup.Spec {
	s := neardup.Spec{Method: Name, Version: version, Params: []neardup.Param{
		{Name: "threshold", Value: strconv.FormatFloat(m.threshold, 'g', -1, 64)},
		{Name: "variants", Value: string(m.variants)},
		{Name: "idf", Value: m.tables},
	}}
	if m.facts != "" {
		s.Params = append(s.Params, neardup.Param{Name: "facts", Value: string(m.facts)})
	}
	if m.seed != 0 {
		s.Params = append(s.Params, neardup.Param{Name: "seed", Value: neardup.SeedID(m.seed)})
	}
	return s
}

// View cuts the text.
func (m *Method) View(clean string) neardup.View { return m.prefix(clean, len(clean)) }

// Compare is exact and symmetric. Facts are looked at only where the words
// are similar enough.
func (m *Method) Compare(a, b neardup.View) neardup.Match {
	match := neardup.Match{Distance: -1, Method: Name, Basis: Basis}
	x, okX := a.(*View)
	y, okY := b.(*View)
	if !okX || !okY || x.total == 0 || y.total == 0 {
		return match
	}
	if !m.reaches(min(x.total, y.total), max(x.total, y.total)) {
		return match
	}
	common := commonWeight(x, y)
	union := x.total + y.total - common
	if !m.reaches(common, union) {
		return match
	}
	match.Similarity = float64(common) / float64(union)
	match.Variant = m.variants == Keep && m.conflict(x, y)
	match.Near = !match.Variant
	return match
}

// Overlaps appends the words of a view with their weights. Facts are looked at
// only where words are similar enough, so variants have as much in common.
func (m *Method) Overlaps(dst []neardup.Overlap, v neardup.View) []neardup.Overlap {
	own, ok := v.(*View)
	if !ok || own.total == 0 {
		return dst
	}
	weights := make([]uint64, len(own.weights))
	for i, w := range own.weights {
		weights[i] = uint64(w & weightBits)
	}
	// The union is the text itself at the least; of two that weigh alike it is
	// both without what is in common, and more where one weighs more.
	least := m.leastPart(own.total)
	larger := max(least, uint64(2*m.threshold/(1+m.threshold)*float64(own.total)))
	for larger > least && m.reaches(larger-1, 2*own.total-larger+1) {
		larger--
	}
	for !m.reaches(larger, 2*own.total-larger) {
		larger++
	}
	return append(dst, neardup.Overlap{Features: own.words, Weights: weights, Least: least, LeastLarger: larger})
}

// reaches reports whether part/whole is at or above the threshold.
func (m *Method) reaches(part, whole uint64) bool {
	return float64(part)/float64(whole) >= m.threshold
}

// commonWeight is the weight of the words in both texts.
func commonWeight(a, b *View) uint64 {
	sum := uint64(0)
	for i, j := 0, 0; i < len(a.words) && j < len(b.words); {
		switch x, y := a.words[i], b.words[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			sum += uint64(a.weights[i] & weightBits)
			i++
			j++
		}
	}
	return sum
}

// conflict reports whether two texts state a fact differently.
func (m *Method) conflict(a, b *View) bool {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	return len(w.aligns.conflicts(a, b, m.kinds, 1)) > 0
}

// Conflicts are the facts that the texts state differently, in the order of
// the text. It is asked whatever the threshold and Variants are.
func (m *Method) Conflicts(a, b neardup.View) []neardup.Conflict {
	x, okX := a.(*View)
	y, okY := b.(*View)
	if !okX || !okY {
		return nil
	}
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	return w.aligns.conflicts(x, y, m.kinds, mostConflicts)
}

// mostConflicts bounds what Conflicts lists.
const mostConflicts = 16

// Weight is what the words of a text weigh together, each counted once, in
// units of 1/256 of idf.
func (m *Method) Weight(clean string) uint64 {
	v, _ := m.View(clean).(*View)
	return v.total
}
