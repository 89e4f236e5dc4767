package methods_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/ngram"
)

// made makes a method of a spec as users write it.
func made(t *testing.T, spec string) neardup.Method {
	t.Helper()
	var c methods.Config
	var features string
	for i, word := range strings.Fields(spec) {
		name, value, _ := strings.Cut(word, "=")
		if i == 0 {
			c.Name = word
			continue
		}
		number, _ := strconv.ParseFloat(value, 64)
		shingle, _ := feature.ParseShingle(value)
		switch name {
		case "threshold":
			c.Threshold = number
		case "recall":
			c.Recall = number
		case "bias":
			c.Bias = number
		case "lossless":
			c.Lossless = number
		case "containment":
			c.Containment = number
		case "limit":
			c.Limit = int(number)
		case "quality":
			c.Quality = int(number)
		case "min-features":
			c.MinFeatures = int(number)
		case "seed":
			c.Seed = uint64(number)
		case "distance":
			d := int(number)
			c.Distance = &d
		case "shingle":
			c.Shingle = shingle
		case "m":
			c.M = shingle
		case "turned":
			c.Turned = value == "true"
		case "verify":
			c.Verify = methods.Verify(value)
		case "variants":
			c.Variants = methods.Variants(value)
		case "similarity":
			c.Similarity = ngram.Similarity(value)
		case "keys":
			c.Keys = ngram.Keys(value)
		case "features":
			features = value
		case "prepare":
			var err error
			if c.Prepare, err = methods.Preparer(value); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("%s: unknown setting", name)
		}
	}
	if features != "" {
		var err error
		if c.Features, err = (methods.FeatureConfig{Kind: features, Shingle: c.Shingle, Seed: c.Seed}).Features(); err != nil {
			t.Fatal(err)
		}
	}
	m, err := methods.New(c)
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return m
}
