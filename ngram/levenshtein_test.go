package ngram

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naiveDistance fills the textbook table, as the oracle of every distance here.
func naiveDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range b {
			least := min(row[j], row[j+1]) + 1
			if r == s {
				least = min(least, diagonal)
			} else {
				least = min(least, diagonal+1)
			}
			diagonal, row[j+1] = row[j+1], least
		}
	}
	return row[len(b)]
}

func checkDistance(t interface{ Fatalf(string, ...any) }, a, b []rune, limit int) {
	w := new(workspace)
	want := min(naiveDistance(a, b), limit+1)
	if got := distance(a, b, limit, w); got != want {
		t.Fatalf("distance(%q, %q, limit %d) = %d, want %d", string(a), string(b), limit, got, want)
	}
	if got := distance(b, a, limit, w); got != want {
		t.Fatalf("distance(%q, %q, limit %d) = %d, want %d", string(b), string(a), limit, got, want)
	}
}

func TestDistance(t *testing.T) {
	long := strings.Repeat("中文短文本", 40)
	cases := []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 0, 0},
		{"", "abc", 3, 3},
		{"", "abc", 2, 3},
		{"kitten", "sitting", 9, 3},
		{"kitten", "sitting", 2, 3},
		{"中国", "中国人", 1, 1},
		{"ab", "ba", 2, 2},
		{long, long, 0, 0},
		{long, "x" + long, 5, 1},
		{long + "x", "x" + long, 5, 2},
		{long, strings.Repeat("y", 200), 50, 51},
		{long, strings.Repeat("y", 200), 500, 200},
	}
	for _, c := range cases {
		if got := distance([]rune(c.a), []rune(c.b), c.limit, new(workspace)); got != c.want {
			t.Errorf("distance(%.20q, %.20q, limit %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}

// Texts of every length around the block borders, edited a little and a lot,
// over small and large alphabets, agree with the textbook table.
func TestDistanceAgreesWithTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, alphabet := range []int{1, 2, 4, 30, 3000} {
		for n := range 40 {
			length := []int{n, 60 + n/4, 120 + n/2, 180 + n, 400 + n}[n%5]
			a := randomRunes(rng, length, alphabet)
			for _, edits := range []int{0, 1, 3, length / 5, length / 2, 2 * length} {
				b := mutate(rng, a, edits, alphabet)
				for _, limit := range []int{0, 1, edits / 2, edits, edits + 5, 3 * length} {
					checkDistance(t, a, b, limit)
				}
			}
		}
	}
}

func TestDistanceIsAMetric(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) []rune {
		return []rune(rapid.StringOfN(rapid.SampledFrom([]rune("ab中é")), 0, 90, -1).Draw(t, "text"))
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := text.Draw(t, "a"), text.Draw(t, "b"), text.Draw(t, "c")
		w := new(workspace)
		ab, bc, ac := distance(a, b, 200, w), distance(b, c, 200, w), distance(a, c, 200, w)
		if ab != distance(b, a, 200, w) {
			t.Fatalf("not symmetric")
		}
		if ac > ab+bc {
			t.Fatalf("triangle: %d > %d + %d", ac, ab, bc)
		}
		checkDistance(t, a, b, rapid.IntRange(0, 100).Draw(t, "limit"))
	})
}

func FuzzDistance(f *testing.F) {
	f.Add("kitten", "sitting", 3)
	f.Add(strings.Repeat("ab", 70), strings.Repeat("ba", 66), 12)
	f.Add(strings.Repeat("中国人", 50), strings.Repeat("中人", 70), 40)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		if len(a) > 1000 || len(b) > 1000 {
			return
		}
		checkDistance(t, []rune(a), []rune(b), max(0, limit%1500))
	})
}

func randomRunes(rng *rand.Rand, n, alphabet int) []rune {
	out := make([]rune, n)
	for i := range out {
		out[i] = rune('a' + rng.IntN(alphabet))
	}
	return out
}

// mutate makes random substitutions, insertions and deletions.
func mutate(rng *rand.Rand, a []rune, edits, alphabet int) []rune {
	b := append([]rune(nil), a...)
	for range edits {
		at := rng.IntN(len(b) + 1)
		r := rune('a' + rng.IntN(alphabet))
		switch kind := rng.IntN(3); {
		case kind == 0 || len(b) == 0:
			b = append(b[:at], append([]rune{r}, b[at:]...)...)
		case at == len(b):
		case kind == 1:
			b[at] = r
		default:
			b = append(b[:at], b[at+1:]...)
		}
	}
	return b
}

func BenchmarkDistance(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{12, 60, 700, 10_000} {
		x := randomRunes(rng, n, 2000)
		y := mutate(rng, x, n/6+1, 2000)
		z := randomRunes(rng, n, 2000)
		w := new(workspace)
		b.Run(fmt.Sprintf("near/runes=%d", n), func(b *testing.B) {
			for b.Loop() {
				distance(x, y, n/5, w)
			}
		})
		b.Run(fmt.Sprintf("far/runes=%d", n), func(b *testing.B) {
			for b.Loop() {
				distance(x, z, n/5, w)
			}
		})
	}
}
