package report

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/eval"
	"github.com/zeebo/xxh3"
)

const (
	maxEdges    = 2_000_000 // each takes 24 bytes
	sampleBand  = 40        // pairs kept per band
	bands       = 20        // bands of the range 0..1
	labTextSize = 4000      // in runes
)

// A Lab collects the evidence for choosing a threshold. It has all verified pairs from a floor on, a sample
// of them by bands of similarity, and labels. It is not safe for concurrent use.
type Lab struct {
	floor, threshold float64
	copies           int64
	edges            edges
	truncated        bool
	counts           [bands + 1]int64
	sample           [bands + 1][]sampled
	labels           map[[2]string]string
	labelled         []sampled
	texts            map[string]*labText
	compare          func(a, b string) neardup.Match
}

// edges holds columns from which the page repeats the decisions.
type edges struct {
	Later      []int64   `json:"later"`
	Earlier    []int64   `json:"earlier"`
	Similarity []float64 `json:"similarity"`
}

type sampled struct {
	a, b       string
	similarity float64
	basis      string
	label      string
	order      uint64
}

type labText struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
	found bool
	full  *string // the full text of a labelled document, until it is compared
}

// NewLab begins a Lab for pairs from floor on of a run at a threshold. copies counts the documents with the
// clean text of an earlier one. They are removed at any threshold and are not among the pairs. compare
// decides labelled pairs with a copy: it reports whether two texts are near at the floor. The Lab keeps whole
// texts of labelled pairs.
func NewLab(floor, threshold float64, copies int64, labels []eval.JudgedPair, compare func(a, b string) neardup.Match) *Lab {
	l := &Lab{floor: floor, threshold: threshold, copies: copies, compare: compare, labels: map[[2]string]string{}, texts: map[string]*labText{}}
	for _, x := range labels {
		l.labels[unordered(x.A, x.B)] = x.Label
		l.texts[x.A], l.texts[x.B] = &labText{full: new("")}, &labText{full: new("")}
	}
	return l
}

func unordered(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// AddPair adds a verified pair. Pairs must be ordered by the later document, then the earlier one. Each band
// keeps the pairs whose ids have the smallest hashes, so the sample does not depend on the order of the work.
func (l *Lab) AddPair(a, b string, earlier, later int64, m neardup.Match) {
	if !m.Near {
		return
	}
	s := sampled{a: a, b: b, similarity: m.Similarity, basis: m.Basis, order: xxh3.HashString(a + "\x00" + b)}
	similarity := m.Similarity
	if m.Basis == neardup.BasisOverride {
		similarity = 2 // the pair is near at any threshold
	} else {
		i := int(m.Similarity*bands + 1e-9)
		l.counts[i]++
		l.keep(i, s)
	}
	if label, ok := l.labels[unordered(a, b)]; ok {
		s.label = label
		l.labelled = append(l.labelled, s)
		delete(l.labels, unordered(a, b))
	}
	if len(l.edges.Later) == maxEdges {
		l.truncated = true
		return
	}
	l.edges.Later = append(l.edges.Later, later)
	l.edges.Earlier = append(l.edges.Earlier, earlier)
	l.edges.Similarity = append(l.edges.Similarity, similarity)
}

func (l *Lab) keep(band int, s sampled) {
	list := l.sample[band]
	i, _ := slices.BinarySearchFunc(list, s.order, func(x sampled, order uint64) int { return cmp.Compare(x.order, order) })
	if i >= sampleBand {
		return
	}
	list = slices.Insert(list, i, s)
	l.sample[band] = list[:min(len(list), sampleBand)]
}

// Choose selects the documents whose texts are shown, after the last pair.
func (l *Lab) Choose() {
	for _, list := range l.sample {
		for _, s := range list {
			for _, id := range []string{s.a, s.b} {
				if l.texts[id] == nil {
					l.texts[id] = &labText{}
				}
			}
		}
	}
}

// Document adds a document if its text is shown.
func (l *Lab) Document(doc *neardup.Document) {
	t := l.texts[doc.ID]
	if t == nil || t.found {
		return
	}
	t.ID, t.Title, t.found = doc.ID, doc.Title, true
	t.Text, _ = cut(doc.Text, labTextSize)
	if t.full != nil {
		t.full = &doc.Text
	}
}

type labPart struct {
	Floor     float64   `json:"floor"`
	Threshold float64   `json:"threshold"`
	Copies    int64     `json:"copies"`
	Truncated bool      `json:"truncated,omitempty"`
	Edges     edges     `json:"edges"`
	Bands     []labBand `json:"bands"`
	Sample    []labPair `json:"sample"`
	// Below counts the labels of pairs that are not near even at the floor.
	Below map[string]int `json:"below"`
}

type labBand struct {
	From  float64 `json:"from"`
	Pairs int64   `json:"pairs"`
}

type labPair struct {
	A          *labText `json:"a"`
	B          *labText `json:"b"`
	Similarity float64  `json:"similarity"`
	Basis      string   `json:"basis"`
	Band       int      `json:"band"`
	Label      string   `json:"label,omitempty"`
}

// part lists the pairs closest to the threshold first, where a label is most useful.
func (l *Lab) part() labPart {
	p := labPart{
		Floor: l.floor, Threshold: l.threshold, Copies: l.copies, Truncated: l.truncated, Edges: l.edges,
		Bands: []labBand{}, Sample: []labPair{}, Below: map[string]int{},
	}
	if p.Edges.Later == nil {
		p.Edges = edges{[]int64{}, []int64{}, []float64{}}
	}
	seen := map[[2]string]bool{}
	add := func(s sampled, label string) {
		if key := unordered(s.a, s.b); !seen[key] {
			seen[key] = true
			p.Sample = append(p.Sample, labPair{l.texts[s.a], l.texts[s.b], s.similarity, s.basis, int(s.similarity*bands + 1e-9), label})
		}
	}
	l.compareLabelled(p.Below)
	for _, s := range l.labelled {
		add(s, s.label)
	}
	for i, list := range l.sample {
		if l.counts[i] > 0 {
			p.Bands = append(p.Bands, labBand{math.Round(100*float64(i)/bands) / 100, l.counts[i]})
		}
		for _, s := range list {
			add(s, "")
		}
	}
	slices.SortStableFunc(p.Sample, func(x, y labPair) int {
		return cmp.Or(
			cmp.Compare(math.Abs(float64(x.Band)-l.threshold*bands+.5), math.Abs(float64(y.Band)-l.threshold*bands+.5)),
			cmp.Compare(x.Similarity, y.Similarity))
	})
	return p
}

// compareLabelled compares labelled pairs that are not among the verified ones, if it has both documents.
func (l *Lab) compareLabelled(below map[string]int) {
	for _, key := range slices.SortedFunc(maps.Keys(l.labels), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		a, b, label := l.texts[key[0]], l.texts[key[1]], l.labels[key]
		if !a.found || !b.found {
			continue
		}
		if m := l.compare(*a.full, *b.full); m.Near {
			l.labelled = append(l.labelled, sampled{a: key[0], b: key[1], similarity: m.Similarity, basis: m.Basis, label: label})
		} else {
			below[label]++
		}
	}
}
