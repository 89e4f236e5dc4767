package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"

	"github.com/neardup/neardup/corpus"
)

const (
	// groupSize is the approximate size of a row group of the output, in bytes of values. A group is kept in memory until
	// it is full.
	groupSize = 32 << 20
	// gap is the number of unwanted rows up to which they are read instead of skipped by a seek.
	gap = 1024
)

// writer copies rows.
type writer struct {
	out    io.Writer
	before []corpus.Column // the columns that do not come from a file; they are optional
	w      *parquet.GenericWriter[any]
	schema *parquet.Schema
	rows   parquet.Rows
	total  int64
	buf    [batch]parquet.Row
	base   int64 // number of the row in buf[0]
	n      int64 // rows in buf
	held   int   // bytes in the current row group
}

// From opens the file that the next rows come from. All files must have the schema of the first.
func (w *writer) From(file io.ReaderAt, size int64) (err error) {
	defer caught(&err)
	f, err := parquet.OpenFile(file, size, parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	if w.w == nil {
		w.schema = f.Schema()
		columns, err := ordered(w.schema.Name(), w.before, quick(w.schema.Fields()))
		if err != nil {
			return err
		}
		w.w = parquet.NewGenericWriter[any](w.out, append(options(f), columns)...)
	} else if !parquet.EqualNodes(w.schema, f.Schema()) {
		return errors.New("its schema differs from that of the earlier inputs")
	}
	if err := w.closeRows(); err != nil {
		return err
	}
	f, err = checked(f, file, size, func(_ int, m *format.ColumnMetaData) bool { return m.Codec == format.Lz4Raw })
	if err != nil {
		return err
	}
	w.rows = parquet.MultiRowGroup(f.RowGroups()...).Rows()
	w.base, w.n, w.total = 0, 0, f.NumRows()
	return nil
}

// options returns settings that give the output the same form as the input.
func options(f *parquet.File) []parquet.WriterOption {
	var opts []parquet.WriterOption
	meta := f.Metadata()
	for _, kv := range meta.KeyValueMetadata {
		opts = append(opts, parquet.KeyValueMetadata(kv.Key, kv.Value))
	}
	codec := format.Snappy
	if len(meta.RowGroups) > 0 && len(meta.RowGroups[0].Columns) > 0 {
		codec = meta.RowGroups[0].Columns[0].MetaData.Codec
	}
	return append(opts, parquet.Compression(parquet.LookupCompressionCodec(codec)))
}

// quick returns fields whose columns of Snappy get a quicker encoder than that of the library.
func quick(fields []parquet.Field) (quicker []parquet.Field) {
	for _, f := range fields {
		quicker = append(quicker, quickField{f})
	}
	return quicker
}

type quickField struct{ parquet.Field }

// Fields returns the fields below with their encoder.
func (f quickField) Fields() []parquet.Field { return quick(f.Field.Fields()) }

// Compression returns the encoder of a column.
func (f quickField) Compression() compress.Codec {
	codec := f.Field.Compression()
	if codec == &parquet.Snappy {
		return quickSnappy{codec}
	}
	return codec
}

type quickSnappy struct{ compress.Codec }

// Encode encodes src.
func (quickSnappy) Encode(dst, src []byte) ([]byte, error) { return s2.EncodeSnappy(dst, src), nil }

// fields keeps the order of columns, which parquet.Group alone does not.
type fields struct {
	parquet.Group
	order []parquet.Field
}

// Fields returns the columns in order.
func (f fields) Fields() []parquet.Field { return f.order }

// ordered returns the schema with the columns before, then the fields of a file.
func ordered(name string, before []corpus.Column, of []parquet.Field) (*parquet.Schema, error) {
	all := fields{Group: parquet.Group{}}
	for _, c := range before {
		leaf := parquet.String()
		switch c.Kind {
		case corpus.Integer:
			leaf = parquet.Int(64)
		case corpus.Number:
			leaf = parquet.Leaf(parquet.DoubleType)
		}
		all.order = append(all.order, parquet.Group{c.Name: parquet.Optional(leaf)}.Fields()...)
	}
	all.order = append(all.order, of...)
	for _, f := range all.order {
		if all.Group[f.Name()] != nil && len(before) > 0 {
			return nil, fmt.Errorf("column %q: name is used twice", f.Name())
		}
		all.Group[f.Name()] = f
	}
	return parquet.NewSchema(name, all), nil
}

// Write writes a row of the columns that Create got.
func (w *writer) Write(values ...any) (err error) {
	defer caught(&err)
	if w.w == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	return w.row(w.own(nil, values))
}

// begin starts a file that only has the columns given to Create.
func (w *writer) begin() error {
	columns, err := ordered("table", w.before, nil)
	if err == nil {
		w.w = parquet.NewGenericWriter[any](w.out, columns, parquet.Compression(&parquet.Zstd))
	}
	return err
}

// own appends values of the columns given to Create to a row. A nil value is null.
func (w *writer) own(row parquet.Row, values []any) parquet.Row {
	for i := range w.before {
		if values[i] == nil {
			row = append(row, parquet.NullValue().Level(0, 0, i))
			continue
		}
		row = append(row, parquet.ValueOf(values[i]).Level(0, 1, i))
	}
	return row
}

// Copy copies row n of the file.
func (w *writer) Copy(n int64, before ...any) (err error) {
	defer caught(&err)
	if n < 0 || n >= w.total {
		return fmt.Errorf("row %d: does not exist (want below %d)", n, w.total)
	}
	if n < w.base || n >= w.base+w.n+gap {
		if err := w.rows.SeekToRow(n); err != nil {
			return err
		}
		w.base, w.n = n, 0
	}
	for n >= w.base+w.n {
		w.base += w.n
		rows, err := w.rows.ReadRows(w.buf[:])
		w.n = int64(rows)
		switch {
		case rows == 0 && (err == nil || err == io.EOF):
			return io.ErrUnexpectedEOF
		case rows == 0:
			return err
		}
	}
	row := w.buf[n-w.base]
	if len(w.before) > 0 {
		of := row
		row = w.own(nil, before)
		for _, v := range of {
			row = append(row, v.Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column()+len(w.before)))
		}
	}
	return w.row(row)
}

// row writes a row, and the row group if it is full.
func (w *writer) row(row parquet.Row) error {
	if _, err := w.w.WriteRows([]parquet.Row{row}); err != nil {
		return err
	}
	for _, v := range row {
		w.held += 16
		if k := v.Kind(); k == parquet.ByteArray || k == parquet.FixedLenByteArray {
			w.held += len(v.ByteArray())
		}
	}
	if w.held < groupSize {
		return nil
	}
	w.held = 0
	return w.w.Flush()
}

func (w *writer) closeRows() error {
	if w.rows == nil {
		return nil
	}
	rows := w.rows
	w.rows = nil
	return rows.Close()
}

// Close ends the file. Without a file to copy from and columns of its own, the output is empty, because there is no schema.
func (w *writer) Close() (err error) {
	defer caught(&err)
	err = w.closeRows()
	if w.w == nil && len(w.before) > 0 {
		err = errors.Join(err, w.begin())
	}
	if w.w != nil {
		err = errors.Join(err, w.w.Close())
	}
	return err
}
