package methods

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/text/segment"
	"github.com/neardup/neardup/weighted"
)

// FeatureConfig says what simhash counts, and with what tables.
type FeatureConfig struct {
	// Kind is "" (the default of simhash), a shingle such as "auto:3" or
	// "runes:4", "shingles" (Shingle, so those of the verification),
	// "levels:n" (all words, with weights 1 to n by how often they occur in
	// the text) or "keywords:n" (the n words of highest TF-IDF). Without
	// ":n" there are 5 levels, 20 keywords.
	Kind string
	// Shingle of Kind "shingles"; zero: feature.Default.
	Shingle feature.Shingle
	// Seed of the hashes.
	Seed uint64
	// IDF is a table of keyword.Trainer; nil: the built-in ones, Chinese
	// or English by the script of a word.
	IDF io.Reader
	// StopWords, one a line, instead of the built-in ones.
	StopWords io.Reader
	// Dictionary adds words to the built-in Chinese dictionary: "word
	// [frequency] [tag]" a line.
	Dictionary io.Reader
}

// Kinds of features.
const (
	kindShingles = "shingles"
	kindLevels   = "levels"
	kindKeywords = "keywords"

	defaultLevels = 5
	// mostWords bounds levels and keywords.
	mostWords = 1000
)

// builtIn names the tables that come with the program, at their version.
const builtIn = "built-in/1"

// Tables is how many bytes of a bound of memory a method's tables may take: the dictionary and the
// idf of Chinese, which lie in memory from the first Chinese text on.
func Tables(m neardup.Method) int64 {
	s := innermost(m).Spec()
	if s.Method == "auto" || s.Method == weighted.Name || strings.Contains(s.String(), "built-in/") {
		return 16 << 20
	}
	return 0
}

// Features makes the features of simhash. Their String names all of Config,
// tables by digest. Errors name the part that is wrong. See Tables.
func (c FeatureConfig) Features() (simhash.Features, error) {
	kind, count, counted := strings.Cut(c.Kind, ":")
	if kind != kindLevels && kind != kindKeywords {
		return c.shingles()
	}
	w := words{kind: kind, n: defaultLevels, seed: c.Seed}
	if kind == kindKeywords {
		w.n = keyword.DefaultCount
	}
	if counted {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > mostWords {
			return nil, fmt.Errorf("features %q: %q is no number in 1..%d", c.Kind, count, mostWords)
		}
		w.n = n
	}
	if err := w.open(c); err != nil {
		return nil, fmt.Errorf("features %q: %w", c.Kind, err)
	}
	return &w, nil
}

// shingles makes the features that need no words.
func (c FeatureConfig) shingles() (simhash.Features, error) {
	if c.IDF != nil || c.StopWords != nil || c.Dictionary != nil {
		return nil, fmt.Errorf("shingles use no table, stop words or dictionary: choose levels or keywords")
	}
	switch c.Kind {
	case "":
		return simhash.DefaultFeatures(c.Seed), nil
	case kindShingles:
		if c.Shingle == (feature.Shingle{}) {
			c.Shingle = feature.Default
		}
		return simhash.Shingles{Shingle: c.Shingle, Seed: c.Seed}, nil
	}
	shingle, err := feature.ParseShingle(c.Kind)
	if err != nil {
		return nil, fmt.Errorf("features %q are none of shingles, auto:n, words:n, runes:n, levels:n, keywords:n", c.Kind)
	}
	return simhash.Shingles{Shingle: shingle, Seed: c.Seed}, nil
}

// words are the words of a text as features.
type words struct {
	kind      string
	n         int
	seed      uint64
	splitter  keyword.Splitter
	stop      *keyword.StopWords
	extractor *keyword.Extractor // of keywords
	tables    string             // named for String
}

func (w *words) open(c FeatureConfig) error {
	dict, err := w.openDictionary(c.Dictionary)
	if err != nil {
		return fmt.Errorf("dictionary: %w", err)
	}
	stop, err := w.openStopWords(c.StopWords)
	if err != nil {
		return fmt.Errorf("stop words: %w", err)
	}
	w.tables = ",dict=" + dict + ",stop=" + stop
	if w.kind == kindLevels {
		if c.IDF != nil {
			return fmt.Errorf("levels use no idf table")
		}
		return nil
	}
	idf, err := openIDF(c.IDF)
	if err != nil {
		return fmt.Errorf("idf table: %w", err)
	}
	w.tables += ",idf=" + idf.Digest()
	w.extractor = keyword.NewExtractor(w.splitter, idf, w.stop, w.n)
	return nil
}

// Splitter returns what cuts a text into words: with the built-in dictionary,
// and the words of extra where it is not nil.
func Splitter(extra io.Reader) (keyword.Splitter, error) {
	if extra == nil {
		return keyword.DefaultSplitter()
	}
	g, err := segment.New(segment.WithWords(extra))
	if err != nil {
		return keyword.Splitter{}, err
	}
	return keyword.NewSplitter(g, segment.HMM), nil
}

func (w *words) openDictionary(r io.Reader) (label string, err error) {
	if r == nil {
		w.splitter, err = Splitter(nil)
		return builtIn, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	w.splitter, err = Splitter(strings.NewReader(string(text)))
	return builtIn + "+" + neardup.DigestOf(string(text)).String(), err
}

func (w *words) openStopWords(r io.Reader) (label string, err error) {
	if r == nil {
		w.stop, err = keyword.BuiltInStopWords()
		return builtIn, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	w.stop, err = keyword.ReadStopWords(strings.NewReader(string(text)))
	return neardup.DigestOf(string(text)).String(), err
}

func openIDF(r io.Reader) (keyword.IDF, error) {
	if r == nil {
		return keyword.BuiltIn()
	}
	return keyword.ReadTable(r)
}

// Append appends the words of a clean text with their weights.
func (w *words) Append(dst []simhash.Weighted, clean string) []simhash.Weighted {
	var found []keyword.Keyword
	if w.extractor != nil {
		found = w.extractor.Append(nil, clean)
	} else {
		found = keyword.Levels(nil, w.splitter.Append(nil, clean), w.stop, w.n)
	}
	for _, k := range found {
		dst = append(dst, simhash.Weighted{Hash: simhash.HashWord(k.Word, w.seed), Weight: k.Weight})
	}
	return dst
}

// String names the features: "keywords:20(xxh3,dict=...,stop=...,idf=...)".
func (w *words) String() string {
	return fmt.Sprintf("%s:%d(xxh3%s)", w.kind, w.n, w.tables)
}

// minFeatures is how many features a text must have at least to be judged by
// them: as many as simhash wants, or all where a text never has so many.
func minFeatures(f simhash.Features) int {
	if w, ok := f.(*words); ok && w.kind == kindKeywords {
		return min(w.n, simhash.DefaultMinFeatures)
	}
	return simhash.DefaultMinFeatures
}
