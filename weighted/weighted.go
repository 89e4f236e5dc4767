// Package weighted finds texts that mean the same in nearly the same words. It uses the Jaccard similarity of their words
// weighted by idf, so that the words of a text's subject count more than common words.
//
// Weights are integers from fixed tables, so the similarity of two texts is the same in every corpus and on every machine.
// It is meant for texts of up to a few hundred words, because longer texts share many words whatever their content is.
package weighted

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/token"
)

// Name is the name of the method in specs and decisions. Basis is what it measures.
const (
	Name  = "weighted"
	Basis = "jaccard of words weighted by idf"
)

// version must be raised when any text would get other keys or another similarity.
const version = 5

// DefaultThreshold is the least similarity of near texts.
const DefaultThreshold = .6

// Config configures the method. Zero values select the defaults.
type Config struct {
	Threshold float64        // in (0, 1]; 0 means DefaultThreshold
	Lexicon   *token.Lexicon // weighs words; nil means the built-in tables
	Seed      uint64         // seed of the keys; secret in a service
}

// Method implements [neardup.Searchable].
type Method struct {
	threshold float64
	seed      uint64
	lexicon   *token.Lexicon
	works     sync.Pool // holds *work
}

// work holds the buffers of one call.
type work struct {
	token.Cutting
	keys keyer
}

// New returns the method, or an error about an invalid setting.
func New(c Config) (*Method, error) {
	if c.Threshold == 0 {
		c.Threshold = DefaultThreshold
	}
	if !(c.Threshold > 0 && c.Threshold <= 1) {
		return nil, fmt.Errorf("%s: threshold %v: out of range (want above 0, at most 1)", Name, c.Threshold)
	}
	if c.Lexicon == nil {
		l, err := token.NewLexicon(nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Name, err)
		}
		c.Lexicon = l
	}
	m := &Method{threshold: c.Threshold, seed: c.Seed, lexicon: c.Lexicon}
	m.works.New = func() any { return &work{Cutting: token.Cutting{Cutter: token.NewCutter(c.Lexicon, c.Seed)}} }
	return m, nil
}

// Spec returns the parameters and the name of the tables.
func (m *Method) Spec() neardup.Spec {
	s := neardup.Spec{Method: Name, Version: version, Params: []neardup.Param{
		{Name: "threshold", Value: strconv.FormatFloat(m.threshold, 'g', -1, 64)},
		{Name: "idf", Value: m.lexicon.Label()},
	}}
	if m.seed != 0 {
		s.Params = append(s.Params, neardup.Param{Name: "seed", Value: neardup.SeedID(m.seed)})
	}
	return s
}

// Record makes the keys. It leaves two bits of the sketch free.
func (m *Method) Record(clean string, rec *neardup.Record) {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	w.Cut(clean)
	m.record(w, rec)
}

// Prepare cuts the text and returns a *token.View.
func (m *Method) Prepare(clean string) neardup.Prepared {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	w.Cut(clean)
	return w.View()
}

// RecordPrepare does the work of Record and Prepare in one pass.
func (m *Method) RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	w.Cut(clean)
	v := w.View()
	m.record(w, rec)
	return v
}

// record makes the record of a text. It sorts the words.
func (m *Method) record(w *work, rec *neardup.Record) {
	rec.Reset()
	if len(w.Words) == 0 {
		return
	}
	rec.Sketch = sketch(w.Words, w.Total)
	rec.Index = m.appendKeys(rec.Index, &w.keys, w.Words)
}

// Compare compares two texts exactly. It is symmetric.
func (m *Method) Compare(a, b neardup.Prepared) neardup.Match {
	match := neardup.Match{Distance: -1, Method: Name, Basis: Basis}
	x, okX := a.(*token.View)
	y, okY := b.(*token.View)
	if !okX || !okY || x.Total == 0 || y.Total == 0 {
		return match
	}
	if !m.reaches(min(x.Total, y.Total), max(x.Total, y.Total)) {
		return match
	}
	if s := m.Measure(x, y); s >= m.threshold {
		match.Similarity, match.Near = s, true
	}
	return match
}

// Measure returns the similarity of two views.
func (m *Method) Measure(a, b neardup.Prepared) float64 {
	x, y := a.(*token.View), b.(*token.View)
	if x.Total == 0 || y.Total == 0 {
		return 0
	}
	common := token.Common(x, y)
	return float64(common) / float64(x.Total+y.Total-common)
}

// FeatureSets appends the words of a view with their weights.
func (m *Method) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	own, ok := v.(*token.View)
	if !ok || own.Total == 0 {
		return dst
	}
	weights := make([]uint64, len(own.Words))
	for i := range weights {
		weights[i] = uint64(own.Weight(i))
	}
	// The union weighs at least as much as the text itself. For a text of equal weight it is both texts without the common
	// part, and for one of greater weight it is larger.
	least := m.leastPart(own.Total)
	larger := max(least, uint64(2*m.threshold/(1+m.threshold)*float64(own.Total)))
	for larger > least && m.reaches(larger-1, 2*own.Total-larger+1) {
		larger--
	}
	for !m.reaches(larger, 2*own.Total-larger) {
		larger++
	}
	return append(dst, neardup.FeatureSet{Features: own.Words, Weights: weights, Least: least, LeastLarger: larger})
}

// reaches reports whether part/whole is at or above the threshold.
func (m *Method) reaches(part, whole uint64) bool {
	return float64(part)/float64(whole) >= m.threshold
}
