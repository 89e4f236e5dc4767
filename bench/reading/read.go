package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/text"
)

// pair is a line of docs/reading: a judged pair, and why it has its label.
type pair struct {
	eval.JudgedPair
	Reason     string             `json:"reason"`
	Similarity float64            `json:"similarity,omitempty"` // when it was drawn
	Conflicts  []neardup.Conflict `json:"conflicts,omitempty"`  // then
	rank       uint64
}

// pairKey names a pair whichever way round it is.
type pairKey struct{ a, b string }

func (p *pair) key() pairKey { return pairKey{min(p.A, p.B), max(p.A, p.B)} }

// readLabels reads the labels given so far, none where there is no file.
func readLabels(path string) (map[pairKey]pair, error) {
	known := map[pairKey]pair{}
	err := textlines.Each(path, func(_ int, line []byte) error {
		var p pair
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		if p.Label != "" {
			known[p.key()] = p
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return known, err
}

// readSet reads a set: documents by their ids, headlines by their lines, from 1.
func readSet(data, set string) (documents, error) {
	d := documents{texts: map[string]string{}, raw: map[string]string{}}
	clean, seen := text.Default(), map[string]bool{}
	if set == "zh_weibo_hotsearch" {
		err := textlines.Each(filepath.Join(data, set, "titles.tsv.zst"), func(n int, line []byte) error {
			_, title, _ := strings.Cut(string(line), "\t")
			d.add(clean, seen, fmt.Sprintf("line:%d", n), title)
			return nil
		})
		return d, err
	}
	path := filepath.Join(data, set, "docs.jsonl")
	if _, err := os.Stat(path); err != nil {
		path += ".zst"
	}
	err := textlines.Each(path, func(_ int, line []byte) error {
		var doc struct{ ID, Text string }
		if err := json.Unmarshal(line, &doc); err != nil {
			return err
		}
		d.add(clean, seen, doc.ID, doc.Text)
		return nil
	})
	return d, err
}

// show writes a pair to be read.
func (p *pair) show(out io.Writer, d documents) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%s\t%.2f\t%v\n", p.A, p.B, p.Similarity, p.Conflicts)
	if p.TextA != "" {
		fmt.Fprintf(&b, "  A %s\n  B %s\n", p.TextA, p.TextB)
	} else {
		x, y := lines(d.raw[p.A]), lines(d.raw[p.B])
		fmt.Fprintf(&b, "  %d and %d lines; of A: %s; of B: %s\n", len(x), len(y), start(x), start(y))
		onlyIn(&b, "A", x, y)
		onlyIn(&b, "B", y, x)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func lines(s string) []string {
	s = strings.NewReplacer(". ", ".\n", "。", "。\n").Replace(s)
	all := strings.Split(s, "\n")
	kept := all[:0]
	for _, l := range all {
		if l = strings.Join(strings.Fields(l), " "); l != "" {
			kept = append(kept, l)
		}
	}
	return kept
}

func start(lines []string) string { return cut(strings.Join(lines[:min(3, len(lines))], " / "), 160) }

func cut(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes]) + "..."
	}
	return s
}

// mostShown is how many differing lines are shown of a side.
const mostShown = 14

func onlyIn(b *strings.Builder, name string, x, y []string) {
	other := map[string]int{}
	for _, l := range y {
		other[l]++
	}
	n := 0
	for _, l := range x {
		if other[l]--; other[l] >= 0 {
			continue
		}
		if n++; n <= mostShown {
			fmt.Fprintf(b, "  %s> %s\n", name, cut(l, 300))
		}
	}
	if n > mostShown {
		fmt.Fprintf(b, "  %s> and %d lines more\n", name, n-mostShown)
	}
}
