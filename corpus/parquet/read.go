package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/neardup/neardup/corpus"
)

const batch = 64 // number of values read from a column at once

// reader reads the wanted columns in parallel, row group after row group.
type reader struct {
	schema *parquet.Schema
	groups []parquet.RowGroup
	leaves []*parquet.LeafColumn // column of each of Fields.All; nil for a field that is not wanted
	cols   []*column
	open   []io.Closer // open columns of this group
	trees  []*tree     // tree of each of Fields.All that is a list in Fields.Others
	left   int64       // rows left in this group
}

func openReader(file io.ReaderAt, size int64, fields corpus.Fields) (*reader, error) {
	f, err := parquet.OpenFile(file, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("damaged Parquet: %w", err)
	}
	r := &reader{schema: f.Schema()}
	if err := r.choose(f, fields); err != nil {
		return nil, err
	}
	f, err = checked(f, file, size, func(column int, _ *format.ColumnMetaData) bool {
		return slices.ContainsFunc(r.leaves, func(leaf *parquet.LeafColumn) bool { return leaf != nil && leaf.ColumnIndex == column }) ||
			slices.ContainsFunc(r.below(), func(l *leaf) bool { return l.ColumnIndex == column })
	})
	if err != nil {
		return nil, fmt.Errorf("damaged Parquet: %w", err)
	}
	r.groups = f.RowGroups()
	return r, nil
}

// A page may claim to hold at most maxPage bytes and pageValues values. It is decompressed as a whole, and a few bytes may
// represent all of them.
const (
	maxPage    = 1 << 30
	pageValues = 1 << 26
)

// pages calls visit with the header of each page of a chunk, and the offsets of the header and of the body.
func pages(m *format.ColumnMetaData, file io.ReaderAt, visit func(h *format.PageHeader, at, body int64) error) error {
	at := m.DataPageOffset
	if d := m.DictionaryPageOffset; d > 0 {
		at = min(d, at)
	}
	for end := at + m.TotalCompressedSize; at < end; {
		chunk := io.NewSectionReader(file, at, end-at)
		in := bufio.NewReaderSize(chunk, 512)
		if _, err := in.Peek(1); err != nil {
			return nil // reading the page will report that it is cut off
		}
		var h format.PageHeader
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(in)).Decode(&h); err != nil {
			return err
		}
		values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
		if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || h.UncompressedPageSize > maxPage || values > pageValues {
			return fmt.Errorf("page of %d bytes and %d values: too large", h.UncompressedPageSize, values)
		}
		read, err := chunk.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		body := at + read - int64(in.Buffered())
		if err := visit(&h, at, body); err != nil {
			return err
		}
		at = body + int64(h.CompressedPageSize)
	}
	return nil
}

// choose finds the columns of the wanted fields.
func (r *reader) choose(f *parquet.File, fields corpus.Fields) error {
	fields = fields.Among(r.Columns())
	wanted := fields.All()
	r.leaves, r.cols, r.trees = make([]*parquet.LeafColumn, len(wanted)), make([]*column, len(wanted)), make([]*tree, len(wanted))
	for i, field := range wanted {
		if field.Name == "" {
			continue
		}
		leaf, err := find(f.Schema(), field.Name)
		switch {
		case err != nil && field.Required:
			return err
		case leaf == nil && i >= len(wanted)-len(fields.Others):
			r.trees[i] = treeOf(f.Schema(), field.Name)
			continue
		case leaf == nil:
			continue
		case count(f.Schema().Columns(), leaf.Path) > 1:
			return corpus.Twice(field.Name)
		case slices.Contains(fields.Texts(), field) && leaf.Node.Type().Kind() != parquet.ByteArray:
			return fmt.Errorf("%w of text %q: it holds %s", corpus.ErrField, field.Name, leaf.Node.Type())
		}
		r.leaves[i] = leaf
	}
	return nil
}

// find finds a column by its name or by its path with dots.
func find(s *parquet.Schema, name string) (*parquet.LeafColumn, error) {
	path, node := pathOf(s, name)
	leaf, ok := s.Lookup(name)
	if !ok {
		leaf, ok = s.Lookup(path...)
	}
	switch {
	case ok && leaf.MaxRepetitionLevel == strings.Count(name, "[]"):
		return &leaf, nil
	case ok, node != nil && len(node.Fields()) == 1 && node.Fields()[0].Repeated(): // the form in which Parquet writes lists and maps
		return nil, fmt.Errorf("%w %q: it is a list", corpus.ErrField, name)
	case node != nil:
		return nil, fmt.Errorf("%w %q: it is a struct", corpus.ErrField, name)
	}
	var names []string
	for _, path := range s.Columns() {
		names = append(names, strconv.Quote(strings.Join(path, ".")))
	}
	return nil, fmt.Errorf("%w %q; the columns are %s", corpus.ErrField, name, strings.Join(names, ", "))
}

// isInteger reports whether a logical type is a plain integer.
func isInteger(t *format.LogicalType) bool {
	if t == nil || t.Value == nil {
		return true
	}
	_, plain := t.Value.(*format.IntType)
	return plain
}

// Columns implements corpus.RowReader.
func (r *reader) Columns() []corpus.Column { return appendColumns(nil, "", r.schema) }

// appendColumns appends the columns below a node. A list counts as one column.
func appendColumns(columns []corpus.Column, before string, node parquet.Node) []corpus.Column {
	for _, f := range node.Fields() {
		c := corpus.Column{Name: before + f.Name()}
		switch {
		case isList(f):
			columns = append(columns, corpus.Column{Name: c.Name, Kind: corpus.Nested})
			continue
		case !f.Leaf():
			columns = appendColumns(columns, c.Name+".", f)
			continue
		}
		switch kind, logical := f.Type().Kind(), f.Type().LogicalType(); {
		case kind == parquet.Float || kind == parquet.Double:
			c.Kind = corpus.Number
		case (kind == parquet.Int32 || kind == parquet.Int64) && isInteger(logical):
			c.Kind = corpus.Integer
		}
		columns = append(columns, c)
	}
	return columns
}

// pathOf returns the path and the node of a column or a group by its name, or nil if there is none. In a name, [] leads
// into the elements of a list. Parquet writes a list as a group of a repeated group of the element.
func pathOf(node parquet.Node, name string) (path []string, of parquet.Node) {
	enter := func(name string) bool {
		at := slices.IndexFunc(node.Fields(), func(f parquet.Field) bool { return f.Name() == name })
		if at >= 0 {
			node, path = node.Fields()[at], append(path, name)
		}
		return at >= 0
	}
	for part := range strings.SplitSeq(name, ".") {
		own, list := strings.CutSuffix(part, "[]")
		if node.Leaf() || !enter(own) {
			return nil, nil
		}
		for list && !node.Leaf() && len(node.Fields()) == 1 {
			repeated := node.Repeated()
			enter(node.Fields()[0].Name())
			if repeated {
				break
			}
		}
	}
	return path, node
}

// count returns the number of columns with a path.
func count(columns [][]string, path []string) (n int) {
	for _, c := range columns {
		if slices.Equal(c, path) {
			n++
		}
	}
	return n
}

// Next appends the next row.
func (r *reader) Next(dst []byte) (row []byte, err error) {
	defer caught(&err)
	for r.left == 0 {
		if len(r.groups) == 0 {
			return nil, io.EOF
		}
		if err := r.group(); err != nil {
			return nil, err
		}
	}
	r.left--
	for i, c := range r.cols {
		switch {
		case c != nil:
			dst, err = c.cell(dst)
		case r.trees[i] != nil:
			dst, err = r.trees[i].cell(dst)
		default:
			dst = corpus.AppendNull(dst)
		}
		if err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// group opens the columns of the next row group.
func (r *reader) group() (err error) {
	if err := r.Close(); err != nil {
		return err
	}
	g := r.groups[0]
	r.groups = r.groups[1:]
	r.left = g.NumRows()
	chunks := g.ColumnChunks()
	open := func(leaf *parquet.LeafColumn) *column {
		if leaf.ColumnIndex >= len(chunks) {
			err = errors.New("damaged Parquet: too few columns in a row group")
			return nil
		}
		values := parquet.NewColumnChunkValueReader(chunks[leaf.ColumnIndex])
		r.open = append(r.open, values)
		return &column{values: values, text: textOf(leaf.Node.Type()), list: leaf.MaxRepetitionLevel > 0}
	}
	for i, leaf := range r.leaves {
		if leaf != nil {
			r.cols[i] = open(leaf)
		}
	}
	for _, l := range r.below() {
		l.col = open(l.LeafColumn)
	}
	return err
}

// below returns the leaves of all lists.
func (r *reader) below() (leaves []*leaf) {
	for _, t := range r.trees {
		if t != nil {
			leaves = append(leaves, t.leaves...)
		}
	}
	return leaves
}

// Close closes what the reader has opened.
func (r *reader) Close() (err error) {
	for _, values := range r.open {
		err = errors.Join(err, values.Close())
	}
	r.open = nil
	return err
}

// column reads one cell per row.
type column struct {
	values parquet.ColumnChunkValueReader
	text   func(dst []byte, v parquet.Value) []byte
	buf    [batch]parquet.Value
	at, n  int
	small  []byte
	list   bool // a row has any number of values, which are joined
}

// cell appends the cell of the next row, which is the value, or all values of a list.
func (c *column) cell(dst []byte) ([]byte, error) {
	joined, some := c.small[:0], false
	for first := true; first || c.list; first = false {
		err := c.fill()
		switch {
		case err == io.EOF && first:
			return nil, io.ErrUnexpectedEOF
		case err != nil && err != io.EOF:
			return nil, err
		}
		if err == io.EOF || (!first && c.buf[c.at].RepetitionLevel() == 0) {
			break // this value belongs to the next row
		}
		v := c.buf[c.at]
		c.at++
		switch {
		case v.IsNull():
			continue
		case !c.list && isBytes(v):
			return corpus.AppendCell(dst, v.ByteArray()), nil
		case some:
			joined = append(joined, corpus.BetweenTexts...)
		}
		joined, some = c.value(joined, v), true
	}
	c.small = joined
	if !some {
		return corpus.AppendNull(dst), nil
	}
	return corpus.AppendCell(dst, joined), nil
}

// fill reads more values if none are left.
func (c *column) fill() (err error) {
	for c.at == c.n && err == nil {
		c.at = 0
		c.n, err = c.values.ReadValues(c.buf[:])
		if c.n > 0 {
			return nil
		}
	}
	return err
}

// value appends the text form of a value.
func (c *column) value(dst []byte, v parquet.Value) []byte {
	if isBytes(v) {
		return append(dst, v.ByteArray()...)
	}
	return c.text(dst, v)
}

func isBytes(v parquet.Value) bool {
	return v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray
}

// textOf returns a function that writes the text form of values that are not strings. It converts the types of older
// writers (TIMESTAMP_MICROS) to the current ones.
func textOf(t parquet.Type) func([]byte, parquet.Value) []byte {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.TimestampType:
			since := func(nanos int64) time.Time { return time.Unix(0, nanos) }
			switch l.Unit.Value.(type) {
			case *format.MilliSeconds:
				since = time.UnixMilli
			case *format.MicroSeconds:
				since = time.UnixMicro
			}
			return func(dst []byte, v parquet.Value) []byte {
				return since(v.Int64()).UTC().AppendFormat(dst, time.RFC3339Nano)
			}
		case *format.DateType:
			return func(dst []byte, v parquet.Value) []byte {
				return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
			}
		}
	}
	return func(dst []byte, v parquet.Value) []byte {
		switch v.Kind() {
		case parquet.Int32:
			return strconv.AppendInt(dst, int64(v.Int32()), 10)
		case parquet.Int64:
			return strconv.AppendInt(dst, v.Int64(), 10)
		}
		return append(dst, v.String()...)
	}
}
