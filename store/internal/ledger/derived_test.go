package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
	"pgregory.net/rapid"
)

// derivedBytes returns the encoded size of a derived text, after reading it again.
func derivedBytes(t rapid.TB, from, to string) int {
	var w coder
	putDerived(&w, from, to)
	r := &coder{b: w.b, reads: true}
	got := getDerived(r, from)
	if err := r.close(nil); err != nil || got != to {
		t.Errorf("%q from %q is read as %q: %v", to, from, got, err)
	}
	return len(w.b)
}

// TestDerived shows how many bytes a cleaned text takes next to the article's.
func TestDerived(t *testing.T) {
	for _, c := range []struct {
		from, to string
		bytes    int
	}{
		{"", "", 1},
		{"the same text", "the same text", 4},
		{"The Same Text", "the same text", 4},
		{"The\n\n  same\u00a0text", "the same text", 11},
		{"“Quoted，” said NASA", "\"quoted,\" said nasa", 13},
		{"ÉCOLE", "école", 8},
		{"raw AND KEPT", "raw AND KEPT", 12},
		{"entirely different", "1234567890", 17},
		{"", "no article", 17},
		{"a text that was cut", "a text", 4},
	} {
		if n := derivedBytes(t, c.from, c.to); n != c.bytes {
			t.Errorf("%q from %q takes %d bytes, want %d", c.to, c.from, n, c.bytes)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word", "Word", " ", "\n", "\u00a0", "，", ",", "天", "\xff", "AaZz[@`{", strings.Repeat("x", 70)})
		texts := rapid.SliceOfN(rapid.SliceOf(piece), 2, 2).Draw(t, "texts")
		derivedBytes(t, strings.Join(texts[0], ""), strings.Join(texts[1], ""))
	})
	for _, bad := range [][]byte{{1}, {5, 9, 0, 0}, {5, 0, 9, 0}, {5, 1, 0, 0}, {0xff, 0xff, 0xff, 0xff, 0xff, 1}, {1, 0, 0, 2, 'a', 'b'}} {
		r := &coder{b: bad, reads: true}
		getDerived(r, "text")
		if err := r.close(nil); !errors.Is(err, docid.ErrCorrupt) {
			t.Errorf("% x is read: %v", bad, err)
		}
	}
}

// sampleEntry returns the entry of a new article of about n bytes and its text as a reader wrote it.
func sampleEntry(n int) (p *proposal, raw string) {
	r, b := rand.New(rand.NewPCG(1, 2)), &strings.Builder{}
	for b.Len() < n {
		word := fmt.Sprintf("%x", uint32(1+r.IntN(2000))*2654435761)
		if r.IntN(8) == 0 {
			word = strings.ToUpper(word)
		}
		b.WriteString(word + []string{" ", " ", " ", ",\n", ".  "}[r.IntN(5)])
	}
	raw = b.String()
	a := &docid.Article{}
	a.ID, a.Text = "a", raw
	clean := strings.Join(strings.Fields(strings.ToLower(raw)), " ")
	return &proposal{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: "a"}, Article: a,
		NewLeader: &docid.NewLeader{Keys: make([]uint64, 20), Material: docid.Material{NID: "a", Text: clean}}}}, raw
}

// TestEntryStoresTextOnce checks that the entry of a new article takes little more than its compressed text.
func TestEntryStoresTextOnce(t *testing.T) {
	p, raw := sampleEntry(1 << 20)
	entry, alone := entryOf(entryID{}, rules, p.encode()), packer().EncodeAll([]byte(raw), nil)
	if len(entry) > len(alone)*5/4 || len(alone) > len(raw)*3/4 {
		t.Errorf("a text of %d bytes takes %d compressed, and its entry %d", len(raw), len(alone), len(entry))
	}
	read, err := readEntry(entry, rules)
	if err != nil || !bytes.Equal(read.encode(), p.encode()) {
		t.Errorf("it is read otherwise: %v", err)
	}
}

// BenchmarkEntry measures writing and reading the entry of a new article.
func BenchmarkEntry(b *testing.B) {
	for _, n := range []int{3000, 1 << 20} {
		p, _ := sampleEntry(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				entry := entryOf(entryID{}, rules, p.encode())
				if _, err := readEntry(entry, rules); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(entry)), "bytes")
			}
		})
	}
}
