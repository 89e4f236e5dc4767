package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Options selects what to measure. The zero value measures at .8.
type Options struct {
	// At is the threshold the pairs were made with; 0 means .8.
	At float64
	// Floor is the least similarity at which the truth lists every pair. 0 means the smallest similarity listed, rounded
	// down to one decimal.
	Floor float64
	// Examples is the number of misses and false pairs to list. 0 means 10, and a negative number none.
	Examples int
}

// begin sets the default options and reads the truth.
func begin(truthPath string, o Options) (*truth, Options, error) {
	if o.At == 0 {
		o.At = .8
	}
	if o.Examples == 0 {
		o.Examples = 10
	}
	if !(o.At > 0 && o.At <= 1) {
		return nil, o, fmt.Errorf("threshold %v: out of range (want above 0, at most 1)", o.At)
	}
	t, err := readTruth(truthPath)
	if err != nil {
		err = fmt.Errorf("read truth: %w", err)
	}
	return t, o, err
}

// edges are the lower ends of the bands. The last band includes 1.
var edges = []float64{.5, .6, .7, .8, .9, 1}

// Band is the recall of the pairs with Low <= similarity < High (or <= High in the last band).
type Band struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Recall Rate    `json:"recall"`
}

// Example is a pair to look at. Truth is nil if the truth does not list the pair, and Reported if it was not reported.
type Example struct {
	A        string   `json:"id_a"`
	B        string   `json:"id_b"`
	Truth    *float64 `json:"truth"`
	Reported *float64 `json:"reported"`
}

// Report is the result of Pairs.
type Report struct {
	At    float64 `json:"at"`
	Floor float64 `json:"floor"`
	// Labelled is set if the truth consists of labels. Pairs that it does not list are then unknown. They only count in
	// Unlisted.
	Labelled bool `json:"labelled"`
	Truth    int  `json:"truth_pairs"`
	Reported int  `json:"reported_pairs"`
	Repeated int  `json:"repeated_lines"`
	// Recall is the share of the true pairs with similarity >= At that were reported.
	Recall Rate `json:"recall"`
	// Border counts the missed pairs whose similarity in the truth is exactly At. It is rounded, so they may really be
	// below.
	Border int    `json:"missed_at_border"`
	Bands  []Band `json:"bands"`
	// AtLeast is the recall of the pairs with similarity >= Low.
	AtLeast []Band `json:"at_least"`
	// Precision is the share of all reported pairs with true similarity >= At.
	Precision Rate `json:"precision"`
	Below     int  `json:"below_at"` // reported pairs that the truth lists below At
	Unlisted  int  `json:"unlisted"` // reported pairs that the truth does not list
	// Agreement is the share of the reported pairs in the truth whose similarities differ by at most .0005.
	// MaxDifference is the largest difference.
	Agreement     Rate      `json:"agreement"`
	MaxDifference float64   `json:"max_difference"`
	Misses        []Example `json:"misses"` // the most similar first
	False         []Example `json:"false"`  // the least similar first
	Notes         []string  `json:"notes,omitempty"`
}

// Pairs compares a file of reported pairs (TSV: id_a id_b similarity, with a header; the similarity may be left out) with a
// truth file. Each pair counts once, in either order of its ids. It needs about 17 bytes for each pair of the truth, 8 to
// 40 bytes for each reported pair that is not true, and memory for the ids. Errors name file, line and reason.
func Pairs(truthPath, reportedPath string, o Options) (Report, error) {
	t, o, err := begin(truthPath, o)
	if err != nil {
		return Report{}, err
	}
	if o.Floor > 0 {
		t.floor = o.Floor
	}
	m := newMeasure(t, o)
	if _, err := eachPair(reportedPath, m.add); err != nil {
		return Report{}, fmt.Errorf("read pairs: %w", err)
	}
	return m.report(), nil
}

// measure compares the reported pairs with the truth, one by one.
type measure struct {
	truth      *truth
	options    Options
	seen       []bool // for each of truth.pairs
	unlisted   map[uint64]struct{}
	out        Report
	agree, cmp int
	falsePairs worst
}

func newMeasure(t *truth, o Options) *measure {
	return &measure{
		truth: t, options: o,
		seen:       make([]bool, len(t.pairs)),
		unlisted:   map[uint64]struct{}{},
		falsePairs: worst{limit: o.Examples},
		out:        Report{At: o.At, Floor: t.floor, Labelled: t.labelled, Truth: len(t.pairs)},
	}
}

func (m *measure) add(r row) error {
	k, err := m.truth.names.key(r)
	if err != nil {
		return err
	}
	at, listed := m.truth.find(k)
	if !listed {
		m.addUnlisted(k, r.similarity)
		return nil
	}
	if m.seen[at] {
		m.out.Repeated++
		return nil
	}
	m.seen[at] = true
	m.out.Reported++
	similarity := m.truth.pairs[at].similarity
	if r.similarity != nil && !m.truth.labelled {
		m.compare(similarity, *r.similarity)
	}
	if similarity < m.threshold() {
		m.out.Below++
		m.falsePairs.add(m.example(k, &similarity, r.similarity), similarity, -value(r.similarity))
	}
	return nil
}

func (m *measure) addUnlisted(k uint64, reported *float64) {
	if _, again := m.unlisted[k]; again {
		m.out.Repeated++
		return
	}
	m.unlisted[k] = struct{}{}
	m.out.Reported++
	m.out.Unlisted++
	if !m.truth.labelled {
		m.falsePairs.add(m.example(k, nil, reported), -1, -value(reported))
	}
}

// threshold returns the least similarity at which a pair of the truth counts as similar.
func (m *measure) threshold() float64 {
	if m.truth.labelled {
		return 1
	}
	return m.options.At
}

func (m *measure) compare(truth, reported float64) {
	difference := math.Abs(truth - reported)
	m.cmp++
	if difference <= .0005+1e-12 {
		m.agree++
	}
	m.out.MaxDifference = max(m.out.MaxDifference, difference)
}

func (m *measure) example(k uint64, truth, reported *float64) Example {
	e := Example{Truth: truth, Reported: reported}
	e.A, e.B = m.truth.names.split(k)
	if e.A > e.B {
		e.A, e.B = e.B, e.A
	}
	return e
}

func value(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

func (m *measure) report() Report {
	out := &m.out
	misses := worst{limit: m.options.Examples}
	found, of := 0, 0
	for i, p := range m.truth.pairs {
		if p.similarity < m.threshold() {
			continue
		}
		of++
		if m.seen[i] {
			found++
			continue
		}
		if p.similarity == m.options.At {
			out.Border++
		}
		similarity := p.similarity // a copy, so that only a miss is allocated
		misses.add(m.example(p.key, &similarity, nil), -similarity, 0)
	}
	out.Recall = NewRate(found, of)
	out.Agreement = NewRate(m.agree, m.cmp)
	judged := out.Reported
	if out.Labelled {
		judged -= out.Unlisted
		out.Border = 0
	} else {
		out.Bands, out.AtLeast = m.bands()
	}
	out.Precision = NewRate(found, judged)
	out.Misses, out.False = misses.list(), m.falsePairs.list()
	out.Notes = m.notes()
	return *out
}

// bands counts the listed and the found pairs in each band, and from each edge on. It omits bands below the floor of the
// truth.
func (m *measure) bands() (bands, atLeast []Band) {
	of, found := make([]int, len(edges)), make([]int, len(edges))
	for i, p := range m.truth.pairs {
		band := bandOf(p.similarity)
		if band < 0 {
			continue
		}
		of[band]++
		if m.seen[i] {
			found[band]++
		}
	}
	sumOf, sumFound := 0, 0
	for i := len(edges) - 1; i >= 0; i-- {
		sumOf, sumFound = sumOf+of[i], sumFound+found[i]
		if edges[i] < m.truth.floor {
			continue
		}
		high := 1.0
		if i+1 < len(edges) {
			high = edges[i+1]
		}
		bands = append(bands, Band{Low: edges[i], High: high, Recall: NewRate(found[i], of[i])})
		atLeast = append(atLeast, Band{Low: edges[i], High: 1, Recall: NewRate(sumFound, sumOf)})
	}
	slices.Reverse(bands)
	slices.Reverse(atLeast)
	return bands, atLeast
}

// bandOf returns the last edge that is not above s, or -1.
func bandOf(s float64) int {
	at, exact := slices.BinarySearch(edges, s)
	if exact {
		return at
	}
	return at - 1
}

func (m *measure) notes() []string {
	var notes []string
	switch {
	case m.truth.labelled:
		notes = append(notes, "The truth is labels: reported pairs that it does not list are unknown and not judged.")
	case m.options.At < m.truth.floor:
		notes = append(notes, fmt.Sprintf("The truth lists only pairs >= %v, the threshold is %v: "+
			"reported pairs between the two count as false, and missed ones are not seen.", m.truth.floor, m.options.At))
	case m.out.Unlisted > 0:
		notes = append(notes, fmt.Sprintf("Reported pairs that the truth does not list have a similarity below its floor of %v.", m.truth.floor))
	}
	if m.out.Border > 0 {
		notes = append(notes, fmt.Sprintf("%d missed pairs are written with exactly the threshold; rounded, they may lie below it.", m.out.Border))
	}
	return notes
}

// worst keeps the examples with the smallest rank. Ties are broken by ids.
type worst struct {
	limit int
	kept  []ranked
}

type ranked struct {
	Example
	first, second float64
}

func (w *worst) add(e Example, first, second float64) {
	if w.limit <= 0 {
		return
	}
	r := ranked{e, first, second}
	if len(w.kept) == w.limit && compareRanked(r, w.kept[len(w.kept)-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(w.kept, r, compareRanked)
	w.kept = slices.Insert(w.kept, at, r)
	w.kept = w.kept[:min(len(w.kept), w.limit)]
}

func compareRanked(x, y ranked) int {
	return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.second, y.second),
		cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
}

func (w *worst) list() []Example {
	list := make([]Example, 0, len(w.kept))
	for _, r := range w.kept {
		list = append(list, r.Example)
	}
	return list
}
