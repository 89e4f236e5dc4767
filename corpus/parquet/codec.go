// Package parquet reads and writes Parquet files for package corpus. It stands
// apart because of what it imports; give it to corpus as one of
// Options.Codecs.
//
// Only the columns of the wanted fields are read: top-level or nested ones
// ("meta.url") that do not repeat. The text is a string column; an id may be
// an integer and a time a timestamp, a date, an integer or a string.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup/corpus"
)

// Codec is Parquet for corpus.Options.Codecs. The zero value is ready.
type Codec struct{}

var _ corpus.Codec = Codec{}

// Format returns corpus.Parquet.
func (Codec) Format() corpus.Format { return corpus.Parquet }

// Open starts reading the wanted columns of a file. A missing column is
// corpus.ErrField.
func (Codec) Open(file io.ReaderAt, size int64, fields corpus.Fields) (rows corpus.RowReader, err error) {
	defer caught(&err)
	return openReader(file, size, fields)
}

// Create starts a file with the columns before, and with the schema, the compression
// and the metadata of the first file that rows come from.
func (Codec) Create(w io.Writer, before ...corpus.Column) corpus.RowWriter {
	return &writer{out: w, before: before}
}

// caught makes an error of a panic: the library panics at some damaged files.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged Parquet: %v", p)
	}
}

// A row between reader and Split is, for each of the fields, of which Record.Others come last, a uvarint of
// 1 + its length, or 0 for null, and the bytes.
func appendField(dst, value []byte, null bool) []byte {
	if null {
		return binary.AppendUvarint(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(value))+1)
	return append(dst, value...)
}

var errRow = errors.New("not a row of this codec")

// Split finds the fields of a row.
func (Codec) Split(raw []byte, rec *corpus.Record) error {
	next := func(dst *[]byte) error {
		n, used := binary.Uvarint(raw)
		if used <= 0 || n > uint64(len(raw)-used)+1 {
			return errRow
		}
		raw = raw[used:]
		*dst = nil
		if n > 0 {
			*dst = raw[: n-1 : n-1]
			raw = raw[n-1:]
		}
		return nil
	}
	for _, dst := range recordFields(rec) {
		if err := next(dst); err != nil {
			return err
		}
	}
	rec.Others = nil
	for len(raw) > 0 {
		var value []byte
		if err := next(&value); err != nil {
			return err
		}
		rec.Others = append(rec.Others, value)
	}
	return nil
}

// fieldCount is how many there are: the named ones and more of the text.
const fieldCount = 6 + corpus.MostTexts - 1

func recordFields(r *corpus.Record) (all [fieldCount]*[]byte) {
	n := copy(all[:], []*[]byte{&r.ID, &r.Text, &r.Title, &r.URL, &r.Time, &r.HTML})
	for i := range r.More {
		all[n+i] = &r.More[i]
	}
	return all
}

func wantedFields(f *corpus.Fields) []corpus.Field {
	all := append([]corpus.Field{f.ID, f.Text, f.Title, f.URL, f.Time, f.HTML}, f.More[:]...)
	return append(all, f.Others...)
}
