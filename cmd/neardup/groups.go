package main

import (
	"encoding/csv"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/external"
)

// csvStyle says how tables for spreadsheets are written: "bom sep=; raw".
type csvStyle struct {
	bom   bool // a byte order mark first: Excel takes the file for UTF-8 then
	raw   bool // texts that a spreadsheet would take for formulas as they are
	comma rune
}

// Type of the flag's value, for the help.
func (s *csvStyle) Type() string { return "STYLE" }

// String is the value.
func (s *csvStyle) String() string {
	var words []string
	if s.bom {
		words = append(words, "bom")
	}
	if s.comma != 0 {
		words = append(words, "sep="+string(s.comma))
	}
	if s.raw {
		words = append(words, "raw")
	}
	return strings.Join(words, " ")
}

// Set takes a value.
func (s *csvStyle) Set(v string) error {
	*s = csvStyle{}
	for word := range strings.FieldsSeq(v) {
		sep, isSep := strings.CutPrefix(word, "sep=")
		switch {
		case word == "bom":
			s.bom = true
		case word == "raw":
			s.raw = true
		case isSep:
			c, err := corpus.ParseDelimiter(sep)
			if err != nil {
				return err
			}
			s.comma = rune(c)
		default:
			return errors.New(strconv.Quote(word) + " is none of bom, sep=C, raw")
		}
	}
	return nil
}

// begin starts a table in a file of the name; .tsv has tabs.
func (s *csvStyle) begin(out io.Writer, path string) (*csv.Writer, error) {
	if s.bom {
		if _, err := io.WriteString(out, "\ufeff"); err != nil {
			return nil, err
		}
	}
	w := csv.NewWriter(out)
	switch {
	case s.comma != 0:
		w.Comma = s.comma
	case tableFormat(path) == corpus.TSV:
		w.Comma = '\t'
	}
	return w, nil
}

// cell keeps a spreadsheet from taking a text of the input for a formula: it
// puts an apostrophe before it, as spreadsheets do themselves.
func (s *csvStyle) cell(v string) string {
	if !s.raw && v != "" && strings.IndexByte("=+-@\t\r", v[0]) >= 0 {
		return "'" + v
	}
	return v
}

// tableFormat tells the format by the name, compression aside; "" is none of
// a table.
func tableFormat(path string) corpus.Format {
	name := strings.ToLower(path)
	switch filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")) {
	case ".csv":
		return corpus.CSV
	case ".tsv", ".tab":
		return corpus.TSV
	}
	return ""
}

// groupWriter writes a table of every document with its group: the number of
// the record that is kept of it. A document without a size among the members is
// alone.
type groupWriter struct {
	style  *csvStyle
	out    *corpus.AtomicFile
	path   string
	files  *external.Files
	known  *external.Array[groupMember] // by item
	table  *csv.Writer
	names  []string // of the columns of the input
	leader int
	left   int
}

func newGroupWriter(out *corpus.AtomicFile, path, tmp string, style *csvStyle) *groupWriter {
	f := external.NewFiles(tmp)
	return &groupWriter{style: style, out: out, path: path, files: f, known: external.NewArray[groupMember](f, notesMemory)}
}

// groupMember is what is noted of a member of a group of several.
type groupMember struct {
	leader, size int64
	similarity   float64
}

// member notes a document of a group of several, its leader first.
func (g *groupWriter) member(o batch.Outcome, size int) error {
	similarity := o.Similarity
	if g.left == 0 {
		g.leader, g.left, similarity = o.Item, size, 1
	}
	g.left--
	return g.known.Put(o.Item, groupMember{int64(g.leader), int64(size), similarity})
}

// row writes a document with the columns that its table has; of other formats,
// with id, title, url and text.
func (g *groupWriter) row(item int, it corpus.Item, dec *corpus.Decoder) error {
	var doc neardup.Document
	var rejected *corpus.RejectError
	err := dec.Decode(it, &doc)
	if errors.As(err, &rejected) {
		return nil // told, and listed among the rejects
	}
	if err != nil {
		return err
	}
	names, cells := []string{"id", "title", "url", "text"}, []string{doc.ID, doc.Title, doc.URL, doc.Text}
	if n, c, ok := dec.Cells(it); ok {
		names, cells = n, c
	}
	if err := g.begin(it.File, names, len(cells)); err != nil {
		return err
	}
	m := groupMember{leader: int64(item), size: 1}
	if item < g.known.Len() {
		noted, err := g.known.Get(item)
		if err != nil {
			return err
		}
		if noted.size > 0 {
			m = noted
		}
	}
	decision, shown := neardup.New, ""
	if m.leader != int64(item) {
		decision, shown = neardup.Duplicate, strconv.FormatFloat(m.similarity, 'f', 4, 64)
	}
	row := []string{strconv.FormatInt(m.leader+1, 10), strconv.FormatInt(m.size, 10), string(decision), shown}
	for _, c := range cells {
		row = append(row, g.style.cell(c))
	}
	return g.table.Write(row)
}

// begin writes the header, with numbers where the input has none, and holds the
// files that follow to it.
func (g *groupWriter) begin(file string, names []string, cells int) (err error) {
	if g.table != nil {
		if !slices.Equal(names, g.names) {
			return errors.New(oneLine(file) + ": its columns are not those of the files before, as --groups needs")
		}
		return nil
	}
	if g.table, err = g.style.begin(g.out, g.path); err != nil {
		return err
	}
	g.names = names
	header := append([]string{"group", "size", "decision", "similarity"}, names...)
	for i := 0; names == nil && i < cells; i++ {
		header = append(header, strconv.Itoa(i+1))
	}
	return g.table.Write(header)
}

// end writes what is left.
func (g *groupWriter) end() error {
	if g.table == nil {
		return nil
	}
	g.table.Flush()
	return g.table.Error()
}
