package methods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/text"
)

// preparers lists the names that preparer accepts.
var preparers = []string{"asis", "alnum", "words", "stopped", "summary"}

// preparer returns the preparation of ngram by name. It keeps the clean text unchanged ("" or asis), or keeps letters and
// digits only (without signs, so c++ becomes c), the words (Chinese is cut by the built-in dictionary), the words without
// the built-in stop words, or the three sentences with the heaviest keywords.
func preparer(name string) (p ngram.Preparer, err error) {
	switch name {
	case "", "asis":
		return p, nil
	case "alnum":
		return ngram.Preparer{Name: name, Prepare: ngram.Alnum}, nil
	case "summary":
		extractor, err := keyword.Default()
		if err != nil {
			return p, err
		}
		p.Name = fmt.Sprintf("summary(%d,%s)", keyword.DefaultSentences, builtIn)
		p.Prepare = keyword.NewSummarizer(extractor, keyword.DefaultSentences).Summary
		return p, nil
	}
	splitter, err := Splitter(nil)
	if err != nil {
		return p, err
	}
	var stop *keyword.StopWords
	p.Name = "words(" + builtIn + ")"
	if name == "stopped" {
		stop, err = keyword.BuiltInStopWords()
		p.Name += "-stop(" + builtIn + ")"
	}
	p.Prepare = func(clean string) string {
		// Spaces between the words make shingles of words useful for texts that are written without spaces.
		return strings.Join(slices.DeleteFunc(splitter.Append(nil, clean), func(word string) bool {
			return stop.Has(word) || !strings.ContainsFunc(word, text.IsAlnum)
		}), " ")
	}
	return p, err
}
