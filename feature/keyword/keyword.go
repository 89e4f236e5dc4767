// Package keyword finds the words that characterise a text. It offers the words of highest TF-IDF ([Extractor]), all words
// in levels of frequency ([Levels]), and the keywords of a widespread Python recipe ([Recipe]). Weights are integers, so
// fingerprints are the same on every machine.
//
// The built-in tables have jieba's 270,132 Chinese words and 12,960 English ones. The English words were counted on terms
// of service and text messages, which is narrow. To train other tables, use neardup idf, or [Trainer] and [MergeFiles].
// They use bounded memory, and the same documents give the same bytes.
package keyword

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Keyword is a word of a text.
type Keyword struct {
	Word  string
	Count int // number of occurrences in the text
	// Score is Count times the IDF of the word, in units of 1/Unit.
	Score int64
	// Weight is the score on a scale from 1 to the heaviest keyword's
	// MaxWeight, rounded up.
	Weight int64
}

// MaxWeight is the weight of a text's heaviest keyword: eight bits.
const MaxWeight = 255

// IDF returns the rarity of words: the natural logarithm of documents/(1 + documents with the word), in units of 1/Unit,
// and at least 0.
type IDF interface {
	IDF(word string) int64
	Most() int64          // the greatest IDF of any word
	look(words []counted) // looks up several words together
	// Digest identifies the contents. Fingerprints made with different tables cannot be compared.
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

// NewExtractor returns an Extractor of the n words of highest TF-IDF among those that have at least two
// characters and are not stop words. stop may be nil.
func NewExtractor(words Splitter, idf IDF, stop *StopWords, n int) *Extractor {
	return &Extractor{words: words, idf: idf, stop: stop, n: n}
}

// DefaultCount is the default number of keywords of a text.
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

// work holds the buffers of one call.
type work struct {
	tokens []string
	counts counts
}

// Append appends the keywords of a clean text to dst, by descending score and then by word. A word with an IDF
// of 0 is not a keyword. O(len(clean) + words log n).
func (e *Extractor) Append(dst []Keyword, clean string) []Keyword {
	w, _ := e.works.Get().(*work)
	if w == nil {
		w = &work{}
	}
	from := len(dst)
	w.tokens = e.words.Append(w.tokens[:0], clean)
	w.counts.count(w.tokens)
	most := e.idf.Most()
	// Words that occur repeatedly come first, because then the others often need not be looked up.
	once := partition(w.counts.words, func(c *counted) bool { return c.n > 1 })
	for i, part := range [][]counted{w.counts.words[:once], w.counts.words[once:]} {
		if e.n == 0 || (i == 1 && len(dst)-from == e.n && most < dst[len(dst)-1].Score) {
			break
		}
		e.idf.look(part)
		for _, c := range part {
			k, full := Keyword{Word: c.word, Count: c.n, Score: times(c.n, c.idf)}, len(dst)-from == e.n
			if k.Score <= 0 || (full && k.compare(dst[len(dst)-1]) > 0) || e.stop.Has(c.word) {
				continue
			}
			if full {
				dst = dst[:len(dst)-1]
			}
			at, _ := slices.BinarySearchFunc(dst[from:], k, Keyword.compare)
			dst = slices.Insert(dst, from+at, k)
		}
	}
	clear(w.tokens)
	w.counts.clear()
	e.works.Put(w)
	weigh(dst[from:])
	return dst
}

// compare orders keywords by score, the highest first, and then by word.
func (k Keyword) compare(other Keyword) int {
	return cmp.Or(cmp.Compare(other.Score, k.Score), strings.Compare(k.Word, other.Word))
}

// counts holds words with their numbers of occurrences.
type counts struct {
	words []counted
	slots []uint32 // open addressing by xxh3; holds the index in words plus 1, or 0 if free
}

type counted struct {
	word string
	hash uint64
	n    int
	idf  int64
	at   uint32 // slot of the word in a table
}

// partition moves the words for which first returns true to the front, and returns their number.
func partition(words []counted, first func(*counted) bool) (n int) {
	for i := range words {
		if first(&words[i]) {
			words[i], words[n] = words[n], words[i]
			n++
		}
	}
	return n
}

// count counts the words of at least two characters. c must be empty.
func (c *counts) count(words []string) {
	size := 64
	for size < 2*len(words) {
		size *= 2
	}
	if size > len(c.slots) {
		c.slots = make([]uint32, size)
	}
	mask := uint64(len(c.slots) - 1)
	for _, word := range words {
		if single(word) {
			continue
		}
		hash := xxh3.HashString(word)
		at := hash & mask
		for ; c.slots[at] != 0; at = (at + 1) & mask {
			if seen := &c.words[c.slots[at]-1]; seen.hash == hash && seen.word == word {
				seen.n++
				break
			}
		}
		if c.slots[at] == 0 {
			c.words = append(c.words, counted{word: word, hash: hash, n: 1})
			c.slots[at] = uint32(len(c.words))
		}
	}
}

// single reports whether a word, which is valid UTF-8, has one character.
func single(word string) bool {
	switch {
	case word[0] < utf8.RuneSelf:
		return len(word) == 1
	case word[0] < 0xE0:
		return len(word) == 2
	case word[0] < 0xF0:
		return len(word) == 3
	}
	return len(word) == 4
}

// clear removes all words. Its time depends on the number of words or, if there are many, on the number of slots.
func (c *counts) clear() {
	if mask := uint64(len(c.slots) - 1); len(c.words) < len(c.slots)/8 {
		for i := range c.words {
			for at := c.words[i].hash & mask; c.slots[at] != 0; at = (at + 1) & mask {
				c.slots[at] = 0
			}
		}
	} else {
		clear(c.slots)
	}
	clear(c.words)
	c.words = c.words[:0]
}

// times returns n*idf, or the greatest integer on overflow.
func times(n int, idf int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(idf))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// weigh sets the weights of keywords that are sorted by score.
func weigh(words []Keyword) {
	for i := range words {
		top := uint64(words[0].Score)
		hi, lo := bits.Mul64(uint64(words[i].Score), MaxWeight)
		lo, carry := bits.Add64(lo, top-1, 0)
		q, _ := bits.Div64(hi+carry, lo, top)
		words[i].Weight = int64(q)
	}
}
