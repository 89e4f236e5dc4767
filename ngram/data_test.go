package ngram_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/ngram"
)

// smsTexts returns the ids and lower-cased texts of uci_sms.
func smsTexts(tb testing.TB) (ids, texts []string) {
	return setTexts(tb, "uci_sms/docs.jsonl")
}

// lines calls each with every line of a file, packed or not.
func lines(tb testing.TB, name string, each func([]byte)) {
	tb.Helper()
	stored, err := os.ReadFile(shared.Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	if strings.HasSuffix(name, ".zst") {
		r, err := zstd.NewReader(bytes.NewReader(stored))
		if err != nil {
			tb.Fatal(err)
		}
		defer r.Close()
		stored, err = io.ReadAll(r)
		if err != nil {
			tb.Fatal(err)
		}
	}
	s := bufio.NewScanner(bytes.NewReader(stored))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		each(s.Bytes())
	}
	if err := s.Err(); err != nil {
		tb.Fatal(err)
	}
}

func setTexts(tb testing.TB, name string) (ids, texts []string) {
	lines(tb, name, func(line []byte) {
		var d struct{ ID, Text string }
		if err := json.Unmarshal(line, &d); err != nil {
			tb.Fatal(err)
		}
		ids = append(ids, d.ID)
		texts = append(texts, strings.ToLower(d.Text))
	})
	return ids, texts
}

// storedPairs reads an exact_pairs.tsv: every pair at or above a similarity,
// by brute force. Pairs of texts without a letter or number are left out: the
// program that made the file calls them equal.
func storedPairs(tb testing.TB, name string, ids, texts []string, threshold float64) map[pair]float64 {
	place := map[string]int32{}
	for i, id := range ids {
		place[id] = int32(i)
	}
	found := map[pair]float64{}
	lines(tb, name, func(line []byte) {
		field := strings.Split(string(line), "\t")
		s, err := strconv.ParseFloat(field[2], 64)
		if err != nil || s < threshold { // the heading, or too far apart
			return
		}
		a, known := place[field[0]]
		b, both := place[field[1]]
		if known && both && alnum(texts[a]) && alnum(texts[b]) {
			found[pair{min(a, b), max(a, b)}] = s
		}
	})
	return found
}

// Recall and precision are 1 against the stored oracles: short texts, and
// long documents in English and Chinese.
func TestJaccardAgainstStoredOracles(t *testing.T) {
	for _, c := range []struct {
		set, docs, shingle string
		thresholds         []float64
		most               int // documents, 0 for all
	}{
		{"uci_sms", "docs.jsonl", "runes:3", []float64{.5, .6, .7, .8}, 0},
		{"zh_laws", "docs.jsonl.zst", "runes:3", []float64{.7}, 0},
		{"zh_tidb_docs_versions", "docs.jsonl.zst", "runes:3", []float64{.7}, 800},
		{"ota_terms_versions", "docs.jsonl.zst", "words:3", []float64{.7}, 600},
	} {
		ids, texts := setTexts(t, c.set+"/"+c.docs)
		if c.most > 0 {
			ids, texts = ids[:c.most], texts[:c.most]
		}
		shingle, err := feature.ParseShingle(c.shingle)
		if err != nil {
			t.Fatal(err)
		}
		for _, threshold := range c.thresholds {
			unsigned := make([]string, len(texts))
			for i, text := range texts {
				unsigned[i] = featuretest.Unsigned(text, shingle.Unit)
			}
			m, err := ngram.NewJaccard(ngram.Config{Shingle: shingle, Threshold: threshold})
			if err != nil {
				t.Fatal(err)
			}
			want := storedPairs(t, c.set+"/exact_pairs.tsv", ids, texts, threshold)
			got := map[pair]float64{}
			other := 0 // a few texts have runes that Python and Go class differently
			w := join(train(m, unsigned), unsigned, func(p pair, match neardup.Match) {
				got[p] = want[p]
				if math.Abs(match.Similarity-want[p]) > .0005 {
					other++
				}
			})
			samePairs(t, fmt.Sprintf("%s at %g", c.set, threshold), texts, got, want)
			if other*1000 > len(want) {
				t.Errorf("%s at %g: %d of %d similarities differ", c.set, threshold, other, len(want))
			}
			t.Logf("%s at %g: %d pairs of %d texts, %d compared", c.set, threshold, len(want), len(texts), w.compared)
		}
	}
}

// Each sentence and its correction among all the others.
func TestEditPairsAreExact(t *testing.T) {
	texts := editPairTexts(t, 0)
	checkJoin(t, "zh_edit_pairs", ngram.Config{Threshold: .8}, texts, editOracle(texts, .8))
}

// All English messages against each other.
func TestMessagesAreExact(t *testing.T) {
	_, all := smsTexts(t)
	slices.Sort(all)
	texts := slices.Compact(all)
	checkJoin(t, "uci_sms, edit", ngram.Config{Threshold: .8}, texts, editOracle(texts, .8))
}

// editPairTexts returns the distinct texts of the first pairs, all for 0.
func editPairTexts(tb testing.TB, pairs int) []string {
	var texts []string
	seen := map[string]bool{}
	n := 0
	lines(tb, "zh_edit_pairs/pairs.jsonl", func(line []byte) {
		var d struct {
			A string `json:"text_a"`
			B string `json:"text_b"`
		}
		if err := json.Unmarshal(line, &d); err != nil {
			tb.Fatal(err)
		}
		n++
		if pairs > 0 && n > pairs {
			return
		}
		for _, text := range []string{d.A, d.B} {
			if !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	})
	return texts
}

func TestArticlesOfTheDocID(t *testing.T) {
	m := newMethod(t, ngram.Config{})
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"海量网络文本去重系统实验测试，这是一段测试文本的内容。", "海量网络文本去重系统实验检测，这是一段相似的测试文本的内容。", true},
		{"中国", "中国人", false},
		{"!!!!!!!!!!", "!!!!!!!!!!!", false},
	} {
		match := m.Compare(m.Prepare(c.a), m.Prepare(c.b))
		if match.Near != c.want {
			t.Errorf("%q and %q: near = %v (%+v)", c.a, c.b, match.Near, match)
		}
		if found := lookup(t, m, []string{c.a, c.b}); (len(found) == 1) != c.want {
			t.Errorf("%q and %q: found %v", c.a, c.b, found)
		}
	}
}

// Texts of one greeting of 20 runes and 20 to 40 runes of their own. The greeting is in no prefix, otherwise
// each text would share a key with all others. The frequent runes of the shortest texts still give candidates
// in proportion to the number of texts (docs/short-texts.md).
func TestGreetingIsNoKey(t *testing.T) {
	small, large := 2000, 16_000
	perText := func(n int) float64 {
		texts := greetings(t, n)
		w := join(train(newMethod(t, ngram.Config{}), texts), texts, func(pair, neardup.Match) {})
		return float64(w.scanned) / float64(n)
	}
	few, many := perText(small), perText(large)
	t.Logf("scanned for a text: %.1f of %d, %.1f of %d", few, small, many, large)
	if many > 100 {
		t.Errorf("%.1f entries scanned for a text of %d", many, large)
	}
}

// greetings makes distinct texts from headlines.
func greetings(tb testing.TB, n int) []string {
	const greeting = "亲爱的朋友们大家好今天给大家分享一条新闻"
	all := headlines(tb)
	rng := rand.New(rand.NewPCG(9, 10))
	texts := make([]string, n)
	for i := range texts {
		var own []rune
		for want := 20 + rng.IntN(21); len(own) < want; {
			own = append(own, []rune(all[rng.IntN(len(all))])...)
			own = own[:min(len(own), want)]
		}
		texts[i] = greeting + string(own)
	}
	return texts
}

// BenchmarkGreetings shows the cost of a text as the texts grow 16 times.
func BenchmarkGreetings(b *testing.B) {
	for _, n := range []int{20_000, 80_000, 320_000} {
		texts := greetings(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				w := join(train(newMethod(b, ngram.Config{}), texts), texts, func(pair, neardup.Match) {})
				b.ReportMetric(float64(w.scanned)/float64(n), "scanned/text")
				b.ReportMetric(float64(w.compared)/float64(n), "compared/text")
				b.ReportMetric(float64(w.keys)/float64(n), "keys/text")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/text")
		})
	}
}
