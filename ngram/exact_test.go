package ngram_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/ngram"
)

// The oracles below share nothing with the package but the shingles.

// editOracle finds the near pairs by the textbook distance.
func editOracle(texts []string, threshold float64) map[pair]float64 {
	found := map[pair]float64{}
	runes := make([][]rune, len(texts))
	for i, t := range texts {
		runes[i] = []rune(t)
	}
	row := make([]int, 0, 256)
	counts := make([][64]int, len(texts))
	for i := range runes {
		for _, r := range runes[i] {
			counts[i][r&63]++
		}
	}
	for j := range texts {
		for i := range j {
			longer, shorter := len(runes[i]), len(runes[j])
			if longer < shorter {
				longer, shorter = shorter, longer
			}
			most := int((1-threshold)*float64(longer)) + 1
			if float64(shorter)/float64(longer) < threshold || fewest(&counts[i], &counts[j]) > most || !alnum(texts[i]) || !alnum(texts[j]) {
				continue
			}
			s := float64(longer-levenshtein(runes[i], runes[j], most, row)) / float64(longer)
			if s >= threshold {
				found[pair{int32(i), int32(j)}] = s
			}
		}
	}
	return found
}

// fewest returns the least number of edits that the counts of runes require.
func fewest(a, b *[64]int) int {
	more, less := 0, 0
	for i := range a {
		more += max(a[i]-b[i], 0)
		less += max(b[i]-a[i], 0)
	}
	return max(more, less)
}

// levenshtein returns the distance. If all of a row exceeds most, so does the distance, and it returns the
// least of that row.
func levenshtein(a, b []rune, most int, row []int) int {
	row = row[:0]
	for j := range len(b) + 1 {
		row = append(row, j)
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j, s := range b {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
			least = min(least, row[j+1])
		}
		if least > most {
			return least
		}
	}
	return row[len(b)]
}

func alnum(s string) bool {
	return len(feature.Shingle{Unit: feature.Runes, K: 1}.Append(nil, s, 0)) > 0
}

// setOracle counts the common shingles of every pair that has any.
func setOracle(texts []string, shingle feature.Shingle, s ngram.Similarity, threshold float64) map[pair]float64 {
	holders := map[uint64][]int32{}
	sizes := make([]int, len(texts))
	found := map[pair]float64{}
	common := make([]int, len(texts))
	for j, t := range texts {
		set := feature.Set(shingle.Append(nil, t, 0))
		sizes[j] = len(set)
		clear(common[:j])
		for _, h := range set {
			for _, i := range holders[h] {
				common[i]++
			}
			holders[h] = append(holders[h], int32(j))
		}
		for i, c := range common[:j] {
			if c == 0 {
				continue
			}
			a, b, c := float64(sizes[i]), float64(sizes[j]), float64(c)
			v := c / (a + b - c)
			switch s {
			case ngram.Cosine:
				v = c / math.Sqrt(a*b)
			case ngram.Containment:
				v = c / min(a, b)
			}
			if v >= threshold {
				found[pair{int32(i), int32(j)}] = v
			}
		}
	}
	return found
}

// lookup joins through probe and index keys in both roles, as a service does:
// a pair must be found whichever text comes first.
func lookup(t testing.TB, m neardup.Method, texts []string) map[pair]float64 {
	records := make([]neardup.Record, len(texts))
	index := map[uint64][]int32{}
	for i, text := range texts {
		m.Record(text, &records[i])
		for _, k := range records[i].Index {
			index[k] = append(index[k], int32(i))
		}
	}
	found := map[pair]float64{}
	directions := map[pair]int{}
	views := make([]neardup.Prepared, len(texts))
	for i, text := range texts {
		views[i] = m.Prepare(text)
	}
	for i := range texts {
		seen := map[int32]bool{}
		for _, k := range records[i].Probes() {
			for _, other := range index[k] {
				if int(other) == i || seen[other] || !m.Plausible(records[i].Sketch, records[other].Sketch) {
					continue
				}
				seen[other] = true
				match := m.Compare(views[i], views[other])
				if !match.Near {
					continue
				}
				p := pair{min(int32(i), other), max(int32(i), other)}
				found[p] = match.Similarity
				directions[p]++
			}
		}
	}
	for p, n := range directions {
		if n != 2 {
			t.Errorf("%q and %q find each other in one direction only", texts[p.a], texts[p.b])
		}
	}
	return found
}

func samePairs(t testing.TB, what string, texts []string, got, want map[pair]float64) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	shown := 0
	for p, s := range want {
		if g, ok := got[p]; (!ok || g != s) && shown < 5 {
			t.Errorf("%s: %.99q and %.99q: got %v (%v), want %v", what, texts[p.a], texts[p.b], g, ok, s)
			shown++
		}
	}
	t.Fatalf("%s: %d pairs, want %d", what, len(got), len(want))
}

func newMethod(t testing.TB, c ngram.Config) ngram.Method {
	t.Helper()
	m, err := ngram.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// every returns all texts of at most n runes over an alphabet.
func every(alphabet string, n int) []string {
	all := []string{""}
	for from := 0; n > 0; n-- {
		to := len(all)
		for _, t := range all[from:to] {
			for _, r := range alphabet {
				all = append(all, t+string(r))
			}
		}
		from = to
	}
	return all
}

// All texts of up to 7 runes over two letters, up to 5 over letters and a
// comma, at every kind of threshold: no length has a gap.
func TestEditIsExactOnAllShortTexts(t *testing.T) {
	for _, texts := range [][]string{every("ab", 7), every("ab,", 5)} {
		for _, threshold := range []float64{.05, .2, 1. / 3, .5, .6, 2. / 3, .7, .75, .8, .85, .9, .99, 1} {
			want := editOracle(texts, threshold)
			m := newMethod(t, ngram.Config{Threshold: threshold})
			what := fmt.Sprintf("edit >= %.2f", threshold)
			samePairs(t, what, texts, lookup(t, m, texts), want)
			samePairs(t, what+", trained", texts, lookup(t, train(m, texts), texts), want)
			samePairs(t, what+", trained as fits", texts, lookup(t, trainAsFits(m, texts), texts), want)
		}
	}
}

func TestSetsAreExactOnAllShortTexts(t *testing.T) {
	texts := every("ab,", 5)
	for _, similarity := range []ngram.Similarity{ngram.Jaccard, ngram.Cosine, ngram.Containment} {
		for _, spec := range []string{"runes:2", "runes:3", "words:1"} {
			shingle, _ := feature.ParseShingle(spec)
			for _, threshold := range []float64{.1, 1. / 3, .5, .6, 2. / 3, .8, 1} {
				want := setOracle(texts, shingle, similarity, threshold)
				m := newMethod(t, ngram.Config{Similarity: similarity, Shingle: shingle, Threshold: threshold})
				what := fmt.Sprintf("%s of %s >= %.2f", similarity, spec, threshold)
				samePairs(t, what, texts, lookup(t, train(m, texts), texts), want)
				samePairs(t, what+", as fits", texts, lookup(t, trainAsFits(m, texts), texts), want)
			}
		}
	}
}

// Texts of every length up to 200 runes and some longer ones, each with edited
// copies at, just under and just over the limit, over alphabets from letters
// to Chinese, half of them with a common greeting.
func TestEditIsExactAroundTheLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, threshold := range []float64{.5, .6, .7, .8, .9, .95} {
		var texts []string
		for n := 1; n < 1500; n += 1 + n/4 {
			base := []rune(randomText(rng, n, []int{3, 26, 3000}[n%3]))
			if n%2 == 0 {
				base = append([]rune("亲爱的朋友们大家好今天给大家分享"), base...)
			}
			limit := int((1 - threshold) * float64(len(base)))
			texts = append(texts, string(base))
			for _, edits := range []int{limit - 1, limit, limit + 1} {
				texts = append(texts, edited(rng, base, edits), inserted(rng, base, edits))
			}
		}
		slices.Sort(texts)
		texts = slices.Compact(texts)
		want := editOracle(texts, threshold)
		m := train(newMethod(t, ngram.Config{Threshold: threshold}), texts)
		samePairs(t, fmt.Sprintf("edit >= %g", threshold), texts, lookup(t, m, texts), want)
	}
}

func randomText(rng *rand.Rand, n, alphabet int) string {
	var b strings.Builder
	first := 'a'
	if alphabet > 26 {
		first = '一'
	}
	for range n {
		b.WriteRune(first + rune(rng.IntN(alphabet)))
	}
	return b.String()
}

// edited changes runes far apart and close together.
func edited(rng *rand.Rand, base []rune, edits int) string {
	out := slices.Clone(base)
	for range max(edits, 0) {
		at := rng.IntN(len(out) + 1)
		switch {
		case rng.IntN(3) == 0 || at == len(out):
			out = slices.Insert(out, at, '变')
		case rng.IntN(2) == 0:
			out[at] = '换'
		case len(out) > 1:
			out = slices.Delete(out, at, at+1)
		}
	}
	return string(out)
}

// inserted puts all edits in one place: the longest partner a text can have.
func inserted(rng *rand.Rand, base []rune, edits int) string {
	at := rng.IntN(len(base) + 1)
	return string(slices.Insert(slices.Clone(base), at, []rune(strings.Repeat("加", max(edits, 0)))...))
}

// Samples of 5,000 headlines (of 20,000 with NEARDUP_LONG set), days that follow each other (near-duplicates cluster)
// and from anywhere.
func TestHeadlinesAreExact(t *testing.T) {
	all := headlines(t)
	n := 5000
	if os.Getenv("NEARDUP_LONG") != "" {
		n = 20_000
	}
	rng := rand.New(rand.NewPCG(7, 8))
	var anywhere []string
	for _, i := range rng.Perm(len(all))[:n] {
		anywhere = append(anywhere, all[i])
	}
	for name, texts := range map[string][]string{"in a row": all[300_000:][:n], "anywhere": anywhere} {
		checkJoin(t, name+", edit", ngram.Config{Threshold: .8}, texts, editOracle(texts, .8))
		shingle := feature.Shingle{Unit: feature.Runes, K: 2}
		for _, threshold := range []float64{.5, .6, .8} {
			c := ngram.Config{Similarity: ngram.Jaccard, Shingle: shingle, Threshold: threshold}
			checkJoin(t, name+", jaccard", c, texts, setOracle(texts, shingle, ngram.Jaccard, threshold))
		}
	}
}

func checkJoin(t *testing.T, what string, c ngram.Config, texts []string, want map[pair]float64) {
	t.Helper()
	got := map[pair]float64{}
	w := join(train(newMethod(t, c), texts), texts, func(p pair, m neardup.Match) { got[p] = m.Similarity })
	samePairs(t, fmt.Sprintf("%s >= %g", what, c.Threshold), texts, got, want)
	clear(got)
	join(trainAsFits(newMethod(t, c), texts), texts, func(p pair, m neardup.Match) { got[p] = m.Similarity })
	samePairs(t, fmt.Sprintf("%s >= %g, as fits", what, c.Threshold), texts, got, want)
	t.Logf("%s >= %g: %d pairs, all found; compared %d", what, c.Threshold, len(want), w.compared)
}
