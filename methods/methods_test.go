package methods_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/methods"
)

func ExampleNew() {
	m, err := methods.New(methods.Config{Name: "jaccard", Threshold: .5, Shingle: feature.Shingle{Unit: feature.Words, K: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	match := m.Compare(m.View("one two three four five"), m.View("one two three four six"))
	fmt.Printf("%.2f %v, %s\n", match.Similarity, match.Near, match.Basis)
	// Output: 0.60 true, jaccard of words:2
}

func ExampleNames() {
	for _, name := range methods.Names() {
		fmt.Printf("%-8s %s\n", name, methods.About(name))
	}
	// Output:
	// auto     what a reader would call the same, by the evidence of the words
	// exact    equal clean text
	// minhash  Jaccard of shingles by MinHash bands, verified
	// simhash  fingerprints of 64 bits within a Hamming distance, verified by Jaccard
	// jaccard  Jaccard of shingles by prefix filtering: every pair
	// ngram    short texts by shared substrings: edit, jaccard, cosine, containment
	// weighted short texts by Jaccard of words weighted by idf
	// images   pictures, by the distance of their PDQ hashes
}

func ExampleLength() {
	fmt.Println(methods.Length("seven"), methods.Length("中国"))
	// Output: 15 4
}

func TestMistakesAreNamed(t *testing.T) {
	for want, c := range map[string]methods.Config{
		`unknown method "magic"`:          {Name: "magic"},
		"threshold 2":                     {Name: "minhash", Threshold: 2},
		"recall 3":                        {Name: "minhash", Recall: 3},
		"threshold -1":                    {Name: "jaccard", Threshold: -1},
		`similarity "x"`:                  {Name: "ngram", Similarity: "x"},
		"limit -1":                        {Name: "auto", Limit: -1},
		`variants "x"`:                    {Name: "ngram", Variants: "x"},
		"variants are for ngram":          {Name: "minhash", Variants: methods.Keep},
		"weighs no words":                 {Name: "ngram", IDF: &keyword.Table{}},
		"weights and bias have no effect": {Name: "weighted", Weights: &evidence.Weights{}},
		"threshold 1.5":                   {Name: "auto", Threshold: 1.5},
	} {
		if _, err := methods.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v does not say %q", c, err, want)
		}
	}
}

var long = strings.Repeat("the council met on monday and agreed to build a bridge over the river before the end of the year ", 4)

// Texts that are near, and what a method must hold of every pair: symmetric,
// between 0 and 1, and found by a shared key where it is exact.
func TestMethodsKeepTheContract(t *testing.T) {
	texts := []string{
		"", "!!!", "中国", "中国人", "ok", "one two three", "one two four",
		"海量网络文本去重系统实验测试,这是一段测试文本的内容。", "海量网络文本去重系统实验检测,这是一段相似的测试文本的内容。",
		long, long + "and then", strings.ToUpper(long[:200]), long[:290], long[:310],
	}
	for _, name := range methods.Names() {
		m, err := methods.New(methods.Config{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if m.Spec().Like(m.Spec()) != nil || m.Spec().Method != name {
			t.Errorf("%s describes itself as %s", name, m.Spec())
		}
		for _, a := range texts {
			for _, b := range texts {
				checkPair(t, m, a, b)
			}
		}
	}
}

func checkPair(t *testing.T, m neardup.Method, a, b string) {
	t.Helper()
	x, y := m.Compare(m.View(a), m.View(b)), m.Compare(m.View(b), m.View(a))
	if x.Near != y.Near || x.Similarity != y.Similarity || x.Unsure != y.Unsure {
		t.Errorf("%s: %q and %q are %+v one way and %+v the other", m.Spec().Method, a, b, x, y)
	}
	if x.Similarity < 0 || x.Similarity > 1 {
		t.Errorf("%s: similarity %v", m.Spec().Method, x.Similarity)
	}
	if !x.Near || a == b {
		return
	}
	var ra, rb neardup.Record
	m.Record(a, &ra)
	m.Record(b, &rb)
	if !m.Plausible(ra.Sketch, rb.Sketch) {
		t.Errorf("%s: %q and %q are near, and their sketches deny it", m.Spec().Method, a, b)
	}
	keys := map[uint64]bool{}
	for _, k := range ra.Index {
		keys[k] = true
	}
	for _, k := range rb.Probes() {
		if keys[k] {
			return
		}
	}
	t.Errorf("%s: %q and %q are near and share no key", m.Spec().Method, a, b)
}

func ExamplePreparer() {
	for _, name := range methods.Preparers() {
		p, err := methods.Preparer(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-8s %s\n", name, p.Prepare("我们的海量文本, 去重!"))
	}
	// Output:
	// asis     我们的海量文本, 去重!
	// alnum    我们的海量文本去重
	// words    我们 的 海量 文本 去 重
	// stopped  海量 文本 去 重
	// summary  我们的海量文本, 去重!
}
