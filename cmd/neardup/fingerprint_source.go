package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/text"
)

// fingerprints is a way from a text to a fingerprint.
type fingerprints struct {
	method, scheme string // its name, as one of the two
	spec           string
	of             func(text string) (value, error)
}

// value is the fingerprint of one text.
type value struct {
	fp   uint64
	few  bool // too few features for it to say anything
	none bool // no fingerprint at all
}

// simhashSource makes the fingerprints of neardup's own method.
func simhashSource(m neardup.Method, n text.Normalizer) (fingerprints, error) {
	s, ok := m.(*simhash.Method)
	if !ok {
		return fingerprints{}, usage("method %s has no fingerprints, only simhash has", m.Spec().Method)
	}
	spec := s.Spec()
	var params []neardup.Param
	for _, p := range spec.Params {
		if p.Name == "features" || p.Name == "seed" { // the others say what is near
			params = append(params, p)
		}
	}
	spec.Params = append(params, neardup.Param{Name: "clean", Value: n.String()})
	return fingerprints{spec.Method, "", spec.String(), func(text string) (value, error) {
		fp, enough := s.Fingerprint(n.Clean(text))
		return value{fp: fp, few: !enough}, nil
	}}, nil
}

// jiebaScheme is the scheme string-hash with the keywords that its original
// finds in a text.
const jiebaScheme = "jieba-keywords"

func schemeHelp() string {
	var b strings.Builder
	for _, s := range simhash.Schemes() {
		takes := ""
		switch s.Input {
		case simhash.FromHashes:
			takes = "\n" + strings.Repeat(" ", 18) + `the text is "hex" or "hex:weight", blanks between`
		case simhash.FromWords:
			takes = "\n" + strings.Repeat(" ", 18) + `the text is "word:weight", blanks between`
		}
		fmt.Fprintf(&b, "  %-14s  %s%s\n", s.Name, s.About, takes)
	}
	fmt.Fprintf(&b, "  %-14s  string-hash of the keywords that jieba finds in a text; none: \"00\"\n", jiebaScheme)
	return b.String()
}

// schemeNames lists what --scheme takes.
func schemeNames() []string {
	var names []string
	for _, s := range simhash.Schemes() {
		names = append(names, s.Name)
	}
	return append(names, jiebaScheme)
}

func schemeSource(name, normalize string) (fingerprints, error) {
	n, err := text.ParseNormalizer(normalize)
	if err != nil {
		return fingerprints{}, usage("--normalize: %w", err)
	}
	of, err := schemeOf(name)
	if err != nil {
		return fingerprints{}, err
	}
	return fingerprints{"", name, name + "/1 clean=" + n.String(), func(text string) (value, error) {
		fp, err := of(n.Clean(text))
		if errors.Is(err, simhash.ErrNoFeatures) {
			return value{few: true, none: true}, nil
		}
		return value{fp: fp}, err
	}}, nil
}

// schemeOf returns the way from a text to the fingerprint of a scheme.
func schemeOf(name string) (func(text string) (uint64, error), error) {
	if name == jiebaScheme {
		return jiebaKeywords()
	}
	s, err := simhash.SchemeByName(name)
	if err != nil {
		return nil, usage("--scheme %s is none of %s", name, strings.Join(schemeNames(), ", "))
	}
	switch s.Input {
	case simhash.FromHashes:
		return func(text string) (uint64, error) {
			hashes, weights, err := parseHashes(text)
			if err != nil {
				return 0, err
			}
			return s.Hashes(hashes, weights)
		}, nil
	case simhash.FromWords:
		return func(text string) (uint64, error) {
			words, err := parseWords(text)
			if err != nil {
				return 0, err
			}
			return s.Words(words)
		}, nil
	}
	return s.Text, nil
}

func jiebaKeywords() (func(text string) (uint64, error), error) {
	recipe, err := keyword.JiebaRecipe()
	if err != nil {
		return nil, err
	}
	return func(text string) (uint64, error) {
		found := recipe.Keywords(text)
		if len(found) == 0 {
			return 0, simhash.ErrNoFeatures
		}
		features := make([]simhash.Weighted, len(found))
		for i, k := range found {
			features[i] = simhash.Weighted{Hash: simhash.StringHash(k.Word), Weight: k.Level}
		}
		return simhash.OfWeighted(features), nil
	}, nil
}

// parseWords reads "word:weight" between blanks; without a weight it is 1.
func parseWords(s string) ([]simhash.Word, error) {
	var words []simhash.Word
	for _, field := range strings.Fields(s) {
		w := simhash.Word{Text: field, Weight: 1}
		if i := strings.LastIndexByte(field, ':'); i >= 0 {
			weight, err := strconv.ParseFloat(field[i+1:], 64)
			if err != nil {
				return nil, fmt.Errorf("%.40q has no weight after its last colon", field)
			}
			w = simhash.Word{Text: field[:i], Weight: weight}
		}
		words = append(words, w)
	}
	return words, nil
}

// parseHashes reads "hex" or "hex:weight" between blanks.
func parseHashes(s string) (hashes []uint64, weights []float64, err error) {
	words, err := parseWords(s)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range words {
		h, err := simhash.ParseHex(w.Text)
		if err != nil {
			return nil, nil, err
		}
		hashes, weights = append(hashes, h), append(weights, w.Weight)
	}
	return hashes, weights, nil
}
