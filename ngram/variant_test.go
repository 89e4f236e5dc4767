package ngram_test

import (
	"testing"

	"github.com/neardup/neardup/ngram"
)

func TestVariant(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{"Farm to Market Road FM 1506", "Farm to Market Road FM 1507", true},
		{"query processing, part I", "query processing, part II", true},
		{"your code is A7X2", "your code is B9Q1", true},
		{"on 2024-05-01 at 9:30", "on 2024-06-02 at 10:30", true},
		{"图书馆第3期简报", "图书馆第4期简报", true},
		{"图书馆第三期简报", "图书馆第四期简报", true},
		{"vitamin A", "vitamin B", true},
		{"same text", "same text", false},
		{"same text!", "same, text", false},
		{"1506", "1507", false},
		{"the cat sat", "the dog sat", false},
		{"the cat sat on 3", "the dog sat on 4", false},
		{"part I", "part I of II", false},
		{"", "", false},
	}
	for _, c := range cases {
		if got := ngram.Variant(c.a, c.b); got != c.want {
			t.Errorf("Variant(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
		if got := ngram.Variant(c.b, c.a); got != c.want {
			t.Errorf("Variant(%q, %q) = %v, want %v", c.b, c.a, got, c.want)
		}
	}
}

func TestVariantGuard(t *testing.T) {
	for _, similarity := range []ngram.Similarity{ngram.Edit, ngram.Jaccard} {
		a, b := "Farm to Market Road FM 1506 in Hill County", "Farm to Market Road FM 1507 in Hill County"
		for guard, want := range map[bool]bool{false: true, true: false} {
			m := newMethod(t, ngram.Config{Similarity: similarity, Threshold: .7, Variants: guard})
			if got := m.Compare(m.Prepare(a), m.Prepare(b)).Near; got != want {
				t.Errorf("%s, guard %v: near = %v, want %v", similarity, guard, got, want)
			}
		}
	}
}

// TestTablesDecide: the tables of package text say what a letter is, so keys do not change with the Unicode of a new Go.
func TestTablesDecide(t *testing.T) {
	const kawi = '\U00011F04' // a letter since Unicode 15
	if got := ngram.Alnum("a" + string(kawi) + "b"); got != "ab" {
		t.Errorf("%q", got)
	}
}
