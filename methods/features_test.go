package methods_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/simhash"
)

// TestTables: methods that cut Chinese into words report their tables, whatever wraps them.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		spec  string
		takes bool
	}{
		{"", true},
		{"weighted", true},
		{"containment=.9 lossless=.98", true},
		{"simhash features=keywords:20", true},
		{"ngram prepare=words", true},
		{"simhash", false},
		{"minhash lossless=.98", false},
		{"ngram", false},
	} {
		m, err := methods.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if takes := methods.Tables(m) > 0; takes != c.takes {
			t.Errorf("%s takes tables: %v", m.Spec(), takes)
		}
	}
}

// features returns the features of a spec of simhash.
func features(spec string) (simhash.Features, error) {
	c, err := methods.Parse("simhash " + spec)
	if err != nil {
		return nil, err
	}
	return c.Features()
}

// file writes a file of a setting and returns its name.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFeatures(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{ // want is the beginning of String, or of the error
		{"all shingles", "features=shingles", "auto:3"},
		{"others than verified", "features=runes:4", "runes:4"},
		{"chosen shingles", "features=shingles shingle=runes:4", "runes:4"},
		{"levels", "features=levels", "levels:5(xxh3,dict=built-in/1,stop=built-in/1)"},
		{"keywords", "features=keywords:7", "keywords:7(xxh3,dict=built-in/1,stop=built-in/1,idf="},
		{"own stop words", "features=levels:9 stopwords=" + file(t, "the\n"), "levels:9(xxh3,dict=built-in/1,stop=" + neardup.DigestOf("the\n").String()},
		{"own dictionary", "features=levels dictionary=" + file(t, "去重系统 5\n"), "levels:5(xxh3,dict=built-in/1+" + neardup.DigestOf("去重系统 5\n").String()},
		{"unknown", "features=letters", `unknown features "letters"`},
		{"no number", "features=levels:x", `features "levels:x": invalid number "x"`},
		{"too many", "features=keywords:1001", `features "keywords:1001": invalid number "1001"`},
		{"numbered shingles", "features=shingles:3", `unknown features "shingles:3"`},
		{"shingles with a table", "idf=" + file(t, ""), "features: shingles use no idf table"},
		{"levels with a table", "features=levels idf=" + file(t, ""), `features "levels": levels use no idf`},
		{"no table", "features=keywords idf=" + file(t, "x"), `features "keywords": idf /`},
		{"no file", "features=levels stopwords=/none", `features "levels": stopwords: open /none`},
	} {
		got := ""
		if f, err := features(c.spec); err != nil {
			got = err.Error()
		} else {
			got = f.String()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if f, err := features(""); f != nil || err != nil {
		t.Errorf("nothing is chosen: %v, %v", f, err)
	}
}

// A dictionary, stop words and levels do what they are for.
func TestWordsAsFeatures(t *testing.T) {
	f, err := features("features=levels:3 stopwords=" + file(t, "的\n") + " dictionary=" + file(t, "海量网络文本\n"))
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
	for spec, want := range map[string]string{ // in the spec of the method, or in the error
		"":                                   "features=" + simhash.DefaultFeatures(0).String() + " distance=3 verify=auto:3>=0.8 ",
		"verify=off distance=6":              "distance=6 verify=off",
		"features=keywords:3":                "features=keywords:3(xxh3,",
		"features=keywords:3 ":               "min-features=3",
		"features=keywords:3 min-features=2": "min-features=2",
		"verify=perhaps":                     `verify "perhaps"`,
	} {
		got := ""
		if m, err := methods.New("simhash " + spec); err != nil {
			got = err.Error()
		} else {
			got = m.Spec().String()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}
