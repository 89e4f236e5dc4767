// Package keyword finds the words that tell what a text is about, with whole
// numbers for weights, so that a fingerprint of them is the same everywhere:
// the words of highest TF-IDF ([Extractor]), all words in levels of frequency
// ([Levels]), and the keywords of a well-known Python recipe ([Recipe]).
package keyword

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Keyword is a word of one text.
type Keyword struct {
	Word  string
	Count int // how often it occurs in the text
	// Score is Count times the IDF of the word, in units of 1/Unit.
	Score int64
	// Weight is the score on a scale from 1 to the heaviest keyword's
	// MaxWeight, rounded up.
	Weight int64
}

// MaxWeight is the weight of a text's heaviest keyword: eight bits.
const MaxWeight = 255

// IDF tells how rare words are: the natural logarithm of documents/(1 +
// documents with the word), in units of 1/Unit, never below 0.
type IDF interface {
	IDF(word string) int64
	// Digest names the contents; fingerprints made with different tables
	// cannot be compared.
	Digest() string
}

// Extractor finds keywords. It is safe for concurrent use.
type Extractor struct {
	words Splitter
	idf   IDF
	stop  *StopWords
	n     int
	works sync.Pool
}

// NewExtractor returns an Extractor of the n words of highest TF-IDF among
// those that have at least two characters and are no stop words. A nil stop
// stops nothing.
func NewExtractor(words Splitter, idf IDF, stop *StopWords, n int) *Extractor {
	return &Extractor{words: words, idf: idf, stop: stop, n: n}
}

// DefaultCount is how many keywords a text has by default.
const DefaultCount = 20

// Default returns the Extractor of 20 keywords with the built-in dictionary
// (with the model for unknown words), tables and stop words.
func Default() (*Extractor, error) {
	words, err := DefaultSplitter()
	if err != nil {
		return nil, err
	}
	idf, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	stop, err := BuiltInStopWords()
	if err != nil {
		return nil, err
	}
	return NewExtractor(words, idf, stop, DefaultCount), nil
}

// work is the memory of one call.
type work struct {
	tokens []string
	counts map[string]int
}

// Append appends the keywords of a clean text to dst, those of the highest
// score first, equal ones by word. A word with an IDF of 0 is none.
// O(len(clean)) plus sorting the different words.
func (e *Extractor) Append(dst []Keyword, clean string) []Keyword {
	w, _ := e.works.Get().(*work)
	if w == nil {
		w = &work{counts: map[string]int{}}
	}
	from := len(dst)
	w.tokens = e.words.Append(w.tokens[:0], clean)
	for _, word := range w.tokens {
		w.counts[word]++
	}
	for word, n := range w.counts { // the order is sorted away below
		if utf8.RuneCountInString(word) < 2 || e.stop.Has(word) {
			continue
		}
		if score := times(n, e.idf.IDF(word)); score > 0 {
			dst = append(dst, Keyword{Word: word, Count: n, Score: score})
		}
	}
	clear(w.tokens)
	clear(w.counts)
	e.works.Put(w)
	found := dst[from:]
	slices.SortFunc(found, func(a, b Keyword) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Word, b.Word))
	})
	found = found[:min(len(found), e.n)]
	weigh(found)
	return dst[:from+len(found)]
}

// times is n*idf, at most the greatest integer.
func times(n int, idf int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(idf))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// weigh fills in the weights of keywords sorted by score.
func weigh(words []Keyword) {
	for i := range words {
		top := uint64(words[0].Score)
		hi, lo := bits.Mul64(uint64(words[i].Score), MaxWeight)
		lo, carry := bits.Add64(lo, top-1, 0)
		q, _ := bits.Div64(hi+carry, lo, top)
		words[i].Weight = int64(q)
	}
}
