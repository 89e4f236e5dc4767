package main

import (
	"io"
	"os"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/simhash"
	"github.com/spf13/pflag"
)

// featureFlags say what simhash counts.
type featureFlags struct {
	kind       string
	idf        string
	stopWords  string
	dictionary string
}

func (f *featureFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.kind, "features", "", "what makes the fingerprint: shingles such as auto:1, auto:3 or runes:4, levels:5 (words, weighted by how often they occur), keywords:20 (by TF-IDF) (default "+simhash.DefaultFeatures(0).String()+")")
	fs.StringVar(&f.idf, "idf", "", "simhash with keywords, auto, weighted: table of word frequencies, made by neardup idf (default: built-in, Chinese and English)")
	fs.StringVar(&f.stopWords, "stopwords", "", "simhash: file of words to leave out, one a line (default: built-in)")
	fs.StringVar(&f.dictionary, "dictionary", "", `simhash: file of words added to the Chinese dictionary, "word [frequency]" a line`)
}

// given reports whether any of the flags is.
func (f *featureFlags) given() bool { return *f != featureFlags{} }

// features makes the features; nil where none are asked for.
func (f *featureFlags) features(shingle feature.Shingle, seed uint64) (simhash.Features, error) {
	if !f.given() {
		return nil, nil
	}
	c := methods.FeatureConfig{Kind: f.kind, Shingle: shingle, Seed: seed}
	for _, part := range []struct {
		path string
		to   *io.Reader
	}{{f.idf, &c.IDF}, {f.stopWords, &c.StopWords}, {f.dictionary, &c.Dictionary}} {
		if part.path == "" {
			continue
		}
		file, err := os.Open(part.path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		*part.to = file
	}
	features, err := c.Features()
	if err != nil {
		return nil, usage("features: %w", err)
	}
	return features, nil
}
