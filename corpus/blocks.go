package corpus

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/transform"
)

// blockSize is large enough that a block costs little, and small enough that an item in use holds little.
const blockSize = 256 << 10

var errTooLong = errors.New("record is too long")

// blocks reads a stream into blocks. Bytes once taken are never overwritten,
// so slices of them can be handed out without a copy.
type blocks struct {
	r       io.Reader
	buf     []byte // buf[at:end] is read and not yet taken
	at, end int
	shared  bool  // some of buf has been handed out
	err     error // why nothing more comes
}

func newBlocks(r io.Reader) *blocks { return &blocks{r: r} }

// decode puts a decoder before what is not yet taken: for a charset in which a
// delimiter may be half of a character.
func (b *blocks) decode(by transform.Transformer) {
	rest := b.r
	if b.err != nil {
		rest = broken{b.err}
	}
	*b = blocks{r: transform.NewReader(io.MultiReader(bytes.NewReader(b.window()), rest), by)}
}

// window returns what is read and not yet taken.
func (b *blocks) window() []byte { return b.buf[b.at:b.end:b.end] }

// more reads on, so that the window grows; false when the stream has ended.
func (b *blocks) more() bool {
	if b.err != nil {
		return false
	}
	if b.end == len(b.buf) {
		have := b.end - b.at
		next := make([]byte, max(blockSize, 2*have))
		copy(next, b.buf[b.at:b.end])
		b.buf, b.at, b.end, b.shared = next, 0, have, false
	}
	for range 100 {
		n, err := b.r.Read(b.buf[b.end:])
		b.end += n
		b.err = err
		if n > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	b.err = io.ErrNoProgress
	return false
}

// take returns the first n bytes of the window and moves on.
func (b *blocks) take(n int) []byte {
	raw := b.buf[b.at : b.at+n : b.at+n]
	b.at += n
	b.shared = true
	return raw
}

// drop forgets the window. Its memory is used again if no slice of it was handed out, so that
// passing over a long record costs one block.
func (b *blocks) drop() {
	b.at = b.end
	if !b.shared {
		b.at, b.end = 0, 0
	}
}

// fill makes the window at least n bytes long; false when the stream ends
// before.
func (b *blocks) fill(n int) bool {
	for b.end-b.at < n {
		if !b.more() {
			return false
		}
	}
	return true
}

// skip drops n bytes; false when the stream ends before.
func (b *blocks) skip(n int64) bool {
	for n > int64(b.end-b.at) {
		n -= int64(b.end - b.at)
		b.drop()
		if !b.more() {
			return false
		}
	}
	b.at += int(n)
	return true
}

// until takes a record. It calls find with a growing window, whose first bytes find has seen, and also when
// the stream has ended. It returns where the record ends, or else how many bytes need not be seen again. A record
// longer than the limit is passed over with errTooLong. until adds the number of line ends to lines, unless that is nil.
func (b *blocks) until(limit int64, lines *int64, find func(w []byte, seen int) (n int, ends bool)) ([]byte, error) {
	seen, long := 0, false
	for ended := false; ; ended = !b.more() {
		w := b.window()
		n, ends := find(w, seen)
		long = long || int64(n) > limit || (!ends && int64(len(w)) > limit)
		if lines != nil && (ends || long) {
			*lines += int64(bytes.Count(w[:n], newline))
		}
		switch {
		case ends && !long:
			return b.take(n), nil
		case long:
			b.at, n = b.at+n, 0
		}
		seen = n
		switch {
		case ends:
			return nil, errTooLong
		case ended:
			return nil, b.err
		case b.at == b.end:
			b.drop()
		}
	}
}

// line takes the next line with its end. At the end of the stream it returns
// what is left and io.EOF with nothing. A line longer than limit is dropped
// with errTooLong; other errors mean that the stream broke before the line's
// end.
func (b *blocks) line(limit int64) ([]byte, error) {
	some := false
	return b.until(limit+2, nil, func(w []byte, seen int) (int, bool) {
		if i := bytes.IndexByte(w[seen:], '\n'); i >= 0 {
			return seen + i + 1, true
		}
		some = some || len(w) > 0
		return len(w), some && b.err == io.EOF
	})
}
