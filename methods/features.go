package methods

import (
	"bytes"
	"cmp"
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

// Kinds of features.
const (
	kindShingles = "shingles"
	kindLevels   = "levels"
	kindKeywords = "keywords"

	defaultLevels = 5
	// mostWords limits the levels and the keywords.
	mostWords = 1000
)

// builtIn is the name and version of the tables that come with the program.
const builtIn = "built-in/1"

// Tables returns the bytes of a memory limit that a method's tables may take. These are the dictionary and the idf table of
// Chinese, which are loaded at the first Chinese text.
func Tables(m neardup.Method) int64 {
	s := innermost(m).Spec()
	if s.Method == "auto" || s.Method == weighted.Name || strings.Contains(s.String(), "built-in/") {
		return 16 << 20
	}
	return 0
}

// Features returns the features that simhash counts: those of the setting "features", with its tables, or nil if the
// setting is not given. Their String covers everything that changes them, including the digests of tables. See Tables.
func (c Choice) Features() (simhash.Features, error) {
	kind := c.Get("features")
	tables := c.Get("idf") + c.Get("stopwords") + c.Get("dictionary")
	name, count, counted := strings.Cut(kind, ":")
	switch {
	case kind+tables == "":
		return nil, nil
	case name == kindLevels || name == kindKeywords:
	case tables != "":
		return nil, fmt.Errorf("features: shingles use no idf table, stop words or dictionary (want levels or keywords)")
	case kind == kindShingles:
		return simhash.Shingles{Shingle: cmp.Or(c.shingle("shingle"), feature.Default), Seed: c.seed()}, nil
	default:
		shingle, err := feature.ParseShingle(kind)
		if err != nil {
			return nil, fmt.Errorf("unknown features %q (want shingles, auto:n, words:n, runes:n, levels:n or keywords:n)", kind)
		}
		return simhash.Shingles{Shingle: shingle, Seed: c.seed()}, nil
	}
	w := words{kind: name, n: defaultLevels, seed: c.seed()}
	if name == kindKeywords {
		w.n = keyword.DefaultCount
	}
	if counted {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > mostWords {
			return nil, fmt.Errorf("features %q: invalid number %q (want 1 to %d)", kind, count, mostWords)
		}
		w.n = n
	}
	if err := w.open(c); err != nil {
		return nil, fmt.Errorf("features %q: %w", kind, err)
	}
	return &w, nil
}

// words are features made of the words of a text.
type words struct {
	kind      string
	n         int
	seed      uint64
	splitter  keyword.Splitter
	stop      *keyword.StopWords
	extractor *keyword.Extractor // for keywords
	tables    string             // the tables, for String
}

func (w *words) open(c Choice) error {
	dictionary, err := c.read("dictionary")
	if err != nil {
		return err
	}
	dict, extra := builtIn, io.Reader(nil)
	if dictionary != nil {
		dict, extra = builtIn+"+"+neardup.DigestOf(string(dictionary)).String(), bytes.NewReader(dictionary)
	}
	w.splitter, err = Splitter(extra)
	if err != nil {
		return fmt.Errorf("dictionary: %w", err)
	}
	stopWords, err := c.read("stopwords")
	if err != nil {
		return err
	}
	stop := builtIn
	if stopWords == nil {
		w.stop, err = keyword.BuiltInStopWords()
	} else {
		stop = neardup.DigestOf(string(stopWords)).String()
		w.stop, err = keyword.ReadStopWords(bytes.NewReader(stopWords))
	}
	if err != nil {
		return fmt.Errorf("stop words: %w", err)
	}
	w.tables = ",dict=" + dict + ",stop=" + stop
	if w.kind == kindLevels {
		if c.Get("idf") != "" {
			return fmt.Errorf("levels use no idf table (want keywords)")
		}
		return nil
	}
	own, err := table(c, "idf", keyword.ReadIDFTable)
	if err != nil {
		return err
	}
	idf := keyword.IDF(own)
	if own == nil {
		idf, err = keyword.BuiltIn()
		if err != nil {
			return err
		}
	}
	w.tables += ",idf=" + idf.Digest()
	w.extractor = keyword.NewExtractor(w.splitter, idf, w.stop, w.n)
	return nil
}

// Splitter returns a splitter into words, with the built-in dictionary. If extra is not nil, it adds the words that extra
// lists.
func Splitter(extra io.Reader) (keyword.Splitter, error) {
	if extra == nil {
		return keyword.DefaultSplitter()
	}
	g, err := segment.New(extra)
	if err != nil {
		return keyword.Splitter{}, err
	}
	return keyword.NewSplitter(g, segment.HMM), nil
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

// String describes the features: "keywords:20(xxh3,dict=...,stop=...,idf=...)".
func (w *words) String() string {
	return fmt.Sprintf("%s:%d(xxh3%s)", w.kind, w.n, w.tables)
}

// minFeatures returns the least number of features that a text needs to be compared. It is the default of simhash, or fewer
// if the setting allows no more.
func minFeatures(f simhash.Features) int {
	if w, ok := f.(*words); ok && w.kind == kindKeywords {
		return min(w.n, simhash.DefaultMinFeatures)
	}
	return simhash.DefaultMinFeatures
}
