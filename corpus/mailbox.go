package corpus

import (
	"bytes"
	"errors"
	"io"
)

// mailFrames yields the messages of a mailbox. A message begins with a line "From ", which is the first line or follows a
// blank one.
type mailFrames struct {
	b     *blocks
	limit int64
	lines int64 // lines read so far
}

func (f *mailFrames) next() ([]byte, int64, error) {
	at, last := f.lines+1, false
	f.b.fill(len(fromLine))
	switch w := f.b.window(); {
	case f.b.err != nil && (f.b.err != io.EOF || len(w) == 0):
		return nil, at, f.b.err
	case !bytes.HasPrefix(w, fromLine):
		return nil, at, errors.New(`a message does not begin with a line "From "`)
	}
	raw, err := f.b.until(f.limit, &f.lines, func(w []byte, seen int) (int, bool) {
		n, found := nextMessage(w, seen)
		last = !found && f.b.err == io.EOF
		if found || last {
			return n, true
		}
		return max(seen, len(w)-2-len(fromLine)), false
	})
	switch {
	case err == errTooLong:
		return nil, 0, tooLong(at, f.limit)
	case last: // another mailbox may have been appended
		raw = append(bytes.TrimRight(raw, "\r\n"), "\n\n"...)
	}
	return raw, at, err
}

var fromLine = []byte("From ")

// nextMessage returns the length of the message at the start of w, and whether it ends in w. If it does not, the length is
// that of w. The first seen bytes need not be searched.
func nextMessage(w []byte, seen int) (int, bool) {
	for seen < len(w) {
		i := bytes.Index(w[seen:], []byte("\nFrom "))
		if i < 0 {
			break
		}
		seen += i + 1
		if before := bytes.TrimSuffix(w[:seen-1], []byte("\r")); bytes.HasSuffix(before, newline) {
			return seen, true
		}
	}
	return len(w), false
}
