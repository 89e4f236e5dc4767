package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/neardup/neardup/text"
)

// lineFrames yields the lines that are not blank.
type lineFrames struct {
	b     *blocks
	limit int64
	line  int64
}

func newLineFrames(in *input, s *stream, limit int64, charset string) (*lineFrames, error) {
	b := newBlocks(utf8Stream(s))
	var err error
	if in.format == Lines {
		in.charset, err = sniff(b, charset)
	}
	return &lineFrames{b: b, limit: limit}, err
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

func tooLong(line, limit int64) *RejectError {
	return &RejectError{Line: line, Err: errTooLong,
		Reason: fmt.Sprintf("document: too long (want at most %d bytes)", limit)}
}

// trimEnd removes the line end.
func trimEnd(raw []byte) []byte {
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	return bytes.TrimSuffix(raw, []byte("\r"))
}

// sniffed is the number of bytes read to detect the charset and the dialect of a file.
const sniffed = 64 << 10

// unmarkedUTF16 returns the decoder of a file that is UTF-16 without a byte order mark, or nil. The charset must be
// declared, or zeros must be set and a third of the bytes must be zero. zeros is false for a single line, because a few
// bytes are not enough.
func unmarkedUTF16(head []byte, declared string, zeros bool) transform.Transformer {
	if !zeros && !strings.HasPrefix(strings.ToLower(declared), "utf-16") {
		return nil
	}
	switch _, charset, _ := text.Decode(head, declared); charset {
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	}
	return nil
}

// sniff detects the charset of a file from its first block, because a single line is too short. "" means UTF-8, or ASCII so
// far. For binary data it returns text.ErrBinary.
func sniff(b *blocks, declared string) (string, error) {
	b.fill(sniffed)
	head := b.window()
	for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.RuneStart(head[len(head)-1]); i++ {
		head = head[:len(head)-1]
	}
	if n := len(head); n > 0 && head[n-1] >= utf8.RuneSelf {
		head = head[:n-1]
	}
	n := bytes.Count(head, []byte{0})
	zeros := n > 32 && n*3 > len(head)
	if wide := unmarkedUTF16(head, declared, zeros); wide != nil {
		b.decode(wide)
		return "", nil
	}
	if zeros {
		return "", text.ErrBinary
	}
	escapes := bytes.Contains(head, []byte("\x1b$"))
	if utf8.Valid(head) && !escapes {
		return declared, nil
	}
	_, charset, err := text.Decode(head, declared)
	if errors.Is(err, text.ErrBinary) || errors.Is(err, text.ErrCharset) {
		return "", err
	}
	switch {
	case err != nil:
		return declared, nil
	case escapes && charset == "iso-2022-jp":
		b.decode(iso2022JP())
		return "", nil
	case escapes && charset == "utf-8":
		return declared, nil
	}
	return charset, nil
}
