package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// known is a pair of the truth. It takes 16 bytes, so ten million pairs fit in 160 MB.
type known struct {
	key        uint64
	similarity float64 // 0 for a pair labelled "not similar"
}

// truth holds what is known about a set of documents.
type truth struct {
	names    *names
	pairs    []known // sorted by key, without repetitions
	labelled bool    // similarities are labels, and pairs that are not listed are unknown
	floor    float64 // every pair at or above it is listed, unless labelled
}

// readTruth reads a truth file in any of the formats of the package comment.
func readTruth(path string) (*truth, error) {
	t := &truth{names: &names{number: map[string]uint32{}}}
	h, err := eachPair(path, func(r row) error {
		similarity := float64(r.label)
		if r.similarity != nil {
			similarity *= *r.similarity
		}
		k, err := t.names.key(r)
		t.pairs = append(t.pairs, known{k, similarity})
		return err
	})
	if err != nil {
		return nil, err
	}
	t.labelled = h.value < 0
	if err := t.sort(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.floor = t.lowest()
	return t, nil
}

type labelledPair struct {
	ID    string `json:"id"`
	IDA   string `json:"id_a"`
	IDB   string `json:"id_b"`
	TextA string `json:"text_a"`
	TextB string `json:"text_b"`
	Label *label `json:"label"`
}

// label is 1 or true, 0 or false, or one of these as a string.
type label int

// UnmarshalJSON reads a label.
func (l *label) UnmarshalJSON(data []byte) error {
	n, err := parseLabel(strings.Trim(string(data), `"`))
	*l = label(n)
	return err
}

// row returns the pair as a row of a table. A line that has only one id is a pair of two texts.
func (p *labelledPair) row() row {
	r := row{label: 1, named: true, line: p}
	switch {
	case p.IDA != "" && p.IDB != "":
		r.a, r.b = []byte(p.IDA), []byte(p.IDB)
	case p.ID != "":
		r.a, r.b = []byte(p.ID+"/a"), []byte(p.ID+"/b")
	}
	if p.Label != nil {
		r.label = int(*p.Label)
	}
	return r
}

// sort orders the pairs by key and drops repetitions. It returns an error if they contradict each other.
func (t *truth) sort() error {
	slices.SortFunc(t.pairs, func(x, y known) int { return cmp.Compare(x.key, y.key) })
	var err error
	t.pairs = slices.CompactFunc(t.pairs, func(x, y known) bool {
		if x.key == y.key && x.similarity != y.similarity && err == nil {
			a, b := t.names.split(x.key)
			err = fmt.Errorf("pair %q %q: listed with %v and with %v", a, b, x.similarity, y.similarity)
		}
		return x.key == y.key
	})
	return err
}

// lowest returns the smallest similarity listed, rounded down to one decimal.
func (t *truth) lowest() float64 {
	low := 1.0
	for _, p := range t.pairs {
		low = min(low, p.similarity)
	}
	return math.Floor(low*10+1e-9) / 10
}

func (t *truth) find(key uint64) (int, bool) {
	return slices.BinarySearchFunc(t.pairs, key, func(p known, key uint64) int { return cmp.Compare(p.key, key) })
}
