package methods_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// twos returns the pairs of neighbouring words of a text. Each Chinese character and sign is a word.
func twos(s string) map[[2]string]bool {
	var words []string
	inWord := false
	taken := 0
	for i, r := range s {
		sign, end := text.Sign(s, i)
		switch {
		case i < taken:
		case sign != "":
			words, inWord, taken = append(words, sign), false, end
		case unicode.Is(unicode.Han, r):
			words, inWord = append(words, string(r)), false
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			inWord = false
		case inWord:
			words[len(words)-1] += string(r)
		default:
			words, inWord = append(words, string(r)), true
		}
	}
	all := map[[2]string]bool{}
	for i := 1; i < len(words); i++ {
		all[[2]string{words[i-1], words[i]}] = true
	}
	if len(words) == 1 {
		all[[2]string{words[0]}] = true
	}
	return all
}

func heldOf(a, b string) float64 {
	x, y, both := twos(a), twos(b), 0
	for p := range x {
		if y[p] {
			both++
		}
	}
	if len(x) == 0 {
		return 1
	}
	return float64(both) / float64(len(x))
}

// With any method a text is removed only if the leader holds it, and nothing else changes.
func TestLosslessByAnyMethod(t *testing.T) {
	for _, c := range []string{
		"", "limit=12", "weighted", "minhash threshold=.5", "simhash threshold=.4", "jaccard threshold=.5",
		"ngram threshold=.6", "ngram threshold=.6 variants=keep",
	} {
		plain, err := methods.New(c)
		if err != nil {
			t.Fatal(err)
		}
		m, err := methods.New(c + " lossless=.9")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.Spec().String(), plain.Spec().String()+" lossless=0.9"; got != want {
			t.Errorf("it calls itself %s, want %s", got, want)
		}
		var gone, kept int
		for _, p := range pairsOf(rand.New(rand.NewPCG(1, 9)), 3000) {
			a, b := p[0], p[1]
			if a == b {
				continue
			}
			if got, want := methods.Held(a, b), heldOf(a, b); got != want {
				t.Fatalf("%q holds %v of %q, want %v", b, got, a, want)
			}
			want := plain.Compare(plain.Prepare(a), plain.Prepare(b))
			lost := want.Near && heldOf(a, b) < .9
			if lost {
				kept++
				want.Near, want.Variant, want.Overlap = false, true, true
			} else if want.Near {
				gone++
			}
			x, y := m.Prepare(a), m.Prepare(b)
			if got := m.Compare(x, y); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %q for %q: %+v, want %+v", m.Spec(), a, b, got, want)
			}
			list := neardup.Explain(m, x, y).Evidence
			if lost && (neardup.RelationOf(false, list) != neardup.Overlaps || list[0].A == "" || !strings.Contains(a, list[0].A)) {
				t.Fatalf("%s: what %q says more than %q is %+v", m.Spec(), a, b, list)
			}
			if by := neardup.Explain(plain, plain.Prepare(a), plain.Prepare(b)).Evidence; len(list) != len(by)+one(lost) {
				t.Fatalf("%s: %q and %q: the evidence is %+v", m.Spec(), a, b, list)
			}
		}
		if gone < 20 || kept < 20 {
			t.Errorf("%s: %d pairs are near and %d overlap: too few to tell", m.Spec(), gone, kept)
		}
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// The evidence names the longest passage that is not held.
func TestLosslessNamesWhatWouldBeLost(t *testing.T) {
	m, err := methods.New("jaccard threshold=.1 shingle=scripts:1 lossless=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, leader, more string }{
		{"one two three four", "one two three", "four"},
		{"zero, one two three", "one two three", "zero,"},
		{"one two (and a half) three four", "one two three four", "and a half)"},
		{"one two x three four y z five six", "one two three four five six", "y z"},
		{"one three two", "one two three", "one three two"}, // words that it has, next to other ones
		{"今天北京下大雨了", "今天北京下雨了", "大"},
		{"one two 今天 three four", "one two three four", "今天"},
		{"one two " + strings.Repeat("more ", 2) + strings.Repeat("words ", 60), "one two", "more more " + strings.Repeat("words ", 31) + "word…"},
	} {
		list := neardup.Explain(m, m.Prepare(test.text), m.Prepare(test.leader)).Evidence
		if len(list) != 1 || list[0].A != test.more || list[0].Kind != neardup.KindMore {
			t.Errorf("%q says more than %q: %+v, want %q", test.text, test.leader, list, test.more)
		}
	}
}

func TestLosslessRefusesWhatItCannotDo(t *testing.T) {
	for _, test := range []struct {
		spec, says string
	}{
		{"exact lossless=.9", "lossless has no effect on method exact, only on auto, minhash, simhash, jaccard, ngram, weighted"},
		{"images lossless=.9", "lossless has no effect on method images, only on auto, minhash, simhash, jaccard, ngram, weighted"},
		{"lossless=1.1", "lossless 1.1: out of range (want above 0, at most 1)"},
		{"lossless=-.1", "lossless -0.1: out of range (want above 0, at most 1)"},
	} {
		if _, err := methods.New(test.spec); err == nil || err.Error() != test.says {
			t.Errorf("%+v: %v, want %s", test.spec, err, test.says)
		}
	}
}
