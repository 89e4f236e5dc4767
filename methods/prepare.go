package methods

import (
	"fmt"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/ngram"
)

// preparers lists the forms that ngram can compare texts in, as preparer
// names them.
var preparers = []string{"asis", "alnum", "words", "stopped", "summary"}

// preparer returns the first stage of ngram by name. Its output is the clean text unchanged (also ""), its
// letters and digits only (no signs: c++ becomes c), its words (Chinese ones cut by the built-in dictionary),
// its words without the built-in stop words, or the three sentences with the heaviest keywords.
func preparer(name string) (ngram.Preparer, error) {
	switch name {
	case "", "asis":
		return ngram.AsItIs{}, nil
	case "alnum":
		return ngram.Alnum{}, nil
	case "summary":
		extractor, err := keyword.Default()
		if err != nil {
			return nil, err
		}
		return summary{keyword.NewSummarizer(extractor, keyword.DefaultSentences)}, nil
	}
	splitter, err := Splitter(nil)
	if err != nil {
		return nil, err
	}
	w := ngram.Words{Cutter: cutter{splitter}, Label: builtIn}
	if name == "stopped" {
		stop, err := keyword.BuiltInStopWords()
		if err != nil {
			return nil, err
		}
		w.Stop, w.StopLabel = stop, builtIn
	}
	return w, nil
}

// summary prepares long texts: ngram compares what they are about.
type summary struct{ *keyword.Summarizer }

// Prepare returns the summary of a clean text.
func (s summary) Prepare(clean string) string { return s.Summary(clean) }

// Name returns the number of sentences, and the tables that weigh them.
func (summary) Name() string {
	return fmt.Sprintf("summary(%d,%s)", keyword.DefaultSentences, builtIn)
}

// cutter cuts a text into words for ngram.
type cutter struct{ keyword.Splitter }

// Cut appends the words of a clean text.
func (c cutter) Cut(dst []string, clean string) []string { return c.Append(dst, clean) }
