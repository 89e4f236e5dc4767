package passage

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
	"github.com/zeebo/xxh3"
)

// Unit is the unit of the length of passages.
type Unit uint8

// The units. A passage of words begins and ends with a word. A Chinese, Japanese or Korean character counts as a word. A
// byte that is not valid UTF-8 counts as a rune.
const (
	Bytes Unit = iota
	Runes
	Words
)

var unitNames = [...]string{"bytes", "runes", "words"}

// Length is a number of units.
type Length struct {
	N    int
	Unit Unit
}

// The least and the greatest length of a passage, in any unit.
const (
	MinLength = 4
	MaxLength = 1 << 20
)

// ParseLength reads a length such as "200 bytes", "100 runes" or "50 words".
func ParseLength(s string) (Length, error) {
	number, name, _ := strings.Cut(strings.TrimSpace(s), " ")
	n, err := strconv.Atoi(number)
	if err == nil {
		for u, known := range unitNames {
			if strings.TrimSpace(name) == known && MinLength <= n && n <= MaxLength {
				return Length{n, Unit(u)}, nil
			}
		}
	}
	return Length{}, fmt.Errorf("%q: invalid (want for example 200 bytes, 100 runes or 50 words; the number from %d to %d)", s, MinLength, MaxLength)
}

// String returns the form that ParseLength reads.
func (l Length) String() string { return strconv.Itoa(l.N) + " " + unitNames[l.Unit] }

// fits reports whether a text has at least N units.
func (l Length) fits(s string) bool {
	n := 0
	if l.N > 0 {
		l.Unit.each(s, func(int, int, uint64) { n++ })
	}
	return n >= l.N
}

// each calls unit with the bounds and a hash of each unit of s, in order. Text between two words belongs to no unit. The
// bounds of units within a passage do not depend on the text around it, so equal passages have equal units.
func (u Unit) each(s string, unit func(start, end int, hash uint64)) {
	switch u {
	case Bytes:
		for i := range len(s) {
			unit(i, i+1, uint64(s[i])+1)
		}
	case Runes:
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			unit(i, i+size, uint64(r)+1)
			i += size
		}
	case Words:
		for start, end := word(s, 0); start < end; start, end = word(s, end) {
			unit(start, end, xxh3.HashString(s[start:end]))
		}
	}
}

// word returns the next word that begins at or after an offset, or an empty word at the end of the text.
func word(s string, at int) (start, end int) {
	for start = at; start < len(s); start += end {
		var r rune
		r, end = utf8.DecodeRuneInString(s[start:])
		if text.IsWord(r) {
			at = start + end
			for !text.IsCJK(r) && at < len(s) {
				r, end = utf8.DecodeRuneInString(s[at:])
				if !text.IsWord(r) || text.IsCJK(r) {
					break
				}
				at += end
			}
			return start, at
		}
	}
	return len(s), len(s)
}
