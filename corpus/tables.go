package corpus

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
)

// Kind is the kind of the values of a column.
type Kind uint8

// The values of a Table are strings, int64 and float64, and nil for none.
const (
	Text Kind = iota
	Integer
	Number
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// TableStyle sets how a Table is written as CSV.
type TableStyle struct {
	BOM   bool // a byte order mark first: Excel takes the file for UTF-8 then
	Raw   bool // do not escape texts that a spreadsheet would read as formulas
	Comma rune // 0: a comma, and a tab for TSV
}

// TableFormats returns the formats of a Table.
func TableFormats() []Format { return []Format{JSONL, CSV, TSV, Parquet, Arrow} }

// Table writes rows in one of TableFormats, by the name of its file. Its own columns come first and are
// followed, for Item, by those of the records. One goroutine at a time.
type Table struct {
	file    *AtomicFile
	format  Format
	style   TableStyle
	columns []Column
	names   []string // after the columns; nil until the first row
	begun   bool
	csv     *csv.Writer
	codec   Codec    // of Parquet and Arrow, otherwise nil
	rows    *rowSink // of the codec
	lost    []string
}

// NewTable writes a table into f, which Commit ends; Close comes before. Parquet and
// Arrow need their codecs.
func NewTable(f *AtomicFile, style TableStyle, codecs []Codec, columns ...Column) (*Table, error) {
	t := &Table{file: f, format: FormatOf(f.path), style: style, columns: columns}
	t.codec = codecOf(codecs, t.format)
	switch {
	case !slices.Contains(TableFormats(), t.format):
		return nil, fmt.Errorf("%w: %s would hold a table: %s", ErrName, f.path, joined(TableFormats()))
	case t.codec == nil && (t.format == Parquet || t.format == Arrow):
		return nil, fmt.Errorf("%s: format %s: no codec was given", f.path, t.format)
	case t.codec != nil && f.pack != nil:
		return nil, fmt.Errorf("%s: %s is not compressed as a whole", f.path, t.format)
	}
	return t, nil
}

// Suits returns an error if the records of r cannot follow the columns. It checks only what is known before
// reading: the schemas of Parquet and Arrow.
func (t *Table) Suits(r *Reader) error {
	for _, in := range r.inputs {
		if t.codec == nil || in.format != t.format {
			continue
		}
		if err := t.sink().begin(in); err != nil {
			return err
		}
	}
	return nil
}

// Lost returns fields of the first record of JSON that no column holds. Only JSONL holds them
// all.
func (t *Table) Lost() []string { return t.lost }

// Row writes values of the columns.
func (t *Table) Row(values ...any) error { return t.row(nil, values, nil) }

// Item writes values of the columns and a record with its own columns. These are the cells of a row of a table,
// all members of an object from JSON to JSONL, or all columns of Parquet or Arrow to the same. Otherwise they
// are id, title, url and, unless it is a picture, text. A record that cannot be read is left out. All records
// need the same columns.
func (t *Table) Item(it Item, dec *Decoder, values ...any) error {
	var doc neardup.Document
	if err := dec.Decode(it, &doc); err != nil {
		if Rejected(err) != nil {
			return nil
		}
		return err
	}
	from := it.in.format
	switch {
	case t.format == JSONL && (from == JSONL || from == JSON):
		return t.object(it, values)
	case t.codec != nil && from == t.format:
		t.begun = true
		return t.sink().writeAfter(it, values...)
	}
	names, cells, ok := dec.Cells(it)
	if !ok {
		if !t.begun && (from == JSONL || from == JSON) {
			t.lost = dec.others(it.Raw)
		}
		names, cells = []string{"id", "title", "url", "text"}, []string{doc.ID, doc.Title, doc.URL, doc.Text}
		if dec.opt.Format == Images {
			names, cells = names[:3], cells[:3] // a fingerprint is not a text
		}
	}
	switch {
	case names == nil && t.begun:
		names = t.names
	case names == nil: // a header of numbers for a table without one
		for i := range cells {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	if t.begun && !slices.Equal(names, t.names) {
		return fmt.Errorf("%s: its columns are not those of the records before", it.File)
	}
	return t.row(names, values, cells)
}

// row writes values and cells under their names.
func (t *Table) row(names []string, values []any, cells []string) error {
	if err := t.begin(names); err != nil {
		return err
	}
	for i := range names { // a row may be shorter than the header, or longer
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		values = append(values, cell)
	}
	switch {
	case t.format == JSONL:
		return t.line(t.members(values))
	case t.codec != nil:
		return t.sink().rows.Write(values...)
	}
	var row []string
	for _, v := range values {
		row = append(row, t.cell(v))
	}
	for _, more := range cells[min(len(names), len(cells)):] {
		row = append(row, t.cell(more))
	}
	return t.csv.Write(row)
}

// begin settles the columns with the first row.
func (t *Table) begin(names []string) error {
	if t.begun {
		return nil
	}
	t.begun, t.names = true, names
	for _, name := range names {
		t.columns = append(t.columns[:len(t.columns):len(t.columns)], Column{Name: name})
	}
	if t.format == JSONL || t.codec != nil {
		return nil
	}
	if t.style.BOM {
		if _, err := t.file.Write([]byte("\ufeff")); err != nil {
			return err
		}
	}
	t.csv = csv.NewWriter(t.file)
	switch {
	case t.style.Comma != 0:
		t.csv.Comma = t.style.Comma
	case t.format == TSV:
		t.csv.Comma = '\t'
	}
	var header []string
	for _, c := range t.columns {
		header = append(header, c.Name)
	}
	return t.csv.Write(header)
}

func (t *Table) sink() *rowSink {
	if t.rows == nil {
		t.rows = &rowSink{AtomicFile: t.file, rows: t.codec.Create(t.file, t.file.path, t.columns...)}
	}
	return t.rows
}

// Cell returns s as a cell of CSV. An apostrophe, as spreadsheets put there themselves,
// keeps them from taking a text for a formula.
func Cell(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

// cell returns a value as a cell of CSV.
func (t *Table) cell(v any) string {
	switch v := v.(type) {
	case string:
		if t.style.Raw {
			return v
		}
		return Cell(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return ""
}

// members begins an object of JSON with the values.
func (t *Table) members(values []any) []byte {
	object := []byte{'{'}
	for i, v := range values {
		if v != nil {
			value, _ := json.Marshal(v) // a string and a finite number always can be
			object = appendMember(object, t.columns[i].Name, value)
		}
	}
	return object
}

func appendMember(object []byte, name string, value []byte) []byte {
	if len(object) > 1 {
		object = append(object, ',')
	}
	quoted, _ := json.Marshal(name)
	object = append(append(object, quoted...), ':')
	for _, c := range value { // outside of strings line ends mean nothing, and inside JSON has none
		if c == '\n' || c == '\r' {
			c = ' '
		}
		object = append(object, c)
	}
	return object
}

// object writes the values, and the members of the record that have other names.
func (t *Table) object(it Item, values []any) error {
	t.begun = true
	object := t.members(values)
	var s jsonScan
	err := s.object(trimEnd(it.Raw), func(key []byte) error {
		name, from := string(key), s.i
		if err := s.skip(); err != nil {
			return err
		}
		if !slices.ContainsFunc(t.columns[:len(values)], func(c Column) bool { return c.Name == name }) {
			object = appendMember(object, name, s.b[from:s.i])
		}
		return nil
	})
	if err != nil {
		return it.reject(err)
	}
	return t.line(object)
}

// line ends an object and writes it on a line of its own.
func (t *Table) line(object []byte) error {
	_, err := t.file.Write(append(object, "}\n"...))
	return err
}

// Close writes the remaining rows, or the header of a table without any. It does not commit the file.
func (t *Table) Close() error {
	if err := t.begin(nil); err != nil {
		return err
	}
	switch {
	case t.csv != nil:
		t.csv.Flush()
		return t.csv.Error()
	case t.codec != nil:
		defer t.sink().closeFile()
		return t.rows.rows.Close()
	}
	return nil
}
