package weighted_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/token"
	"github.com/neardup/neardup/weighted"
)

func method(tb testing.TB, c weighted.Config) *weighted.Method {
	tb.Helper()
	m, err := weighted.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func ExampleNew() {
	m, err := weighted.New(weighted.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := m.Prepare("dear customer, you have won 500 pounds, call our office today")
	b := m.Prepare("dear customer, you have won 750 pounds, call our office today")
	match := m.Compare(a, b)
	fmt.Printf("%.2f near %v: %s\n", match.Similarity, match.Near, match.Basis)
	// Output: 0.70 near true: jaccard of words weighted by idf
}

func TestMistakesAreNamed(t *testing.T) {
	for _, threshold := range []float64{2, -1, math.NaN()} {
		if _, err := weighted.New(weighted.Config{Threshold: threshold}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("threshold %v", threshold)) {
			t.Errorf("threshold %v: error %v", threshold, err)
		}
	}
}

// The built-in tables match the Spec.
func TestTables(t *testing.T) {
	zh, err := keyword.Chinese()
	if err != nil {
		t.Fatal(err)
	}
	en, err := keyword.English()
	if err != nil {
		t.Fatal(err)
	}
	const chinese, english = "e78593ab327de614032cf0e96bd54263", "41e7922e1f62dbfb9857861a043ef538" // built-in/1
	if zh.Digest() != chinese || en.Digest() != english {
		t.Errorf("built-in tables are %s and %s: raise their version", zh.Digest(), en.Digest())
	}
	lexicon, err := token.NewLexicon(en)
	if err != nil {
		t.Fatal(err)
	}
	own := method(t, weighted.Config{Lexicon: lexicon, Seed: 5})
	if got := own.Spec().String(); got != "weighted/5 threshold=0.6 idf="+english+" seed="+neardup.SeedID(5) {
		t.Error(got)
	}
}

// texts returns sentences of words of all weights, in families with exchanged words, so that similarities are
// on both sides of the threshold.
func texts(families, size, words int) []string {
	rng := rand.New(rand.NewPCG(7, uint64(words)))
	vocabulary := strings.Fields("the a of and to in is was for with this that your account service privacy policy information data user " +
		"bridge river garden castle mountain teacher doctor captain farmer painter silver copper marble velvet 北京 上海 经济 发展 " +
		"数据库 电影 音乐 城市 博物馆 天文学家 望远镜 图书馆 铁路 博览会")
	word := func() string {
		if w := vocabulary[rng.IntN(len(vocabulary))]; rng.IntN(3) > 0 {
			return w
		}
		return fmt.Sprintf("w%c%c%c", 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26))
	}
	var all []string
	for range families {
		base := make([]string, 2+rng.IntN(words))
		for i := range base {
			base[i] = word()
		}
		for range size {
			edited := slices.Clone(base)
			for range rng.IntN(1 + len(base)/2) {
				edited[rng.IntN(len(edited))] = word()
			}
			all = append(all, strings.Join(edited, " "))
		}
	}
	return all
}

// Brute force as the oracle: every pair at the threshold shares a key where
// texts are short, nearly every pair where their keys are a sample; sketches
// reject none; and all of it is symmetric.
func TestKeysFindThePairs(t *testing.T) {
	for _, c := range []struct {
		words     int
		threshold float64
		recall    float64
	}{{6, .6, 1}, {6, .8, 1}, {6, .3, .98}, {40, .6, .995}, {200, .6, .995}} {
		m := method(t, weighted.Config{Threshold: c.threshold, Seed: 3})
		all := texts(20, 8, c.words)
		views := make([]neardup.Prepared, len(all))
		records := make([]neardup.Record, len(all))
		keys := 0
		for i, text := range all {
			views[i] = m.RecordPrepare(text, &records[i])
			keys += len(records[i].Index)
			var alone neardup.Record
			m.Record(text, &alone)
			if !slices.Equal(alone.Index, records[i].Index) || alone.Sketch != records[i].Sketch {
				t.Fatalf("%q has other keys alone", text)
			}
		}
		near, found := 0, 0
		for i := range all {
			for j := range i {
				match := m.Compare(views[i], views[j])
				if !reflect.DeepEqual(match, m.Compare(views[j], views[i])) {
					t.Fatalf("%q and %q are not compared alike both ways", all[i], all[j])
				}
				if want := jaccard(m, all[i], all[j]); match.Near != (want >= c.threshold) || (match.Near && match.Similarity != want) {
					t.Fatalf("%q and %q: %+v, want %v", all[i], all[j], match, want)
				} else if measured := m.Measure(views[i], views[j]); measured != want {
					t.Fatalf("%q and %q: measured %v, want %v", all[i], all[j], measured, want)
				}
				if !match.Near || all[i] == all[j] {
					continue
				}
				near++
				if !m.Plausible(records[i].Sketch, records[j].Sketch) {
					t.Errorf("the sketches of %q and %q deny %v", all[i], all[j], match.Similarity)
				}
				if slices.ContainsFunc(records[i].Index, func(k uint64) bool { return slices.Contains(records[j].Index, k) }) {
					found++
				}
			}
		}
		if near < 8 || float64(found) < c.recall*float64(near) {
			t.Errorf("%+v: %d of %d pairs share a key", c, found, near)
		}
		if keys > 34*len(all) && c.threshold >= .6 {
			t.Errorf("%+v: %d keys of %d texts", c, keys, len(all))
		}
	}
}

// jaccard returns the similarity by definition, with maps. The weight of a word is the total of a text of only
// that word.
func jaccard(m *weighted.Method, a, b string) float64 {
	x, y := wordsOf(a), wordsOf(b)
	var common, union float64
	for w := range x {
		weight := weightOf(m, w)
		union += weight
		if y[w] {
			common += weight
		}
	}
	for w := range y {
		if !x[w] {
			union += weightOf(m, w)
		}
	}
	return common / union
}

func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

func weightOf(m *weighted.Method, word string) float64 {
	return float64(m.Prepare(word).(*token.View).Total)
}

// A text that is near has words in common that weigh three fifths of either, each as much as in all texts.
func TestOverlaps(t *testing.T) {
	m := method(t, weighted.Config{})
	text := "the council will pay 1,500 pounds to each of the families"
	got := m.FeatureSets(nil, m.Prepare(text))
	if len(got) != 1 || len(got[0].Features) != 10 || len(got[0].Weights) != 10 {
		t.Fatalf("%+v", got)
	}
	sum := uint64(0)
	for _, w := range got[0].Weights {
		sum += w
	}
	if least := float64(got[0].Least); sum != m.Prepare(text).(*token.View).Total || least < .6*float64(sum) || least-1 >= .6*float64(sum) {
		t.Errorf("%d of %d is in common at least, the text weighs %d", got[0].Least, sum, m.Prepare(text).(*token.View).Total)
	}
	if got := m.FeatureSets(nil, m.Prepare("")); len(got) != 0 {
		t.Errorf("of an empty text %+v", got)
	}
}
