package corpus

import (
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// utf8Text makes a string of bytes that are UTF-8 by definition; what is not
// becomes U+FFFD.
func utf8Text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// decodeText makes a string of bytes in a charset that may be unknown.
func decodeText(b []byte, charset string) (string, error) {
	if charset == "" && utf8.Valid(b) {
		return string(b), nil
	}
	s, _, err := text.Decode(b, charset)
	return s, err
}
