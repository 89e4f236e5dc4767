// Package methods is the table of methods by name: the one place where an
// algorithm is plugged in, for the command, the service and every engine.
package methods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/token"
	"github.com/neardup/neardup/weighted"
)

// Config names a method and sets what callers may set of it. The zero value of
// a field is the method's own default.
type Config struct {
	Name string // one of Names; "" is auto
	// Threshold is the least similarity of near texts, in (0, 1].
	Threshold float64
	// Shingle of minhash, jaccard, simhash, and of ngram with a set
	// similarity.
	Shingle feature.Shingle
	// Recall is the share of pairs at the threshold that minhash finds.
	Recall float64
	// Distance is the largest Hamming distance for simhash and images; nil: their default.
	Distance *int
	// Quality and Turned are those of images.
	Quality int
	Turned  bool
	// Verify off gives the classic verdict of simhash: the distance alone.
	Verify Verify
	// Features of simhash; nil: every shingle. See FeatureConfig.
	Features simhash.Features
	// MinFeatures: texts with fewer different features are judged by simhash
	// only where they are equal.
	MinFeatures int
	// Layout of simhash's keys, see simhash.ParseLayout; "": chosen. It changes no
	// decision.
	Layout string
	// Similarity, Keys, M and Prepare are ngram's.
	Similarity ngram.Similarity
	Keys       ngram.Keys
	M          feature.Shingle
	Prepare    ngram.Preparer
	// Variants of ngram: what becomes of texts of one template that state other
	// numbers. "" is Merge.
	Variants Variants
	// Weights of the evidence of auto; nil: the shipped ones.
	Weights *evidence.Weights
	// Bias, in bits, is added to every score of auto: what a collection is like, learned from a few labels.
	Bias float64
	// IDF weighs the words of auto and weighted; nil: the built-in tables.
	IDF *keyword.Table
	// Limit is the length below which auto takes a text as short; see Length.
	Limit int
	// Lossless, in (0, 1]: a text goes only if the leader holds this share of its shingles
	// (see Held), else it is kept as an overlap. 0: not asked. It is of a text and its leader:
	// through the chains of batch.Components texts are lost all the same.
	Lossless float64
	// Containment, in (0, 1]: a text goes, too, if the leader holds this share of its passages, of
	// eight words or runes in a row, and is longer or nearly so. 0: not asked. Only a longer
	// leader that comes first contains anything: see batch.Longest.
	Containment float64
	// Seed of the feature hashes; 0 but for an index with a secret one.
	Seed uint64
}

// Variants is Keep, Merge or "".
type Variants string

// What becomes of variants: they are kept and named, or called duplicates.
const (
	Keep  Variants = "keep"
	Merge Variants = "merge"
)

// Verify is On (also "") or Off.
type Verify string

const (
	On  Verify = "on"
	Off Verify = "off"
)

// maker makes the methods of one name.
type maker struct {
	name, about string
	make        func(Config) (neardup.Method, error)
}

func makers() []maker {
	return []maker{
		{"auto", "what a reader would call the same, by the evidence of the words", newAuto},
		{"exact", "equal clean text", func(Config) (neardup.Method, error) { return Exact{}, nil }},
		{"minhash", "Jaccard of shingles by MinHash bands, verified", newMinhash},
		{"simhash", "fingerprints of 64 bits within a Hamming distance, verified by Jaccard", newSimhash},
		{"jaccard", "Jaccard of shingles by prefix filtering: every pair", newJaccard},
		{"ngram", "short texts by shared substrings: edit, jaccard, cosine, containment", newNgram},
		{"weighted", "short texts by Jaccard of words weighted by idf", func(c Config) (neardup.Method, error) { return newWeighted(c) }},
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

// About returns what a method does, in a line.
func About(name string) string {
	i := slices.IndexFunc(makers(), func(m maker) bool { return m.name == name })
	if i < 0 {
		return ""
	}
	return makers()[i].about
}

// New makes the method that c names. Errors name the setting that is wrong.
func New(c Config) (neardup.Method, error) {
	if c.Name == "" {
		c.Name = "auto"
	}
	if err := c.unused(); err != nil {
		return nil, err
	}
	m, err := c.named()
	if err == nil && c.Containment != 0 {
		m, err = newContained(m, c.Containment, c.Seed)
	}
	if err == nil && c.Lossless != 0 {
		m, err = newLossless(m, c.Lossless)
	}
	return m, err
}

func (c Config) named() (neardup.Method, error) {
	for _, m := range makers() {
		if m.name == c.Name {
			return m.make(c)
		}
	}
	return nil, fmt.Errorf("unknown method %q: it is one of %s", c.Name, strings.Join(Names(), ", "))
}

// unused refuses what a method makes no use of.
func (c Config) unused() error {
	switch c.Name {
	case "ngram":
		if c.Variants != "" && c.Variants != Keep && c.Variants != Merge {
			return fmt.Errorf("%s: variants %q are neither %q nor %q", c.Name, c.Variants, Keep, Merge)
		}
	default:
		if c.Variants != "" {
			return fmt.Errorf("%s: variants are for ngram; auto keeps what says something else, weighted looks at similarity alone", c.Name)
		}
	}
	if c.IDF != nil && c.Name != "auto" && c.Name != weighted.Name {
		return fmt.Errorf("%s weighs no words: idf tables are for auto and weighted", c.Name)
	}
	if c.Containment != 0 && c.Name != "auto" && c.Name != minhash.Name {
		return fmt.Errorf("%s: containment is for auto and minhash", c.Name)
	}
	if (c.Weights != nil || c.Bias != 0) && c.Name != "auto" {
		return fmt.Errorf("%s: weights and bias have no effect (want method auto)", c.Name)
	}
	return nil
}

func newWeighted(c Config) (*weighted.Method, error) {
	lexicon, err := token.NewLexicon(c.IDF)
	if err != nil {
		return nil, err
	}
	return weighted.New(weighted.Config{Threshold: c.Threshold, Lexicon: lexicon, Seed: c.Seed})
}

func newMinhash(c Config) (neardup.Method, error) {
	return minhash.New(minhash.Config{Shingle: c.Shingle, Threshold: c.Threshold, Recall: c.Recall, Seed: c.Seed})
}

func newSimhash(c Config) (neardup.Method, error) {
	if c.Verify != "" && c.Verify != On && c.Verify != Off {
		return nil, fmt.Errorf("simhash: verify %q is neither on nor off", c.Verify)
	}
	if c.MinFeatures == 0 {
		c.MinFeatures = minFeatures(c.Features)
	}
	return simhash.New(simhash.Config{
		Features: c.Features, Shingle: c.Shingle, Distance: c.Distance, Threshold: c.Threshold,
		Unverified: c.Verify == Off, MinFeatures: c.MinFeatures, Layout: c.Layout, Seed: c.Seed,
	})
}

func newImages(c Config) (neardup.Method, error) {
	return image.New(image.Config{Distance: c.Distance, Quality: c.Quality, Turned: c.Turned})
}

func newJaccard(c Config) (neardup.Method, error) {
	return ngram.NewJaccard(ngram.Config{Shingle: c.Shingle, Threshold: c.Threshold, Seed: c.Seed})
}

func newNgram(c Config) (neardup.Method, error) {
	return ngram.New(ngram.Config{
		Prepare: c.Prepare, Similarity: c.Similarity, Threshold: c.Threshold, Shingle: c.Shingle,
		Keys: c.Keys, M: c.M, Seed: c.Seed, Variants: c.Variants == Keep,
	})
}
