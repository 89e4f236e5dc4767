package methods

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// heldShingle is what a leader has to hold of a text that goes: pairs of words, or of runes where
// words are not parted, whatever the method compares.
var heldShingle = feature.Shingle{Unit: feature.Scripts, K: 2}

// Held is the share of a clean text's shingles (scripts:2, each counted once) that another one
// has too; 1 where it has none.
func Held(clean, by string) float64 {
	set, _ := setOf(heldShingle, clean, 0)
	others, _ := setOf(heldShingle, by, 0)
	return held(set, others)
}

func held(set, by []uint64) float64 {
	if len(set) == 0 {
		return 1
	}
	return float64(feature.IntersectSorted(set, by)) / float64(len(set))
}

// lossless is a method by which a text may go only if the leader holds a share of its shingles.
// What the method calls near and the leader does not hold is an overlap: kept, and named.
//
// It knows no templates: one of two texts that differ in no slot may still hold more.
type lossless struct {
	around
	share float64
}

// newLossless has a method lose nothing.
func newLossless(m neardup.Method, share float64) (neardup.Method, error) {
	o, ok := m.(neardup.Overlapping)
	if !ok {
		return nil, fmt.Errorf("%s: lossless has no effect, no text differs from its leader in words", m.Spec().Method)
	}
	if !(share > 0 && share <= 1) {
		return nil, fmt.Errorf("lossless %v is not in (0, 1]", share)
	}
	l := &lossless{around{o}, share}
	if t, ok := m.(neardup.Trainable); ok {
		return &trainedLossless{l, t}, nil
	}
	return l, nil
}

// Spec is the method's with the share.
func (l *lossless) Spec() neardup.Spec { return with(l.Overlapping.Spec(), "lossless", l.share) }

// losslessView is the method's, and what may be lost.
type losslessView struct {
	neardup.View
	clean string
	set   []uint64 // of shingles
}

func (v *losslessView) inner() neardup.View { return v.View }

// Bytes is the memory of all of it.
func (v *losslessView) Bytes() int { return 64 + len(v.clean) + 8*len(v.set) + v.View.Bytes() }

// View is the method's with the text and its shingles.
func (l *lossless) View(clean string) neardup.View {
	set, _ := setOf(heldShingle, clean, 0)
	return &losslessView{l.Overlapping.View(clean), clean, set}
}

// Compare is the method's, but that a text which is not held is not near.
func (l *lossless) Compare(a, b neardup.View) neardup.Match {
	x, y, ok := losslessViews(a, b)
	if !ok {
		return l.Overlapping.Compare(a, b)
	}
	m := l.Overlapping.Compare(x.View, y.View)
	if m.Near && held(x.set, y.set) < l.share {
		m.Near, m.Variant, m.Overlap = false, true, true
	}
	return m
}

func losslessViews(a, b neardup.View) (x, y *losslessView, ok bool) {
	x, okX := a.(*losslessView)
	y, okY := b.(*losslessView)
	return x, y, okX && okY
}

// Conflicts are the method's, where it knows any, behind the longest passage that is not held.
func (l *lossless) Conflicts(a, b neardup.View) (list []neardup.Conflict) {
	x, y, ok := losslessViews(a, b)
	if !ok {
		return nil
	}
	if l.Compare(a, b).Overlap && l.Overlapping.Compare(x.View, y.View).Near {
		list = append(list, neardup.Conflict{Kind: neardup.KindMore, A: lacking(x.clean, y.set)})
	}
	return append(list, l.around.Conflicts(a, b)...)
}

// mostLacking bounds the runes of a passage that is shown.
const mostLacking = 200

// lacking is the longest passage of a clean text of which no shingle is among others.
func lacking(clean string, others []uint64) string {
	all := heldShingle.Append(nil, clean, 0)
	from, to := 0, 0 // shingles
	for i := 0; i < len(all); i++ {
		begun := i
		for i < len(all) && !isAmong(others, all[i]) {
			i++
		}
		if i-begun > to-from {
			from, to = begun, i
		}
	}
	// Shingle i is of the units i and i+1. The first unit and the last one of a passage are in
	// shingles that are held, unless the text begins or ends there.
	first, last := from, to
	if from > 0 {
		first++
	}
	if to < len(all) {
		last--
	}
	if first > last { // two words that only do not stand beside each other
		first, last = from, to
	}
	passage := strings.TrimSpace(clean[unitAt(clean, first):unitAt(clean, last+1)])
	if utf8.RuneCountInString(passage) > mostLacking {
		passage = string([]rune(passage)[:mostLacking]) + "…"
	}
	return passage
}

func isAmong(set []uint64, h uint64) bool {
	_, found := slices.BinarySearch(set, h)
	return found
}

// unitAt returns where a unit of a clean text begins, or its end if it has fewer.
func unitAt(clean string, n int) int {
	_, starts := feature.Units(clean, heldShingle.Unit)
	if n >= len(starts) {
		return len(clean)
	}
	return int(starts[n])
}

// trainedLossless is lossless of a method that chooses its keys by a corpus.
type trainedLossless struct {
	*lossless
	trainable neardup.Trainable
}

// Trainer counts what the method wants to know.
func (l *trainedLossless) Trainer(memory int64) neardup.Trainer {
	return l.trainer(l.trainable.Trainer(memory))
}

func (l *trainedLossless) trainer(of neardup.Trainer) neardup.Trainer {
	t := &losslessTrainer{of, l}
	if p, ok := of.(neardup.Portable); ok {
		return &portableLossless{t, p}
	}
	return t
}

type losslessTrainer struct {
	neardup.Trainer
	method *trainedLossless
}

// Again goes on where the method wants to see its texts once more.
func (t *losslessTrainer) Again() neardup.Trainer {
	if of, ok := t.Trainer.(neardup.Repeated); ok {
		if next := of.Again(); next != nil {
			return t.method.trainer(next)
		}
	}
	return nil
}

// Method returns lossless of the trained method.
func (t *losslessTrainer) Method() neardup.Method {
	return &lossless{around{t.Trainer.Method().(neardup.Overlapping)}, t.method.share}
}

// portableLossless has counts that can be written.
type portableLossless struct {
	*losslessTrainer
	counts neardup.Portable
}

// WriteTo writes the method's counts.
func (t *portableLossless) WriteTo(out io.Writer) (int64, error) { return t.counts.WriteTo(out) }

// ReadFrom adds counts of the method.
func (t *portableLossless) ReadFrom(in io.Reader) (int64, error) { return t.counts.ReadFrom(in) }
