package corpus

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tableSink writes items as rows of a table.
type tableSink struct {
	*AtomicFile
	table *Table
	r     *Reader
	dec   *Decoder
}

func (s *tableSink) write(it Item, values ...any) error {
	if it.replaced {
		return fmt.Errorf("%s: a changed text of format %s is not written as %s (want the format of the input)", it.File, it.in.format, s.table.format)
	}
	return s.table.Item(it, s.dec, values...)
}

func (s *tableSink) end() error {
	if lost := s.table.Lost(); len(lost) > 0 {
		s.r.opt.Warn(s.path, "no column for "+strings.Join(lost, ", ")+" (want FILE.jsonl, which keeps all fields)")
	}
	return s.table.Close()
}

// readAll makes r read all columns of a file that a codec reads.
func (r *Reader) readAll(in *input) error {
	c := codecOf(r.opt.Codecs, in.format)
	if c == nil {
		return nil
	}
	f, err := in.openRows()
	if err != nil {
		return err
	}
	rows, err := c.Open(f, in.size, Fields{})
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", in.path, err), f.Close())
	}
	for _, column := range rows.Columns() {
		if slices.ContainsFunc(r.columns, func(c Column) bool { return c.Name == column.Name }) {
			continue
		}
		r.columns = append(r.columns, column)
		if !slices.Contains(r.opt.Fields, column.Name) {
			r.opt.Fields = append(r.opt.Fields, column.Name+"?")
		}
	}
	r.fields = r.opt.fields()
	return errors.Join(rows.Close(), f.Close())
}

// exactInteger is the bound up to which a float64 holds every integer exactly.
const exactInteger = 1 << 53

// sampled is the number of JSON records that determine the columns.
const sampled = 1000

// sample returns the columns of the first JSON records.
func (t *Table) sample(it Item, dec *Decoder) []Column {
	columns := dec.ofObject(nil, it.Raw)
	if t.from == nil {
		return columns
	}
	r, err := t.from.Again()
	if err != nil { // standard input, of which there is no copy
		return columns
	}
	defer r.Close()
	for range sampled {
		it, err := r.Next()
		if err != nil && Rejected(err) == nil {
			break
		}
		if err == nil && (it.in.format == JSONL || it.in.format == JSON) {
			columns = dec.ofObject(columns, it.Raw)
		}
	}
	return columns
}

// ofObject adds the fields of a JSON object to columns. A column holds numbers if a float64 holds all of them exactly,
// otherwise texts.
func (d *Decoder) ofObject(columns []Column, raw []byte) []Column {
	var s jsonScan
	s.value = func(path []byte, kind valueKind) (bool, error) {
		c, from := Column{Name: string(path)}, s.i
		if kind == kindObject || kind == kindNull {
			return false, nil
		}
		err := s.skip()
		if x, wrong := strconv.ParseFloat(string(s.b[from:s.i]), 64); kind == kindNumber && wrong == nil && x < exactInteger && x > -exactInteger {
			c.Kind = Number
		}
		if at := slices.IndexFunc(columns, func(o Column) bool { return o.Name == c.Name }); at < 0 {
			columns = append(columns, c)
		} else if c.Kind != columns[at].Kind {
			columns[at].Kind = Text
		}
		return true, err
	}
	_ = s.walk(raw) // Decode has reported the problem
	return columns
}
