package methods_test

import (
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/simhash"
)

// TestTables: what cuts Chinese into words says so, whatever is around it.
func TestTables(t *testing.T) {
	words, err := methods.FeatureConfig{Kind: "keywords:20"}.Features()
	if err != nil {
		t.Fatal(err)
	}
	prepare, err := methods.Preparer("words")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		methods.Config
		takes bool
	}{
		{methods.Config{}, true},
		{methods.Config{Name: "weighted"}, true},
		{methods.Config{Containment: .9, Lossless: .98}, true},
		{methods.Config{Name: "simhash", Features: words}, true},
		{methods.Config{Name: "ngram", Prepare: prepare}, true},
		{methods.Config{Name: "simhash"}, false},
		{methods.Config{Name: "minhash", Lossless: .98}, false},
		{methods.Config{Name: "ngram"}, false},
	} {
		m, err := methods.New(c.Config)
		if err != nil {
			t.Fatal(err)
		}
		if takes := methods.Tables(m) > 0; takes != c.takes {
			t.Errorf("%s takes tables: %v", m.Spec(), takes)
		}
	}
}

func TestFeatures(t *testing.T) {
	for _, c := range []struct {
		name string
		in   methods.FeatureConfig
		want string // the beginning of String, or of the error
	}{
		{"default", methods.FeatureConfig{}, simhash.DefaultFeatures(0).String()},
		{"all shingles", methods.FeatureConfig{Kind: "shingles"}, "auto:3"},
		{"others than verified", methods.FeatureConfig{Kind: "runes:4"}, "runes:4"},
		{"chosen shingles", methods.FeatureConfig{Kind: "shingles", Shingle: feature.Shingle{Unit: feature.Runes, K: 4}}, "runes:4"},
		{"levels", methods.FeatureConfig{Kind: "levels"}, "levels:5(xxh3,dict=built-in/1,stop=built-in/1)"},
		{"keywords", methods.FeatureConfig{Kind: "keywords:7"}, "keywords:7(xxh3,dict=built-in/1,stop=built-in/1,idf="},
		{"own stop words", methods.FeatureConfig{Kind: "levels:9", StopWords: strings.NewReader("the\n")}, "levels:9(xxh3,dict=built-in/1,stop=" + neardup.DigestOf("the\n").String()},
		{"own dictionary", methods.FeatureConfig{Kind: "levels", Dictionary: strings.NewReader("去重系统 5\n")}, "levels:5(xxh3,dict=built-in/1+" + neardup.DigestOf("去重系统 5\n").String()},
		{"unknown", methods.FeatureConfig{Kind: "letters"}, `features "letters" are none of`},
		{"no number", methods.FeatureConfig{Kind: "levels:x"}, `features "levels:x": "x" is no number`},
		{"too many", methods.FeatureConfig{Kind: "keywords:1001"}, `features "keywords:1001": "1001" is no number`},
		{"numbered shingles", methods.FeatureConfig{Kind: "shingles:3"}, `features "shingles:3" are none of`},
		{"shingles with a table", methods.FeatureConfig{IDF: strings.NewReader("")}, "shingles use no table"},
		{"levels with a table", methods.FeatureConfig{Kind: "levels", IDF: strings.NewReader("")}, `features "levels": levels use no idf`},
		{"no table", methods.FeatureConfig{Kind: "keywords", IDF: strings.NewReader("x")}, `features "keywords": idf table: `},
	} {
		got := ""
		if f, err := c.in.Features(); err != nil {
			got = err.Error()
		} else {
			got = f.String()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A dictionary, stop words and levels do what they are for.
func TestWordsAsFeatures(t *testing.T) {
	f, err := methods.FeatureConfig{
		Kind: "levels:3", StopWords: strings.NewReader("的\n"), Dictionary: strings.NewReader("海量网络文本\n"),
	}.Features()
	if err != nil {
		t.Fatal(err)
	}
	got := map[uint64]int64{}
	for _, w := range f.Append(nil, "海量网络文本的海量网络文本的海量网络文本的系统") {
		got[w.Hash] = w.Weight
	}
	for word, want := range map[string]int64{"海量网络文本": 3, "系统": 1, "的": 0, "海量": 0} {
		if got[simhash.HashWord(word, 0)] != want {
			t.Errorf("weight of %s is %d, want %d", word, got[simhash.HashWord(word, 0)], want)
		}
	}
}

func TestSimhashByName(t *testing.T) {
	keywords, err := methods.FeatureConfig{Kind: "keywords:3"}.Features()
	if err != nil {
		t.Fatal(err)
	}
	six := 6
	for _, c := range []struct {
		config methods.Config
		want   string // in the spec, or in the error
	}{
		{methods.Config{}, "distance=3 verify=auto:3>=0.8 "},
		{methods.Config{Verify: methods.Off, Distance: &six}, "distance=6 verify=off"},
		{methods.Config{Features: keywords}, "features=keywords:3(xxh3,"},
		{methods.Config{Features: keywords}, "min-features=3"},
		{methods.Config{Features: keywords, MinFeatures: 2}, "min-features=2"},
		{methods.Config{Verify: "perhaps"}, `verify "perhaps"`},
	} {
		c.config.Name = "simhash"
		got := ""
		if m, err := methods.New(c.config); err != nil {
			got = err.Error()
		} else {
			got = m.Spec().String()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
