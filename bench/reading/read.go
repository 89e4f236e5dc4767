package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/text"
)

// pair is a line of the labels: a judged pair with the reason for its label.
type pair struct {
	eval.JudgedPair
	Reason     string `json:"reason"`
	decision   decision
	learned    bool
	similarity float64
	conflicts  []neardup.Conflict
	rank       uint64
}

// pairKey identifies a pair in either order.
type pairKey struct{ a, b string }

func (p *pair) key() pairKey { return pairKey{min(p.A, p.B), max(p.A, p.B)} }

// readLabels reads the labels, or none if the file does not exist.
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

// readLearned reads the pairs from which the shipped weights were learned: labels as above, or a table whose second and
// third columns are ids.
func readLearned(patterns []string) (map[pairKey]bool, error) {
	learned := map[pairKey]bool{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if filepath.Ext(file) == ".jsonl" {
				known, err := readLabels(file)
				if err != nil {
					return nil, err
				}
				for key := range known {
					learned[key] = true
				}
				continue
			}
			err := textlines.Each(file, func(_ int, line []byte) error {
				if cells := strings.Split(string(line), "\t"); len(cells) > 2 {
					learned[pairKey{min(cells[1], cells[2]), max(cells[1], cells[2])}] = true
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return learned, nil
}

// readSet reads a set from the first folder that has it: documents by id, or headlines by line number from 1.
func readSet(data []string, set string) (documents, error) {
	d := documents{texts: map[string]string{}, raw: map[string]string{}}
	clean, seen := text.Default(), map[string]bool{}
	i := slices.IndexFunc(data, func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, set))
		return err == nil
	})
	if i < 0 {
		return d, fmt.Errorf("no set %s in %v", set, data)
	}
	folder := filepath.Join(data[i], set)
	if set == "zh_weibo_hotsearch" {
		err := textlines.Each(filepath.Join(folder, "titles.tsv.zst"), func(n int, line []byte) error {
			_, title, _ := strings.Cut(string(line), "\t")
			d.add(clean, seen, fmt.Sprintf("line:%d", n), title)
			return nil
		})
		return d, err
	}
	path := filepath.Join(folder, "docs.jsonl")
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

// show prints a pair for reading.
func (p *pair) show(out io.Writer, d documents) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%s\t%.2f\t%v\n", p.A, p.B, p.similarity, p.conflicts)
	if x, y := d.raw[p.A], d.raw[p.B]; len(x)+len(y) < mostShort {
		fmt.Fprintf(&b, "  A %s\n  B %s\n", x, y)
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
		l = strings.Join(strings.Fields(l), " ")
		if l != "" {
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

// mostShown limits the differing lines shown of each text.
const mostShown = 14

func onlyIn(b *strings.Builder, name string, x, y []string) {
	other := map[string]int{}
	for _, l := range y {
		other[l]++
	}
	n := 0
	for _, l := range x {
		other[l]--
		if other[l] >= 0 {
			continue
		}
		n++
		if n <= mostShown {
			fmt.Fprintf(b, "  %s> %s\n", name, cut(l, 300))
		}
	}
	if n > mostShown {
		fmt.Fprintf(b, "  %s> and %d lines more\n", name, n-mostShown)
	}
}
