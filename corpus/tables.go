package corpus

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neardup/neardup"
)

// Kind is the kind of the values of a column.
type Kind uint8

// The values of a Table are strings, int64 and float64, and nil for none.
const (
	Text Kind = iota
	Integer
	Number
	Nested // lists, of which a cell has JSON
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
func TableFormats() []Format { return []Format{JSONL, CSV, TSV, Parquet, Arrow, XLSX} }

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
	sheet   *sheetWriter // of XLSX
	codec   Codec        // of Parquet and Arrow, otherwise nil
	rows    *rowSink     // of the codec
	lost    []string
	mixed   bool    // rows of the codec's own files are not copied, because other files have no such schema
	from    *Reader // of the records; may be nil
}

// NewTable writes a table into f, which Commit ends; Close comes before. Parquet and
// Arrow need their codecs.
func NewTable(f *AtomicFile, style TableStyle, codecs []Codec, columns ...Column) (*Table, error) {
	t := &Table{file: f, format: FormatOf(f.path), style: style, columns: columns}
	t.codec = codecOf(codecs, t.format)
	switch {
	case !slices.Contains(TableFormats(), t.format):
		return nil, fmt.Errorf("%w: %s (want %s)", ErrName, f.path, joined(TableFormats()))
	case t.codec == nil && (t.format == Parquet || t.format == Arrow):
		return nil, fmt.Errorf("%s: format %s: no codec was given", f.path, t.format)
	case (t.codec != nil || t.format == XLSX) && f.pack != nil:
		return nil, fmt.Errorf("%s: %s is not compressed as a whole", f.path, t.format)
	}
	return t, nil
}

// Suits returns an error if the records of r cannot follow the columns. It checks only what is known before
// reading: the schemas of Parquet and Arrow. It makes r read all their columns where the table is of another format.
func (t *Table) Suits(r *Reader) error { return t.suits(r, r.inputs) }

func (t *Table) suits(r *Reader, inputs []*input) error {
	t.from = r
	t.mixed = slices.ContainsFunc(inputs, func(in *input) bool { return in.format != t.format })
	for _, in := range inputs {
		if t.mixed {
			if err := r.readAll(in); err != nil {
				return err
			}
			continue
		}
		if t.codec == nil {
			continue
		}
		if err := t.sink().begin(in); err != nil {
			return err
		}
	}
	return nil
}

// Lost returns fields that no column holds: those of JSON that the first thousand records lack. JSONL holds all of JSON.
func (t *Table) Lost() []string { return t.lost }

// Item writes values of the columns and a record with its own columns. These are the cells of a row of a table,
// all members of an object from JSON to JSONL, all columns of Parquet or Arrow, or the fields of the first thousand
// objects of JSON. Of formats without fields they are id, title, url and, if it has one, text. A record that
// cannot be read is left out. Records of several inputs follow the columns of the first by their names.
func (t *Table) Item(it Item, dec *Decoder, values ...any) error {
	var doc neardup.Document
	if err := dec.Decode(it, &doc); err != nil {
		if Rejected(err) != nil {
			return nil
		}
		return err
	}
	from := it.in.format
	if t.format == JSONL { // each object has its own fields
		t.begun, t.names, t.columns = false, nil, t.columns[:len(values)]
	}
	switch {
	case t.format == JSONL && (from == JSONL || from == JSON):
		return t.object(it, values)
	case t.codec != nil && from == t.format && !t.mixed:
		t.begun = true
		return t.sink().write(it, values...)
	}
	columns, cells := t.record(it, dec, &doc)
	if !t.begun {
		for _, c := range columns {
			if !slices.ContainsFunc(t.columns, func(o Column) bool { return o.Name == c.Name }) {
				if c.Kind == Nested && t.format != JSONL {
					c.Kind = Text
				}
				t.names, t.columns = append(t.names, c.Name), append(t.columns, c)
			}
		}
	}
	for _, c := range columns {
		if !slices.Contains(t.names, c.Name) && !slices.Contains(t.lost, c.Name) {
			t.lost = append(t.lost, c.Name)
		}
	}
	own := len(values)
	for i, cell := range cells(t.names) {
		v, err := t.value(t.columns[own+i].Kind, cell)
		if t.format == XLSX && from.isCells() && cell != nil {
			v = sheetValue(*cell)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: field %q: %w", it.File, it.Line, t.names[i], err)
		}
		values = append(values, v)
	}
	return t.Row(values...)
}

// record returns the columns of a record, and what it has of some of them; nil for null.
func (t *Table) record(it Item, dec *Decoder, doc *neardup.Document) (columns []Column, cells func(names []string) []*string) {
	from := it.in.format
	names, own, ok := dec.Cells(it)
	switch {
	case from == JSONL || from == JSON:
		columns = dec.ofObject(nil, it.Raw)
		if !t.begun {
			columns = t.sample(it, dec)
		}
		return columns, func(names []string) []*string { return dec.Extra(it, names...) }
	case codecOf(dec.opt.Codecs, from) != nil:
		return dec.columns, func(names []string) []*string {
			cells := make([]*string, len(names))
			for i, f := range dec.fields[fieldOthers:] {
				value := doc.Fields[f.Name]
				if at := slices.Index(names, f.Name); at >= 0 && (value != "" || dec.rec[fieldOthers+i] != nil) {
					cells[at] = &value
				}
			}
			return cells
		}
	case !ok:
		names, own = []string{"id", "title", "url", "text"}, []string{doc.ID, doc.Title, doc.URL, doc.Text}
		if dec.opt.converts() { // what stands for the contents is not a text
			names = names[:3]
		}
	case names == nil: // numbers for a table without a header
		for i := range max(len(own), len(t.names)) {
			names = append(names, strconv.Itoa(i+1))
		}
	}
	for _, name := range names { // of a table, in any case
		if at := slices.IndexFunc(t.names, func(o string) bool { return strings.EqualFold(o, strings.TrimSpace(name)) }); ok && at >= 0 && !slices.Contains(t.names, name) {
			name = t.names[at]
		}
		columns = append(columns, Column{Name: name})
	}
	return columns, func(wanted []string) []*string {
		cells := make([]*string, len(wanted))
		for i, name := range wanted {
			if at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name }); at >= 0 {
				own = append(own, make([]string, max(0, at+1-len(own)))...) // a row may be shorter than the header
				cells[i] = &own[at]
			}
		}
		return cells
	}
}

// value returns the text of a value as a column of a kind has it; nil is null.
func (t *Table) value(k Kind, cell *string) (any, error) {
	s := ""
	if cell != nil {
		s = *cell
	}
	switch {
	case cell == nil && t.format == JSONL:
		return json.RawMessage("null"), nil
	case cell != nil && k == Text:
		return s, nil
	case s == "":
		return nil, nil
	case k == Nested:
		return json.RawMessage(s), nil
	case t.codec == nil && json.Valid([]byte(s)):
		return json.Number(s), nil
	case k == Integer:
		return strconv.ParseInt(s, 10, 64)
	}
	return strconv.ParseFloat(s, 64)
}

// sheetValue returns the value of a cell of a table for Excel: a number, a date or a text. A date of 1900 is a text,
// because Excel has a day too many in that year.
func sheetValue(cell string) any {
	if validNumber([]byte(cell)) {
		return json.Number(cell)
	}
	for _, layout := range []string{time.DateOnly, time.DateTime} {
		at, err := time.Parse(layout, cell)
		if err == nil && at.Year() > 1900 && (layout == time.DateOnly || at.Truncate(24*time.Hour) != at) {
			return at
		}
	}
	return cell
}

// Row writes values of the columns.
func (t *Table) Row(values ...any) error {
	if err := t.header(); err != nil {
		return err
	}
	switch {
	case t.format == JSONL:
		return t.line(t.members(values))
	case t.codec != nil:
		return t.sink().rows.Write(values...)
	case t.sheet != nil:
		return t.sheet.row(values)
	}
	var row []string
	for _, v := range values {
		row = append(row, t.cell(v))
	}
	return t.csv.Write(row)
}

// header settles the columns with the first row, and writes their names where the format has such a line.
func (t *Table) header() (err error) {
	if t.begun {
		return nil
	}
	t.begun = true
	switch {
	case t.format == JSONL || t.codec != nil:
		return nil
	case t.format == XLSX:
		t.sheet, err = newSheetWriter(t.file)
	default:
		if t.style.BOM {
			_, err = t.file.Write(utf8Mark)
		}
		t.csv = csv.NewWriter(t.file)
		t.csv.Comma = cmp.Or(t.style.Comma, map[Format]rune{CSV: ',', TSV: '\t'}[t.format])
	}
	if err != nil {
		return err
	}
	var names []any
	for _, c := range t.columns {
		names = append(names, c.Name)
	}
	return t.Row(names...)
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
	case json.Number:
		return string(v)
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
		if value, err := json.Marshal(v); v != nil && err == nil { // not for NaN
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
	if err := t.header(); err != nil {
		return err
	}
	switch {
	case t.sheet != nil:
		return t.sheet.close()
	case t.csv != nil:
		t.csv.Flush()
		return t.csv.Error()
	case t.codec != nil:
		defer t.sink().closeFile()
		return t.rows.rows.Close()
	}
	return nil
}
