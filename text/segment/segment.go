// Package segment cuts Chinese text into words.
//
// The words are those of the dictionary of jieba 0.42.1 (see data/NOTICE), and further ones. The cut is the
// most probable one, found by dynamic programming over all dictionary words of a stretch of text. Runs of
// single characters can go through a hidden Markov model that finds words the dictionary lacks. With the
// default dictionary the tokens are those of jieba.cut(text, HMM=False) and of jieba.cut(text).
//
// Costs are integers in units of 2^-40, from an integer logarithm, so that every processor cuts alike. If two
// cuts are equally probable, the one with the longer next word wins, as in jieba.
package segment

import (
	"io"
	"sync"
)

// Mode selects what becomes of characters outside every dictionary word.
type Mode uint8

const (
	// Dictionary leaves them single, except that letters and digits of
	// ASCII are joined: jieba.cut(text, HMM=False).
	Dictionary Mode = iota
	// HMM lets a hidden Markov model join them to words:
	// jieba.cut(text, HMM=True).
	HMM
)

// Segmenter cuts texts into words. It never changes once made and is safe for
// concurrent use. With the default dictionary it takes about 8 MB.
type Segmenter struct {
	trie  trie
	model *model
	own   overlay // empty without own words
	works sync.Pool
}

// New returns a Segmenter with the built-in dictionary and further words, in the format of jieba's user
// dictionary: "word [frequency] [tag]" a line. Without a frequency a word gets the smallest with which it is cut
// as one. With frequency 0 it is not a word, and the model does not make it either. Later lines win. An error names the
// line and the reason. About .03 s of the processor.
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

// Default returns the Segmenter with the built-in dictionary, made at the
// first call and shared by all callers.
func Default() (*Segmenter, error) { return defaultOnce() }

var defaultOnce = sync.OnceValues(func() (*Segmenter, error) { return New() })
