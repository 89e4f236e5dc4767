package corpus

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// lineFrames yields the lines that are not blank.
type lineFrames struct {
	s     *stream
	b     *blocks
	limit int64
	line  int64
}

func newLineFrames(in *input, s *stream, limit int64, charset string) (*lineFrames, error) {
	b := newBlocks(utf8Stream(s))
	if in.format == Lines {
		in.charset = sniff(b, charset)
	}
	return &lineFrames{s: s, b: b, limit: limit}, nil
}

func (f *lineFrames) next() ([]byte, int64, error) {
	for {
		raw, err := f.b.line(f.limit)
		f.line++
		if err == errTooLong {
			return nil, 0, tooLong(f.line, f.limit)
		}
		if err != nil {
			return nil, f.line, err
		}
		if len(trimEnd(raw)) > 0 {
			return raw, f.line, nil
		}
	}
}

func (f *lineFrames) close() error { return f.s.Close() }

func tooLong(line, limit int64) *RejectError {
	return &RejectError{Line: line, Err: errTooLong,
		Reason: fmt.Sprintf("longer than the limit of %d bytes a document", limit)}
}

// trimEnd takes the line end off.
func trimEnd(raw []byte) []byte {
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	return bytes.TrimSuffix(raw, []byte("\r"))
}

// sniff finds the charset of a file by its first block, because a line is too
// short to tell; "" is UTF-8, or nothing but ASCII so far.
func sniff(b *blocks, declared string) string {
	for b.end-b.at < 64<<10 && b.more() {
	}
	head := b.window()
	for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.RuneStart(head[len(head)-1]); i++ {
		head = head[:len(head)-1]
	}
	if n := len(head); n > 0 && head[n-1] >= utf8.RuneSelf {
		head = head[:n-1]
	}
	if utf8.Valid(head) {
		return declared
	}
	_, charset, err := text.Decode(head, declared)
	if err != nil {
		return declared
	}
	return charset
}
