package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/neardup/neardup/batch"
)

// MaxRow limits a row in bytes.
const MaxRow = 1 << 31

// ErrRow is wrapped by the error about a row that violates the protocol.
var ErrRow = errors.New("not a row of the protocol")

// Counts holds the rows that a stage has read and written.
type Counts struct {
	In  int64 `json:"in"`
	Out int64 `json:"out"`
}

// A row is a row of Spark in its own layout (UnsafeRow). It has a bit for each column that is null, a word for each column,
// and the bytes of texts. The word of a text holds its offset and length.
type row []byte

const (
	lengthLen = 8 // size of the length that precedes a row
	nullsLen  = 8
)

func (r row) null(column int) bool { return r[column>>3]>>(column&7)&1 != 0 }

func (r row) word(column int) uint64 { return binary.LittleEndian.Uint64(r[nullsLen+8*column:]) }

// bytes returns the bytes of a text, or none if the text is null.
func (r row) bytes(column int) []byte {
	w := r.word(column)
	return r[w>>32 : w>>32+w&math.MaxUint32]
}

// held is added to the ordinals of rows, because smaller values of batch.Ordinal are documents of an index. So in a row,
// document n of an index has the ordinal n-held.
const held = 1 << 32

// ordinal returns the ordinal of a document in a column.
func (r row) ordinal(column int) (batch.Ordinal, error) {
	w := r.word(column)
	if r.null(column) || w >= 1<<62-held {
		return 0, fmt.Errorf("%w: column %d: ordinal %d: out of range", ErrRow, column, int64(w))
	}
	return batch.Ordinal(w + held), nil
}

func ordinalText(o batch.Ordinal) string { return strconv.FormatInt(int64(o)-held, 10) }

// rows reads and writes the rows of a stage.
type rows struct {
	ctx    context.Context
	in     *bufio.Reader
	out    *bufio.Writer
	kinds  string // kinds of the columns read: n for a number, b for bytes
	read   bytes.Buffer
	line   []byte // the row being written
	counts Counts
}

func newRows(ctx context.Context, in io.Reader, out io.Writer, kinds string) *rows {
	return &rows{ctx: ctx, in: bufio.NewReaderSize(in, 1<<18), out: bufio.NewWriterSize(out, 1<<18), kinds: kinds}
}

// each calls fn with every row, which is valid until fn returns. It flushes the output. Errors name the row.
func (s *rows) each(fn func(row) error) error {
	for {
		r, err := s.next()
		if errors.Is(err, io.EOF) {
			return s.out.Flush()
		}
		if err == nil {
			err = fn(r)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", s.counts.In, err)
		}
	}
}

// next returns and counts the next row, which is valid until the next call, or io.EOF.
func (s *rows) next() (row, error) {
	b, err := s.bytes()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	s.counts.In++
	if err == nil && s.counts.In&0xff == 0 {
		err = s.ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if len(b) < nullsLen+8*len(s.kinds) {
		return nil, fmt.Errorf("%w: %d bytes: too short (want %d columns)", ErrRow, len(b), len(s.kinds))
	}
	r := row(b)
	for i, kind := range s.kinds {
		if w := r.word(i); kind == 'b' && w>>32+w&math.MaxUint32 > uint64(len(b)) {
			return nil, fmt.Errorf("%w: column %d ends after the row", ErrRow, i)
		}
	}
	return r, nil
}

// bytes reads a length and as many bytes. They are valid until the next call.
func (s *rows) bytes() ([]byte, error) {
	var head [lengthLen]byte
	if _, err := io.ReadFull(s.in, head[:]); errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%w: truncated", ErrRow)
	} else if err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n > MaxRow {
		return nil, fmt.Errorf("%w: %d bytes: too long (want at most %d)", ErrRow, n, MaxRow)
	}
	s.read.Reset()
	if _, err := io.CopyN(&s.read, s.in, int64(n)); err != nil {
		return nil, fmt.Errorf("%w: truncated", ErrRow)
	}
	return s.read.Bytes(), nil
}

// numbers reads the numbers that precede the rows of some stages.
func (s *rows) numbers() ([]int64, error) {
	b, err := s.bytes()
	if err == nil && len(b)%8 != 0 {
		err = fmt.Errorf("%w: %d bytes of numbers: not a multiple of their size", ErrRow, len(b))
	}
	all := make([]int64, len(b)/8)
	for i := range all {
		all[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return all, err
}

// write writes a row of columns: nil, a number, a text or bytes.
func (s *rows) write(columns ...any) error {
	const head = lengthLen + nullsLen
	b := append(s.line[:0], make([]byte, head+8*len(columns))...)
	for i, column := range columns {
		var w uint64
		switch c := column.(type) {
		case nil:
			b[lengthLen+i>>3] |= 1 << (i & 7)
		case batch.Ordinal:
			w = uint64(c) - held
		case int64:
			w = uint64(c)
		case int:
			w = uint64(c)
		case float64:
			w = math.Float64bits(c)
		case string:
			w = uint64(len(b)-lengthLen)<<32 | uint64(len(c))
			b = append(append(b, c...), make([]byte, -len(c)&7)...)
		case []byte:
			w = uint64(len(b)-lengthLen)<<32 | uint64(len(c))
			b = append(append(b, c...), make([]byte, -len(c)&7)...)
		}
		binary.LittleEndian.PutUint64(b[head+8*i:], w)
	}
	binary.LittleEndian.PutUint64(b, uint64(len(b)-lengthLen))
	s.counts.Out++
	s.line = b
	_, err := s.out.Write(b)
	return err
}

// given returns a text, or nil if it is empty.
func given(text string) any {
	if text == "" {
		return nil
	}
	return text
}
