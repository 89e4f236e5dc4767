package methods

import (
	"math"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// passages are the units of containment: eight words in a row, or runes in scripts without spaces.
var passages = feature.Shingle{Unit: feature.Scripts, K: 8}

// passageWindow is the number of consecutive passages of which one becomes a key. So two texts share a key if they share 39
// words in a row. A shorter text is never found as contained.
const passageWindow = 32

// passageKeys distinguishes the keys of passages from other keys.
const passageKeys = 0x6f7a1c0d5e83b247

// contained is a method that also removes a text if the leader contains a share of its passages (containment as in Broder
// 1997), however much else the leader contains. A pair that is a variant because something is replaced stays a variant.
//
// The two highest bits of a sketch, which the wrapped method leaves free or uses for its route, show whether a text has
// keys of passages. The sketches of two such texts never rule out the pair.
type contained struct{ decorator }

// newContained wraps a method so that it also finds contained texts.
func newContained(m neardup.Searchable, share float64, seed uint64) neardup.Method {
	return makeContained(decorator{name: "containment", share: share, shingle: passages, seed: seed}, m)
}

func makeContained(d decorator, of neardup.Searchable) neardup.Method {
	c := &contained{d}
	c.Searchable, c.decorator.revise = of, c.revise
	c.wrap = func(m neardup.Searchable) neardup.Method { return makeContained(d, m) }
	return c
}

// Containment returns the least share of passages at which a method removes a contained text, or 0 if it removes none.
func Containment(m neardup.Method) float64 {
	for {
		switch d := m.(type) {
		case *contained:
			return d.share
		case *lossless:
			m = d.Searchable
		default:
			return 0
		}
	}
}

// Record makes the keys of the wrapped method and, for each window of passages, the smallest hash.
func (c *contained) Record(clean string, rec *neardup.Record) {
	c.Searchable.Record(clean, rec)
	c.addKeys(clean, rec)
}

// RecordPrepare makes the record. It also makes the view if the method can make both together.
func (c *contained) RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared {
	v := c.decorator.RecordPrepare(clean, rec)
	c.addKeys(clean, rec)
	return v
}

func (c *contained) addKeys(clean string, rec *neardup.Record) {
	s := idleSets.Get().(*sets)
	defer idleSets.Put(s)
	s.hashes = passages.Append(s.hashes[:0], clean, c.seed)
	keys := s.sorter.Set(minimizers(s.hashes))
	if len(keys) == 0 {
		return
	}
	rec.Index = append(rec.Index, keys...)
	if rec.Probe != nil {
		rec.Probe = append(rec.Probe, keys...)
	}
	if rec.Sketch&routeBits == 0 {
		rec.Sketch |= routeBits
	}
}

// minimizers returns the smallest hash of each window as a key. Keys may repeat.
func minimizers(hashes []uint64) (keys []uint64) {
	at := -1
	for from := 0; from+passageWindow <= len(hashes); from++ {
		last := from + passageWindow - 1
		switch {
		case at < from:
			at = from
			for i := from; i <= last; i++ {
				if hashes[i] < hashes[at] {
					at = i
				}
			}
		case hashes[last] < hashes[at]:
			at = last
		default:
			continue
		}
		keys = append(keys, feature.Mix(hashes[at]^passageKeys))
	}
	return keys
}

// Plausible calls the wrapped method, unless one text may contain the other.
func (c *contained) Plausible(a, b uint64) bool {
	return (a&routeBits != 0 && b&routeBits != 0) || c.Searchable.Plausible(ofMethod(a), ofMethod(b))
}

func ofMethod(sketch uint64) uint64 {
	if sketch&routeBits == routeBits {
		return sketch &^ routeBits
	}
	return sketch
}

// revise makes a match near if the leader contains the passages of the text.
func (c *contained) revise(m neardup.Match, a, b *decorated, _ bool) neardup.Match {
	if m.Near || (m.Variant && !m.Overlap) || a.count < passageWindow {
		return m
	}
	// A text that repeats one passage is not contained in a text that has it once.
	if share := held(a.set, b.set); share >= c.share && float64(b.count) >= c.share*float64(a.count) {
		return neardup.Match{Similarity: share, Distance: -1, Near: true, Method: m.Method, Basis: neardup.BasisContained, Evidence: m.Evidence}
	}
	return m
}

// Template returns the template of the wrapped method. For a text that may be contained it returns 0, because containment
// depends on all words.
func (c *contained) Template(v neardup.Prepared) (template uint64, fillers []uint64) {
	if v.(*decorated).count >= passageWindow {
		return 0, nil
	}
	return c.decorator.Template(v)
}

// FeatureSets appends the sets of the wrapped method and the set of passages. If one text contains the other, the smaller
// set shares most of its passages. For the larger set no minimum is known.
func (c *contained) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	dst = c.decorator.FeatureSets(dst, v)
	if set := v.(*decorated).set; len(set) > 0 {
		dst = append(dst, neardup.FeatureSet{Features: set, Least: 1, LeastLarger: leastShare(len(set), c.share)})
	}
	return dst
}

func leastShare(n int, share float64) uint64 {
	least := int(math.Ceil(share * float64(n)))
	for least > 1 && float64(least-1)/float64(n) >= share {
		least--
	}
	return uint64(max(least, 1))
}
