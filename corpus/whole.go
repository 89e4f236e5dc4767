package corpus

import "io"

// wholeFrames yields one file as one record.
type wholeFrames struct {
	s     *stream
	limit int64
	done  bool
}

func (f *wholeFrames) next() ([]byte, int64, error) {
	if f.done {
		return nil, 1, io.EOF
	}
	f.done = true
	b := newBlocks(f.s)
	for int64(len(b.window())) <= f.limit && b.more() {
	}
	raw := b.window()
	switch {
	case int64(len(raw)) > f.limit:
		return nil, 0, tooLong(1, f.limit)
	case b.err != nil && b.err != io.EOF:
		return nil, 0, b.err
	}
	return raw[:len(raw):len(raw)], 1, nil
}

func (f *wholeFrames) close() error { return f.s.Close() }
