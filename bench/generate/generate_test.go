package generate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup/bench/generate"
)

func texts(t testing.TB, o generate.Options) []generate.Document {
	t.Helper()
	c, err := generate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	documents := make([]generate.Document, o.Documents)
	for i := range documents {
		documents[i] = c.Document(i)
	}
	return documents
}

func ExampleCorpus_Document() {
	c, err := generate.New(generate.Options{Seed: 1, Language: generate.English, Median: 40, Max: 80})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Document(7).ID, len(c.Document(7).Text) >= 40)
	// Output: g7 true
}

// The bytes are fixed for ever: figures taken with them stay comparable.
func TestSameOptionsGiveTheSameBytes(t *testing.T) {
	base := generate.Options{Seed: 1, Documents: 500, Median: 200, Sigma: 900, Max: 5000, Copies: 100, Near: 200, Edits: 30}
	tests := []struct {
		name, want string
		change     func(*generate.Options)
	}{
		{"english", "f28bbf9d", func(o *generate.Options) { o.Language = generate.English }},
		{"chinese", "323f17a7", func(o *generate.Options) { o.Language = generate.Chinese }},
		{"chinese greeting", "476fb2f5", func(o *generate.Options) { o.Language, o.Greeting = generate.Chinese, 60 }},
		{"other seed", "134cf312", func(o *generate.Options) { o.Language, o.Seed = generate.English, 2 }},
	}
	for _, test := range tests {
		o := base
		test.change(&o)
		c, err := generate.New(o)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.New()
		if _, _, err := c.WriteJSONL(sum); err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(sum.Sum(nil))[:8]; got != test.want {
			t.Errorf("%s: SHA-256 %s, want %s", test.name, got, test.want)
		}
	}
}

func TestJSONLHoldsTheDocuments(t *testing.T) {
	for _, language := range []generate.Language{generate.English, generate.Chinese} {
		o := generate.Options{Seed: 3, Language: language, Documents: 300, Median: 300, Sigma: 1000, Max: 4000, Copies: 50, Near: 100, Edits: 20, Greeting: 30}
		c, err := generate.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		documents, size, err := c.WriteJSONL(&b)
		if err != nil || documents != o.Documents || size <= 0 {
			t.Fatal(documents, size, err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) != o.Documents {
			t.Fatalf("%d lines", len(lines))
		}
		for i, line := range lines {
			var d struct{ ID, Family, Text string }
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatal(err)
			}
			if want := c.Document(i); d.ID != want.ID || d.Family != want.Family || d.Text != want.Text {
				t.Fatalf("line %d: %+v, want %+v", i, d, want)
			}
			if !utf8.ValidString(d.Text) {
				t.Fatalf("line %d is not UTF-8", i)
			}
		}
	}
}

func TestLengthsAreLogNormal(t *testing.T) {
	o := generate.Options{Seed: 1, Language: generate.English, Documents: 4000, Median: 1000, Sigma: 1000, Max: 20000}
	below, far := 0, 0
	for _, d := range texts(t, o) {
		if len(d.Text) > o.Max+200 {
			t.Fatalf("%d bytes, at most %d wanted", len(d.Text), o.Max)
		}
		if len(d.Text) < 1000 {
			below++
		}
		if len(d.Text) > 2718 { // one sigma up: 16 %
			far++
		}
	}
	if below < 1850 || below > 2150 || far < 540 || far > 740 {
		t.Errorf("%d of 4000 below the median, %d above one sigma; want about 2000 and 635", below, far)
	}
}

func TestCopiesAndEdits(t *testing.T) {
	o := generate.Options{Seed: 5, Language: generate.English, Documents: 3000, Median: 600, Max: 600, Copies: 100, Near: 200, Edits: 20}
	documents := texts(t, o)
	byID := map[string]generate.Document{}
	copies, near, words, changed := 0, 0, 0, 0
	for _, d := range documents {
		byID[d.ID] = d
		original, known := byID[d.Family]
		switch {
		case !known || original.Family != original.ID:
			t.Fatalf("%s comes from %s, which is no earlier original", d.ID, d.Family)
		case d.ID == d.Family:
		case d.Text == original.Text:
			copies++
		default:
			near++
			a, b := strings.Fields(original.Text), strings.Fields(d.Text)
			for i := range min(len(a), len(b)) {
				words++
				if a[i] != b[i] {
					changed++
				}
			}
		}
	}
	if copies < 250 || copies > 450 || near < 480 || near > 680 {
		t.Errorf("%d copies and %d near of 3000, want about 300 and 600", copies, near)
	}
	if rate := changed * 1000 / words; rate < 14 || rate > 30 {
		t.Errorf("%d of 1000 words changed, want about 20", rate)
	}
}

func TestGreetingOpensEveryText(t *testing.T) {
	documents := texts(t, generate.Options{Seed: 1, Language: generate.Chinese, Documents: 100, Median: 90, Max: 90, Greeting: 60})
	greeting := documents[0].Text[:60]
	own := map[string]bool{}
	for _, d := range documents {
		if !strings.HasPrefix(d.Text, greeting) {
			t.Fatalf("%q does not begin with %q", d.Text, greeting)
		}
		own[d.Text] = true
	}
	if len(own) != 100 {
		t.Errorf("%d different texts of 100", len(own))
	}
}

func TestWordsFollowZipf(t *testing.T) {
	count := map[string]int{}
	total := 0
	for _, d := range texts(t, generate.Options{Seed: 1, Language: generate.English, Documents: 100, Median: 20000, Max: 20000}) {
		for _, w := range strings.Fields(strings.ReplaceAll(d.Text, ".", " ")) {
			count[w]++
			total++
		}
	}
	most := 0
	for _, n := range count {
		most = max(most, n)
	}
	// The first word has 1/3 / (ln 32768 - ln 3 + .6) of all, about 3.4 %.
	if share := float64(most) / float64(total); share < .028 || share > .042 || len(count) < 15000 {
		t.Errorf("the most frequent word makes %.3f of the text, %d words of %d are different", share, len(count), total)
	}
}

func TestBytesEndTheCorpus(t *testing.T) {
	c, err := generate.New(generate.Options{Language: generate.English, Documents: 1 << 40, Bytes: 100000, Median: 1000, Max: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	documents, size, err := c.WriteJSONL(&b)
	if err != nil || size < 100000 || size > 102000 || documents < 90 || documents > 100 {
		t.Errorf("%d documents, %d bytes, %v", documents, size, err)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	good := generate.Options{Language: generate.English, Documents: 1, Median: 10, Max: 10}
	for name, change := range map[string]func(*generate.Options){
		"language": func(o *generate.Options) { o.Language = "latin" },
		"median":   func(o *generate.Options) { o.Median = 11 },
		"shares":   func(o *generate.Options) { o.Near, o.Copies = 600, 600 },
		"count":    func(o *generate.Options) { o.Documents = -1 },
	} {
		o := good
		change(&o)
		if _, err := generate.New(o); err == nil {
			t.Errorf("%s: accepted %+v", name, o)
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsArriveAtTheCaller(t *testing.T) {
	c, err := generate.New(generate.Options{Language: generate.English, Documents: 1, Median: 10, Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.WriteJSONL(full{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := (generate.Fingerprints{Count: 1}).WriteHex(full{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

func TestFingerprints(t *testing.T) {
	f := generate.Fingerprints{Seed: 1, Count: 20000, Near: 100, Distance: 3}
	var binaryFile, hexFile bytes.Buffer
	if err := errors.Join(f.WriteBinary(&binaryFile), f.WriteHex(&hexFile)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(hexFile.String())
	near := 0
	values := make([]uint64, f.Count)
	for i := range values {
		values[i] = f.At(i)
		if got := binary.LittleEndian.Uint64(binaryFile.Bytes()[8*i:]); got != values[i] || lines[i] != fmt.Sprintf("%016x", got) {
			t.Fatalf("fingerprint %d: binary %016x, hex %s, want %016x", i, got, lines[i], values[i])
		}
	}
	for i, v := range values[:3000] {
		for _, w := range values[:i] {
			if bits.OnesCount64(v^w) <= f.Distance {
				near++
				break
			}
		}
	}
	if near < 200 || near > 400 {
		t.Errorf("%d of 3000 are near an earlier one, want about 300", near)
	}
}

func BenchmarkWriteJSONL(b *testing.B) {
	for _, language := range []generate.Language{generate.English, generate.Chinese} {
		for name, median := range map[string]int{"short": 60, "long": 4000} {
			b.Run(string(language)+"/"+name, func(b *testing.B) {
				c, err := generate.New(generate.Options{Language: language, Documents: 20_000_000 / median, Median: median, Sigma: 500, Max: 1 << 20, Near: 100, Edits: 20})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					_, size, err := c.WriteJSONL(discard{})
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(size)
				}
			})
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
