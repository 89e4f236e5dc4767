package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neardup/neardup/bench/learn"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// report is a pair rebuilt from a public report of a wrong decision.
type report struct {
	Kind  string `json:"kind"`
	TextA string `json:"text_a"`
	TextB string `json:"text_b"`
	Label string `json:"label"`
	said  [2]float64
}

// group returns the kind without numbers and names.
func (r *report) group() string {
	if i := strings.IndexAny(r.Kind, "0123456789 -#/"); i > 0 {
		return r.Kind[:i]
	}
	return r.Kind
}

// reports prints how pairs rebuilt from public reports are decided in both orders, with weights learned from all labels.
func (l *labels) reports(out io.Writer, data string) error {
	m, err := newMethod()
	if err != nil {
		return err
	}
	weights, clean := l.lesson().Fit(), text.Default()
	type tally struct{ different, apart, same, found int }
	groups, total, misses := map[string]*tally{}, &tally{}, []report{}
	err = textlines.Each(filepath.Join(data, "reports", "pairs.jsonl"), func(_ int, line []byte) error {
		var r report
		if err := textlines.Object(line, &r, "report"); err != nil {
			return err
		}
		x, y := clean.Clean(r.TextA), clean.Clean(r.TextB)
		for i, texts := range [][2]string{{x, y}, {y, x}} {
			if q, ok := methods.Observe(m, texts[0], texts[1]); x == y {
				r.said[i] = 1
			} else if ok {
				r.said[i] = learn.Probability(weights, q.X)
			}
		}
		if groups[r.group()] == nil {
			groups[r.group()] = &tally{}
		}
		right := 0
		if (r.Label == "same" && min(r.said[0], r.said[1]) >= .5) || (r.Label != "same" && max(r.said[0], r.said[1]) < .5) {
			right = 1
		} else {
			misses = append(misses, r)
		}
		for _, t := range []*tally{total, groups[r.group()]} {
			if r.Label == "same" {
				t.same++
				t.found += right
				continue
			}
			t.different++
			t.apart += right
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| kind | different, told apart | same, found |\n|---|---|---|")
	line := func(kind string, t *tally) {
		fmt.Fprintf(out, "| %s | %d of %d | %d of %d |\n", kind, t.apart, t.different, t.found, t.same)
	}
	for _, kind := range slices.Sorted(maps.Keys(groups)) {
		line(kind, groups[kind])
	}
	line("**all**", total)
	fmt.Fprint(out, "\nWrong in an order or in both:\n\n")
	for _, r := range misses {
		fmt.Fprintf(out, "- %s, %s, %.2f and %.2f: %q / %q\n", r.Label, r.Kind, r.said[0], r.said[1], r.TextA, r.TextB)
	}
	return nil
}
