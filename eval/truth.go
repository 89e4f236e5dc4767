package eval

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/neardup/neardup/internal/textlines"
)

// known is one pair of the truth: 16 bytes, so that ten million fit in 160 MB.
type known struct {
	key        uint64
	similarity float64 // 0 for a pair labelled "not similar"
}

// truth is all that is known about a set of documents.
type truth struct {
	names    *names
	pairs    []known // sorted by key, one a pair
	labelled bool    // similarities are labels, and what is not listed is unknown
	floor    float64 // every pair at or above it is listed (not labelled)
}

// readTruth reads a truth file in any of the forms of the package's comment.
func readTruth(path string) (*truth, error) {
	t := &truth{names: &names{number: map[string]uint32{}}}
	jsonl, err := looksLikeJSON(path)
	if err != nil {
		return nil, err
	}
	if jsonl {
		err = t.readJSON(path)
	} else {
		err = t.readTable(path)
	}
	if err != nil {
		return nil, err
	}
	if err := t.sort(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.floor = t.lowest()
	return t, nil
}

var errStop = errors.New("stop")

func looksLikeJSON(path string) (bool, error) {
	json := false
	err := textlines.Each(path, func(_ int, line []byte) error {
		json = bytes.HasPrefix(bytes.TrimSpace(line), []byte{'{'})
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return json, err
}

func (t *truth) readTable(path string) error {
	h, err := eachPair(path, func(r row) error {
		similarity := float64(r.label)
		if r.similarity != nil {
			similarity *= *r.similarity
		}
		t.pairs = append(t.pairs, known{key(t.names.of(r.a), t.names.of(r.b)), similarity})
		return nil
	})
	t.labelled = h.value < 0
	return err
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

func (p labelledPair) ids() (a, b string, err error) {
	switch {
	case p.IDA != "" && p.IDB != "":
		return p.IDA, p.IDB, nil
	case p.ID != "":
		return p.ID + "/a", p.ID + "/b", nil
	}
	return "", "", errors.New("a labelled pair needs id_a and id_b, or id")
}

func (t *truth) readJSON(path string) error {
	t.labelled = true
	return eachLabelled(path, func(p labelledPair) error {
		a, b, err := p.ids()
		if err != nil {
			return err
		}
		pair := known{key: key(t.names.of([]byte(a)), t.names.of([]byte(b))), similarity: 1}
		if p.Label != nil {
			pair.similarity = float64(*p.Label)
		}
		t.pairs = append(t.pairs, pair)
		return nil
	})
}

func eachLabelled(path string, fn func(labelledPair) error) error {
	return textlines.Each(path, func(_ int, line []byte) error {
		var p labelledPair
		if err := textlines.Object(line, &p, "labelled pair"); err != nil {
			return err
		}
		return fn(p)
	})
}

// sort orders the pairs by key and drops consistent repeats.
func (t *truth) sort() error {
	slices.SortFunc(t.pairs, func(x, y known) int { return cmp.Compare(x.key, y.key) })
	var err error
	t.pairs = slices.CompactFunc(t.pairs, func(x, y known) bool {
		if x.key == y.key && x.similarity != y.similarity && err == nil {
			a, b := t.names.split(x.key)
			err = fmt.Errorf("pair %q %q is listed with %v and with %v", a, b, x.similarity, y.similarity)
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
