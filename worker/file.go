package worker

import (
	"context"
	"io"

	"github.com/neardup/neardup"
)

// A File writes the documents of a file as rows for the stages: ordinal, id, text, name of the file, line, and the reason of
// a rejection.
type File struct {
	*rows
	ordinal int64
	name    string
}

// NewFile returns a File for the documents of the file with the given number.
func NewFile(ctx context.Context, out io.Writer, number int64, name string) *File {
	return &File{newRows(ctx, nil, out, ""), number << rowBits, name}
}

// Document writes the next document, or the reason why it is rejected.
func (f *File) Document(doc neardup.Document, line int64, reject string) error {
	err := f.write(f.ordinal, doc.ID, doc.Text, f.name, line, given(reject))
	f.ordinal++
	f.counts.In++
	if err == nil {
		err = f.ctx.Err()
	}
	return err
}

// End flushes the output and returns the counts.
func (f *File) End() (Counts, error) { return f.counts, f.out.Flush() }
