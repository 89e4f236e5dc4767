package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// groupSize is how many bytes of values a row group of the output holds,
	// about: it is kept in memory until it is full.
	groupSize = 32 << 20
	// gap is how many unwanted rows are read rather than jumped over.
	gap = 1024
)

// writer copies rows.
type writer struct {
	out    io.Writer
	w      *parquet.GenericWriter[any]
	schema *parquet.Schema
	rows   parquet.Rows
	total  int64
	buf    [batch]parquet.Row
	base   int64        // number of the row in buf[0]
	n      int64        // rows in buf
	held   int          // bytes in the current row group
	done   func() error // frees the input where it had to be unpacked
}

// From opens the file that the next rows come from. All must have the schema
// of the first.
func (w *writer) From(file io.ReaderAt, size int64) (err error) {
	defer caught(&err)
	f, err := parquet.OpenFile(file, size, parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	if w.w == nil {
		w.schema = f.Schema()
		w.w = parquet.NewGenericWriter[any](w.out, options(f)...)
	} else if !parquet.EqualNodes(w.schema, f.Schema()) {
		return errors.New("its schema differs from that of the inputs before it")
	}
	if err := w.closeRows(); err != nil {
		return err
	}
	if f, w.done, err = unpacked(f, file); err != nil {
		return err
	}
	w.rows = parquet.MultiRowGroup(f.RowGroups()...).Rows()
	w.base, w.n, w.total = 0, 0, f.NumRows()
	return nil
}

// options make the output like the input.
func options(f *parquet.File) []parquet.WriterOption {
	opts := []parquet.WriterOption{f.Schema()}
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

// Copy copies row n of the file.
func (w *writer) Copy(n int64) (err error) {
	defer caught(&err)
	if n < 0 || n >= w.total {
		return fmt.Errorf("no row %d among %d", n, w.total)
	}
	if n < w.base || n >= w.base+w.n+gap {
		if err := w.rows.SeekToRow(n); err != nil {
			return err
		}
		w.base, w.n = n, 0
	}
	for n >= w.base+w.n {
		if err := w.fill(); err != nil {
			return err
		}
	}
	row := w.buf[n-w.base]
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

// fill reads the next rows.
func (w *writer) fill() error {
	w.base += w.n
	n, err := w.rows.ReadRows(w.buf[:])
	w.n = int64(n)
	if n > 0 {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (w *writer) closeRows() error {
	if w.rows == nil {
		return nil
	}
	rows := w.rows
	w.rows = nil
	return errors.Join(rows.Close(), w.done())
}

// Close ends the file. Without a single row it is empty, because nothing told
// its schema.
func (w *writer) Close() (err error) {
	defer caught(&err)
	err = w.closeRows()
	if w.w != nil {
		err = errors.Join(err, w.w.Close())
	}
	return err
}
