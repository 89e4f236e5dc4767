package eval

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/neardup/neardup"
)

// Verdict is a method's decision about one judged pair.
type Verdict struct {
	neardup.Match
	// Found is false if the pair is near but shares no key.
	Found bool
	// Short reports whether the pair is short. It is used if the band does not give the length.
	Short bool
	// Sure reports whether the method is certain. Sure pairs are also measured separately.
	Sure bool
}

// JudgedScore measures how the decisions on a group of judged pairs agree with the reader. A pair is called a duplicate if
// it is near and found.
type JudgedScore struct {
	Group     string `json:"group"` // "all", "short", "long", "sure", a set, a label
	Pairs     int    `json:"pairs"` // scored pairs
	Precision Rate   `json:"precision"`
	Recall    Rate   `json:"recall"`
	// Variants counts the pairs that are called variants instead of duplicates.
	Variants int `json:"variants"`
	// Unfound counts the near pairs that share no key.
	Unfound int `json:"unfound"`
}

// JudgedMistake is a scored pair on which the method and the reader disagree.
type JudgedMistake struct {
	Set        string  `json:"set,omitempty"`
	A          string  `json:"id_a"`
	B          string  `json:"id_b"`
	Label      string  `json:"label"`
	Similarity float64 `json:"similarity"`
	Variant    bool    `json:"variant,omitempty"`
}

// JudgedReport is the result of Judged.
type JudgedReport struct {
	Pairs    int             `json:"pairs"`
	Unscored int             `json:"unscored"`
	Scores   []JudgedScore   `json:"scores"`
	Labels   []JudgedLabel   `json:"labels"`
	False    []JudgedMistake `json:"false"`  // wrongly called duplicates, the most similar first
	Missed   []JudgedMistake `json:"missed"` // missed duplicates, the least similar last
}

// JudgedLabel counts the decisions on the pairs of one label.
type JudgedLabel struct {
	Label     string `json:"label"`
	Length    string `json:"length"`
	Duplicate Rate   `json:"duplicate"`
	Variant   Rate   `json:"variant"`
}

// Judged measures decisions on pairs that people have judged. It calls decide once for each pair. Shares refer to the
// sample, not to a corpus. The slices of mistakes hold at most examples each; a negative number means all.
func Judged(pairs []JudgedPair, decide func(JudgedPair) Verdict, examples int) JudgedReport {
	r := JudgedReport{Pairs: len(pairs)}
	scores, labels := groups[counts]{}, groups[counts]{}
	for _, p := range pairs {
		v := decide(p)
		v.Short = isShort(p.Band, v.Short)
		positive, scored := p.Positive()
		called := v.Near && v.Found
		labels.of(p.Label+"\t"+lengthName(v.Short)).add(v, positive)
		if !scored {
			r.Unscored++
			continue
		}
		names := []string{"all", lengthName(v.Short)}
		if p.Set != "" {
			names = append(names, p.Set+" "+lengthName(v.Short))
		}
		if v.Sure {
			names = append(names, "sure")
		}
		for _, name := range names {
			scores.of(name).add(v, positive)
		}
		mistake := JudgedMistake{p.Set, p.A, p.B, p.Label, v.Similarity, v.Variant}
		switch {
		case called && !positive:
			r.False = append(r.False, mistake)
		case positive && !called:
			r.Missed = append(r.Missed, mistake)
		}
	}
	for _, name := range scores.names("all", "short", "long", "sure") {
		r.Scores = append(r.Scores, scores.of(name).score(name))
	}
	for _, name := range labels.names() {
		label, length, _ := strings.Cut(name, "\t")
		t := labels.of(name)
		r.Labels = append(r.Labels, JudgedLabel{label, length, NewRate(t.called, t.pairs), NewRate(t.variants, t.pairs)})
	}
	r.False, r.Missed = mostSimilar(r.False, examples), mostSimilar(r.Missed, examples)
	return r
}

func mostSimilar(list []JudgedMistake, most int) []JudgedMistake {
	slices.SortStableFunc(list, func(a, b JudgedMistake) int { return cmp.Compare(b.Similarity, a.Similarity) })
	if most >= 0 && len(list) > most {
		return list[:most]
	}
	return list
}

func lengthName(short bool) string {
	if short {
		return "short"
	}
	return "long"
}

// isShort reads the length from the words of the band. It returns otherwise if the band does not give one.
func isShort(band string, otherwise bool) bool {
	for _, word := range strings.Fields(band) {
		if word == "short" || word == "long" {
			return word == "short"
		}
	}
	return otherwise
}

type counts struct{ pairs, called, positive, right, variants, unfound int }

// add counts a pair.
func (t *counts) add(v Verdict, positive bool) {
	called := v.Near && v.Found
	t.pairs++
	for _, c := range []struct {
		n   *int
		yes bool
	}{{&t.called, called}, {&t.positive, positive}, {&t.right, called && positive}, {&t.variants, v.Variant}, {&t.unfound, v.Near && !v.Found}} {
		if c.yes {
			*c.n++
		}
	}
}

func (t *counts) score(name string) JudgedScore {
	return JudgedScore{
		Group: name, Pairs: t.pairs, Precision: NewRate(t.right, t.called), Recall: NewRate(t.right, t.positive),
		Variants: t.variants, Unfound: t.unfound,
	}
}

type groups[T any] map[string]*T

func (g groups[T]) of(name string) *T {
	if g[name] == nil {
		g[name] = new(T)
	}
	return g[name]
}

// names returns the names in first that exist, then the other names, sorted.
func (g groups[T]) names(first ...string) []string {
	var names []string
	for name := range g {
		if !slices.Contains(first, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	first = slices.DeleteFunc(first, func(name string) bool { return g[name] == nil })
	return append(first, names...)
}

// WriteText writes the report as a table for people.
func (r JudgedReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d judged pairs, %d of them not scored\n\n", r.Pairs, r.Unscored)
	fmt.Fprintf(&b, "%-28s %5s  %-36s %-36s %8s %7s\n", "", "pairs", "precision", "recall", "variants", "unfound")
	for _, s := range r.Scores {
		fmt.Fprintf(&b, "%-28s %5d  %-36v %-36v %8d %7d\n", s.Group, s.Pairs, s.Precision, s.Recall, s.Variants, s.Unfound)
	}
	fmt.Fprintf(&b, "\n%-8s %-5s  %-36s %s\n", "label", "", "called duplicate", "called variant")
	for _, l := range r.Labels {
		fmt.Fprintf(&b, "%-8s %-5s  %-36v %v\n", l.Label, l.Length, l.Duplicate, l.Variant)
	}
	writeMistakes(&b, "called duplicates wrongly", r.False)
	writeMistakes(&b, "missed", r.Missed)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMistakes(b *strings.Builder, title string, list []JudgedMistake) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, m := range list {
		variant := ""
		if m.Variant {
			variant = "variant"
		}
		fmt.Fprintf(b, "%.4f  %-8s %-8s %s  %s  %s\n", m.Similarity, m.Label, variant, m.Set, m.A, m.B)
	}
}
