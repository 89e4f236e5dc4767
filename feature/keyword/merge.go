package keyword

import (
	"bufio"
	"bytes"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Merge writes the table of all documents of some tables together: the same,
// byte for byte, as one trained on all of them, if none dropped words. Words
// that fewer than least documents have are dropped. It streams: memory for one
// line of each table.
func Merge(ctx context.Context, w io.Writer, least int, tables ...io.Reader) error {
	var q queue
	head := header{kind: kindCounts}
	for i, r := range tables {
		in, err := openTable(r)
		if err == nil && in.head.kind != kindCounts {
			err = errors.New("holds values, not counts")
		}
		if err == nil && in.head.documents > math.MaxInt64-head.documents {
			err = errors.New("too many documents")
		}
		if err != nil {
			return fmt.Errorf("merge idf tables: table %d: %w", i+1, err)
		}
		head.documents += in.head.documents
		if err := q.add(in, i+1); err != nil {
			return err
		}
	}
	out, err := newTableWriter(w, head)
	if err != nil {
		return err
	}
	heap.Init(&q)
	for n := 0; len(q) > 0; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		word, count, err := q.least()
		if err != nil {
			return err
		}
		if count < int64(least) {
			continue
		}
		if err := out.write(word, count); err != nil {
			return err
		}
	}
	return out.close()
}

// queue holds the next word of each table, the least on top.
type queue []queued

type queued struct {
	in     *tableReader
	number int // of the table, for errors
	word   []byte
	count  int64
}

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return bytes.Compare(q[i].word, q[j].word) < 0 }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(queued)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// add appends a table with its first word, unless it has none.
func (q *queue) add(in *tableReader, number int) error {
	item := queued{in: in, number: number}
	more, err := item.advance()
	if more {
		*q = append(*q, item)
	}
	return err
}

func (i *queued) advance() (more bool, err error) {
	i.word, i.count, err = i.in.next()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("merge idf tables: table %d: %w", i.number, err)
	}
	return true, nil
}

// least takes the least word from all tables that have it, and adds up.
func (q *queue) least() (word string, count int64, err error) {
	for word = string((*q)[0].word); len(*q) > 0 && string((*q)[0].word) == word; {
		count += (*q)[0].count
		more, err := (*q)[0].advance()
		if err != nil {
			return "", 0, err
		}
		if more {
			heap.Fix(q, 0)
		} else {
			heap.Pop(q)
		}
	}
	return word, count, nil
}

// MergeFiles writes the table of some files of tables together. See [Merge].
func MergeFiles(ctx context.Context, w io.Writer, least int, paths ...string) error {
	var tables []io.Reader
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		tables = append(tables, bufio.NewReader(f))
	}
	return Merge(ctx, w, least, tables...)
}
