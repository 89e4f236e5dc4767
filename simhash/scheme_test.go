package simhash

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
)

// known holds the answers that the original programs give (the values of the
// project's collection; each recipe is in the documentation of its scheme).
type known struct {
	StringHash map[string]string    `json:"string_hash"`
	Raw        [][2]json.RawMessage `json:"raw"`
	Distance   [][3]json.RawMessage `json:"distance"`
	AllPairs   map[string]struct {
		Hashes []string
		Pairs  [][2]string
	} `json:"hamming_all_pairs_k3"`
	FNV1          map[string]string    `json:"fnv1_64"`
	FNV1Words     map[string]string    `json:"fnv1_words"`
	FNV1Distances [][3]json.RawMessage `json:"fnv1_distances"`
	Weighted      struct {
		Pairs [][2]string
		Value string
	}
	MD5      map[string]string `json:"md5_4char"`
	Keywords []struct {
		Keywords [][2]json.RawMessage
		Simhash  string
	}
	Lookup3 map[string]string `json:"jenkins_lookup3"`
}

func knownAnswers(tb testing.TB) known {
	tb.Helper()
	data, err := os.ReadFile("testdata/known-answers.json")
	if err != nil {
		tb.Fatal(err)
	}
	var k known
	if err := json.Unmarshal(data, &k); err != nil {
		tb.Fatal(err)
	}
	return k
}

// number reads a 64-bit value written in a base.
func number(tb testing.TB, s string, base int) uint64 {
	tb.Helper()
	v, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func decode[T any](tb testing.TB, raw json.RawMessage) (v T) {
	tb.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

func scheme(tb testing.TB, name string) Scheme {
	tb.Helper()
	s, err := SchemeByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestHashesKnownAnswers(t *testing.T) {
	k := knownAnswers(t)
	for _, h := range []struct {
		name   string
		hash   Hash
		base   int
		values map[string]string
	}{
		{"StringHash", StringHash, 16, k.StringHash},
		{"FNV1", FNV1, 10, k.FNV1},
		{"Lookup3", Lookup3, 10, k.Lookup3},
	} {
		for in, want := range h.values {
			if got := h.hash(in); got != number(t, want, h.base) {
				t.Errorf("%s(%q) = %x, want %s in base %d", h.name, in, got, want, h.base)
			}
		}
	}
}

// The values of driver5 in lookup3.c.
func TestLookup3OfItsAuthor(t *testing.T) {
	text := "Four score and seven years ago"
	for _, v := range []struct {
		text   string
		pc, pb uint32
		c, b   uint32
	}{
		{"", 0, 0, 0xdeadbeef, 0xdeadbeef},
		{"", 0, 0xdeadbeef, 0xbd5b7dde, 0xdeadbeef},
		{"", 0xdeadbeef, 0xdeadbeef, 0x9c093ccd, 0xbd5b7dde},
		{text, 0, 0, 0x17770551, 0xce7226e6},
		{text, 0, 1, 0xe3607cae, 0xbd371de4},
		{text, 1, 0, 0xcd628161, 0x6cbea4b3},
	} {
		if got := lookup3(v.text, v.pc, v.pb); got != uint64(v.c)<<32|uint64(v.b) {
			t.Errorf("lookup3(%q, %x, %x) = %016x", v.text, v.pc, v.pb, got)
		}
	}
}

func TestTextSchemesKnownAnswers(t *testing.T) {
	k := knownAnswers(t)
	for _, c := range []struct {
		scheme string
		base   int
		values map[string]string
	}{
		{"fnv1-words", 16, k.FNV1Words},
		{"fnv1-words", 16, map[string]string{"": "ffffffffffffffff", "…": "ffffffffffffffff"}},
		{"md5-4char", 10, k.MD5},
	} {
		for text, want := range c.values {
			got, err := scheme(t, c.scheme).Text(text)
			if err != nil || got != number(t, want, c.base) {
				t.Errorf("%s(%q) = %x, %v, want %s", c.scheme, text, got, err, want)
			}
		}
	}
	for _, d := range k.FNV1Distances {
		a, _ := scheme(t, "fnv1-words").Text(decode[string](t, d[0]))
		b, _ := scheme(t, "fnv1-words").Text(decode[string](t, d[1]))
		if got := Distance(a, b); got != decode[int](t, d[2]) {
			t.Errorf("distance of %s and %s is %d, want %s", d[0], d[1], got, d[2])
		}
	}
}

func TestHashSchemesKnownAnswers(t *testing.T) {
	k := knownAnswers(t)
	for _, c := range k.Raw {
		var hashes []uint64
		in := decode[[]string](t, c[0])
		if len(in) == 2 && in[1] == "repeated 100 times" {
			hashes = slices.Repeat([]uint64{number(t, in[0], 16)}, 100)
		} else {
			for _, h := range in {
				hashes = append(hashes, number(t, h, 16))
			}
		}
		want := number(t, decode[string](t, c[1]), 16)
		got, err := scheme(t, "raw").Hashes(hashes, nil)
		if err != nil || got != want || Of(hashes) != want {
			t.Errorf("raw %s = %x, %v, want %x", c[0], got, err, want)
		}
	}
	for _, d := range k.Distance {
		a, b := number(t, decode[string](t, d[0]), 16), number(t, decode[string](t, d[1]), 16)
		if got := Distance(a, b); got != decode[int](t, d[2]) {
			t.Errorf("distance %s %s = %d, want %s", d[0], d[1], got, d[2])
		}
	}
	var hashes []uint64
	var weights []float64
	for _, p := range k.Weighted.Pairs {
		w, err := strconv.ParseFloat(p[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		hashes, weights = append(hashes, number(t, p[0], 10)), append(weights, w)
	}
	got, err := scheme(t, "weighted").Hashes(hashes, weights)
	if err != nil || got != number(t, k.Weighted.Value, 10) {
		t.Errorf("weighted = %d, %v, want %s", got, err, k.Weighted.Value)
	}
}

// The signed counters of mfonda's own tests: the sums, not the features.
func TestCounterSumsOfFNVWords(t *testing.T) {
	even := uint64(6148914691236517205)
	for _, c := range []struct {
		name     string
		features []Weighted
		want     uint64
	}{
		{"all 0", []Weighted{{1, 1}, {^uint64(1), 1}}, ^uint64(0)},
		{"all 1", []Weighted{{^uint64(0), 1}}, ^uint64(0)},
		{"all -1", []Weighted{{0, 1}}, 0},
		{"only bit 0 positive", []Weighted{{1, 1}}, 1},
		{"even +1, odd -1", []Weighted{{even, 1}}, even},
	} {
		var counter Counter
		counter.AddWeighted(c.features)
		if got := counter.Fingerprint(TieOne); got != c.want {
			t.Errorf("%s: %x, want %x", c.name, got, c.want)
		}
	}
}

// Keywords and weights as jieba gives them; finding them is not tested here.
func TestKeywordSchemeKnownAnswers(t *testing.T) {
	for _, c := range knownAnswers(t).Keywords {
		var words []Word
		for _, w := range c.Keywords {
			words = append(words, Word{decode[string](t, w[0]), decode[float64](t, w[1])})
		}
		got, err := scheme(t, "string-hash").Words(words)
		if c.Simhash == "00" {
			if !errors.Is(err, ErrNoFeatures) {
				t.Errorf("no keyword: %x, %v", got, err)
			}
			continue
		}
		if err != nil || got != number(t, c.Simhash, 16) {
			t.Errorf("%v = %x, %v, want %s", words, got, err, c.Simhash)
		}
	}
}

func TestSchemesRefuseOtherInput(t *testing.T) {
	word := []Word{{"a", 1}}
	for _, s := range Schemes() {
		_, errText := s.Text("a")
		_, errWords := s.Words(word)
		_, errHashes := s.Hashes([]uint64{1}, nil)
		for input, err := range map[Input]error{FromText: errText, FromWords: errWords, FromHashes: errHashes} {
			if (err == nil) != (input == s.Input) || (err != nil && !errors.Is(err, ErrInput)) {
				t.Errorf("%s given %s: %v", s.Name, input, err)
			}
		}
	}
	if _, err := SchemeByName("nothing"); err == nil {
		t.Error("an unknown scheme was found")
	}
	if _, err := scheme(t, "weighted").Hashes([]uint64{1}, []float64{1, 2}); !errors.Is(err, ErrInput) {
		t.Error("two weights for one hash were taken")
	}
	if _, err := scheme(t, "string-hash").Words([]Word{{"a", 1e30}}); !errors.Is(err, ErrInput) {
		t.Error("a weight that overflows was taken")
	}
}

func ExampleScheme_Text() {
	s, _ := SchemeByName("fnv1-words")
	fp, _ := s.Text("this is a test phrase")
	fmt.Printf("%016x\n", fp)
	// Output: 8c3a5f7e9ecb3f35
}

func ExampleScheme_Words() {
	s, _ := SchemeByName("string-hash")
	fp, _ := s.Words([]Word{{"清华大学", 2.693532}, {"来到", 1.795229}, {"北京", 1.555801}})
	fmt.Printf("%016x\n", fp)
	// Output: 2544d7a7d390c6cf
}
