// Package minhash finds texts whose sets of shingles are alike: MinHash sketches cut into bands (Broder 1997; Leskovec,
// Rajaraman, Ullman, Mining of Massive Datasets, chapter 3), verified by the exact Jaccard similarity.
//
// The bands are chosen for a recall at the threshold itself. Pairs above it are found more often. See [Bands].
package minhash

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// Name is the name of the method in specs and decisions.
const Name = "minhash"

// Version must be raised when any text would get other keys.
const Version = 2

// Config configures the method. Zero values select the defaults.
type Config struct {
	Shingle   feature.Shingle // auto:3 by default
	Threshold float64         // Jaccard similarity of a near pair, 0..1; .8 by default
	Recall    float64         // share of the pairs at the threshold that are found; .99 by default
	Seed      uint64          // seed of the shingle hashes; secret in a service
}

func (c Config) withDefaults() Config {
	if c.Shingle == (feature.Shingle{}) {
		c.Shingle = feature.Default
	}
	if c.Threshold == 0 {
		c.Threshold = 0.8
	}
	if c.Recall == 0 {
		c.Recall = 0.99
	}
	return c
}

// Method implements [neardup.Method].
type Method struct {
	cfg         Config
	bands, rows int
	basis       string
	scratch     sync.Pool // holds *scratch
}

// scratch is the working memory for one text.
type scratch struct {
	hashes, slots, bitmap []uint64
	sorter                feature.Sorter
}

// New computes the bands and returns the method, or an error about the configuration.
func New(cfg Config) (*Method, error) {
	cfg = cfg.withDefaults()
	if err := cfg.Shingle.Validate(); err != nil {
		return nil, fmt.Errorf("minhash: %w", err)
	}
	if !(cfg.Threshold > 0 && cfg.Threshold <= 1) {
		return nil, fmt.Errorf("minhash: threshold %v: out of range (want above 0, at most 1)", cfg.Threshold)
	}
	if !(cfg.Recall > 0 && cfg.Recall < 1) {
		return nil, fmt.Errorf("minhash: recall %v: out of range (want above 0, below 1; the method jaccard finds every pair)", cfg.Recall)
	}
	bands, rows := Bands(cfg.Threshold, cfg.Recall)
	if bands == 0 {
		return nil, fmt.Errorf("minhash: recall %v at threshold %v: needs more than %d slots (want the method jaccard)",
			cfg.Recall, cfg.Threshold, MaxSlots)
	}
	m := &Method{cfg: cfg, bands: bands, rows: rows, basis: "jaccard of " + cfg.Shingle.String()}
	m.scratch.New = func() any {
		return &scratch{
			slots:  make([]uint64, bands*rows),
			bitmap: make([]uint64, 1<<(maxBitmap-6)),
		}
	}
	return m, nil
}

// Bands returns the number of keys of a text, and the number of slots in each.
func (m *Method) Bands() (bands, rows int) { return m.bands, m.rows }

// Spec returns the parameters, with a digest of the seed, because the seed may be secret.
func (m *Method) Spec() neardup.Spec {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return neardup.Spec{Method: Name, Version: Version, Params: []neardup.Param{
		{Name: "shingle", Value: m.cfg.Shingle.String()},
		{Name: "threshold", Value: number(m.cfg.Threshold)},
		{Name: "bands", Value: strconv.Itoa(m.bands)},
		{Name: "rows", Value: strconv.Itoa(m.rows)},
		{Name: "seed", Value: neardup.SeedID(m.cfg.Seed)},
	}}
}

// Record makes one key per band, or none for a text without shingles. The sketch holds bounds of the number of distinct
// shingles.
func (m *Method) Record(clean string, rec *neardup.Record) {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.record(clean, rec, s)
}

// record makes the record, and leaves the hashes of the shingles in s.
func (m *Method) record(clean string, rec *neardup.Record, s *scratch) {
	s.hashes = m.cfg.Shingle.Append(s.hashes[:0], clean, m.cfg.Seed)
	m.fill(rec, s)
}

// fill makes the record from the hashes in s.
func (m *Method) fill(rec *neardup.Record, s *scratch) {
	rec.Reset()
	if len(s.hashes) == 0 {
		return
	}
	sketch(s.slots, s.hashes)
	rec.Index = appendKeys(rec.Index, s.slots, m.rows)
	rec.Sketch = bounds(s.hashes, s.bitmap)
}

// RecordPrepare does the work of Record and Prepare in one pass. The set of the view is sorted when it is first compared.
func (m *Method) RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.record(clean, rec, s)
	return m.newView(s.hashes)
}

// RecordOutline makes the record and the outline.
func (m *Method) RecordOutline(clean string, rec *neardup.Record) Outline {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	m.record(clean, rec, s)
	return newOutline(s.hashes)
}

// RecordUnits does the work of RecordPrepare, makes the outline, and also returns the [feature.Units] of the text. If rec is
// nil, it makes no record.
func (m *Method) RecordUnits(clean string, rec *neardup.Record) (v *View, hashes, starts []uint32) {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	s.hashes, hashes, starts = m.cfg.Shingle.AppendUnits(s.hashes[:0], clean, m.cfg.Seed)
	if rec != nil {
		m.fill(rec, s)
	}
	v = m.newView(s.hashes)
	v.Outline = newOutline(s.hashes)
	v.bytes += 8 * len(v.Outline)
	return v, hashes, starts
}

// Plausible returns false if the numbers of distinct shingles differ too much for the threshold.
func (m *Method) Plausible(a, b uint64) bool {
	return sizesAllow(a, b, m.cfg.Threshold)
}

// View is the set of the hashes of a text's shingles.
type View struct {
	Outline Outline // nil except in views of RecordUnits
	hashes  []uint64
	odd     feature.OddSketch // sketch of the set
	sorted  sync.Once
	scratch *sync.Pool // holds *scratch
	bytes   int
}

func (m *Method) newView(hashes []uint64) *View {
	hashes = slices.Clone(hashes)
	// It is separate from the hashes, because comparing many texts only reads their odd sketches, which are then close
	// together in memory.
	odd := make(feature.OddSketch, feature.OddSketchWords(len(hashes)))
	return &View{hashes: hashes, odd: odd, scratch: &m.scratch, bytes: 8*(cap(hashes)+len(odd)) + 88}
}

// Bytes returns the memory of the view, about 8.5 bytes per shingle.
func (v *View) Bytes() int { return v.bytes }

// Len returns the number of different shingles.
func (v *View) Len() int { return len(v.set()) }

// set returns the sorted hashes. It sorts them at the first call.
func (v *View) set() []uint64 {
	v.sorted.Do(func() {
		s := v.scratch.Get().(*scratch)
		defer v.scratch.Put(s)
		v.hashes = s.sorter.Set(v.hashes)
		v.odd.Fill(v.hashes)
	})
	return v.hashes
}

// Prepare returns a [*View].
func (m *Method) Prepare(clean string) neardup.Prepared {
	s := m.scratch.Get().(*scratch)
	defer m.scratch.Put(s)
	s.hashes = m.cfg.Shingle.Append(s.hashes[:0], clean, m.cfg.Seed)
	v := m.newView(s.sorter.Set(s.hashes))
	v.sorted.Do(func() { v.odd.Fill(v.hashes) })
	return v
}

// Compare compares two views exactly, except for collisions of 64-bit hashes. Views of another method are never near. Texts
// of one template share keys and most of their shingles without being near. Their odd sketches rule out most such pairs
// without reading the sets.
func (m *Method) Compare(a, b neardup.Prepared) neardup.Match {
	match := neardup.Match{Distance: -1, Method: Name, Basis: m.basis}
	x, okX := a.(*View)
	y, okY := b.(*View)
	if !okX || !okY {
		return match
	}
	set, other := x.set(), y.set()
	if x.odd.AtLeast(y.odd) > feature.Misses(len(set), len(other), m.cfg.Threshold) {
		return match
	}
	inter, near := feature.JaccardAtLeast(set, other, m.cfg.Threshold)
	if near {
		match.Near = true
		match.Similarity = float64(inter) / float64(len(set)+len(other)-inter)
	}
	return match
}

// Measure returns the Jaccard similarity of the sets, even if it is small.
func (m *Method) Measure(a, b neardup.Prepared) float64 {
	x, okX := a.(*View)
	y, okY := b.(*View)
	if !okX || !okY {
		return 0
	}
	return feature.Jaccard(x.set(), y.set())
}

// FeatureSets appends the set of a view, with the least number of hashes that a near text also has.
func (m *Method) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	own, ok := v.(*View)
	if !ok {
		return dst
	}
	set := own.set()
	n, t := len(set), m.cfg.Threshold
	return append(dst, neardup.FeatureSet{Features: set, Least: uint64(feature.LeastIntersection(n, t)), LeastLarger: uint64(feature.MinIntersection(n, n, t))})
}
