package methods_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
)

func ExampleNew() {
	m, err := methods.New("jaccard threshold=.5 shingle=words:2")
	if err != nil {
		fmt.Println(err)
		return
	}
	match := m.Compare(m.Prepare("one two three four five"), m.Prepare("one two three four six"))
	fmt.Printf("%.2f %v, %s\n", match.Similarity, match.Near, match.Basis)
	// Output: 0.60 true, jaccard of words:2
}

func ExampleNames() {
	for _, name := range methods.Names() {
		fmt.Printf("%-8s %s\n", name, methods.About(name))
	}
	// Output:
	// auto     texts that a reader would call the same, by the evidence of their words
	// exact    equal clean text
	// minhash  Jaccard of shingles by MinHash bands, verified
	// simhash  fingerprints of 64 bits within a Hamming distance, verified by Jaccard
	// jaccard  Jaccard of shingles by prefix filtering, which finds every pair
	// ngram    short texts by shared substrings: edit, jaccard, cosine, containment
	// weighted short texts by Jaccard of words weighted by idf
	// images   pictures, by the distance of their PDQ hashes
}

func ExampleLength() {
	fmt.Println(methods.Length("seven"), methods.Length("中国"))
	// Output: 15 4
}

func ExampleParse() {
	c, err := methods.Parse("minhash recall=.999")
	if err != nil {
		fmt.Println(err)
		return
	}
	if c.Takes("threshold") && c.Get("threshold") == "" {
		c, err = c.With("threshold", ".70")
	}
	fmt.Println(c, err)
	_, err = c.With("prepare", "words")
	fmt.Println(err)
	// Output:
	// minhash recall=0.999 threshold=0.7 <nil>
	// prepare has no effect on method minhash, only on ngram
}

// A method that reads a file, such as its words to leave out, changes with the file.
func TestReadsFiles(t *testing.T) {
	for spec, want := range map[string]bool{"auto": false, "minhash recall=.9": false, "simhash stopwords=x": true, "simhash dictionary=x": true} {
		if c, err := methods.Parse(spec); err != nil || c.ReadsFiles() != want {
			t.Errorf("%s: %v, %v, want %v", spec, c.ReadsFiles(), err, want)
		}
	}
}

// Each setting can be given to the methods that it has an effect on, and is described.
func TestSettings(t *testing.T) {
	example := map[string]string{"float64": ".5", "int": "1", "uint64": "7", "bool": "true", "shingle": "words:2", "file": "x", "string": "levels:3"}
	for _, s := range methods.Settings() {
		value := example[s.Type]
		if s.Values != nil {
			value = s.Values[0]
		}
		if value == "" || s.Help == "" {
			t.Errorf("%s: of type %q, %q", s.Name, s.Type, s.Help)
		}
		for _, name := range methods.Names() {
			c := methods.Choice{Name: name}
			with, err := c.With(s.Name, value)
			if takes := s.Methods == nil || slices.Contains(s.Methods, name); takes != (err == nil) || takes != c.Takes(s.Name) {
				t.Errorf("%s of %s: %v, takes it: %v", s.Name, name, err, c.Takes(s.Name))
			}
			if err == nil && with.Get(s.Name) == "" {
				t.Errorf("%s of %s is lost", s.Name, name)
			}
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for want, c := range map[string]string{
		`unknown method "magic"`:                  "magic",
		"threshold 2":                             "minhash threshold=2",
		"recall 3":                                "minhash recall=3",
		"threshold -1":                            "jaccard threshold=-1",
		`similarity "x"`:                          "ngram similarity=x",
		"limit -1":                                "auto limit=-1",
		`variants "x"`:                            "ngram variants=x",
		"variants has no effect":                  "minhash variants=keep",
		"idf has no effect":                       "ngram idf=x",
		"bias has no effect":                      "weighted bias=1",
		"bias 65":                                 "bias=65",
		`unknown setting "recal"`:                 "minhash recal=.9",
		"recall is given twice":                   "minhash recall=.9 recall=.8",
		`invalid setting "fast"`:                  "minhash fast",
		`limit "x": invalid (want a whole number`: "limit=x",
		`shingle: shingle "pages:3"`:              "minhash shingle=pages:3",
		"no such file":                            "weighted idf=/none",
		"threshold 1.5":                           "auto threshold=1.5",
	} {
		if _, err := methods.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v does not say %q", c, err, want)
		}
	}
}

var long = strings.Repeat("the council met on monday and agreed to build a bridge over the river before the end of the year ", 4)

// Near texts, and the contract of a method for every pair: symmetric, between 0 and 1, and found by a shared
// key if it is exact.
func TestMethodsKeepTheContract(t *testing.T) {
	texts := []string{
		"", "!!!", "中国", "中国人", "ok", "one two three", "one two four",
		"海量网络文本去重系统实验测试,这是一段测试文本的内容。", "海量网络文本去重系统实验检测,这是一段相似的测试文本的内容。",
		long, long + "and then", strings.ToUpper(long[:200]), long[:290], long[:310],
	}
	for _, name := range methods.Names() {
		m, err := methods.New(name)
		if err != nil {
			t.Fatal(err)
		}
		if again := m.Spec().String(); m.Spec().Method != name || m.Spec().String() != again {
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
	x, y := m.Compare(m.Prepare(a), m.Prepare(b)), m.Compare(m.Prepare(b), m.Prepare(a))
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
