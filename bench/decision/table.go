package main

import (
	"embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/ngram"
)

// answers holds the probabilities of auto/4 for pairs that it was not learned from, in both orders. Its threshold was .7,
// in one order.
//
//go:embed testdata/auto4.tsv
var answers embed.FS

// before returns the probabilities of auto/4 in the order of the pair, and the lower one of both orders.
func (l *labels) before() (oneWay, lower []float64, err error) {
	table, err := answers.ReadFile("testdata/auto4.tsv")
	if err != nil {
		return nil, nil, err
	}
	said := map[string][2]float64{}
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if len(cells) != 5 {
			return nil, nil, fmt.Errorf("auto4.tsv: %d columns (want 5) in %q", len(cells), line)
		}
		var p [2]float64
		for i := range p {
			p[i], err = strconv.ParseFloat(cells[3+i], 64)
			if err != nil {
				return nil, nil, fmt.Errorf("auto4.tsv: %w", err)
			}
		}
		said[strings.Join(cells[:3], "\t")] = p
	}
	for i := range l.pairs {
		p := &l.pairs[i]
		both := said[p.Set+"\t"+p.A+"\t"+p.B]
		oneWay, lower = append(oneWay, both[0]), append(lower, min(both[0], both[1]))
	}
	return oneWay, lower, nil
}

// jaccard returns the Jaccard similarity of the shingles of each pair.
func (l *labels) jaccard(shingle string) ([]float64, error) {
	s, err := feature.ParseShingle(shingle)
	if err != nil {
		return nil, err
	}
	m, err := ngram.NewJaccard(ngram.Config{Shingle: s, Threshold: .01})
	if err != nil {
		return nil, err
	}
	said := make([]float64, len(l.pairs))
	parallel(len(said), func(i int) {
		p := &l.pairs[i]
		said[i] = m.Compare(m.Prepare(p.x), m.Prepare(p.y)).Similarity
	})
	return said, nil
}

// rows returns the ways to decide that are compared.
func (l *labels) rows() ([]row, error) {
	said := l.lesson().LeaveOut()
	rows := []row{{"learned without the family, .5", said, .5}, {"the same, .6", said, .6}, {"the same, .7", said, .7}}
	oneWay, lower, err := l.before()
	if err != nil {
		return nil, err
	}
	rows = append(rows, row{"auto/4, .7", oneWay, .7}, row{"auto/4, lower of both orders, .5", lower, .5})
	for _, b := range []struct{ name, shingle string }{{"minhash, .7", "auto:3"}, {"Jaccard runes:3, .7", "runes:3"}, {"Jaccard of words, .7", "scripts:1"}} {
		said, err := l.jaccard(b.shingle)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{b.name, said, .7})
	}
	return rows, nil
}

// measured returns the indexes of the pairs of a genre that auto/4 was not learned from.
func (l *labels) measured(genre string) (indexes []int) {
	for i := range l.pairs {
		if p := &l.pairs[i]; p.genre == genre && !p.seen {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// table prints how each genre is decided, and how reliable the probabilities are.
func (l *labels) table(out io.Writer) error {
	rows, err := l.rows()
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| genre (same / different / parts) | decided by | precision | recall | told apart | parts called the same | F1 (95 %) | area |\n|---|---|---|---|---|---|---|---|")
	for _, genre := range l.genres {
		indexes := l.measured(genre)
		if len(indexes) == 0 {
			continue
		}
		for n, r := range rows {
			c, name := l.count(indexes, r), ""
			if n == 0 {
				name = fmt.Sprintf("**%s** (%d / %d / %d)", genre, c.same, c.different, c.parts)
			}
			parts := "-"
			if c.parts > 0 {
				parts = short(ratio(c.partsFound, c.parts))
			}
			low, high := l.interval(indexes, r)
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s (%s-%s) | %.3f |\n", name, r.name, short(c.precision()), short(c.recall()), short(c.apart()), parts,
				short(c.f1()), short(low), short(high), l.area(indexes, r.said))
		}
	}
	l.calibration(out, rows[0].said)
	return nil
}

// short formats a share with two digits.
func short(share float64) string { return strings.TrimPrefix(fmt.Sprintf("%.2f", share), "0") }

// calibration prints, for pairs with similar values, the share that is the same. Parts count as not the same.
func (l *labels) calibration(out io.Writer, said []float64) {
	edges := []float64{0, .1, .3, .5, .7, .8, .9, 1.01}
	fmt.Fprint(out, "\n| said: the same, of pairs |")
	for i := range edges[1:] {
		fmt.Fprintf(out, " %s to %s |", short(edges[i]), short(min(edges[i+1], 1)))
	}
	fmt.Fprintln(out, "\n|"+strings.Repeat("---|", len(edges)))
	for _, genre := range l.genres {
		indexes := l.measured(genre)
		if len(indexes) == 0 {
			continue
		}
		fmt.Fprintf(out, "| %s |", genre)
		for i := range edges[1:] {
			same, all := 0, 0
			for _, j := range indexes {
				if said[j] >= edges[i] && said[j] < edges[i+1] {
					all++
					if l.pairs[j].same {
						same++
					}
				}
			}
			if all == 0 {
				fmt.Fprint(out, " - |")
				continue
			}
			fmt.Fprintf(out, " %s of %d |", short(ratio(same, all)), all)
		}
		fmt.Fprintln(out)
	}
}
