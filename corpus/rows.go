package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// rowFrames yields the rows that a codec reads.
type rowFrames struct {
	rows  RowReader
	block []byte // a buffer; rows are slices of it
	file  io.Closer
	limit int64 // limit of a document, in bytes
	n     int64
	most  int64 // limit of all rows together, decompressed
	given int64 // bytes of the rows returned so far
	size  func()
}

// openRows opens a file whose format must be read in random order.
func (r *Reader) openRows(in *input, c Codec) (*rowFrames, error) {
	before := r.done.Load()
	f, err := in.openRows()
	if err != nil {
		return nil, err
	}
	fields := r.fields
	if r.bare {
		fields = Fields{}
	}
	rows, err := c.Open(countingFile{f, &r.done}, in.size, fields)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &rowFrames{rows: rows, file: f, limit: r.opt.MaxDocument, most: mostOf(r.opt.MaxDecompressed, in.size),
		size: func() { r.done.Store(before + in.size) }}, nil
}

func (f *rowFrames) next() ([]byte, int64, error) {
	if cap(f.block)-len(f.block) < blockSize/8 {
		f.block = make([]byte, 0, blockSize)
	}
	from := len(f.block)
	block, err := f.rows.Next(f.block)
	if err != nil {
		return nil, f.n + 1, err
	}
	f.n, f.block = f.n+1, block
	raw := block[from:len(block):len(block)]
	f.given += int64(len(raw))
	if f.given > f.most {
		return nil, f.n, errBomb(f.most)
	}
	if int64(len(raw)) > f.limit {
		return nil, 0, tooLong(f.n, f.limit)
	}
	return raw, f.n, nil
}

// Close closes the file.
func (f *rowFrames) Close() error {
	f.size()
	return errors.Join(f.rows.Close(), f.file.Close())
}

// rowFile is the input of a codec.
type rowFile interface {
	io.ReaderAt
	io.Closer
}

// openRows opens a file, or the copy of standard input.
func (in *input) openRows() (rowFile, error) {
	if in.copied == nil {
		return in.openFile()
	}
	return struct {
		io.ReaderAt
		io.Closer
	}{in.copied, io.NopCloser(nil)}, nil
}

// copyStdin copies standard input completely, for a codec that reads it in random order.
func (r *Reader) copyStdin(in *input) error {
	var err error
	if r.spool == nil {
		src := in.raw
		if in.opened != nil {
			src = in.opened // from the beginning, including the bytes that detection looked at
		}
		r.spool, err = newSpool(r.opt.SpoolDir, src)
		if err != nil {
			return err
		}
	}
	in.size, err = r.spool.drain()
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if in.opened != nil {
		err = in.opened.Close()
	}
	in.copied, in.opened = r.spool.file, nil
	return err
}

// AppendCell appends a cell to a row. RowReaders use it.
func AppendCell[T []byte | string](row []byte, value T) []byte {
	return append(binary.AppendUvarint(row, uint64(len(value))+1), value...)
}

// AppendNull appends a cell without a value.
func AppendNull(row []byte) []byte { return append(row, 0) }

var errRow = errors.New("not a row of cells")

// cellsOf splits a row of a codec into cells.
func (d *Decoder) cellsOf(raw []byte) error {
	for i := range d.rec {
		n, used := binary.Uvarint(raw)
		if used <= 0 || n > uint64(len(raw)-used)+1 {
			return errRow
		}
		raw = raw[used:]
		if n > 0 {
			d.rec[i], raw = raw[:n-1:n-1], raw[n-1:]
		}
	}
	return nil
}

// countingFile counts the bytes read, for Progress.
type countingFile struct {
	io.ReaderAt
	n *atomic.Int64
}

func (c countingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.n.Add(int64(n))
	return n, err
}
