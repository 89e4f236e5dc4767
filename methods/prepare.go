package methods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/text"
)

// preparers lists the forms that ngram can compare texts in, as preparer
// names them.
var preparers = []string{"asis", "alnum", "words", "stopped", "summary"}

// preparer returns the first stage of ngram by name. Its output is the clean text unchanged (also ""), its
// letters and digits only (no signs: c++ becomes c), its words (Chinese ones cut by the built-in dictionary),
// its words without the built-in stop words, or the three sentences with the heaviest keywords.
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
		// Spaces between the words make shingles of words work for texts that are written without spaces.
		return strings.Join(slices.DeleteFunc(splitter.Append(nil, clean), func(word string) bool {
			return stop.Has(word) || !strings.ContainsFunc(word, text.IsAlnum)
		}), " ")
	}
	return p, err
}
