package eval

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/neardup/neardup/internal/textlines"
)

// names numbers the ids, so that a pair fits in 64 bits.
type names struct {
	number map[string]uint32
	id     []string
}

func (n *names) of(id []byte) uint32 {
	if k, ok := n.number[string(id)]; ok {
		return k
	}
	k := uint32(len(n.id))
	s := string(id)
	n.number[s], n.id = k, append(n.id, s)
	return k
}

// key returns the unordered pair of two numbered ids.
func key(a, b uint32) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(a)<<32 | uint64(b)
}

// key returns the pair of a row.
func (n *names) key(r row) (uint64, error) {
	if r.a == nil {
		return 0, errors.New("a labelled pair needs id_a and id_b, or id")
	}
	return key(n.of(r.a), n.of(r.b)), nil
}

func (n *names) split(key uint64) (a, b string) {
	return n.id[key>>32], n.id[uint32(key)]
}

// header maps the columns of a table of pairs to their contents.
type header struct {
	named bool // the table has a header
	value int  // column of the similarity, or -1
	label int  // column of the label, or -1
}

// parseHeader parses the first line of a table, which may already be a pair.
func parseHeader(cells [][]byte) (h header) {
	h = header{value: -1, label: -1}
	if len(cells) < 2 || string(cells[0]) != "id_a" || string(cells[1]) != "id_b" {
		if len(cells) > 2 {
			h.value = 2
		}
		return h
	}
	h.named = true
	for i, cell := range cells[2:] {
		if string(cell) == "label" {
			h.label = i + 2
		}
	}
	if h.label < 0 && len(cells) > 2 {
		h.value = 2
	}
	return h
}

type row struct {
	a, b       []byte        // nil if a line of JSON has none
	similarity *float64      // nil if the table has none
	label      int           // 1 for similar, 0 for not; 1 if the table has no labels
	named      bool          // the table has a header
	line       *labelledPair // a line of JSON; nil for a table
}

func (h header) parse(cells [][]byte) (row, error) {
	if len(cells) < 2 {
		return row{}, errors.New("a pair needs two ids separated by a tab")
	}
	r := row{a: cells[0], b: cells[1], label: 1, named: h.named}
	if bytes.Equal(r.a, r.b) {
		return row{}, fmt.Errorf("pair: both ids are %q", r.a)
	}
	if !h.named && h.value < 0 && len(cells) > 2 {
		return row{}, errors.New("three columns (want two, as in the first line)")
	}
	if h.value >= 0 {
		if h.value >= len(cells) {
			return row{}, errors.New("third column: no similarity")
		}
		s, err := strconv.ParseFloat(string(cells[h.value]), 64)
		if err != nil || !(s >= 0 && s <= 1) {
			return row{}, fmt.Errorf("similarity %q: invalid (want a number from 0 to 1)", cells[h.value])
		}
		r.similarity = &s
	}
	if h.label >= 0 {
		if h.label >= len(cells) {
			return row{}, errors.New("label is missing")
		}
		label, err := parseLabel(string(cells[h.label]))
		if err != nil {
			return row{}, err
		}
		r.label = label
	}
	return r, nil
}

func parseLabel(s string) (int, error) {
	switch strings.ToLower(s) {
	case "0", "false":
		return 0, nil
	case "1", "true":
		return 1, nil
	}
	return 0, fmt.Errorf("invalid label %q (want 0 or 1)", s)
}

// eachPair calls fn with the rows of a table, or with the lines of JSON if the first line is JSON.
func eachPair(path string, fn func(row) error) (header, error) {
	var h header
	first, isJSON := true, false
	err := textlines.Each(path, func(_ int, line []byte) error {
		if isJSON || (first && bytes.HasPrefix(bytes.TrimSpace(line), []byte{'{'})) {
			first, isJSON, h.value = false, true, -1
			var p labelledPair
			if err := textlines.Object(line, &p, "labelled pair"); err != nil {
				return err
			}
			return fn(p.row())
		}
		cells := bytes.Split(line, []byte{'\t'})
		if len(cells) == 1 {
			cells = bytes.Fields(line)
		}
		if first {
			first = false
			h = parseHeader(cells)
			if h.named {
				return nil
			}
		}
		r, err := h.parse(cells)
		if err != nil {
			return err
		}
		return fn(r)
	})
	return h, err
}
