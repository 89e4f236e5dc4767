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

// The values of a Table are strings, int64 and float64. A nil value is empty.
const (
	Text Kind = iota
	Integer
	Number
	Nested // lists, written as JSON
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// TableStyle sets how a Table is written as CSV.
type TableStyle struct {
	BOM   bool // begin with a byte order mark, so that Excel reads the file as UTF-8
	Raw   bool // do not escape texts that spreadsheets would evaluate as formulas
	Comma rune // 0 means a tab for TSV, otherwise a comma
}

// TableFormats returns the formats of a Table.
func TableFormats() []Format { return []Format{JSONL, CSV, TSV, Parquet, Arrow, XLSX} }

// Table writes rows in one of TableFormats, which the name of its file selects. Its own columns come first. Item adds those
// of the records after them. It is for one goroutine at a time.
type Table struct {
	file    *AtomicFile
	format  Format
	style   TableStyle
	columns []Column
	names   []string // all columns, those of the records last; nil until the first row
	begun   bool
	csv     *csv.Writer
	sheet   *sheetWriter // only for XLSX
	codec   Codec        // only for Parquet and Arrow
	rows    *rowSink     // writes through the codec
	lost    []string
	mixed   bool    // rows of the codec's own files are not copied, because other files have no such schema
	from    *Reader // source of the records; may be nil
}

// NewTable writes a table into f. Close the table first, then commit f. Parquet and Arrow need their codecs.
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

// Suits returns an error if the records of r cannot follow the columns. It checks what is known before reading, which are
// the schemas of Parquet and Arrow. If the table has another format, it makes r read all of their columns.
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

// Lost returns the JSON fields without a column, because none of the first thousand records has them. JSONL loses none.
func (t *Table) Lost() []string { return t.lost }

// Item writes the values of the columns, and then a record with its own columns. A record of a table has its cells; one of
// Parquet or Arrow has all columns. A JSON object keeps all members in JSONL; otherwise it has the fields of the first
// thousand objects. A record of another format has id, title, url and, if there is one, text. Item skips a record that
// cannot be read. With several inputs, the columns are those of the first, matched by name.
func (t *Table) Item(it Item, dec *Decoder, values ...any) error {
	var doc neardup.Document
	if err := dec.Decode(it, &doc); err != nil {
		if Rejected(err) != nil {
			return nil
		}
		return err
	}
	from := it.in.format
	if t.format == JSONL { // each object keeps its own fields
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

// record returns the columns of a record, and the values of some of them; nil is null.
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
		if dec.opt.converts() { // the converted contents are not a text of the input
			names = names[:3]
		}
	case names == nil: // a table without a header has numbers as names
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

// value converts a text to a value of the kind of a column. Nil is null.
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

// Row writes a row with the values of the columns.
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

// header determines the columns at the first row. It writes their names if the format has a header.
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

// Cell returns s as a cell of CSV. If a spreadsheet would read s as a formula, Cell puts an apostrophe first, as
// spreadsheets do.
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

// members begins a JSON object with the values.
func (t *Table) members(values []any) []byte {
	object := []byte{'{'}
	for i, v := range values {
		if value, err := json.Marshal(v); v != nil && err == nil { // NaN cannot be marshalled
			object = appendMember(object, t.columns[i].Name, value)
		}
	}
	return object
}

// AppendName appends the name of a member to an object in JSON that has not ended.
func AppendName(object []byte, name string) []byte {
	if object[len(object)-1] != '{' {
		object = append(object, ',')
	}
	quoted, _ := json.Marshal(name)
	return append(append(object, quoted...), ':')
}

func appendMember(object []byte, name string, value []byte) []byte {
	object = AppendName(object, name)
	for _, c := range value { // line ends can be removed, because strings in JSON contain none
		if c == '\n' || c == '\r' {
			c = ' '
		}
		object = append(object, c)
	}
	return object
}

// object writes the values and those members of the record that have other names.
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

// line ends an object and writes it as a line.
func (t *Table) line(object []byte) error {
	_, err := t.file.Write(append(object, "}\n"...))
	return err
}

// Close writes the remaining rows. If there are no rows, it writes the header. It does not commit the file.
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
