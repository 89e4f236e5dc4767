package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// words is what the engine sorts: rows of words of which the first is the key.
type words interface{ pair | Posting }

// pair is a key and what goes with it.
type pair [2]uint64

func (p pair) key() uint64 { return p[0] }
func (p pair) val() uint64 { return p[1] }

// sorter sorts rows by key in bounded memory: what does not fit is written
// as sorted runs and merged while it is read.
type sorter[T words] struct {
	limit int // rows held in memory
	rows  int // added
	buf   []T
	runs  runFile
}

// smallBuffer is the part of the limit up to which a buffer grows by copying.
const smallBuffer = 16

// newSorter returns a sorter that holds at most memory bytes of rows.
func newSorter[T words](d *disk, memory int64) *sorter[T] {
	return &sorter[T]{limit: max(int(memory/size[T]()), 1<<12), runs: runFile{disk: d}}
}

func (s *sorter[T]) add(row T) error {
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

// grow doubles a small buffer, and gives a larger one all that the limit allows:
// what is not written to takes no memory, and nothing is copied again.
func (s *sorter[T]) grow() {
	n := min(max(2*cap(s.buf), 1<<12), s.limit)
	if n > s.limit/smallBuffer {
		n = s.limit
	}
	buf := make([]T, len(s.buf), n)
	copy(buf, s.buf)
	s.buf = buf
}

func (s *sorter[T]) spill() error {
	radixSort(s.buf)
	err := s.runs.write(func(out io.Writer) error {
		_, err := out.Write(asBytes(s.buf))
		return err
	})
	s.buf = s.buf[:0]
	return err
}

// sort ends the adding and returns a stream of all rows by ascending key.
// Rows of one key come in no particular order.
func (s *sorter[T]) sort() (*sorted[T], error) {
	if s.runs.file == nil {
		radixSort(s.buf)
		return &sorted[T]{mem: s.buf}, nil
	}
	if err := s.spill(); err != nil {
		return nil, err
	}
	s.buf = nil
	return &sorted[T]{runs: s.runs, limit: s.limit}, nil
}

// sorted is the outcome of a sorter: in memory, or as runs in a file. It can
// be read more than once.
type sorted[T words] struct {
	mem   []T
	runs  runFile
	limit int
}

func (s *sorted[T]) close() error {
	s.mem = nil
	return s.runs.close()
}

// each calls fn for every row in order of key, checking ctx now and then.
func (s *sorted[T]) each(ctx context.Context, fn func(T) error) error {
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
	return merge(ctx, s.cursors(), byKey, fn)
}

// cursors read the runs, with a quarter of the sorter's memory.
func (s *sorted[T]) cursors() []*cursor[T] {
	sections := s.runs.sections()
	size := min(max(s.limit/4/len(sections), 1<<8), 1<<16)
	cursors := make([]*cursor[T], len(sections))
	for i, section := range sections {
		cursors[i] = &cursor[T]{next: (&rowReader[T]{in: section, buf: make([]T, size)}).next}
	}
	return cursors
}

func byKey[T words](a, b *T) bool { return (*a)[0] < (*b)[0] }

// reader returns what each goes through as a function that reads the next row:
// io.EOF at the end.
func (s *sorted[T]) reader() (next func(*T) error, err error) {
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
	in   *io.SectionReader
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

// asBytes returns the memory of rows; temporary files are read by who wrote
// them.
func asBytes[T words](rows []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows)*int(size[T]()))
}
