package report

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// The members of groups are most of a page, so they are written without
// reflection; a test holds them against encoding/json.

// field appends a text field, with a comma before it where it is not the first;
// nothing where it is empty.
func field(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendString(fieldName(b, name), value)
}

func fieldName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

const hexDigits = "0123456789abcdef"

// appendString appends a text as JSON, safe in HTML; what is no UTF-8 becomes
// U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' {
				i++
				continue
			}
			b = append(b, s[from:i]...)
			b = appendEscape(b, c)
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			b = append(b, s[from:i]...)
			if r == utf8.RuneError {
				b = append(b, `\ufffd`...)
			} else {
				b = append(b, `\u202`...)
				b = append(b, hexDigits[r&0xf])
			}
			from = i + size
		}
		i += size
	}
	return append(append(b, s[from:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// appendStrings appends an array of texts.
func appendStrings(b []byte, list ...string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// appendJSON appends a member as the page wants it.
func (m *shown) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendString(fieldName(b, "id"), m.ID)
	b = field(b, "title", m.Title)
	b = field(b, "url", m.URL)
	b = appendString(fieldName(b, "text"), m.Text)
	if m.Cut != 0 {
		b = strconv.AppendInt(fieldName(b, "cut"), int64(m.Cut), 10)
	}
	b = field(b, "source", m.Source)
	b = appendString(fieldName(b, "decision"), string(m.Decision))
	if m.Similarity != 0 {
		b = strconv.AppendFloat(fieldName(b, "similarity"), m.Similarity, 'g', -1, 64)
	}
	if m.Distance != nil {
		b = strconv.AppendInt(fieldName(b, "distance"), int64(*m.Distance), 10)
	}
	b = field(b, "basis", m.Basis)
	b = field(b, "method", m.Method)
	b = field(b, "via", m.Via)
	if len(m.Conflicts) > 0 {
		if conflicts, err := json.Marshal(m.Conflicts); err == nil { // strings always marshal
			b = append(fieldName(b, "conflicts"), conflicts...)
		}
	}
	return append(b, '}')
}
