package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// words is the constraint for rows of a Sorter. The first word of a row is the key.
type words interface{ ~[2]uint64 | ~[3]uint64 }

// KeyValue is a key with a value.
type KeyValue [2]uint64

// Key returns the key.
func (p KeyValue) Key() uint64 { return p[0] }

// Val returns the value.
func (p KeyValue) Val() uint64 { return p[1] }

// A Sorter sorts rows by key in bounded memory. It writes rows that do not fit as sorted runs, and merges
// them while they are read.
type Sorter[T words] struct {
	limit int // rows that fit in memory
	rows  int // number of rows added
	buf   []T
	runs  *Runs
}

// A buffer grows by copying until it has 1/smallBuffer of the limit.
const smallBuffer = 16

// NewSorter returns a sorter that holds at most memory bytes of rows.
func NewSorter[T words](d *Files, memory int64) *Sorter[T] {
	return &Sorter[T]{limit: max(int(memory/size[T]()), 1<<12), runs: NewRuns(d)}
}

// Add adds a row.
func (s *Sorter[T]) Add(row T) error {
	if len(s.buf) == s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if len(s.buf) == cap(s.buf) {
		s.grow()
	}
	s.buf = append(s.buf, row)
	s.rows++
	return nil
}

// Len returns the number of added rows.
func (s *Sorter[T]) Len() int { return s.rows }

// grow doubles a small buffer, and extends a larger one to the limit at once. Unused pages take no memory, and nothing
// needs to be copied again.
func (s *Sorter[T]) grow() {
	n := min(max(2*cap(s.buf), 1<<12), s.limit)
	if n > s.limit/smallBuffer {
		n = s.limit
	}
	buf := make([]T, len(s.buf), n)
	copy(buf, s.buf)
	s.buf = buf
}

func (s *Sorter[T]) spill() error {
	radixSort(s.buf)
	err := s.runs.Write(func(out io.Writer) error {
		_, err := out.Write(asBytes(s.buf))
		return err
	})
	s.buf = s.buf[:0]
	return err
}

// Sort ends the additions and returns all rows by ascending key. The order of rows with the same key is
// undefined.
func (s *Sorter[T]) Sort() (*Sorted[T], error) {
	if s.runs.file == nil {
		radixSort(s.buf)
		return &Sorted[T]{mem: s.buf, runs: s.runs}, nil
	}
	if err := s.spill(); err != nil {
		return nil, err
	}
	s.buf = nil
	return &Sorted[T]{runs: s.runs, limit: s.limit}, nil
}

// Sorted is the result of a Sorter, in memory or as runs in a file. It can be read repeatedly.
type Sorted[T words] struct {
	mem   []T
	runs  *Runs
	limit int
}

// Close drops the rows.
func (s *Sorted[T]) Close() error {
	s.mem = nil
	return s.runs.Close()
}

// Each calls fn for every row in order of key, and checks ctx from time to time.
func (s *Sorted[T]) Each(ctx context.Context, fn func(T) error) error {
	for i, row := range s.mem {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	if s.runs.file == nil {
		return nil
	}
	return Merge(ctx, s.cursors(), byKey, fn)
}

// cursors returns a cursor for each run. Together they take a quarter of the Sorter's memory.
func (s *Sorted[T]) cursors() []*Cursor[T] {
	sections := s.runs.Sections()
	size := min(max(s.limit/4/len(sections), 1<<8), 1<<16)
	cursors := make([]*Cursor[T], len(sections))
	for i, section := range sections {
		cursors[i] = NewCursor((&rowReader[T]{in: section, buf: make([]T, size)}).next)
	}
	return cursors
}

func byKey[T words](a, b *T) bool { return (*a)[0] < (*b)[0] }

// Reader returns a function that reads the next row in the order of Each, or returns io.EOF at the end.
func (s *Sorted[T]) Reader() (next func(*T) error, err error) {
	if s.runs.file != nil {
		runs, err := newLosers(s.cursors(), byKey)
		if err != nil {
			return nil, err
		}
		return runs.next, nil
	}
	left := s.mem
	return func(row *T) error {
		if len(left) == 0 {
			return io.EOF
		}
		*row, left = left[0], left[1:]
		return nil
	}, nil
}

// rowReader reads the rows of one run, many at a time.
type rowReader[T words] struct {
	in   io.Reader
	buf  []T
	left []T
}

func (r *rowReader[T]) next(row *T) error {
	if len(r.left) == 0 {
		n, err := io.ReadFull(r.in, asBytes(r.buf))
		if n == 0 && errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("read a sorted run: %w", err)
		}
		r.left = r.buf[:n/int(size[T]())]
	}
	*row, r.left = r.left[0], r.left[1:]
	return nil
}

// asBytes returns the memory of rows. The byte order does not matter, because a temporary file is read on the
// machine that wrote it.
func asBytes[T words](rows []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows)*int(size[T]()))
}
