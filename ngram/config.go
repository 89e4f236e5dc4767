package ngram

import (
	"fmt"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// Similarity is the measure between two texts, from 0 to 1.
type Similarity string

const (
	// Edit is (longer - distance) / longer, in runes, with the Levenshtein
	// distance.
	Edit Similarity = "edit"
	// Jaccard is the number of common shingles divided by that of all shingles of both texts.
	Jaccard Similarity = "jaccard"
	// Cosine is the number of common shingles divided by the square root of the product of the two numbers of shingles. It
	// is the cosine of the sets as vectors of zeros and ones.
	Cosine Similarity = "cosine"
	// Containment is the number of common shingles divided by that of the text with fewer shingles.
	Containment Similarity = "containment"
)

// Keys selects the substrings under which a text is found.
type Keys string

const (
	// Exact takes the rarest substrings for which the threshold guarantees that every similar text shares one. So no pair
	// is lost.
	Exact Keys = "exact"
	// Any takes every substring of M units, or the whole text if it is shorter. It finds similar texts that share M units
	// in a row. Its cost grows with the square of the number of texts with a frequent substring.
	Any Keys = "any"
)

// Config holds everything that changes what a method of this package finds. A zero field selects its default.
type Config struct {
	// Prepare prepares a clean text. The zero value keeps the text unchanged.
	Prepare Preparer
	// Similarity is Edit by default.
	Similarity Similarity
	// Threshold is in (0, 1], and .8 by default. A pair is near if the similarity, in float64, is at least the threshold.
	Threshold float64
	// Shingle is the unit of the set similarities; runes:2 by default.
	Shingle feature.Shingle
	// Keys is Exact by default.
	Keys Keys
	// M is the substring of Keys = Any; runes:4 by default.
	M feature.Shingle
	// Seed is the secret of an index, or 0 for a batch. An attacker who does not know it cannot construct texts that share
	// a key. The Spec contains its digest.
	Seed uint64
	// Variants makes texts variants instead of duplicates if they only differ in numbers, dates, roman numerals or codes.
	// See Variant.
	Variants bool
}

// version must be raised when any text would get other keys or another similarity with the same parameters.
const version = 2

// Method is a method of this package. It is exact and trainable, and its table can be stored.
type Method interface {
	neardup.Trainable
	neardup.Searchable
	// withTable returns the method with a table for choosing keys. nil gives the untrained method.
	withTable(*rarityTable) Method
	// rarity returns the table, or nil for an untrained method.
	rarity() *rarityTable
}

// New returns the method "ngram". Errors name the invalid field.
func New(c Config) (Method, error) {
	if c.Similarity == "" {
		c.Similarity = Edit
	}
	if c.Shingle == (feature.Shingle{}) {
		c.Shingle = feature.Shingle{Unit: feature.Runes, K: 2}
	}
	return build("ngram", c)
}

// NewJaccard returns the method "jaccard". It finds every pair of documents of any length whose shingle sets share at least
// the threshold, by prefix filtering (Chaudhuri et al., ICDE 2006; Xiao et al., PPJoin, WWW 2008). Shingle is auto:3 by
// default. Similarity may be empty.
func NewJaccard(c Config) (Method, error) {
	c.Similarity = Jaccard
	if c.Shingle == (feature.Shingle{}) {
		c.Shingle = feature.Default
	}
	return build("jaccard", c)
}

func build(name string, c Config) (Method, error) {
	if c.Threshold == 0 {
		c.Threshold = .8
	}
	if !(c.Threshold > 0 && c.Threshold <= 1) {
		return nil, fmt.Errorf("%s: threshold %v: out of range (want above 0, at most 1)", name, c.Threshold)
	}
	if c.Keys == "" {
		c.Keys = Exact
	}
	if c.Keys != Exact && c.Keys != Any {
		return nil, fmt.Errorf("%s: keys %q: invalid (want %q or %q)", name, c.Keys, Exact, Any)
	}
	if c.M == (feature.Shingle{}) {
		c.M = feature.Shingle{Unit: feature.Runes, K: 4}
	}
	if c.Prepare.Prepare == nil {
		c.Prepare = Preparer{"asis", func(clean string) string { return clean }}
	}
	common := settings{name: name, Config: c}
	switch c.Similarity {
	case Edit:
		return &editMethod{settings: common, plans: newPlans(c.Threshold), run: runLength(c.Threshold)}, nil
	case Jaccard, Cosine, Containment:
		return newSetMethod(common)
	}
	return nil, fmt.Errorf("%s: similarity %q: invalid (want %s, %s, %s, %s)", name, c.Similarity,
		Edit, Jaccard, Cosine, Containment)
}

type settings struct {
	Config
	name  string
	table *rarityTable
}

// similar completes the match of two texts that reach the threshold. They are near, or variants of one template.
func (s *settings) similar(match neardup.Match, similarity float64, a, b string) neardup.Match {
	match.Similarity = similarity
	match.Variant = bool(s.Variants) && Variant(a, b)
	match.Near = !match.Variant
	return match
}

// Spec returns every parameter that changes a result. The table is not included, because it changes the keys but not the
// result.
func (s *settings) Spec() neardup.Spec {
	params := []neardup.Param{
		{Name: "prepare", Value: s.Config.Prepare.Name},
		{Name: "similarity", Value: string(s.Similarity)},
		{Name: "threshold", Value: strconv.FormatFloat(s.Threshold, 'g', -1, 64)},
	}
	if s.Similarity != Edit {
		params = append(params, neardup.Param{Name: "shingle", Value: s.Shingle.String()})
	}
	params = append(params, neardup.Param{Name: "keys", Value: string(s.Keys)})
	if s.Keys == Any {
		params = append(params, neardup.Param{Name: "m", Value: s.M.String()})
	}
	if s.Seed != 0 {
		params = append(params, neardup.Param{Name: "seed", Value: neardup.SeedID(s.Seed)})
	}
	if s.Variants {
		params = append(params, neardup.Param{Name: "variants", Value: "apart"})
	}
	return neardup.Spec{Method: s.name, Version: version, Params: params}
}

func (s *settings) rarity() *rarityTable { return s.table }

func (s *settings) basis() string {
	if s.Similarity == Edit {
		return "edit similarity of runes"
	}
	return string(s.Similarity) + " of " + s.Shingle.String()
}
