// Package featuretest reads the shared labelled texts and their oracles for
// the tests of features and methods.
package featuretest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text"
)

// Set is a set of the shared data, with the shingles that its oracle used.
type Set struct {
	Name    string
	Shingle feature.Shingle
}

// The sets that have an oracle.
var (
	OTA      = Set{"ota_terms_versions", feature.Shingle{Unit: feature.Words, K: 3}}
	LCTT     = Set{"zh_lctt_proofread", feature.Shingle{Unit: feature.Runes, K: 3}}
	TiDB     = Set{"zh_tidb_docs_versions", feature.Shingle{Unit: feature.Runes, K: 3}}
	Laws     = Set{"zh_laws", feature.Shingle{Unit: feature.Runes, K: 3}}
	Licenses = Set{"en_license_texts", feature.Shingle{Unit: feature.Words, K: 3}}
	SMS      = Set{"uci_sms", feature.Shingle{Unit: feature.Runes, K: 3}}
)

// Pair is a line of an oracle. An oracle lists every pair of a set at or above its floor.
type Pair struct {
	A, B    string
	Jaccard float64 // rounded to four decimals
}

// Texts holds the lower-cased texts of a set, in the order of the file.
type Texts struct {
	IDs   []string
	Clean []string
	Index map[string]int // id -> position
}

// read caches the texts of sets by name.
var read sync.Map

// Texts reads the documents of the set.
func (s Set) Texts(tb testing.TB) Texts {
	tb.Helper()
	if t, ok := read.Load(s.Name); ok {
		return t.(Texts)
	}
	t := s.texts(tb)
	read.Store(s.Name, t)
	return t
}

func (s Set) texts(tb testing.TB) Texts {
	tb.Helper()
	t := Texts{Index: map[string]int{}}
	lower, err := text.ParseNormalizer("lower")
	if err != nil {
		tb.Fatal(err)
	}
	s.eachLine(tb, "docs.jsonl", func(line []byte) error {
		var d struct{ ID, Text string }
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		t.Index[d.ID] = len(t.IDs)
		t.IDs = append(t.IDs, d.ID)
		t.Clean = append(t.Clean, lower.Clean(d.Text))
		return nil
	})
	return t
}

// Pairs reads the oracle of the set.
func (s Set) Pairs(tb testing.TB) []Pair {
	tb.Helper()
	var pairs []Pair
	s.eachLine(tb, "exact_pairs.tsv", func(line []byte) error {
		f := strings.Split(string(line), "\t")
		if len(f) < 3 {
			return fmt.Errorf("%d fields", len(f))
		}
		if f[0] == "id_a" {
			return nil
		}
		j, err := strconv.ParseFloat(f[2], 64)
		pairs = append(pairs, Pair{f[0], f[1], j})
		return err
	})
	return pairs
}

// eachLine calls f with every line of a file of the set, which may be compressed.
func (s Set) eachLine(tb testing.TB, name string, f func([]byte) error) {
	tb.Helper()
	path := filepath.Join(shared.Dir(), s.Name, name)
	var in io.Reader
	if file, err := os.Open(path); err == nil {
		defer func() { _ = file.Close() }()
		in = file
	} else if errors.Is(err, fs.ErrNotExist) {
		in = shared.Unpacked(tb, s.Name+"/"+name+".zst")
	} else {
		tb.Fatal(err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if err := f(lines.Bytes()); err != nil {
			tb.Fatalf("%s line %d: %v", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		tb.Fatalf("read %s: %v", path, err)
	}
}

// Unsigned returns a clean text without its signs, because the oracles of the shared data ignore signs. If the unit is
// words, it keeps underscores.
func Unsigned(clean string, unit feature.Unit) string {
	for {
		var b strings.Builder
		from := 0
		for at := 0; at < len(clean); {
			name, end := text.Sign(clean, at)
			if name == "" || (name == "_" && unit != feature.Runes) {
				at++
				continue
			}
			b.WriteString(clean[from:at])
			b.WriteByte(' ')
			at, from = end, end
		}
		if from == 0 {
			return clean
		}
		b.WriteString(clean[from:])
		clean = b.String()
	}
}
