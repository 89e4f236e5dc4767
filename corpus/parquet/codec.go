// Package parquet reads and writes Parquet files for package corpus. It is separate because of its imports;
// give it to corpus as one of Options.Codecs.
//
// Only the columns of the wanted fields are read: top-level or nested ones
// ("meta.url") that do not repeat. The text is a string column; an id may be
// an integer and a time a timestamp, a date, an integer or a string.
package parquet

import (
	"fmt"
	"io"

	"github.com/neardup/neardup/corpus"
)

// Codec is the codec of Parquet for corpus.Options.Codecs. The zero value is ready to use.
type Codec struct{}

var _ corpus.Codec = Codec{}

// Format returns corpus.Parquet.
func (Codec) Format() corpus.Format { return corpus.Parquet }

// Open starts reading the wanted columns of a file. If a column is missing, the error wraps corpus.ErrField.
func (Codec) Open(file io.ReaderAt, size int64, fields corpus.Fields) (rows corpus.RowReader, err error) {
	defer caught(&err)
	return openReader(file, size, fields)
}

// Create starts a file. Its columns are before, then those of the first file that rows come from, which also gives the
// compression and the metadata.
func (Codec) Create(w io.Writer, _ string, before ...corpus.Column) corpus.RowWriter {
	return &writer{out: w, before: before}
}

// caught turns a panic into an error, because the library panics on some damaged files.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged Parquet: %v", p)
	}
}
