package batch

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// cursor is one of several sorted streams that are merged. next reads the
// following element into head and returns io.EOF at the end.
type cursor[T any] struct {
	head T
	next func(head *T) error
}

// merge calls fn with the elements of all cursors in order, checking ctx now
// and then.
func merge[T any](ctx context.Context, cursors []*cursor[T], less func(a, b T) bool, fn func(T) error) error {
	h := &mergeHeap[T]{less: less}
	for _, c := range cursors {
		switch err := c.next(&c.head); {
		case err == nil:
			h.cursors = append(h.cursors, c)
		case !errors.Is(err, io.EOF):
			return err
		}
	}
	heap.Init(h)
	for i := 0; len(h.cursors) > 0; i++ {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := h.cursors[0]
		if err := fn(first.head); err != nil {
			return err
		}
		switch err := first.next(&first.head); {
		case err == nil:
			heap.Fix(h, 0)
		case errors.Is(err, io.EOF):
			heap.Pop(h)
		default:
			return err
		}
	}
	return nil
}

type mergeHeap[T any] struct {
	cursors []*cursor[T]
	less    func(a, b T) bool
}

// Len is part of heap.Interface, as are the next four.
func (h *mergeHeap[T]) Len() int { return len(h.cursors) }

// Less puts the cursor with the smallest element first.
func (h *mergeHeap[T]) Less(i, j int) bool { return h.less(h.cursors[i].head, h.cursors[j].head) }

// Swap swaps two cursors.
func (h *mergeHeap[T]) Swap(i, j int) { h.cursors[i], h.cursors[j] = h.cursors[j], h.cursors[i] }

// Push appends a cursor.
func (h *mergeHeap[T]) Push(x any) { h.cursors = append(h.cursors, x.(*cursor[T])) }

// Pop removes the last cursor.
func (h *mergeHeap[T]) Pop() any {
	last := h.cursors[len(h.cursors)-1]
	h.cursors = h.cursors[:len(h.cursors)-1]
	return last
}

// runFile is a temporary file of sorted runs, one after the other.
type runFile struct {
	disk *disk
	file *os.File
	size int64
	runs []runRange
}

type runRange struct{ off, end int64 }

// write appends one run.
func (r *runFile) write(fill func(w io.Writer) error) error {
	if r.file == nil {
		f, err := r.disk.create()
		if err != nil {
			return err
		}
		r.file = f
	}
	w := &countingWriter{w: io.NewOffsetWriter(r.file, r.size)}
	if err := fill(w); err != nil {
		return fmt.Errorf("write a sorted run: %w", err)
	}
	r.runs = append(r.runs, runRange{r.size, r.size + w.n})
	r.size += w.n
	r.disk.written.Add(w.n)
	return nil
}

// sections returns a reader of each run.
func (r *runFile) sections() []*io.SectionReader {
	var all []*io.SectionReader
	for _, run := range r.runs {
		all = append(all, io.NewSectionReader(r.file, run.off, run.end-run.off))
	}
	return all
}

func (r *runFile) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
