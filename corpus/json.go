package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonScan finds the wanted fields of a JSON object in one pass. It builds no tree, so its memory does not depend on the
// input. It reads only the wanted strings twice.
//
// It is strict (RFC 8259) with two exceptions: it accepts control characters inside strings, and any escapes inside
// unwanted strings. Keys match exactly. Of duplicate keys the last one counts. A lone surrogate becomes U+FFFD.
type jsonScan struct {
	b     []byte
	i     int
	depth int
	// Used by walk only.
	value  func(path []byte, kind valueKind) (read bool, err error)
	enters func(path []byte, kind valueKind) bool
	path   []byte // path of the current value
	lists  int    // number of lists that contain it
}

// mostDepth is the deepest nesting that jsonScan accepts.
const mostDepth = 128

var errJSONEnd = errors.New("JSON: truncated")

// valueKind is the first byte of a JSON value.
type valueKind byte

const (
	kindString  valueKind = '"'
	kindObject  valueKind = '{'
	kindArray   valueKind = '['
	kindNumber  valueKind = '0'
	kindLiteral valueKind = 't' // true or false
	kindNull    valueKind = 'n'
)

var kindNames = map[valueKind]string{kindString: "a string", kindObject: "an object", kindArray: "an array", kindNumber: "a number",
	kindLiteral: "a boolean", kindNull: "null"}

func (k valueKind) String() string { return kindNames[k] }

// object reads one object with nothing after it. It calls field for each member, with the unescaped key. field must read
// the value.
func (s *jsonScan) object(line []byte, field func(key []byte) error) error {
	s.b, s.i, s.depth = line, 0, 0
	s.space()
	if s.i == len(s.b) {
		return errJSONEnd
	}
	if s.b[s.i] != '{' {
		return fmt.Errorf("not a JSON object: it begins with %.20q", s.b[s.i:])
	}
	if err := s.members(field); err != nil {
		return err
	}
	s.space()
	if s.i != len(s.b) {
		return s.fail("text after the JSON object")
	}
	return nil
}

// walk reads one object as object does, and calls s.value with the path and the kind of each value. The path is
// "outer.inner" for a member of a nested object, and "outer[]" for an element of a list. s.value reports whether it has
// read the value. If it has not, walk enters the value if s.enters returns true, and otherwise skips it. If s.enters is
// nil, walk enters objects.
func (s *jsonScan) walk(line []byte) error {
	s.path, s.lists = s.path[:0], 0
	return s.object(trimEnd(line), s.member)
}

// member visits the value of a member of the object at s.path.
func (s *jsonScan) member(key []byte) error {
	outer := len(s.path)
	s.path = append(s.path, key...)
	err := s.visit()
	s.path = s.path[:outer]
	return err
}

// visit reads the value at s.path.
func (s *jsonScan) visit() error {
	kind, err := s.kind()
	if err != nil {
		return err
	}
	if read, err := s.value(s.path, kind); read || err != nil {
		return err
	}
	enters := kind == kindObject
	if s.enters != nil {
		enters = s.enters(s.path, kind)
	}
	switch {
	case !enters || (kind != kindObject && kind != kindArray):
		return s.skip()
	case kind == kindObject:
		s.path = append(s.path, '.')
		return s.members(s.member)
	}
	s.path = append(s.path, "[]"...)
	size := len(s.path)
	s.lists++
	defer func() { s.lists-- }()
	return s.elements(']', func() error {
		s.path = s.path[:size]
		return s.visit()
	})
}

// liesBelow reports whether a name is inside the object with that path, or inside the elements of the list.
func liesBelow(name string, path []byte) bool {
	if len(name) <= len(path) || name[:len(path)] != string(path) {
		return false
	}
	return name[len(path)] == '.' || strings.HasPrefix(name[len(path):], "[]")
}

// members reads an object from its opening brace.
func (s *jsonScan) members(field func(key []byte) error) error {
	return s.elements('}', func() error {
		key, err := s.key()
		if err != nil {
			return err
		}
		s.space()
		if s.i == len(s.b) || s.b[s.i] != ':' {
			return s.fail("no colon after a key")
		}
		s.i++
		s.space()
		return field(key)
	})
}

// elements reads the elements of an object or an array, up to its closing bracket.
func (s *jsonScan) elements(end byte, each func() error) error {
	s.depth++
	if s.depth > mostDepth {
		return fmt.Errorf("JSON: nested too deep (want at most %d levels)", mostDepth)
	}
	s.i++
	s.space()
	if s.i < len(s.b) && s.b[s.i] == end {
		s.i++
		s.depth--
		return nil
	}
	for {
		s.space()
		if err := each(); err != nil {
			return err
		}
		s.space()
		if s.i == len(s.b) {
			return errJSONEnd
		}
		c := s.b[s.i]
		if c != ',' && c != end {
			return s.fail("no comma or bracket after a value")
		}
		s.i++
		if c == end {
			s.depth--
			return nil
		}
	}
}

// kind returns the kind of the value at the current position.
func (s *jsonScan) kind() (valueKind, error) {
	if s.i == len(s.b) {
		return 0, errJSONEnd
	}
	switch c := s.b[s.i]; c {
	case '"', '{', '[', 'n':
		return valueKind(c), nil
	case 't', 'f':
		return kindLiteral, nil
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return kindNumber, nil
	}
	return 0, s.fail("no value")
}

// skip reads one value of any kind.
func (s *jsonScan) skip() error {
	k, err := s.kind()
	if err != nil {
		return err
	}
	switch k {
	case kindString:
		_, err = s.str()
	case kindObject:
		err = s.members(func([]byte) error { return s.skip() })
	case kindArray:
		err = s.elements(']', s.skip)
	case kindNumber:
		_, err = s.number()
	default:
		err = s.literal()
	}
	return err
}

func (s *jsonScan) literal() error {
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.b[s.i:], []byte(word)) {
			s.i += len(word)
			return nil
		}
	}
	return s.fail("no value")
}

// number reads a number and returns its digits.
func (s *jsonScan) number() ([]byte, error) {
	from := s.i
	for s.i < len(s.b) && bytes.IndexByte([]byte("+-.0123456789eE"), s.b[s.i]) >= 0 {
		s.i++
	}
	n := s.b[from:s.i]
	if !validNumber(n) {
		s.i = from
		return nil, s.fail("invalid number")
	}
	return n, nil
}

// validNumber reports whether n matches -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?.
func validNumber(n []byte) bool {
	digits := func() bool {
		from := len(n)
		for len(n) > 0 && '0' <= n[0] && n[0] <= '9' {
			n = n[1:]
		}
		return len(n) < from
	}
	n = bytes.TrimPrefix(n, []byte("-"))
	if (len(n) > 1 && n[0] == '0' && '0' <= n[1] && n[1] <= '9') || !digits() {
		return false
	}
	if len(n) > 0 && n[0] == '.' {
		n = n[1:]
		if !digits() {
			return false
		}
	}
	if len(n) > 0 && n[0]|0x20 == 'e' {
		n = n[1:]
		if len(n) > 0 && (n[0] == '+' || n[0] == '-') {
			n = n[1:]
		}
		return digits() && len(n) == 0
	}
	return len(n) == 0
}

// str reads a string and returns the bytes between its quotes, undecoded.
func (s *jsonScan) str() ([]byte, error) {
	if s.i == len(s.b) || s.b[s.i] != '"' {
		return nil, s.fail("no key in quotes")
	}
	from := s.i + 1
	for at := from; ; at++ {
		n := bytes.IndexByte(s.b[at:], '"')
		if n < 0 {
			return nil, errJSONEnd
		}
		at += n
		slashes := 0
		for at-slashes > from && s.b[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			s.i = at + 1
			return s.b[from:at:at], nil
		}
	}
}

// key reads a string that is a key.
func (s *jsonScan) key() ([]byte, error) {
	raw, err := s.str()
	if err != nil || bytes.IndexByte(raw, '\\') < 0 {
		return raw, err
	}
	key, err := jsonText(raw)
	return []byte(key), err
}

// jsonText makes a string of what str or number returned. It resolves escapes and replaces invalid UTF-8. It allocates and
// copies once.
func jsonText(raw []byte) (string, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return utf8Text(raw), nil
	}
	var b strings.Builder
	b.Grow(len(raw))
	if err := unescape(&b, raw); err != nil {
		return "", err
	}
	s := b.String()
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s, nil
}

// escapes maps the letter after a backslash to the byte that it represents.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape writes raw with its escapes resolved. It writes at most len(raw) bytes.
func unescape(dst *strings.Builder, raw []byte) error {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			dst.Write(raw)
			return nil
		}
		dst.Write(raw[:i])
		raw = raw[i+1:]
		if len(raw) == 0 {
			return errJSONEnd
		}
		c := raw[0]
		raw = raw[1:]
		switch plain := escapes[c]; {
		case plain != 0:
			dst.WriteByte(plain)
		case c == 'u':
			r, n := unescapeRune(raw)
			if n == 0 {
				return errors.New(`JSON: invalid \u escape`)
			}
			dst.WriteRune(r)
			raw = raw[n:]
		default:
			return fmt.Errorf("JSON: invalid escape %q", `\`+string(rune(c)))
		}
	}
}

// unescapeRune reads the digits after \u, and the low surrogate after a high one. If they are not hex digits, it returns
// the length 0.
func unescapeRune(b []byte) (rune, int) {
	r := hex4(b)
	if r < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(b) >= 10 && b[4] == '\\' && b[5] == 'u' {
		if low := hex4(b[6:]); low >= 0 {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 10
			}
		}
	}
	return utf8.RuneError, 4
}

// hex4 parses four hex digits. It returns -1 if they are invalid.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

func (s *jsonScan) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

func (s *jsonScan) fail(what string) error {
	if s.i >= len(s.b) {
		return errJSONEnd
	}
	return fmt.Errorf("%s at byte %d", what, s.i+1)
}
