package batch

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// pair is what the engine sorts: a 64-bit key and what goes with it.
type pair struct{ key, val uint64 }

const pairBytes = 16

// sorter sorts pairs by key in bounded memory: what does not fit is written
// as sorted runs and merged while it is read.
type sorter struct {
	limit int // pairs held in memory
	buf   []pair
	runs  runFile
}

// newSorter returns a sorter that holds at most memory bytes of pairs.
func newSorter(d *disk, memory int64) *sorter {
	return &sorter{limit: max(int(memory/pairBytes), 1<<12), runs: runFile{disk: d}}
}

func (s *sorter) add(key, val uint64) error {
	if len(s.buf) == s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if len(s.buf) == cap(s.buf) {
		s.grow()
	}
	s.buf = append(s.buf, pair{key, val})
	return nil
}

// grow doubles the buffer but never past the limit.
func (s *sorter) grow() {
	n := min(max(2*cap(s.buf), 1<<12), s.limit)
	buf := make([]pair, len(s.buf), n)
	copy(buf, s.buf)
	s.buf = buf
}

func (s *sorter) spill() error {
	radixSort(s.buf)
	err := s.runs.write(func(out io.Writer) error {
		w := bufio.NewWriterSize(out, 1<<18)
		var b [pairBytes]byte
		for _, p := range s.buf {
			binary.LittleEndian.PutUint64(b[:8], p.key)
			binary.LittleEndian.PutUint64(b[8:], p.val)
			if _, err := w.Write(b[:]); err != nil {
				return err
			}
		}
		return w.Flush()
	})
	s.buf = s.buf[:0]
	return err
}

// sort ends the adding and returns a stream of all pairs by ascending key.
// Pairs of one key come in no particular order.
func (s *sorter) sort() (*sorted, error) {
	if s.runs.file == nil {
		radixSort(s.buf)
		return &sorted{mem: s.buf}, nil
	}
	if err := s.spill(); err != nil {
		return nil, err
	}
	s.buf = nil
	return &sorted{runs: s.runs, limit: s.limit}, nil
}

// sorted is the outcome of a sorter: in memory, or as runs in a file. It can
// be read more than once.
type sorted struct {
	mem   []pair
	runs  runFile
	limit int
}

func (s *sorted) close() error {
	s.mem = nil
	return s.runs.close()
}

// each calls fn for every pair in order of key, checking ctx now and then.
func (s *sorted) each(ctx context.Context, fn func(pair) error) error {
	for i, p := range s.mem {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	if s.runs.file == nil {
		return nil
	}
	sections := s.runs.sections()
	// A quarter of the sorter's memory buffers the runs while they merge.
	size := min(max(s.limit*pairBytes/4/len(sections), 4<<10), 1<<20)
	var cursors []*cursor[pair]
	for _, section := range sections {
		in := bufio.NewReaderSize(section, size)
		cursors = append(cursors, &cursor[pair]{next: func(p *pair) error { return readPair(in, p) }})
	}
	return merge(ctx, cursors, func(a, b pair) bool { return a.key < b.key }, fn)
}

func readPair(in io.Reader, p *pair) error {
	var b [pairBytes]byte
	if _, err := io.ReadFull(in, b[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("read a sorted run: %w", err)
	}
	*p = pair{binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])}
	return nil
}
