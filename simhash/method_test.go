package simhash_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/simhash"
)

var _ neardup.Method = (*simhash.Method)(nil)

func newMethod(tb testing.TB, c simhash.Config) *simhash.Method {
	tb.Helper()
	m, err := simhash.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func distance(k int) *int { return &k }

// prose makes texts of words, some of them edits of earlier ones.
func prose(n int) []string {
	rng := rand.New(rand.NewPCG(7, 7))
	var out []string
	for i := range n {
		words := make([]string, 5+rng.IntN(300))
		for w := range words {
			words[w] = fmt.Sprintf("w%d", rng.IntN(5000))
		}
		if i%3 > 0 {
			words = strings.Fields(out[i-1])
			for range rng.IntN(3) {
				words[rng.IntN(len(words))] = "edited"
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// If Compare finds a pair near, the records share a key and the sketches are plausible. The distance is that of
// the sketches. Compare is symmetric.
func TestMethodKeepsThePromise(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it is concurrent")
	}
	texts := prose(90)
	for _, c := range []simhash.Config{
		{}, {Unverified: true}, {Distance: distance(0)}, {Distance: distance(6), Threshold: 0.5},
		{Distance: distance(7), Unverified: true}, {Distance: distance(3), Blocks: true, Unverified: true},
		{Features: simhash.Shingles{Shingle: feature.Shingle{Unit: feature.Words, K: 1}}, Distance: distance(6)},
	} {
		m := newMethod(t, c)
		near := 0
		for i, a := range texts {
			for _, b := range texts[:i] {
				var ra, rb neardup.Record
				match := m.Compare(m.Prepare(a), m.Prepare(b))
				if !reflect.DeepEqual(match, m.Compare(m.Prepare(b), m.Prepare(a))) {
					t.Fatal("Compare is not symmetric")
				}
				if !match.Near {
					continue
				}
				near++
				m.Record(a, &ra)
				m.Record(b, &rb)
				shared := slices.ContainsFunc(ra.Probes(), func(k uint64) bool { return slices.Contains(rb.Index, k) })
				if !shared || !m.Plausible(ra.Sketch, rb.Sketch) || simhash.Distance(ra.Sketch, rb.Sketch) != match.Distance {
					t.Fatalf("%s: near, but shared=%v distance=%d", m.Spec(), shared, match.Distance)
				}
			}
			if testing.Short() && i > 60 {
				break
			}
		}
		if near == 0 {
			t.Errorf("%s: nothing was near", m.Spec())
		}
	}
}

func TestFewFeaturesGetNoKeys(t *testing.T) {
	shingles := simhash.Shingles{Shingle: feature.Default}
	m := newMethod(t, simhash.Config{Features: shingles, MinFeatures: 4, Unverified: true})
	for text, want := range map[string]bool{
		"": false, "...": false, "one two three": false, "one two three four five": false,
		"one two three four five six":    true,
		strings.Repeat("ha ", 500):       false, // one shingle, many times
		strings.Repeat("ha ", 500) + "!": false,
		"海量网络文本":                         true,
	} {
		rec := neardup.Record{Index: []uint64{1}, Sketch: 1}
		m.Record(text, &rec)
		if (len(rec.Index) > 0) != want {
			t.Errorf("%.20q: %d keys", text, len(rec.Index))
		}
		if v := m.Prepare(text); m.Compare(v, v).Near != want {
			t.Errorf("%.20q: near itself is %v", text, !want)
		}
	}
}

func TestMethodRefuses(t *testing.T) {
	for _, c := range []simhash.Config{
		{Distance: distance(-1)}, {Distance: distance(8)}, {Threshold: 1.1}, {Threshold: -1}, {MinFeatures: -1},
		{Shingle: feature.Shingle{K: -1}},
	} {
		if _, err := simhash.New(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// levels is a kind of weighted features: words, longer ones heavier.
type levels struct{}

func (levels) String() string { return "levels" }

func (levels) Append(dst []simhash.Weighted, clean string) []simhash.Weighted {
	for _, w := range strings.Fields(clean) {
		dst = append(dst, simhash.Weighted{Hash: simhash.HashWord(w, 0), Weight: int64(len(w))})
	}
	return dst
}

func TestMethodOfWeightedFeatures(t *testing.T) {
	text := prose(1)[0]
	m := newMethod(t, simhash.Config{Features: levels{}})
	fp, enough := m.Fingerprint(text)
	if want := simhash.OfWeighted(levels{}.Append(nil, text)); fp != want || !enough {
		t.Errorf("%x, %v, want %x", fp, enough, want)
	}
	if got := m.Compare(m.Prepare(text), m.Prepare(text)); !got.Near || got.Similarity != 1 || got.Distance != 0 {
		t.Errorf("a text against itself: %+v", got)
	}
	other := newMethod(t, simhash.Config{})
	if m.Spec().String() == other.Spec().String() {
		t.Error("other features, like specs")
	}
}

func TestShinglesStreamAndWeightedAgree(t *testing.T) {
	s := simhash.Shingles{Shingle: feature.Default, Seed: 3}
	for _, text := range prose(9) {
		if simhash.Of(s.AppendHashes(nil, text)) != simhash.OfWeighted(s.Append(nil, text)) {
			t.Fatal("the two ways differ")
		}
	}
}

func ExampleNew() {
	m, err := simhash.New(simhash.Config{Unverified: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	text := strings.Repeat("a long article about near duplicates of web pages and ", 3) + "how to find them in the end of the day all at once"
	match := m.Compare(m.Prepare(text), m.Prepare(text+" "))
	fmt.Println(match.Near, match.Distance, match.Basis)
	// Output: true 0 1 - distance/64 of auto:1
}

// BenchmarkFingerprint measures the whole path from clean text to fingerprint, in processor time.
func BenchmarkFingerprint(b *testing.B) {
	for _, c := range []struct {
		set  featuretest.Set
		spec string
	}{
		{featuretest.OTA, "runes:4"},
		{featuretest.OTA, "words:3"},
		{featuretest.LCTT, "runes:3"},
		{featuretest.Laws, "runes:3"},
		{featuretest.SMS, "runes:4"},
		{featuretest.SMS, "words:3"},
	} {
		b.Run(strings.ReplaceAll(c.set.Name+"/"+c.spec, ":", ""), func(b *testing.B) {
			shingle, err := feature.ParseShingle(c.spec)
			if err != nil {
				b.Fatal(err)
			}
			m := newMethod(b, simhash.Config{Features: simhash.Shingles{Shingle: shingle}})
			texts, size := c.set.Texts(b).Clean, int64(0)
			for i, t := range texts {
				size += int64(len(t))
				if size > 8<<20 {
					texts = texts[:i+1]
					break
				}
			}
			b.SetBytes(size)
			start := featuretest.CPU()
			for b.Loop() {
				for _, t := range texts {
					m.Fingerprint(t)
				}
			}
			featuretest.ReportCPU(b, start, size)
		})
	}
}

// The default finds texts with edits that the same distance misses on
// shingles of three.
func TestDefaultFeaturesStandEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it is concurrent")
	}
	words := newMethod(t, simhash.Config{})
	shingles := newMethod(t, simhash.Config{Features: simhash.Shingles{Shingle: feature.Default}})
	rng := rand.New(rand.NewPCG(3, 3))
	found, ofShingles, texts := 0, 0, featuretest.LCTT.Texts(t).Clean[:400]
	for _, text := range texts {
		runes := []rune(text)
		for range len(runes) / 100 {
			runes[rng.IntN(len(runes))] = runes[rng.IntN(len(runes))]
		}
		for m, n := range map[*simhash.Method]*int{words: &found, shingles: &ofShingles} {
			if m.Compare(m.Prepare(text), m.Prepare(string(runes))).Distance <= simhash.DefaultDistance {
				*n++
			}
		}
	}
	if found < len(texts)*9/10 || found < ofShingles+len(texts)/4 {
		t.Errorf("of %d texts with 1 %% of edits %d were within 3 bits, on shingles %d", len(texts), found, ofShingles)
	}
}

// Verified pairs of real texts have the required similarity, by their own count; none is reported below it.
func TestVerifiedPairsAreSimilar(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it is concurrent")
	}
	m := newMethod(t, simhash.Config{})
	texts := featuretest.TiDB.Texts(t).Clean
	views, sets := make([]neardup.Prepared, len(texts)), make([]map[uint64]bool, len(texts))
	for i, text := range texts {
		views[i], sets[i] = m.Prepare(text), map[uint64]bool{}
		for _, h := range feature.Default.Append(nil, text, 0) {
			sets[i][h] = true
		}
	}
	near := 0
	for i, v := range views {
		for j, w := range views[:i] {
			match := m.Compare(v, w)
			if !match.Near {
				continue
			}
			near++
			both := 0
			for h := range sets[i] {
				if sets[j][h] {
					both++
				}
			}
			union := len(sets[i]) + len(sets[j]) - both
			if want := float64(both) / float64(union); want < simhash.DefaultThreshold || match.Similarity != want {
				t.Fatalf("reported with %v, is %v", match.Similarity, want)
			}
		}
	}
	if near < 1000 {
		t.Errorf("%d pairs, want more than 1000", near)
	}
}

// Two fingerprints share a key if, and nearly only if, they may be within the
// distance.
func TestAppendKeysMeet(t *testing.T) {
	m, err := simhash.New(simhash.Config{}) // distance 3
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(8, 9))
	for range 2000 {
		a := rng.Uint64()
		b := a
		for range rng.IntN(4) {
			b ^= 1 << rng.IntN(64)
		}
		keys, shared := m.AppendKeys(nil, a), 0
		for _, k := range m.AppendKeys(nil, b) {
			if slices.Contains(keys, k) {
				shared++
			}
		}
		if shared == 0 || (a == b) != (shared == len(keys)) {
			t.Fatalf("%016x and %016x share %d of %d keys", a, b, shared, len(keys))
		}
	}
}

// Near texts share shingles if these are verified; a fingerprint alone does not show what they share.
func TestOverlaps(t *testing.T) {
	words := feature.Shingle{Unit: feature.Words, K: 1}
	text := "one two three four five six seven eight nine ten"
	got := func(c simhash.Config) []neardup.FeatureSet {
		c.Shingle = words
		m := newMethod(t, c)
		return m.FeatureSets(nil, m.Prepare(text))
	}
	if o := got(simhash.Config{Threshold: .5}); len(o) != 1 || len(o[0].Features) != 10 || o[0].Least != 5 {
		t.Errorf("%+v", o)
	}
	if o := got(simhash.Config{Unverified: true}); len(o) != 1 || o[0].Least != 0 {
		t.Errorf("unverified: %+v", o)
	}
	if o := got(simhash.Config{MinFeatures: 100}); len(o) != 0 {
		t.Errorf("of a text that is near none: %+v", o)
	}
}

// Compare stops at the distance and the threshold; Measure does not.
func TestMeasureBelowTheThreshold(t *testing.T) {
	for _, unverified := range []bool{false, true} {
		m, err := simhash.New(simhash.Config{Shingle: feature.Shingle{Unit: feature.Words, K: 1}, MinFeatures: 1, Unverified: unverified})
		if err != nil {
			t.Fatal(err)
		}
		a, b := m.Prepare("one two three"), m.Prepare("two three four")
		want := .5
		if unverified {
			want = 1 - float64(m.Compare(a, b).Distance)/64
		}
		if got := m.Measure(a, b); got != want || m.Compare(a, b).Similarity != 0 {
			t.Errorf("%v, want %v; compared %v", got, want, m.Compare(a, b))
		}
	}
}
