package batch

import (
	"bufio"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// pair is what the engine sorts: a 64-bit key and what goes with it.
type pair struct{ key, val uint64 }

const pairBytes = 16

// sorter sorts pairs by key in bounded memory: what does not fit is written
// as sorted runs and merged while it is read.
type sorter struct {
	tmp   string // folder of the runs
	limit int    // pairs held in memory
	buf   []pair
	runs  []runRange
	file  *os.File
	size  int64 // bytes in file
}

type runRange struct{ off, end int64 }

// newSorter returns a sorter that holds at most memory bytes of pairs.
func newSorter(tmp string, memory int64) *sorter {
	return &sorter{tmp: tmp, limit: max(int(memory/pairBytes), 1<<12)}
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
	if s.file == nil {
		f, err := tempFile(s.tmp)
		if err != nil {
			return err
		}
		s.file = f
	}
	radixSort(s.buf)
	w := bufio.NewWriterSize(io.NewOffsetWriter(s.file, s.size), 1<<18)
	var b [pairBytes]byte
	for _, p := range s.buf {
		binary.LittleEndian.PutUint64(b[:8], p.key)
		binary.LittleEndian.PutUint64(b[8:], p.val)
		if _, err := w.Write(b[:]); err != nil {
			return fmt.Errorf("write a sorted run: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write a sorted run: %w", err)
	}
	end := s.size + int64(len(s.buf))*pairBytes
	s.runs = append(s.runs, runRange{s.size, end})
	s.size, s.buf = end, s.buf[:0]
	return nil
}

// sort ends the adding and returns a stream of all pairs by ascending key.
// Pairs of one key come in no particular order.
func (s *sorter) sort() (*sorted, error) {
	if s.file == nil {
		radixSort(s.buf)
		return &sorted{mem: s.buf}, nil
	}
	if err := s.spill(); err != nil {
		return nil, err
	}
	s.buf = nil
	return &sorted{file: s.file, runs: s.runs, limit: s.limit}, nil
}

// sorted is the outcome of a sorter: in memory, or as runs in a file. It can
// be read more than once.
type sorted struct {
	mem   []pair
	file  *os.File
	runs  []runRange
	limit int
}

func (s *sorted) close() error {
	s.mem = nil
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// each calls fn for every pair in order of key, checking ctx now and then.
func (s *sorted) each(ctx context.Context, fn func(pair) error) error {
	if s.file == nil {
		for i, p := range s.mem {
			if i&0xffff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := fn(p); err != nil {
				return err
			}
		}
		return nil
	}
	h := make(mergeHeap, 0, len(s.runs))
	// A quarter of the sorter's memory buffers the runs while they merge.
	size := min(max(s.limit*pairBytes/4/len(s.runs), 4<<10), 1<<20)
	for _, r := range s.runs {
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, r.off, r.end-r.off), size)
		c := &runCursor{in: in}
		if err := c.next(); err == io.EOF {
			continue
		} else if err != nil {
			return err
		}
		h = append(h, c)
	}
	heap.Init(&h)
	for i := 0; len(h) > 0; i++ {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(h[0].head); err != nil {
			return err
		}
		switch err := h[0].next(); err {
		case nil:
			heap.Fix(&h, 0)
		case io.EOF:
			heap.Pop(&h)
		default:
			return err
		}
	}
	return nil
}

type runCursor struct {
	in   *bufio.Reader
	head pair
}

func (c *runCursor) next() error {
	var b [pairBytes]byte
	if _, err := io.ReadFull(c.in, b[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("read a sorted run: %w", err)
	}
	c.head = pair{binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])}
	return nil
}

type mergeHeap []*runCursor

func (h mergeHeap) Len() int { return len(h) }
func (h mergeHeap) Less(i, j int) bool {
	a, b := h[i].head, h[j].head
	return a.key < b.key || a.key == b.key && a.val < b.val
}
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *mergeHeap) Push(x any)   { *h = append(*h, x.(*runCursor)) }
func (h *mergeHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// tempFile makes a file that vanishes with its handle: the name is removed at
// once where the system allows it, so that even kill -9 leaves nothing.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "neardup-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	_ = os.Remove(f.Name())
	return f, nil
}
