package arrow

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/neardup/neardup/corpus"
)

// reader reads the wanted columns, batch after batch.
type reader struct {
	src     *source
	paths   [][]int   // path of each of Fields.All, through structs; nil for a field that is not wanted
	columns [][]*data // columns of the current batch, along the same paths
	row     int
	rows    int // rows of the current batch
}

func openReader(file io.ReaderAt, size int64, fields *corpus.Fields) (r *reader, err error) {
	var src *source
	defer src.recovered(&err)
	src, err = open(file, size)
	if err != nil {
		return nil, err
	}
	r = &reader{src: src}
	return r, r.choose(fields)
}

// choose finds the columns of the wanted fields.
func (r *reader) choose(own *corpus.Fields) error {
	fields := own.Among(r.Columns())
	wanted := fields.All()
	r.paths, r.columns = make([][]int, len(wanted)), make([][]*data, len(wanted))
	for i, one := range wanted {
		if one.Name == "" {
			continue
		}
		path, leaf, twice := find(r.src.fields, one.Name)
		switch {
		case twice:
			return corpus.Twice(one.Name)
		case leaf == nil && one.Required:
			return fmt.Errorf("%w %q; the columns are %s", corpus.ErrField, one.Name, quoted(r.Columns()))
		case leaf == nil:
			continue
		case leaf.nested() && one.Required:
			return fmt.Errorf("%w %q: it is a %s", corpus.ErrField, one.Name, leaf.kind)
		case leaf.nested() && (leaf.kind == structure || i < len(wanted)-len(fields.Others)):
			continue
		case slices.Contains(fields.Texts(), one) && !leaf.textual():
			return fmt.Errorf("%w of text %q: it holds %s", corpus.ErrField, one.Name, leaf.kind)
		}
		r.paths[i] = path
	}
	return nil
}

// Columns implements corpus.RowReader.
func (r *reader) Columns() []corpus.Column { return columns(nil, "", r.src.fields) }

// find finds a column by its name or by its path with dots. twice reports whether several columns match.
func find(fields []*field, name string) (path []int, leaf *field, twice bool) {
	index := func(name string) int {
		is := func(f *field) bool { return f.name == name }
		at := slices.IndexFunc(fields, is)
		if at >= 0 && slices.ContainsFunc(fields[at+1:], is) {
			twice = true
		}
		return at
	}
	if at := index(name); at >= 0 {
		return []int{at}, fields[at].values(), twice
	}
	for part := range strings.SplitSeq(name, ".") {
		at := index(part)
		if at < 0 {
			return nil, nil, false
		}
		leaf, fields = fields[at].values(), nil
		if leaf.kind == structure {
			fields = leaf.children
		}
		path = append(path, at)
	}
	return path, leaf, twice
}

// values returns the field of a column's values, which may be encoded as runs.
func (f *field) values() *field {
	for f.kind == runEnds {
		f = f.children[1]
	}
	return f
}

func (f *field) nested() bool { return len(f.children) > 0 }

func (f *field) textual() bool {
	return slices.Contains([]kind{texts, largeText, textView, binaries, largeBinary, binaryView}, f.kind)
}

// Next appends the next row.
func (r *reader) Next(dst []byte) (row []byte, err error) {
	defer r.src.recovered(&err)
	for r.row == r.rows {
		if err := r.batch(); err != nil {
			return nil, err
		}
	}
	for _, path := range r.columns {
		dst = r.appendField(dst, path)
	}
	r.row++
	return dst, nil
}

// batch reads the next batch.
func (r *reader) batch() error {
	b, err := r.src.next()
	if err != nil {
		return err
	}
	r.row, r.rows = 0, b.rows
	for i, path := range r.paths {
		r.columns[i] = r.columns[i][:0]
		columns := b.columns
		for _, at := range path {
			column := columns[at]
			r.columns[i], columns = append(r.columns[i], column), column.children
			if column.rows < b.rows {
				return fmt.Errorf("column %q: %d rows (want %d, as in its batch)", column.name, column.rows, b.rows)
			}
		}
	}
	return nil
}

// appendField appends a row of a column that may be inside structs, any of which may be null.
func (r *reader) appendField(row []byte, path []*data) []byte {
	for i, d := range path {
		if i == len(path)-1 {
			return r.src.appendValue(row, d, r.row)
		}
		if d.null(r.row) {
			break
		}
	}
	return corpus.AppendNull(row)
}

// Close closes what the reader has opened.
func (r *reader) Close() error {
	r.src.close()
	return nil
}
