package corpus

import (
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/transform"
)

// blockSize is large enough to make blocks cheap, and small enough that an item in use keeps little memory.
const blockSize = 256 << 10

var errTooLong = errors.New("record is too long")

// blocks reads a stream into blocks. It never overwrites bytes that were taken, so slices of them need no copy.
type blocks struct {
	r       io.Reader
	buf     []byte // buf[at:end] has been read, but not taken
	at, end int
	shared  bool  // a slice of buf has been taken
	err     error // the reason why the stream ended
}

func newBlocks(r io.Reader) *blocks { return &blocks{r: r} }

// decode applies a decoder to everything that is not taken yet. It is needed for charsets in which a delimiter may be half
// of a character.
func (b *blocks) decode(by transform.Transformer) {
	rest := b.r
	if b.err != nil {
		rest = broken{b.err}
	}
	*b = blocks{r: transform.NewReader(io.MultiReader(bytes.NewReader(b.window()), rest), by)}
}

// window returns the bytes that were read, but not taken.
func (b *blocks) window() []byte { return b.buf[b.at:b.end:b.end] }

// more reads more bytes into the window. It returns false at the end of the stream.
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

// take returns the first n bytes of the window and advances.
func (b *blocks) take(n int) []byte {
	raw := b.buf[b.at : b.at+n : b.at+n]
	b.at += n
	b.shared = true
	return raw
}

// drop forgets the window. Its memory is used again if no slice of it was handed out, so skipping a long record takes one
// block of memory.
func (b *blocks) drop() {
	b.at = b.end
	if !b.shared {
		b.at, b.end = 0, 0
	}
}

// fill makes the window at least n bytes long. It returns false if the stream ends first.
func (b *blocks) fill(n int) bool {
	for b.end-b.at < n {
		if !b.more() {
			return false
		}
	}
	return true
}

// skip drops n bytes. It returns false if the stream ends first.
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

// until takes a record. It calls find with a growing window, and again at the end of the stream. seen is the number of
// bytes that find has seen. find returns the end of the record, or else how many bytes it need not see again. until skips a
// record longer than the limit and returns errTooLong. Unless lines is nil, until adds the number of line ends to it.
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

// line takes the next line with its end. At the end of the stream it returns the rest, and then io.EOF. It drops a line
// longer than limit and returns errTooLong. Other errors mean that the stream broke within the line.
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
