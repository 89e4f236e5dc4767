package corpus

import (
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// utf8Text makes a string of bytes that should be UTF-8. Invalid bytes become U+FFFD.
func utf8Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// decodeText decodes a line or a cell in a charset, which may be unknown ("").
func decodeText(b []byte, charset string) (string, error) {
	if (charset == "" || charset == "utf-8") && utf8.Valid(b) {
		return string(b), nil
	}
	return decodeFile(b, charset)
}

// decodeFile decodes a whole text, which may have a byte order mark.
func decodeFile(b []byte, charset string) (string, error) {
	s, _, err := text.Decode(b, charset)
	return s, err
}
