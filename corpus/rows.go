package corpus

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// rowFrames yields the rows that a codec reads.
type rowFrames struct {
	rows  RowReader
	file  io.Closer
	limit int64 // of a document
	n     int64
	most  int64 // of all rows, unpacked
	given int64 // of these
	size  func()
}

// openRows opens a file of a format that needs to read it in any order.
func (r *Reader) openRows(in *input, c Codec) (frames, error) {
	if in.path == Stdin {
		return nil, fmt.Errorf("format %s cannot be read from standard input", in.format)
	}
	before := r.done.Load()
	f, err := in.openFile()
	if err != nil {
		return nil, err
	}
	rows, err := c.Open(countingFile{f, &r.done}, in.size, r.fields)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &rowFrames{rows: rows, file: f, limit: r.opt.MaxDocument, most: in.mostOf(r.opt.MaxDecompressed),
		size: func() { r.done.Store(before + in.size) }}, nil
}

func (f *rowFrames) next() ([]byte, int64, error) {
	raw, err := f.rows.Next()
	if err != nil {
		return nil, f.n + 1, err
	}
	f.n++
	if f.given += int64(len(raw)); f.given > f.most {
		return nil, f.n, errBomb(f.most)
	}
	if int64(len(raw)) > f.limit {
		return nil, 0, tooLong(f.n, f.limit)
	}
	return raw, f.n, nil
}

func (f *rowFrames) close() error {
	f.size()
	return errors.Join(f.rows.Close(), f.file.Close())
}

// countingFile counts what is read, for Progress.
type countingFile struct {
	io.ReaderAt
	n *atomic.Int64
}

func (c countingFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.n.Add(int64(n))
	return n, err
}
