package methods_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
)

// holding returns pairs of a text and another that holds all of it, or all but some words.
func holding(rng *rand.Rand, n int) (pairs [][2]string) {
	word := func() string {
		if rng.IntN(4) == 0 {
			return string([]rune("今天北京下雨了明又晴公园里有人很多")[rng.IntN(17)])
		}
		return fmt.Sprintf("w%d", rng.IntN(3000))
	}
	words := func(n int) (all []string) {
		for range n {
			all = append(all, word())
		}
		return all
	}
	for range n {
		a := words(8 + rng.IntN(150))
		held := slices.Clone(a)
		if rng.IntN(9) == 0 { // a period, which the other text may repeat less often
			a = slices.Repeat(a[:1+rng.IntN(12)], 20)
			held = slices.Clone(a[:len(a)/(1+rng.IntN(4))])
		}
		for range rng.IntN(4) {
			switch at := rng.IntN(len(held)); rng.IntN(3) {
			case 0:
				held[at] = word()
			case 1:
				held = slices.Insert(held, at, word())
			default:
				held = slices.Concat(held[at:], words(3), held[:at])
			}
		}
		b := slices.Concat(words(rng.IntN(1+rng.IntN(300))), held, words(rng.IntN(1+rng.IntN(100))))
		pairs = append(pairs, [2]string{strings.Join(a, " "), strings.Join(b, " ")})
	}
	return pairs
}

// eights returns the rows of eight words of a text of spaced words, and their number with repeats.
func eights(s string) (all map[string]bool, count int) {
	words := strings.Fields(s)
	all = map[string]bool{}
	for i := 0; i+8 <= len(words); i++ {
		all[strings.Join(words[i:i+8], " ")] = true
		count++
	}
	return all, count
}

// The method finds exactly what is contained by definition, and changes nothing else. Texts that share 39 words
// in a row are found, and the sketches and overlaps do not rule them out.
func TestContainedByDefinition(t *testing.T) {
	for _, c := range []string{"", "limit=12", "minhash", "minhash threshold=.5 lossless=.1"} {
		plain, err := methods.New(c)
		if err != nil {
			t.Fatal(err)
		}
		m, err := methods.New(c + " containment=.9")
		if err != nil {
			t.Fatal(err)
		}
		counts := map[bool]int{}
		for _, p := range holding(rand.New(rand.NewPCG(2, 4)), 250) {
			for _, p := range [][2]string{p, {p[1], p[0]}} {
				contained := isContained(t, plain, m, p[0], p[1])
				counts[contained]++
			}
		}
		if counts[true] < 50 || counts[false] < 50 {
			t.Errorf("%s: contained or not %v: too few to tell", m.Spec(), counts)
		}
	}
}

func isContained(t *testing.T, plain, m neardup.Method, a, b string) bool {
	t.Helper()
	x, nx := eights(a)
	y, ny := eights(b)
	both := 0
	for e := range x {
		if y[e] {
			both++
		}
	}
	want := plain.Compare(plain.Prepare(a), plain.Prepare(b))
	contained := !want.Near && (!want.Variant || want.Overlap) && nx >= 32 && float64(both)/float64(len(x)) >= .9 && float64(ny) >= .9*float64(nx)
	if contained {
		want = neardup.Match{Near: true, Similarity: float64(both) / float64(len(x)), Distance: -1, Method: want.Method, Basis: neardup.BasisContained}
	}
	v, w := m.Prepare(a), m.Prepare(b)
	if got := m.Compare(v, w); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %q in %q: %+v, want %+v", m.Spec(), a, b, got, want)
	}
	var rec, other neardup.Record
	m.Record(a, &rec)
	m.Record(b, &other)
	inCommon := slices.ContainsFunc(rec.Probes(), func(k uint64) bool { return slices.Contains(other.Index, k) })
	if row := rowInCommon(a, b); row >= 39 && !inCommon {
		t.Fatalf("%q and %q have %d words in a row in common, and no key", a, b, row)
	}
	if !contained {
		return false
	}
	if !m.Plausible(rec.Sketch, other.Sketch) || !m.Plausible(other.Sketch, rec.Sketch) {
		t.Fatalf("%q is in %q, and their sketches rule it out", a, b)
	}
	ours, theirs := m.(neardup.Searchable).FeatureSets(nil, v), m.(neardup.Searchable).FeatureSets(nil, w)
	mine, yours := ours[len(ours)-1], theirs[len(theirs)-1]
	least := mine.LeastLarger
	if len(mine.Features) > len(yours.Features) {
		least = mine.Least
	}
	if uint64(both) < least || len(mine.Features) != len(x) {
		t.Fatalf("%q and %q have %d passages in common, %d of %d are said to be needed", a, b, both, least, len(mine.Features))
	}
	return true
}

// rowInCommon returns the length of the longest row of words in both.
func rowInCommon(a, b string) (longest int) {
	x, y := strings.Fields(a), strings.Fields(b)
	before := make([]int, len(y)+1)
	for _, w := range x {
		now := make([]int, len(y)+1)
		for j, v := range y {
			if v == w {
				now[j+1] = before[j] + 1
				longest = max(longest, now[j+1])
			}
		}
		before = now
	}
	return longest
}

func TestContainmentRefusesWhatItCannotDo(t *testing.T) {
	for _, test := range []struct {
		spec, says string
	}{
		{"simhash containment=.9", "containment has no effect on method simhash, only on auto, minhash"},
		{"containment=9", "containment 9: out of range (want above 0, at most 1)"},
	} {
		if _, err := methods.New(test.spec); err == nil || err.Error() != test.says {
			t.Errorf("%+v: %v, want %s", test.spec, err, test.says)
		}
	}
	for want, c := range map[float64]string{0: "", .5: "containment=.5", .75: "containment=.75 lossless=.9"} {
		m, err := methods.New(c)
		if err != nil || methods.Containment(m) != want {
			t.Errorf("the share of %+v is %v (%v), want %v", c, methods.Containment(m), err, want)
		}
	}
}
