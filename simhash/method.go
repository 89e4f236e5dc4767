package simhash

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

const (
	// DefaultDistance is the classic 3 bits.
	DefaultDistance = 3
	// DefaultThreshold is the least Jaccard similarity of a verified pair.
	DefaultThreshold = 0.8
	// DefaultMinFeatures is the default of MinFeatures. With fewer features, each decides many bits alone, and one changed
	// word changes more bits than any distance allows.
	DefaultMinFeatures = 8
)

// version is the version of the definition of records and comparison.
const version = 2

// Config configures the method. The zero value is SimHash of words and Chinese characters within 3 bits, verified by their
// shingles (measurements: docs/simhash-k.md).
type Config struct {
	// Features make the fingerprint; nil means DefaultFeatures(Seed). Other Features have their own seed.
	Features Features
	// Shingle is the shingle for the verification; the zero value means feature.Default.
	Shingle feature.Shingle
	// Distance is the largest Hamming distance of near texts, 0..MaxK. nil means DefaultDistance.
	Distance *int
	// Threshold is the least Jaccard similarity of the shingles of near texts, in (0, 1]. 0 means DefaultThreshold.
	Threshold float64
	// Unverified decides by the distance alone, as the classic method does.
	Unverified bool
	// MinFeatures is the least number of distinct features of a text. Texts with fewer get no keys and are never near, so
	// another method must decide them. 0 means DefaultMinFeatures.
	MinFeatures int
	// Blocks makes keys of distance+1 blocks, like the classic 4 blocks of 16 bits. These are fewer keys, which more texts
	// share.
	Blocks bool
	// Seed is the seed of the shingle hashes and of the default features.
	Seed uint64
}

// Method is SimHash as a neardup.Method. The keys are blocks of the fingerprint, so every pair within the distance shares
// one. The sketch is the fingerprint.
type Method struct {
	config  Config
	k       int
	layout  layout
	scratch *sync.Pool
}

// New returns the method, or an error about an invalid setting.
func New(c Config) (*Method, error) {
	if c.Shingle == (feature.Shingle{}) {
		c.Shingle = feature.Default
	}
	if err := c.Shingle.Validate(); err != nil {
		return nil, fmt.Errorf("simhash: %w", err)
	}
	if c.Features == nil {
		c.Features = DefaultFeatures(c.Seed)
	}
	if c.Threshold == 0 {
		c.Threshold = DefaultThreshold
	}
	if !(c.Threshold > 0 && c.Threshold <= 1) {
		return nil, fmt.Errorf("simhash: threshold %v: out of range (want above 0, at most 1)", c.Threshold)
	}
	if c.MinFeatures == 0 {
		c.MinFeatures = DefaultMinFeatures
	}
	if c.MinFeatures < 1 {
		return nil, fmt.Errorf("simhash: least number of features %d: out of range (want at least 0)", c.MinFeatures)
	}
	k := DefaultDistance
	if c.Distance != nil {
		k = *c.Distance
	}
	if k < 0 || k > MaxK {
		return nil, fmt.Errorf("simhash: distance %d: out of range (want 0 to %d)", k, MaxK)
	}
	pool := &sync.Pool{New: func() any { return new(work) }}
	return &Method{config: c, k: k, layout: keyLayout(k, c.Blocks), scratch: pool}, nil
}

// keyLayout returns the layout of the keys of records. Up to k = 2 a key is one block. Above it, a key is two of k+2
// blocks, so that few unrelated texts share a key: 10 keys of 25 bits for k = 3.
func keyLayout(k int, blocks bool) layout {
	if k > 2 && !blocks {
		return choose(k, k+2, 2)
	}
	return probe(k, k+1)
}

type work struct {
	hashes   []uint64
	weighted []Weighted
	seen     []uint64
	counter  Counter
}

// Spec describes the method and all settings that change its results.
func (m *Method) Spec() neardup.Spec {
	verify := "off"
	if !m.config.Unverified {
		verify = m.config.Shingle.String() + ">=" + strconv.FormatFloat(m.config.Threshold, 'g', -1, 64)
	}
	return neardup.Spec{Method: "simhash", Version: version, Params: []neardup.Param{
		{Name: "features", Value: m.config.Features.String()},
		{Name: "distance", Value: strconv.Itoa(m.k)},
		{Name: "verify", Value: verify},
		{Name: "min-features", Value: strconv.Itoa(m.config.MinFeatures)},
		{Name: "layout", Value: m.layout.name},
		{Name: "seed", Value: neardup.SeedID(m.config.Seed)},
	}}
}

// Fingerprint returns the fingerprint of a clean text. enough is false if it
// has fewer than MinFeatures different features. O(len(clean)).
func (m *Method) Fingerprint(clean string) (fp uint64, enough bool) {
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	return m.fingerprint(clean, w)
}

// fingerprint computes the fingerprint. It leaves the hashes of a Stream in w, in the order of the text.
func (m *Method) fingerprint(clean string, w *work) (fp uint64, enough bool) {
	w.counter.Reset()
	if s, ok := m.config.Features.(Stream); ok {
		w.hashes = s.AppendHashes(w.hashes[:0], clean)
		w.counter.Add(w.hashes)
		return w.counter.Fingerprint(TieZero), m.enough(w)
	}
	w.weighted = m.config.Features.Append(w.weighted[:0], clean)
	w.counter.AddWeighted(w.weighted)
	w.hashes = w.hashes[:0]
	for _, f := range w.weighted {
		if f.Weight != 0 {
			w.hashes = append(w.hashes, f.Hash)
		}
	}
	return w.counter.Fingerprint(TieZero), m.enough(w)
}

// enough reports whether there are at least MinFeatures distinct hashes. It usually only looks at the first MinFeatures
// hashes.
func (m *Method) enough(w *work) bool {
	least := m.config.MinFeatures
	if len(w.hashes) < least {
		return false
	}
	size := 2 << bits.Len(uint(least))
	if len(w.seen) != size {
		w.seen = make([]uint64, size)
	}
	clear(w.seen)
	different := 0
	for _, h := range w.hashes {
		h = max(h, 1) // 0 marks an empty cell
		c := h & uint64(size-1)
		for w.seen[c] != 0 && w.seen[c] != h {
			c = (c + 1) & uint64(size-1)
		}
		if w.seen[c] == h {
			continue
		}
		w.seen[c] = h
		different++
		if different == least {
			return true
		}
	}
	return false
}

// Record sets the keys of rec to the blocks of the fingerprint, and the sketch to the fingerprint. A text with too few
// features gets no keys.
func (m *Method) Record(clean string, rec *neardup.Record) {
	rec.Reset()
	fp, enough := m.Fingerprint(clean)
	rec.Sketch = fp
	if enough {
		rec.Index = m.AppendKeys(rec.Index, fp)
	}
}

// AppendKeys appends the keys of a fingerprint. Any two fingerprints within the distance share a key.
func (m *Method) AppendKeys(dst []uint64, fp uint64) []uint64 {
	for i := range m.layout.tables {
		dst = append(dst, feature.Mix(m.layout.tables[i].key(fp)^uint64(i)<<56))
	}
	return dst
}

// Plausible reports whether two fingerprints are within the distance.
func (m *Method) Plausible(a, b uint64) bool { return bits.OnesCount64(a^b) <= m.k }

type view struct {
	fp     uint64
	enough bool
	set    []uint64 // of shingle hashes; nil if Unverified
}

// Bytes returns the memory of the view.
func (v *view) Bytes() int { return 48 + 8*cap(v.set) }

// Prepare returns the fingerprint and, unless Unverified, the set of shingles.
func (m *Method) Prepare(clean string) neardup.Prepared {
	w := m.scratch.Get().(*work)
	defer m.scratch.Put(w)
	v := &view{}
	v.fp, v.enough = m.fingerprint(clean, w)
	if m.config.Unverified || !v.enough {
		return v
	}
	if m.config.Features != (Shingles{Shingle: m.config.Shingle, Seed: m.config.Seed}) {
		w.hashes = m.config.Shingle.Append(w.hashes[:0], clean, m.config.Seed)
	}
	v.set = slices.Clone(feature.Set(w.hashes))
	return v
}

// Compare compares a pair. It is near if the distance is small enough and, unless Unverified, the Jaccard similarity of the
// shingles reaches the threshold. If Unverified, the similarity is 1 - distance/64.
func (m *Method) Compare(a, b neardup.Prepared) neardup.Match {
	v, w := a.(*view), b.(*view)
	match := neardup.Match{Distance: Distance(v.fp, w.fp), Method: "simhash", Basis: m.basis()}
	if !v.enough || !w.enough || match.Distance > m.k {
		return match
	}
	if m.config.Unverified {
		match.Similarity, match.Near = 1-float64(match.Distance)/64, true
		return match
	}
	if both, ok := feature.JaccardAtLeast(v.set, w.set, m.config.Threshold); ok {
		match.Similarity = float64(both) / float64(len(v.set)+len(w.set)-both)
		match.Near = true
	}
	return match
}

// Measure returns the similarity of Compare, whatever the distance and the threshold.
func (m *Method) Measure(a, b neardup.Prepared) float64 {
	v, w := a.(*view), b.(*view)
	switch {
	case !v.enough || !w.enough:
		return 0
	case m.config.Unverified:
		return 1 - float64(Distance(v.fp, w.fp))/64
	}
	return feature.Jaccard(v.set, w.set)
}

// FeatureSets appends the set of shingles. If Unverified, it appends none, because a fingerprint does not show what near
// texts share.
func (m *Method) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	own, ok := v.(*view)
	if !ok || !own.enough {
		return dst
	}
	if m.config.Unverified {
		return append(dst, neardup.FeatureSet{})
	}
	n, t := len(own.set), m.config.Threshold
	return append(dst, neardup.FeatureSet{Features: own.set, Least: uint64(feature.LeastIntersection(n, t)), LeastLarger: uint64(feature.MinIntersection(n, n, t))})
}

func (m *Method) basis() string {
	if m.config.Unverified {
		return "1 - distance/64 of " + m.config.Features.String()
	}
	return "jaccard of " + m.config.Shingle.String()
}
