package audit

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/zeebo/xxh3"
)

// TestMeetSeesALostKey checks that the audit detects an engine that loses postings.
func TestMeetSeesALostKey(t *testing.T) {
	a := &Auditor{run: Run{Pairs: func(_ uint64, found, searches Side) bool { return found.Sketch == searches.Sketch }}}
	n := 0
	rec := neardup.Record{Index: []uint64{3, 9}, Sketch: 5}
	a.expect(7, 100, &rec, false, &n)
	slices.SortFunc(a.keys, func(x, y expectedKey) int { return int(int64(x.key) - int64(y.key)) })
	for _, v := range []struct {
		name            string
		key             uint64
		side            Side
		found, searches bool
	}{
		{"another key", 2, Side{7, 5}, true, true},
		{"another text", 3, Side{6, 5}, true, true},
		{"not to be found", 3, Side{7, 5}, false, true},
		{"ruled out by the sketches", 9, Side{7, 50}, true, true},
	} {
		a.Visit(v.key, v.side, v.found, v.searches)
		if n != 0 {
			t.Fatalf("found: %s", v.name)
		}
	}
	a.Visit(9, Side{7, 5}, true, false)
	if n != 1 {
		t.Fatal("not found by its key")
	}
}

// words is a method whose keys are the words of a text, and whose sketch is their number.
type words struct{ threshold float64 }

type wordSet map[string]bool

func (s wordSet) Bytes() int { return len(s) }

func (w words) Spec() neardup.Spec { return neardup.Spec{Method: "words"} }

func (w words) Record(clean string, rec *neardup.Record) {
	set := w.Prepare(clean).(wordSet)
	for word := range set {
		rec.Index = append(rec.Index, xxh3.HashString(word))
	}
	rec.Sketch = uint64(len(set))
}

func (w words) Plausible(a, b uint64) bool {
	return float64(min(a, b)) >= w.threshold*float64(max(a, b))
}

func (w words) Prepare(clean string) neardup.Prepared {
	set := wordSet{}
	for _, word := range strings.Fields(clean) {
		set[word] = true
	}
	return set
}

func (w words) Compare(a, b neardup.Prepared) neardup.Match {
	x, y, both := a.(wordSet), b.(wordSet), 0
	for word := range x {
		if y[word] {
			both++
		}
	}
	j := float64(both) / float64(len(x)+len(y)-both)
	return neardup.Match{Similarity: j, Near: j >= w.threshold, Basis: "jaccard of words"}
}

type asIs struct{}

func (asIs) Clean(s string) string { return s }
func (asIs) String() string        { return "as is" }

// texts holds the texts of a run in which each text has one document.
type texts []string

func (t texts) Len() int                       { return len(t) }
func (t texts) Text(p uint32) (string, error)  { return t[p], nil }
func (t texts) First(p uint32) (uint32, error) { return p, nil }
func (t texts) Size(p uint32) (uint32, uint64, error) {
	return uint32(len(t[p])), uint64(len(words{}.Prepare(t[p]).(wordSet))), nil
}
func (t texts) Document(i uint32) (id, clean string, err error) { return fmt.Sprint("d", i), t[i], nil }

// families makes pairs of texts that differ in one word of twelve.
func families(n int) (out texts) {
	rng := rand.New(rand.NewPCG(1, 2))
	for len(out) < n {
		var one []string
		for range 12 {
			one = append(one, fmt.Sprint("w", rng.IntN(1<<20)))
		}
		out = append(out, strings.Join(one, " "))
		one[rng.IntN(12)] = "other"
		out = append(out, strings.Join(one, " "))
	}
	return out
}

// TestAuditor audits a run with and without lost postings.
func TestAuditor(t *testing.T) {
	m, in := words{.7}, families(400)
	for _, lost := range []uint64{0, 1} { // of 2 keys
		a, err := New(t.Context(), Config{Threshold: .7, Lax: words{.1}, List: 4}, Run{
			Texts: in, Method: m, Clean: asIs{}, Workers: 2, Bytes: 400 * 100,
			Pairs: func(_ uint64, found, searches Side) bool { return m.Plausible(found.Sketch, searches.Sketch) },
		})
		if err != nil {
			t.Fatal(err)
		}
		meetAll(a, in, func(key uint64) bool { return lost == 0 || key&15 == 0 })
		for i := uint32(0); i < 400; i += 2 {
			a.Near(i+1, i, .85, "jaccard of words")
			a.Refuse(i+1, (i+2)%400)
		}
		a.Near(9, 8, .71, "jaccard of words")
		a.Variant(5, 4, .9, nil)
		if taken := a.Taken(); !a.Samples() || len(taken) != 200 || len(a.Taken()) != 0 {
			t.Errorf("%d refused pairs were sampled", len(taken))
		}
		got, err := a.Finish(t.Context(), 200, func(uint32) (bool, error) { return false, nil })
		if err != nil {
			t.Fatal(err)
		}
		near, found := 0, 0
		for _, e := range got.Edits {
			near, found = near+e.Near, found+e.Found
		}
		if whole := near == found && got.Sample.Near == got.Sample.Found; near < 50 || got.Sample.Near < 20 || whole != (lost == 0) {
			t.Errorf("%d of %d edits and %+v", found, near, got.Sample)
		}
		want := Borderline{Near: 201, Above: 1, Refused: 200, Sampled: 200}
		if b := got.Borderline; b.Below > 0 || b != want {
			t.Errorf("borderline %+v, want %+v", b, want)
		}
		if r := got.Removals; len(r) != 4 || r[0].ID != "d9" || r[0].Texts[1] != in[8] {
			t.Errorf("removals %+v", r)
		}
		if v := got.Misses; len(v) == 0 || !v[len(v)-1].Variant || v[len(v)-1].ID != "d5" {
			t.Errorf("misses %+v", v)
		}
	}
}

// meetAll passes all texts under the kept keys to an auditor.
func meetAll(a *Auditor, in texts, kept func(key uint64) bool) {
	type posting struct {
		key  uint64
		side Side
	}
	var all []posting
	for i, clean := range in {
		var rec neardup.Record
		words{}.Record(clean, &rec)
		for _, key := range rec.Index {
			if kept(key) {
				all = append(all, posting{key, Side{uint32(i), rec.Sketch}})
			}
		}
	}
	slices.SortFunc(all, func(x, y posting) int { return cmp.Compare(x.key, y.key) })
	for _, p := range all {
		a.Visit(p.key, p.side, true, true)
	}
}

// TestNoAuditor checks that all methods accept a nil Auditor.
func TestNoAuditor(t *testing.T) {
	var a *Auditor
	a.Visit(1, Side{}, true, true)
	a.Refuse(2, 1)
	a.Near(2, 1, 1, "")
	a.Variant(2, 1, 1, nil)
	if got, err := a.Finish(t.Context(), 0, nil); got != nil || err != nil || a.Samples() || a.Taken() != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// lostText is a run in which one text cannot be read.
type lostText struct {
	texts
	lost uint32
}

var errLost = errors.New("it cannot be read")

func (l lostText) Text(p uint32) (string, error) {
	if p == l.lost {
		return "", errLost
	}
	return l.texts.Text(p)
}

// TestAuditorTellsOfALostText: samples are read by many at once, and whichever text
// cannot be read, each has an error of its own. The race detector watches (scripts/test).
func TestAuditorTellsOfALostText(t *testing.T) {
	m, in := words{.7}, families(2*sampleChunk)
	for _, lost := range []uint32{0, 1, sampleChunk, sampleChunk + 1} {
		_, err := New(t.Context(), Config{Threshold: .7, Lax: words{.1}}, Run{
			Texts: lostText{in, lost}, Method: m, Clean: asIs{}, Workers: 8, Bytes: 1 << 30,
			Pairs: func(uint64, Side, Side) bool { return true },
		})
		if !errors.Is(err, errLost) {
			t.Errorf("text %d: %v", lost, err)
		}
	}
}
