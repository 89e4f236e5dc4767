package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// effects says which methods a setting has an effect on; settings that are not here
// have one on all.
var effects = map[string][]string{
	"threshold":    {"auto", "minhash", "simhash", "jaccard", "ngram", "weighted"},
	"lossless":     {"auto", "minhash", "simhash", "jaccard", "ngram", "weighted"},
	"containment":  {"auto", "minhash"},
	"shingle":      {"auto", "minhash", "simhash", "jaccard", "ngram"},
	"recall":       {"auto", "minhash"},
	"limit":        {"auto"},
	"distance":     {"simhash", "images"},
	"quality":      {"images"},
	"turned":       {"images"},
	"verify":       {"simhash"},
	"min-features": {"simhash"},
	"features":     {"simhash"},
	"idf":          {"auto", "simhash", "weighted"},
	"variants":     {"ngram"},
	"weights":      {"auto"},
	"bias":         {"auto"},
	"stopwords":    {"simhash"},
	"dictionary":   {"simhash"},
	"similarity":   {"ngram"},
	"keys":         {"ngram"},
	"m":            {"ngram"},
	"prepare":      {"ngram"},
}

// checkEffect refuses settings that were given and would be ignored: those of
// another method, and a number that stands for "not given".
func checkEffect(fs *pflag.FlagSet, method string) error {
	var err error
	fs.VisitAll(func(f *pflag.Flag) { // Visit knows nothing of what is a flag of the command too
		methods, known := effects[f.Name]
		switch {
		case err != nil || !known || !f.Changed:
		case !slices.Contains(methods, method):
			err = usage("%s has no effect on method %s, only on %s", f.Name, method, strings.Join(methods, ", "))
		case outOfRange(f):
			err = usage("%s %s is out of range", f.Name, f.Value)
		}
	})
	return err
}

// outOfRange reports whether a number is one that would not be looked at: 0
// but for a distance, and below it.
func outOfRange(f *pflag.Flag) bool {
	v, kind := f.Value.String(), f.Value.Type()
	return (kind == "int" || kind == "float64") && (strings.HasPrefix(v, "-") || v == "0" && f.Name != "distance")
}
