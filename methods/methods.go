// Package methods is the table of methods by name. It is the only place where an algorithm is plugged in, for the command,
// the service and every engine.
package methods

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/token"
	"github.com/neardup/neardup/weighted"
)

type maker struct {
	name, about string
	make        func(Choice) (neardup.Method, error)
}

func makers() []maker {
	return []maker{
		{"auto", "texts that a reader would call the same, by the evidence of their words", newAuto},
		{"exact", "equal clean text", func(Choice) (neardup.Method, error) { return Exact{}, nil }},
		{minhash.Name, "Jaccard of shingles by MinHash bands, verified", newMinhash},
		{"simhash", "fingerprints of 64 bits within a Hamming distance, verified by Jaccard", newSimhash},
		{"jaccard", "Jaccard of shingles by prefix filtering, which finds every pair", newJaccard},
		{"ngram", "short texts by shared substrings: edit, jaccard, cosine, containment", newNgram},
		{weighted.Name, "short texts by Jaccard of words weighted by idf", newWeighted},
		{image.Name, "pictures, by the distance of their PDQ hashes", newImages},
	}
}

// Names lists the methods, auto first.
func Names() []string {
	var names []string
	for _, m := range makers() {
		names = append(names, m.name)
	}
	return names
}

// About returns a one-line description of a method.
func About(name string) string {
	i := slices.IndexFunc(makers(), func(m maker) bool { return m.name == name })
	if i < 0 {
		return ""
	}
	return makers()[i].about
}

// New makes the method of a spec such as "minhash threshold=.7 shingle=words:3" (see Settings). "" means auto. Errors name
// the invalid setting.
func New(spec string) (neardup.Method, error) {
	c, err := Parse(spec)
	if err != nil {
		return nil, err
	}
	return c.Method()
}

// Method makes the method. It reads the files that the settings name.
func (c Choice) Method() (neardup.Method, error) {
	i := slices.IndexFunc(makers(), func(m maker) bool { return m.name == c.method() })
	if i < 0 {
		return nil, fmt.Errorf("unknown method %q (want %s)", c.Name, strings.Join(Names(), ", "))
	}
	m, err := makers()[i].make(c)
	if share := c.float("containment"); err == nil && share != 0 {
		m = newContained(m.(neardup.Searchable), share, c.seed())
	}
	if share := c.float("lossless"); err == nil && share != 0 {
		m = newLossless(m.(neardup.Searchable), share)
	}
	return m, err
}

func newWeighted(c Choice) (neardup.Method, error) {
	lexicon, err := c.lexicon()
	if err != nil {
		return nil, err
	}
	return weighted.New(weighted.Config{Threshold: c.float("threshold"), Lexicon: lexicon, Seed: c.seed()})
}

func (c Choice) lexicon() (*token.Lexicon, error) {
	idf, err := table(c, "idf", keyword.ReadIDFTable)
	if err != nil {
		return nil, err
	}
	return token.NewLexicon(idf)
}

func newMinhash(c Choice) (neardup.Method, error) {
	return minhash.New(minhash.Config{Shingle: c.shingle("shingle"), Threshold: c.float("threshold"), Recall: c.float("recall"), Seed: c.seed()})
}

func newSimhash(c Choice) (neardup.Method, error) {
	features, err := c.Features()
	if err != nil {
		return nil, err
	}
	return simhash.New(simhash.Config{
		Features: features, Shingle: c.shingle("shingle"), Distance: c.distance(), Threshold: c.float("threshold"),
		Unverified: c.Get("verify") == "off", MinFeatures: cmp.Or(c.int("min-features"), minFeatures(features)), Seed: c.seed(),
	})
}

func newImages(c Choice) (neardup.Method, error) {
	return image.New(image.Config{Distance: c.distance(), Quality: c.int("quality"), Turned: c.Get("turned") == "true"})
}

func newJaccard(c Choice) (neardup.Method, error) {
	return ngram.NewJaccard(ngram.Config{Shingle: c.shingle("shingle"), Threshold: c.float("threshold"), Seed: c.seed()})
}

func newNgram(c Choice) (neardup.Method, error) {
	prepare, err := preparer(c.Get("prepare"))
	if err != nil {
		return nil, err
	}
	return ngram.New(ngram.Config{
		Prepare: prepare, Similarity: ngram.Similarity(c.Get("similarity")), Threshold: c.float("threshold"), Shingle: c.shingle("shingle"),
		Keys: ngram.Keys(c.Get("keys")), M: c.shingle("m"), Seed: c.seed(), Variants: c.Get("variants") == "keep",
	})
}
