// Package segment cuts Chinese text into words.
//
// The words come from the dictionary of jieba 0.42.1 (see data/NOTICE), and from dictionaries of the user. The cut is the
// most probable one. It is found by dynamic programming over all dictionary words of a stretch of text. A hidden Markov
// model can find further words in runs of single characters. With the default dictionary the tokens are those of
// jieba.cut(text, HMM=False) and of jieba.cut(text).
//
// Costs are integers in units of 2^-40, from an integer logarithm, so the result is the same on every processor. If two
// cuts are equally probable, the one with the longer next word wins, as in jieba.
package segment

import (
	"io"
	"sync"
)

// Mode selects what happens to characters outside of dictionary words.
type Mode uint8

const (
	// Dictionary leaves them single, except that ASCII letters and digits are joined. It equals jieba.cut(text, HMM=False).
	Dictionary Mode = iota
	// HMM joins them to words by a hidden Markov model. It equals jieba.cut(text, HMM=True).
	HMM
)

// Segmenter cuts texts into words. It never changes, and is safe for concurrent use. With the default dictionary it takes
// about 8 MB.
type Segmenter struct {
	trie  trie
	model *model
	own   overlay // empty without words of the user
	works sync.Pool
}

// New returns a Segmenter with the built-in dictionary and further words, in the format of jieba's user dictionary: "word
// [frequency] [tag]" per line. A word without a frequency gets the smallest one with which it is cut as a word. With
// frequency 0 it is not a word, and the model does not make it either. Later lines override earlier ones. An error names
// the line and the reason. It takes about .03 s of CPU time.
func New(words ...io.Reader) (*Segmenter, error) {
	t, total, err := builtIn()
	if err != nil {
		return nil, err
	}
	return newSegmenter(t, total, words)
}

// newSegmenter returns a Segmenter with a dictionary, its sum of frequencies and further words.
func newSegmenter(t trie, total uint64, words []io.Reader) (*Segmenter, error) {
	m, err := loadModel()
	if err != nil {
		return nil, err
	}
	g := &Segmenter{trie: t, model: m}
	if len(words) == 0 {
		return g, nil
	}
	g.own = overlay{trie: &g.trie, freq: map[string]uint64{}, total: total, forced: map[string]bool{}}
	for _, r := range words {
		if err := g.own.read(r); err != nil {
			return nil, err
		}
	}
	g.own.end()
	return g, nil
}

// Default returns the Segmenter with the built-in dictionary. It is made at the first call, and all callers share it.
func Default() (*Segmenter, error) { return defaultOnce() }

var defaultOnce = sync.OnceValues(func() (*Segmenter, error) { return New() })
