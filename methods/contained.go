package methods

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// passages are what a text consists of for containment: eight words in a row, or runes where words
// are not parted.
var passages = feature.Shingle{Unit: feature.Scripts, K: 8}

// passageWindow is how many passages in a row have a key among them: two texts with so many in
// common, 39 words in a row, share one. A text of fewer is contained in none.
const passageWindow = 32

// passageKeys tells the keys of passages from all others.
const passageKeys = 0x6f7a1c0d5e83b247

// contained is a method by which a text may also go if the leader holds a share of its passages
// (containment as in Broder 1997), whatever else the leader says. What the method calls a
// variant for something in the place of something else stays one.
//
// The two highest bits of its sketches, which the method leaves free or fills with its route,
// say whether a text has keys of passages: of two such texts sketches tell nothing.
type contained struct {
	around
	share float64
	seed  uint64
}

// newContained has a method find what is contained, too.
func newContained(m neardup.Method, share float64, seed uint64) (neardup.Method, error) {
	o, ok := m.(neardup.Overlapping)
	spec := m.Spec()
	if !ok || spec.Method != "minhash" && (spec.Method != "auto" || spec.Version == 2) {
		return nil, fmt.Errorf("%s: containment is for auto and minhash", spec.Method)
	}
	if !(share > 0 && share <= 1) {
		return nil, fmt.Errorf("containment %v is not in (0, 1]", share)
	}
	return &contained{around{o}, share, seed}, nil
}

// Containment is the share of a text's passages for which it may go by a method, 0 for one that
// asks for more than that.
func Containment(m neardup.Method) float64 {
	if l, ok := m.(*lossless); ok {
		m = l.Overlapping
	}
	if c, ok := m.(*contained); ok {
		return c.share
	}
	return 0
}

// Spec is the method's with the share.
func (c *contained) Spec() neardup.Spec { return with(c.Overlapping.Spec(), "containment", c.share) }

func with(s neardup.Spec, name string, share float64) neardup.Spec {
	s.Params = append(slices.Clip(s.Params), neardup.Param{Name: name, Value: strconv.FormatFloat(share, 'g', -1, 64)})
	return s
}

// Record has the method's keys and those of the passages: of each window the least.
func (c *contained) Record(clean string, rec *neardup.Record) {
	c.Overlapping.Record(clean, rec)
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

// minimizers are keys of the least hash in each window, some of them more than once.
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

// Plausible asks the method, unless one may contain the other.
func (c *contained) Plausible(a, b uint64) bool {
	return a&routeBits != 0 && b&routeBits != 0 || c.Overlapping.Plausible(ofMethod(a), ofMethod(b))
}

// ofMethod is the method's sketch.
func ofMethod(sketch uint64) uint64 {
	if sketch&routeBits == routeBits {
		return sketch &^ routeBits
	}
	return sketch
}

// containedView is the method's, and the passages.
type containedView struct {
	neardup.View
	set   []uint64 // of passages
	count int      // with repeats
}

func (v *containedView) inner() neardup.View { return v.View }

// Bytes is the memory of all of it.
func (v *containedView) Bytes() int { return 64 + 8*len(v.set) + v.View.Bytes() }

// View is the method's with the passages of the text.
func (c *contained) View(clean string) neardup.View {
	set, count := setOf(passages, clean, c.seed)
	return &containedView{c.Overlapping.View(clean), set, count}
}

// Compare is the method's, but that a text whose passages the leader holds is near.
func (c *contained) Compare(a, b neardup.View) neardup.Match {
	x, okX := a.(*containedView)
	y, okY := b.(*containedView)
	m := c.Overlapping.Compare(innerOf(a), innerOf(b))
	if m.Near || m.Variant && !m.Overlap || !okX || !okY || x.count < passageWindow {
		return m
	}
	// Who repeats one passage is not contained in who has it once.
	if share := held(x.set, y.set); share >= c.share && float64(y.count) >= c.share*float64(x.count) {
		return neardup.Match{Similarity: share, Distance: -1, Near: true, Method: m.Method, Basis: neardup.BasisContained}
	}
	return m
}

// Overlaps are the method's and the passages: the smaller one of two sets shares most of its own, if
// one contains the other; nothing is known of the larger one.
func (c *contained) Overlaps(dst []neardup.Overlap, v neardup.View) []neardup.Overlap {
	dst = c.around.Overlaps(dst, v)
	if own, ok := v.(*containedView); ok && len(own.set) > 0 {
		dst = append(dst, neardup.Overlap{Features: own.set, Least: 1, LeastLarger: leastShare(len(own.set), c.share)})
	}
	return dst
}

// leastShare is how many of n are at least a share.
func leastShare(n int, share float64) uint64 {
	least := int(math.Ceil(share * float64(n)))
	for least > 1 && float64(least-1)/float64(n) >= share {
		least--
	}
	return uint64(max(least, 1))
}
