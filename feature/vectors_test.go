package feature_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/neardup/neardup/feature"
)

var update = flag.Bool("update", false, "write testdata/vectors.tsv anew; stored hashes of users become worthless")

// vectorTexts are hashed under every spec and seed of the vectors.
var vectorTexts = []string{
	"", "...", "a", "a b", "a b c", "the quick brown fox jumps over the lazy dog",
	"internationalization_of_software extraordinarily_long_identifiers",
	"天地玄黄，宇宙洪荒。", "go 1.26 发布了", "𠀀é½_",
	"15 + 27 <= -5 €", "c++ .net --force ✔️",
}

// TestVectors holds the hashes still. The file is the format's test for other
// implementations: spec, seed, quoted text, hashes in hex.
func TestVectors(t *testing.T) {
	var b strings.Builder
	for _, spec := range []string{"auto:3", "words:1", "words:3", "words:5", "runes:1", "runes:3", "runes:4", "runes:8"} {
		s, err := feature.ParseShingle(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range []uint64{0, 0x0123456789abcdef} {
			for _, text := range vectorTexts {
				hashes := fmt.Sprintf("%016x", s.Append(nil, text, seed))
				fmt.Fprintf(&b, "%s\t%x\t%q\t%s\n", spec, seed, text, strings.Trim(hashes, "[]"))
			}
		}
	}
	const path = "testdata/vectors.tsv"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := bufio.NewScanner(strings.NewReader(b.String()))
	for line := range strings.Lines(string(want)) {
		if !got.Scan() || got.Text() != strings.TrimSuffix(line, "\n") {
			t.Fatalf("got  %s\nwant %s", got.Text(), line)
		}
	}
}
