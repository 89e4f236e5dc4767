package token

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var parts = []string{
	"上海新增3例本土确诊", "第十一集", "ปลาสองตัว", "カタカナ", "1,995.0", "k61", "v5.4.0", "www.a.example/path/7", "kr&#246;ger &amp; co",
	"twenty", "the", "$5", "€5", "4.3bn", "43亿", "ios17", "u.s.", "@someone", "百分之五", ".25", "colour", "color", "x", "𠮷野家", "\xff\xfe", "é",
	"2024年3月5日", "march 5, 2024", "9:30", "14:00", "2 pm", "下午三点半", "don't", "it’s", "<b>", "https://a.example/7?b=c", "a & b", "u.s", "四比三", "infor- mation", "三比一", "两个月来", "第", "80 %",
	"runs", "run", "为啥", "为什么", "g00gle", "google", "no. 3", "21st", "first", "1st", "αμ", "python 3.10", "hundred and", "usd", "us$", "'", "-",
	strings.Repeat(" ", 300), strings.Repeat("long", 60), "2例", "。", "7",
}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(40) {
		b.WriteString(parts[rng.IntN(len(parts))])
		if rng.IntN(2) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// checkView holds the view of a text to its tokens: it is opened to what was cut,
// a word has one text and one weight, and another cutter cuts alike.
func checkView(c, other *Cutting, clean string) error {
	c.Cut(clean)
	tokens := slices.Clone(c.Tokens)
	other.Cut(clean)
	if !slices.Equal(other.Tokens, tokens) {
		return fmt.Errorf("%q: cut as\n%v and again as\n%v", clean, tokens, other.Tokens)
	}
	v := c.View()
	if v.Bytes() < 10*len(v.Words) {
		return fmt.Errorf("%q: %d words in %d bytes", clean, len(v.Words), v.Bytes())
	}
	var o Opened
	o.Open(v)
	if !slices.Equal(o.Tokens, tokens) {
		return fmt.Errorf("%q: opened\n%v\ncut\n%v", clean, o.Tokens, tokens)
	}
	total, seen := uint64(0), map[uint64]Token{}
	for _, t := range tokens {
		first, found := seen[t.Hash]
		if !found {
			seen[t.Hash] = t
			total += uint64(t.Weight)
		} else if first.Weight != t.Weight || first.Text != t.Text {
			return fmt.Errorf("%q: %v and %v are one word", clean, first, t)
		}
		if !v.Has(t.Hash) || t.Weight == 0 || t.Weight > MostWeight || t.Text == "" || t.Written == "" {
			return fmt.Errorf("%q: %v", clean, t)
		}
	}
	if v.Total != total || Common(v, v) != total || v.Count != len(tokens) {
		return fmt.Errorf("%q: weighs %d and %d, not %d", clean, v.Total, Common(v, v), total)
	}
	return nil
}

// Opening a view returns what was cut, whatever the text: overlapping words, numbers with units, decoded
// references, and parts that are not words and are longer than a byte can count.
func TestViewKeepsTokens(t *testing.T) {
	c := Cutting{Cutter: newCutter(t)}
	rng := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		other := Cutting{Cutter: c.Cutter}
		if err := checkView(&c, &other, randomText(rng)); err != nil {
			t.Fatal(err)
		}
	}
}

// A view that is opened again for another pair is not taken for the one before.
func TestOpenedSides(t *testing.T) {
	c := Cutting{Cutter: newCutter(t)}
	var views []*View
	var tokens [][]Token
	for _, s := range []string{"one two three", "four five", "six", ""} {
		c.Cut(s)
		views, tokens = append(views, c.View()), append(tokens, slices.Clone(c.Tokens))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var o Opened
	for range 200 {
		i := rng.IntN(len(views))
		o.Open(views[i])
		if !slices.Equal(o.Tokens, tokens[i]) {
			t.Fatalf("%v opened as %v", tokens[i], o.Tokens)
		}
	}
}

// Texts of one template differ in numbers and codes alone, each in the place of another of its kind and weight.
func TestTemplate(t *testing.T) {
	c := Cutting{Cutter: newCutter(t)}
	template := func(s string) (uint64, []uint64) {
		c.Cut(s)
		return c.View().Template()
	}
	for _, r := range []struct {
		a, b        string
		same        bool
		fillers     int
		atA, equalB int // a filler of a, and the one of b that equals it; 0: none, otherwise plus 1
	}{
		{"code 5 is yours for 10 minutes", "code 6 is yours for 10 minutes", true, 2, 2, 2},
		{"from 5 to 6", "from 6 to 7", true, 2, 2, 1},
		{"from 5 to 5", "from 6 to 6", true, 2, 0, 0},
		{"job u17 took 30 ms", "job u18 took 31 ms", true, 2, 0, 0},
		{"call 555 123", "call 444 321", true, 2, 0, 0},
		{"call 555 123", "call 55 5123", false, 2, 0, 0}, // the letters are equal
		{"code 5 is yours for 10 minutes", "code 6 is mine for 10 minutes", false, 2, 0, 0},
		{"pay 5 now", "pay u5 now", false, 1, 0, 0},
		{"the colour of 5", "the color of 5", false, 1, 0, 0},
		{"no number here", "no number there", true, 0, 0, 0},
	} {
		one, fillers := template(r.a)
		other, others := template(r.b)
		if (one == other) != r.same || (one == 0) != (r.fillers == 0) || len(fillers) != r.fillers {
			t.Errorf("%q has the template %x with %x, and %q %x with %x", r.a, one, fillers, r.b, other, others)
		}
		if r.atA > 0 && fillers[r.atA-1] != others[r.equalB-1] {
			t.Errorf("%q has %x, and %q %x", r.a, fillers, r.b, others)
		}
	}
}
