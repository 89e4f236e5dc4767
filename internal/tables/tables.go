// Package tables supplies the large tables for Chinese, which have 3 MB. Most programs embed them. A program for js, which
// a browser loads, does not: it sets Load, which is called at the first Chinese character.
package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Load returns a table that the program does not embed, by the name of its file. The program must set it before it compares
// texts.
var Load = func(name string) ([]byte, error) { return nil, fmt.Errorf("table %s: not loaded", name) }

// Reader reads a compiled table. After an error all bytes are 0.
type Reader struct {
	b   []byte
	err error
}

// Open decompresses a table and checks its magic. Callers need not check the rest, because the data is our own and has
// zstd's checksum.
func Open(packed []byte, magic string) (*Reader, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	b, err := z.DecodeAll(packed, nil)
	r := &Reader{b, err}
	if string(r.Next(len(magic))) != magic && r.err == nil {
		r.err = fmt.Errorf("not a table (want it to start with %q)", magic)
	}
	return r, r.err
}

// Next returns the next n bytes.
func (r *Reader) Next(n int) []byte {
	if n > len(r.b) {
		r.b, r.err = nil, cmp.Or(r.err, io.ErrUnexpectedEOF)
		return make([]byte, n)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// End returns an error if the table has fewer bytes than were read, or more.
func (r *Reader) End() error {
	if len(r.b) > 0 {
		return errors.New("data after its end")
	}
	return r.err
}
