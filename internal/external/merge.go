package external

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Cursor is one of several sorted streams to merge.
type Cursor[T any] struct {
	head  T
	next  func(head *T) error
	ended bool
}

// NewCursor returns a cursor over a stream. next must read the following element, or return io.EOF at the
// end.
func NewCursor[T any](next func(*T) error) *Cursor[T] { return &Cursor[T]{next: next} }

// Merge calls fn with the elements of all cursors in order, and checks ctx from time to time. The order of
// equal elements is undefined. Each element takes log2(cursors) comparisons (a tree of losers: Knuth, The Art
// of Computer Programming 3, 5.4.1).
func Merge[T any](ctx context.Context, cursors []*Cursor[T], less func(a, b *T) bool, fn func(T) error) error {
	t, err := newLosers(cursors, less)
	for i := 0; err == nil; i++ {
		if i&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var first T
		err = t.next(&first)
		if err == nil {
			err = fn(first)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// losers is a tournament of cursors. Inner node i, of 1..n-1, holds the loser of its match. Node n+i is the leaf of cursor
// i.
type losers[T any] struct {
	cursors []*Cursor[T]
	less    func(a, b *T) bool
	lost    []int
	winner  int
	left    int // cursors that have not ended
}

func newLosers[T any](cursors []*Cursor[T], less func(a, b *T) bool) (*losers[T], error) {
	t := &losers[T]{less: less}
	for _, c := range cursors {
		switch err := c.next(&c.head); {
		case err == nil:
			t.cursors = append(t.cursors, c)
		case !errors.Is(err, io.EOF):
			return nil, err
		}
	}
	t.build()
	return t, nil
}

// next reads the smallest element of all cursors, or returns io.EOF at the end.
func (t *losers[T]) next(row *T) error {
	if t.left == 0 {
		return io.EOF
	}
	first := t.cursors[t.winner]
	*row = first.head
	switch err := first.next(&first.head); {
	case errors.Is(err, io.EOF):
		first.ended = true
		t.left--
	case err != nil:
		return err
	}
	t.replay(t.winner)
	return nil
}

// build plays all matches. A node holds -1 until the first cursor reaches it and waits for its opponent.
func (t *losers[T]) build() {
	t.left = len(t.cursors)
	t.lost = make([]int, max(t.left, 1))
	for i := range t.lost {
		t.lost[i] = -1
	}
	for i := range t.cursors {
		t.replay(i)
	}
}

// replay moves the new head of a cursor up the tree.
func (t *losers[T]) replay(i int) {
	for node := (i + len(t.cursors)) / 2; node > 0; node /= 2 {
		switch {
		case t.lost[node] < 0:
			t.lost[node] = i
			return
		case t.before(t.lost[node], i):
			i, t.lost[node] = t.lost[node], i
		}
	}
	t.winner = i
}

func (t *losers[T]) before(i, j int) bool {
	a, b := t.cursors[i], t.cursors[j]
	if a.ended || b.ended {
		return b.ended
	}
	return t.less(&a.head, &b.head)
}

// Runs is a temporary file of consecutive sorted runs.
type Runs struct {
	disk *Files
	file *os.File
	size int64
	runs []runRange
}

type runRange struct{ off, end int64 }

// NewRuns returns empty Runs.
func NewRuns(d *Files) *Runs { return &Runs{disk: d} }

// Write appends one run.
func (r *Runs) Write(fill func(w io.Writer) error) error {
	if err := r.disk.open(&r.file); err != nil {
		return err
	}
	w := io.NewOffsetWriter(r.file, r.size)
	if err := fill(w); err != nil {
		return fmt.Errorf("write a sorted run: %w", err)
	}
	n, err := w.Seek(0, io.SeekCurrent)
	r.runs = append(r.runs, runRange{r.size, r.size + n})
	r.size += n
	r.disk.written.Add(n)
	return err
}

// Sections returns a reader of each run.
func (r *Runs) Sections() []io.Reader {
	var all []io.Reader
	for _, run := range r.runs {
		all = append(all, io.NewSectionReader(r.file, run.off, run.end-run.off))
	}
	return all
}

// Close removes the runs.
func (r *Runs) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
