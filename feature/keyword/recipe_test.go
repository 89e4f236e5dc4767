package keyword

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text/segment"
)

// stringHash and fingerprint are the rest of the script, from its definition.
func stringHash(s string) uint64 {
	runes := []rune(s)
	x := uint64(runes[0]) << 7
	for _, r := range runes {
		x = x*1000003 ^ uint64(r) // the low 64 of its 128 bits depend only on each other
	}
	return x ^ uint64(len(runes))
}

func fingerprint(words []RecipeKeyword) string {
	if len(words) == 0 {
		return "00"
	}
	var sums [64]int64
	for _, w := range words {
		h := stringHash(w.Word)
		for bit := range sums {
			if h>>bit&1 == 1 {
				sums[bit] += w.Level
			} else {
				sums[bit] -= w.Level
			}
		}
	}
	value := uint64(0)
	for bit, sum := range sums {
		if sum > 0 {
			value |= 1 << bit
		}
	}
	return fmt.Sprintf("%016x", value)
}

func TestRecipeGivesTheKnownAnswers(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(filepath.Dir(shared.Path(t, "README.md")), "..", "known-answers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		Keywords struct {
			Values []struct {
				Text     string
				Tokens   []string
				Keywords [][2]any
				Simhash  string
			}
		}
	}
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	if len(known.Keywords.Values) < 6 {
		t.Fatalf("%d cases, want 6 or more", len(known.Keywords.Values))
	}
	recipe, err := JiebaRecipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range known.Keywords.Values {
		if got := recipe.chinese.Cut([]string{}, c.Text, segment.HMM); !slices.Equal(got, c.Tokens) {
			t.Errorf("%s: tokens %q, want %q", c.Text, got, c.Tokens)
		}
		got := recipe.Keywords(c.Text)
		if len(got) != len(c.Keywords) {
			t.Fatalf("%s: keywords %v, want %v", c.Text, got, c.Keywords)
		}
		for i, want := range c.Keywords {
			if got[i].Word != want[0] || math.Abs(got[i].Weight-want[1].(float64)) > 1e-6 {
				t.Errorf("%s: keyword %d is %v, want %v", c.Text, i, got[i], want)
			}
		}
		if f := fingerprint(got); f != c.Simhash {
			t.Errorf("%s: fingerprint %s, want %s", c.Text, f, c.Simhash)
		}
	}
}

func ExampleRecipe_Keywords() {
	recipe, err := JiebaRecipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range recipe.Keywords("我来到北京清华大学") {
		fmt.Printf("%s %.6f %d\n", k.Word, k.Weight, k.Level)
	}
	// Output:
	// 清华大学 2.693532 53
	// 来到 1.795229 35
	// 北京 1.555801 31
}
