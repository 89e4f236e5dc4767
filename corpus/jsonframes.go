package corpus

import (
	"bytes"
	"errors"
	"io"
)

// jsonFrames yields the elements of a JSON array, or consecutive objects, which may span lines.
type jsonFrames struct {
	b     *blocks
	limit int64
	lines int64 // line ends read so far
	array bool
	begun bool // the first byte was read, which distinguishes an array from objects
	ended bool // the array has ended
}

func (f *jsonFrames) next() ([]byte, int64, error) {
	c, err := f.start()
	at := f.lines + 1
	switch {
	case err != nil:
		return nil, at, err
	case f.ended:
		return nil, at, errors.New("data after the end of the JSON array")
	case c != '{' && !f.array:
		return nil, at, errors.New("not a JSON object")
	case c == '}':
		return nil, at, errors.New("unexpected bracket (want a JSON value)")
	}
	var end jsonEnd
	raw, err := f.b.until(f.limit, &f.lines, end.find)
	if err == errTooLong {
		return nil, 0, tooLong(at, f.limit)
	}
	return raw, at, cut(err)
}

// start skips to the first byte of the next value.
func (f *jsonFrames) start() (byte, error) {
	for {
		w := f.b.window()
		i := 0
		for ; i < len(w); i++ {
			switch c := w[i]; {
			case c == '\n':
				f.lines++
			case c == ' ' || c == '\t' || c == '\r':
			case c == '[' && !f.begun:
				f.array, f.begun = true, true
			case c == ',' && f.array && !f.ended:
			case c == ']' && f.array && !f.ended:
				f.ended = true
			default:
				f.begun = true
				f.b.at += i
				return c, nil
			}
		}
		f.b.at += i
		if f.b.more() {
			continue
		}
		if f.b.err == io.EOF && f.array && !f.ended {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, f.b.err
	}
}

// jsonEnd finds the end of a JSON value by its quotes and brackets only.
type jsonEnd struct {
	depth   int
	text    bool // inside a string
	escaped bool // after a backslash
}

// find scans the rest of w. It is an argument of blocks.until.
func (e *jsonEnd) find(w []byte, at int) (int, bool) {
	for ; at < len(w); at++ {
		c := w[at]
		switch {
		case e.escaped:
			e.escaped = false
		case e.text && c == '\\':
			e.escaped = true
		case c == '"':
			e.text = !e.text
			if !e.text && e.depth == 0 {
				return at + 1, true
			}
		case e.text:
		case c == '{' || c == '[':
			e.depth++
		case (c == '}' || c == ']') && e.depth > 0:
			e.depth--
			if e.depth == 0 {
				return at + 1, true
			}
		case e.depth == 0 && bytes.IndexByte([]byte(" \t\r\n,]}"), c) >= 0:
			return at, true // the end of a number or a word
		}
	}
	return at, false
}

// jsonSink writes the records as a JSON array.
type jsonSink struct {
	*AtomicFile
	n int
}

func (s *jsonSink) write(it Item, _ ...any) error {
	before := ",\n"
	s.n++
	if s.n == 1 {
		before = "[\n"
	}
	if _, err := io.WriteString(s, before); err != nil {
		return err
	}
	_, err := s.Write(it.Raw)
	return err
}

func (s *jsonSink) end() error {
	end := "\n]\n"
	if s.n == 0 {
		end = "[]\n"
	}
	_, err := io.WriteString(s, end)
	return err
}
