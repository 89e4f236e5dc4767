package corpus

import (
	"bytes"
	"io"
)

// wholeFrames yields a file as one record.
type wholeFrames struct {
	s     *stream
	size  int64 // size of the file, or -1 if unknown
	limit int64
	done  bool
}

func (f *wholeFrames) next() ([]byte, int64, error) {
	if f.done {
		return nil, 1, io.EOF
	}
	f.done = true
	b := &blocks{r: f.s, buf: make([]byte, f.guess())}
	for int64(len(b.window())) <= f.limit && b.more() {
	}
	raw := b.window()
	switch {
	case int64(len(raw)) > f.limit:
		return nil, 0, tooLong(1, f.limit)
	case b.err != nil && b.err != io.EOF:
		return nil, 0, b.err
	}
	if len(raw) < cap(b.buf)/2 {
		raw = bytes.Clone(raw) // so that the item keeps no larger buffer alive
	}
	return raw[:len(raw):len(raw)], 1, nil
}

// guess returns the size to allocate for the document.
func (f *wholeFrames) guess() int {
	n := f.size + 1
	if f.s.members != nil {
		n *= 4
	}
	if n <= 0 || n > blockSize {
		n = blockSize
	}
	return int(n)
}
