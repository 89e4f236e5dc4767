package keyword

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/neardup/neardup/internal/external"
)

// Merge writes the table of all documents of several tables. If none of them dropped words, the result is byte for byte the
// table trained on all documents. Words that fewer than least documents have are dropped. Merge streams: it keeps one line
// of each table in memory.
func Merge(ctx context.Context, w io.Writer, least int, tables ...io.Reader) error {
	var lines []*external.Cursor[line]
	head := header{kind: kindCounts}
	for i, r := range tables {
		in, err := openTable(r)
		if err == nil && in.head.kind != kindCounts {
			err = errors.New("it holds values (want counts)")
		}
		if err == nil && in.head.documents > math.MaxInt64-head.documents {
			err = errors.New("too many documents")
		}
		if err != nil {
			return fmt.Errorf("merge idf tables: table %d: %w", i+1, err)
		}
		head.documents += in.head.documents
		lines = append(lines, external.NewCursor(func(to *line) error {
			word, count, err := in.next()
			*to = (line{string(word), count})
			if err != nil && !errors.Is(err, io.EOF) {
				err = fmt.Errorf("merge idf tables: table %d: %w", i+1, err)
			}
			return err
		}))
	}
	out, err := newTableWriter(w, head)
	if err != nil {
		return err
	}
	var sum line // sum of the current word
	put := func() error {
		if sum.word == "" || sum.count < int64(least) {
			return nil
		}
		return out.write(sum.word, sum.count)
	}
	err = external.Merge(ctx, lines, func(a, b *line) bool { return a.word < b.word }, func(next line) error {
		if next.word == sum.word {
			sum.count += next.count
			return nil
		}
		err := put()
		sum = next
		return err
	})
	if err == nil {
		err = put()
	}
	if err != nil {
		return err
	}
	return out.close()
}

// line is a line of a table.
type line struct {
	word  string
	count int64
}

// MergeFiles merges table files. See [Merge].
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
