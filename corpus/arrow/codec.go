// Package arrow reads and writes the IPC format of Apache Arrow for package corpus, as a file (also called Feather) and as
// a stream. Give it to corpus as one of Options.Codecs.
//
// The fields are top-level columns or inside structs ("meta.url"). The text is a column of strings or bytes of any of their
// types, also encoded as a dictionary or by runs. An id may be an integer, and a time a timestamp, a date, an integer or a
// string. Only the buffers of the wanted columns are read. All others may have any type: rows are copied by the layout of
// their buffers, and their schema byte for byte.
//
// It does not use the official module. That module allocates what damaged metadata claims, so a damaged file may end the
// program. It also reads all columns of a batch, and takes a sixth of the build time.
package arrow

import (
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup/corpus"
)

// Codec is the codec of Arrow for corpus.Options.Codecs. The zero value is ready to use.
type Codec struct{}

var _ corpus.Codec = Codec{}

// Format returns corpus.Arrow.
func (Codec) Format() corpus.Format { return corpus.Arrow }

// Open starts reading a file or a stream, and detects which it is. If a column is missing, the error wraps corpus.ErrField.
func (Codec) Open(file io.ReaderAt, size int64, fields corpus.Fields) (corpus.RowReader, error) {
	return openReader(file, size, &fields)
}

// Create starts a table. Its columns are before, then those of the first file that rows come from, which also gives the
// compression and the metadata. The output is a stream if path ends with .arrows or is standard output. Otherwise it has
// the form of that first file, or is a file.
func (Codec) Create(w io.Writer, path string, before ...corpus.Column) corpus.RowWriter {
	return newWriter(w, path, before)
}

// damaged returns an error that says the file is damaged.
func damaged(err error) error {
	if err == nil || err == io.EOF || errors.Is(err, corpus.ErrField) || errors.Is(err, errBatch) || errors.Is(err, errDamaged) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

var errDamaged = errors.New("damaged Arrow")

// A few bytes may represent many. So the wanted columns of a record batch may hold at most maxBatch bytes and maxRows rows.
// In a small file, they may hold at most freeBatch bytes or maxRatio times the file, whichever is larger.
const (
	maxBatch  = 1 << 30
	maxRows   = 1 << 26
	freeBatch = 128 << 20
	maxRatio  = 200
)

var errBatch = fmt.Errorf("record batch: too large (want at most %d MiB, %d rows and %d times the size of the file)", maxBatch>>20, maxRows, maxRatio)
