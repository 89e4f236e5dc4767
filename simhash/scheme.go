package simhash

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/neardup/neardup/text"
)

// Word is a feature as text, with its weight.
type Word struct {
	Text   string
	Weight float64
}

// Input is the input from which a scheme makes a fingerprint.
type Input string

const (
	FromText   Input = "text"   // a text, which the scheme cuts itself
	FromWords  Input = "words"  // words with weights, which the caller provides
	FromHashes Input = "hashes" // 64-bit feature hashes with weights
)

// Scheme defines the fingerprints of another program completely, so that an existing collection of fingerprints can be
// continued. Fingerprints of two schemes cannot be compared.
type Scheme struct {
	Name  string
	About string // the program that makes such fingerprints, in one line
	Input Input
	Tie   Tie
	// Hash hashes a word. It is nil if the input is hashes.
	Hash Hash
	// Cut cuts a text into words. It is nil if the input is words or hashes.
	Cut func(text string) []Word
	// Scale multiplies weights before they are truncated. 0 keeps floating-point weights and adds them in the order of the
	// features, as the original program does.
	Scale float64
	// NeedsFeatures is set if there is no fingerprint without features.
	NeedsFeatures bool
}

// ErrNoFeatures is returned if the scheme has no fingerprint for an input without features.
var ErrNoFeatures = errors.New("no features, so there is no fingerprint")

// ErrInput is returned if a scheme is given another kind of input.
var ErrInput = errors.New("wrong input for the scheme")

// Schemes returns all schemes, in the order of the documentation.
func Schemes() []Scheme {
	return []Scheme{
		{
			Name: "raw", About: "unweighted 64-bit hashes, as seomoz/simhash-cpp",
			Input: FromHashes, Scale: 1,
		},
		{
			Name: "weighted", About: "64-bit hashes with floating-point weights, as yanyiwu/simhash",
			Input: FromHashes,
		},
		{
			Name: "fnv1-words", About: "ASCII words, FNV-1, as mfonda/simhash",
			Input: FromText, Hash: FNV1, Cut: asciiWords, Tie: TieOne, Scale: 1,
		},
		{
			Name: "md5-4char", About: "4-grams of letters and digits, MD5, as the simhash package of Python",
			Input: FromText, Hash: MD5, Cut: fourGrams, Scale: 1,
		},
		{
			Name: "jenkins", About: "keywords with weights, Jenkins lookup3, as yanyiwu/simhash",
			Input: FromWords, Hash: Lookup3,
		},
		{
			Name: "string-hash", About: "20 TF-IDF keywords, weights times 20, as the keyword article (jieba)",
			Input: FromWords, Hash: StringHash, Scale: 20, NeedsFeatures: true,
		},
	}
}

// SchemeByName returns the scheme with a name, or an error that lists all names.
func SchemeByName(name string) (Scheme, error) {
	var names []string
	for _, s := range Schemes() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scheme{}, fmt.Errorf("scheme %q: invalid (want %s)", name, strings.Join(names, ", "))
}

// Text returns the fingerprint of a text. The scheme must cut texts itself.
func (s Scheme) Text(text string) (uint64, error) {
	if s.Cut == nil {
		return 0, fmt.Errorf("%w: a text (%s wants %s)", ErrInput, s.Name, s.Input)
	}
	return s.sum(s.Cut(text))
}

// Words returns the fingerprint of words with weights. The order only matters for schemes that add floating-point weights
// (Scale 0), and then only for ties within rounding.
func (s Scheme) Words(words []Word) (uint64, error) {
	if s.Input != FromWords {
		return 0, fmt.Errorf("%w: words (%s wants %s)", ErrInput, s.Name, s.Input)
	}
	return s.sum(words)
}

func (s Scheme) sum(words []Word) (uint64, error) {
	hashes, weights := make([]uint64, len(words)), make([]float64, len(words))
	for i, w := range words {
		hashes[i], weights[i] = s.Hash(w.Text), w.Weight
	}
	return s.combine(hashes, weights)
}

// Hashes returns the fingerprint of feature hashes. If weights is nil, all are 1.
func (s Scheme) Hashes(hashes []uint64, weights []float64) (uint64, error) {
	if s.Input != FromHashes {
		return 0, fmt.Errorf("%w: hashes (%s wants %s)", ErrInput, s.Name, s.Input)
	}
	if weights == nil {
		weights = make([]float64, len(hashes))
		for i := range weights {
			weights[i] = 1
		}
	}
	if len(weights) != len(hashes) {
		return 0, fmt.Errorf("%w: %d weights (want %d, one for each hash)", ErrInput, len(weights), len(hashes))
	}
	return s.combine(hashes, weights)
}

func (s Scheme) combine(hashes []uint64, weights []float64) (uint64, error) {
	if len(hashes) == 0 && s.NeedsFeatures {
		return 0, ErrNoFeatures
	}
	for i, w := range weights {
		if math.IsNaN(w) || math.Abs(w*max(s.Scale, 1)) >= 1<<62 {
			return 0, fmt.Errorf("%w: invalid weight %g of feature %d", ErrInput, w, i)
		}
	}
	if s.Scale == 0 {
		return sumFloats(hashes, weights, s.Tie), nil
	}
	features := make([]Weighted, len(hashes))
	for i, h := range hashes {
		features[i] = Weighted{h, int64(weights[i] * s.Scale)}
	}
	var c Counter
	c.AddWeighted(features)
	return c.Fingerprint(s.Tie), nil
}

// sumFloats adds up weights as float64 in the given order. It has no product, so no processor can fuse operations, and all
// give the same sum.
func sumFloats(hashes []uint64, weights []float64, tie Tie) uint64 {
	var sum [64]float64
	for i, h := range hashes {
		for b := range sum {
			if h>>b&1 != 0 {
				sum[b] += weights[i]
			} else {
				sum[b] -= weights[i]
			}
		}
	}
	var fp uint64
	for b, v := range sum {
		if v > 0 || (v == 0 && tie == TieOne) {
			fp |= 1 << b
		}
	}
	return fp
}

// asciiWord is the pattern of mfonda/simhash, which takes an address as one word.
var asciiWord = regexp.MustCompile(`[\w']+(?:://[\w./]+)?`)

func asciiWords(text string) []Word {
	var words []Word
	for _, w := range asciiWord.FindAllString(strings.ToLower(text), -1) {
		words = append(words, Word{w, 1})
	}
	return words
}

// notWord matches what Python's [\w\u4e00-\u9fcc]+ does not.
var notWord = regexp.MustCompile(`[^\pL\pN_\x{4e00}-\x{9fcc}]+`)

// lower converts to lower case as Python does.
var lower, _ = text.ParseNormalizer("lower")

// fourGrams returns every run of 4 code points of the remaining runes of a lower-cased text. Fewer than 4 runes are one
// feature, even if there are none.
func fourGrams(text string) []Word {
	runes := []rune(notWord.ReplaceAllString(lower.Clean(text), ""))
	words := make([]Word, 0, len(runes))
	for i := range max(len(runes)-3, 1) {
		words = append(words, Word{string(runes[i:min(i+4, len(runes))]), 1})
	}
	return words
}
