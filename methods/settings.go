package methods

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/simhash"
)

// Setting is a setting of a method, as in "minhash recall=.999".
type Setting struct {
	Name string
	// Type is float64, int, uint64, bool, shingle or string, or file for the name of a file.
	Type string
	// Help is a noun phrase. Default describes the method without the setting.
	Help, Default string
	// A float64 must be above Least, an int at least Least, and both at most Most. If both are 0, any value is allowed.
	Least, Most float64
	Values      []string // valid values of a string; nil allows any
	Methods     []string // methods that use the setting; nil means all
}

var settings = []Setting{
	{Name: "threshold", Type: "float64", Most: 1, Methods: []string{"auto", "minhash", "simhash", "jaccard", "ngram", "weighted"},
		Help: "least similarity of near texts, 0..1", Default: ".8; auto: probability .5; weighted .6"},
	{Name: "lossless", Type: "float64", Most: 1, Methods: []string{"auto", "minhash", "simhash", "jaccard", "ngram", "weighted"},
		Help: "remove a duplicate only if the kept copy contains this share of its pairs of words (of characters in Chinese), such as .98; otherwise keep it as an overlap"},
	{Name: "containment", Type: "float64", Most: 1, Methods: []string{"auto", "minhash"},
		Help: "also remove a text if the kept copy contains this share of its eight-word passages, such as .9 (relation: contained)"},
	{Name: "shingle", Type: "shingle", Methods: []string{"auto", "minhash", "simhash", "jaccard", "ngram"},
		Help: "words:3, runes:3, auto:3 (words, but runes in Chinese, Japanese and Korean), scripts:3 (runes in every script without spaces, also Thai and Khmer)", Default: "scripts:2 for auto, else auto:3"},
	{Name: "recall", Type: "float64", Most: 1, Methods: []string{"auto", "minhash"}, Help: "share of the pairs at the threshold to find", Default: ".99"},
	{Name: "limit", Type: "int", Least: 1, Most: 4096, Methods: []string{"auto"},
		Help: "limit of a short text: fewer Chinese characters than this, or two thirds as many letters", Default: strconv.Itoa(DefaultLimit)},
	{Name: "bias", Type: "float64", Least: -64, Most: 64, Methods: []string{"auto"}, Help: "bits added to the score of every pair, as tune learns them from your labels", Default: "0"},
	{Name: "idf", Type: "file", Methods: []string{"auto", "simhash", "weighted"},
		Help: "simhash with keywords, auto, weighted: table of word frequencies, made by neardup idf", Default: "built-in, Chinese and English"},
	{Name: "distance", Type: "int", Most: 31, Methods: []string{"simhash", "images"},
		Help: "largest Hamming distance: of simhash 0..7 (default " + strconv.Itoa(simhash.DefaultDistance) + "), of images 0..31", Default: "31"},
	{Name: "verify", Type: "string", Values: []string{"on", "off"}, Methods: []string{"simhash"}, Help: "verify candidates by Jaccard; off: decide by distance alone, as the classic system", Default: "on"},
	{Name: "min-features", Type: "int", Least: 1, Most: 1 << 30, Methods: []string{"simhash"},
		Help: "least number of different features; texts with fewer are duplicates of equal texts only", Default: strconv.Itoa(simhash.DefaultMinFeatures)},
	{Name: "features", Type: "string", Methods: []string{"simhash"},
		Help:    "features of the fingerprint: shingles such as auto:1, auto:3 or runes:4, levels:5 (words, weighted by how often they occur), keywords:20 (by TF-IDF)",
		Default: simhash.DefaultFeatures(0).String()},
	{Name: "stopwords", Type: "file", Methods: []string{"simhash"}, Help: "simhash: file of words to leave out, one a line", Default: "built-in"},
	{Name: "dictionary", Type: "file", Methods: []string{"simhash"}, Help: `simhash: file of words added to the Chinese dictionary, "word [frequency]" a line`},
	{Name: "similarity", Type: "string", Values: []string{"edit", "jaccard", "cosine", "containment"}, Methods: []string{"ngram"},
		Help: "edit, jaccard, cosine, containment", Default: "edit"},
	{Name: "keys", Type: "string", Values: []string{"exact", "any"}, Methods: []string{"ngram"},
		Help: "exact (find every pair) or any (only pairs with any m units in common)", Default: "exact"},
	{Name: "m", Type: "shingle", Methods: []string{"ngram"}, Help: "with keys=any: length m of the shared substrings, such as runes:4 or words:4"},
	{Name: "prepare", Type: "string", Values: preparers, Methods: []string{"ngram"},
		Help: "form of the texts to compare: as they are, or reduced: " + strings.Join(preparers[1:], ", "), Default: "asis"},
	{Name: "variants", Type: "string", Values: []string{"keep", "merge"}, Methods: []string{"ngram"},
		Help: "texts of one template with different numbers: keep, or merge into one", Default: "merge"},
	{Name: "quality", Type: "int", Least: 1, Most: 100, Methods: []string{"images"}, Help: "least quality, 1..100; pictures below it are duplicates of equal files only", Default: "50"},
	{Name: "turned", Type: "bool", Methods: []string{"images"}, Help: "also find pictures that were rotated by quarter turns or mirrored"},
	{Name: "seed", Type: "uint64", Help: "seed of the feature hashes; use that of an index to get its decisions"},
}

// Settings lists the settings of the methods.
func Settings() []Setting { return slices.Clone(settings) }

// Parse parses a value of the setting. It returns one form for all spellings.
func (s *Setting) Parse(value string) (string, error) {
	var v any = value
	var err error
	switch s.Type {
	case "float64":
		var x float64
		x, err = strconv.ParseFloat(value, 64)
		v = number(x)
	case "int":
		v, err = strconv.Atoi(value)
	case "uint64":
		v, err = strconv.ParseUint(value, 10, 64)
	case "bool":
		v, err = strconv.ParseBool(value)
	case "shingle":
		v, err = feature.ParseShingle(value)
	}
	return fmt.Sprint(v), err
}

// check returns an error if a parsed value is out of range.
func (s *Setting) check(value string) error {
	if s.Values != nil && !slices.Contains(s.Values, value) {
		return fmt.Errorf("%s %q: invalid (want %s)", s.Name, value, strings.Join(s.Values, ", "))
	}
	if s.Most == 0 {
		return nil
	}
	x, err := strconv.ParseFloat(value, 64)
	above, first := s.Type == "float64", "at least"
	if above {
		first = "above"
	}
	if within := s.Least <= x && x <= s.Most; err != nil || !within || (above && x == s.Least) {
		return fmt.Errorf("%s %s: out of range (want %s %v, at most %v)", s.Name, value, first, s.Least, s.Most)
	}
	return nil
}

// Choice is a method with its settings. The zero value is the method auto.
type Choice struct {
	Name   string // one of Names; "" means auto
	values map[string]string
}

// Parse parses a spec, which is the name of a method followed by settings NAME=VALUE. "" is auto.
func Parse(spec string) (c Choice, err error) {
	for i, word := range strings.Fields(spec) {
		name, value, isSetting := strings.Cut(word, "=")
		_, known := c.values[name]
		switch {
		case i == 0 && !isSetting:
			c.Name = word
		case !isSetting:
			return c, fmt.Errorf("invalid setting %q (want NAME=VALUE)", word)
		case known:
			return c, fmt.Errorf("%s is given twice", name)
		default:
			c, err = c.With(name, value)
			if err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

var kinds = map[string]string{"float64": "a number", "int": "a whole number", "uint64": "a whole number of 0 or more", "bool": "true or false"}

// With returns the choice with another value of a setting. It returns an error that names the setting if the setting does
// not exist, has no effect on the method, or does not allow the value.
func (c Choice) With(name, value string) (Choice, error) {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return c, fmt.Errorf("unknown setting %q", name)
	}
	s, method := &settings[i], c.method()
	if s.Methods != nil && !slices.Contains(s.Methods, method) {
		return c, fmt.Errorf("%s has no effect on method %s, only on %s", name, method, strings.Join(s.Methods, ", "))
	}
	parsed, err := s.Parse(value)
	if kind := kinds[s.Type]; err != nil && kind != "" {
		return c, fmt.Errorf("%s %q: invalid (want %s)", name, value, kind)
	} else if err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.check(parsed); err != nil {
		return c, err
	}
	c.values = maps.Clone(c.values)
	if c.values == nil {
		c.values = map[string]string{}
	}
	c.values[name] = parsed
	return c, nil
}

// Takes reports whether a setting has an effect on the method.
func (c Choice) Takes(name string) bool {
	return slices.ContainsFunc(settings, func(s Setting) bool {
		return s.Name == name && (s.Methods == nil || slices.Contains(s.Methods, c.method()))
	})
}

// ReadsFiles reports whether a setting that names a file was given.
func (c Choice) ReadsFiles() bool {
	return slices.ContainsFunc(settings, func(s Setting) bool { return s.Type == "file" && c.values[s.Name] != "" })
}

// Get returns the value of a setting, or "" if it was not given.
func (c Choice) Get(name string) string { return c.values[name] }

// String returns the spec.
func (c Choice) String() string {
	spec := c.method()
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		spec += " " + name + "=" + c.values[name]
	}
	return spec
}

func (c Choice) method() string {
	if c.Name == "" {
		return "auto"
	}
	return c.Name
}

// The following methods return the values of settings, or 0 for those that were not given.

func (c Choice) float(name string) float64 {
	x, _ := strconv.ParseFloat(c.values[name], 64)
	return x
}

func (c Choice) int(name string) int {
	n, _ := strconv.Atoi(c.values[name])
	return n
}

func (c Choice) seed() uint64 {
	n, _ := strconv.ParseUint(c.values["seed"], 10, 64)
	return n
}

func (c Choice) shingle(name string) (s feature.Shingle) {
	if v := c.values[name]; v != "" {
		s, _ = feature.ParseShingle(v)
	}
	return s
}

// distance returns the setting, or nil if it was not given.
func (c Choice) distance() *int {
	if c.values["distance"] == "" {
		return nil
	}
	d := c.int("distance")
	return &d
}

// read reads the file of a setting. It returns nil if the setting was not given.
func (c Choice) read(name string) ([]byte, error) {
	path := c.values[name]
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// table reads the table of a setting. It returns nil if the setting was not given.
func table[T any](c Choice, name string, read func(io.Reader) (*T, error)) (*T, error) {
	data, err := c.read(name)
	if data == nil {
		return nil, err
	}
	t, err := read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, c.values[name], err)
	}
	return t, nil
}
