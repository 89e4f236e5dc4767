package text

import (
	_ "embed"
	"sort"
)

// The classes of a code point in kinds.bin. The file lists runs of code points with one class: 4 bytes for the first code
// point, and 4 for the class.
const (
	kindCased     = 1 << iota // this and the next are for the final sigma
	kindIgnorable             // it may stand between letters
	kindMark
	kindUnspaced
	kindAccent   // dropped by the step accents
	kindAccented // a letter that may be written with its accent
)

//go:embed kinds.bin
var kindsTable string

// basicKinds holds the classes of the first 65,536 code points, so that a look-up takes one load.
var basicKinds = func() (t [1 << 16]uint8) {
	kind, next := uint8(0), 0
	for r := range t {
		if uint32At(kindsTable, next) == rune(r) {
			kind, next = kindsTable[next+4], next+8
		}
		t[r] = kind
	}
	return t
}()

func kindOf(r rune) uint8 {
	if uint32(r) < 1<<16 {
		return basicKinds[uint16(r)]
	}
	if uint32(r) > 0x10FFFF {
		return 0
	}
	run := sort.Search(len(kindsTable)/8, func(i int) bool { return uint32At(kindsTable, 8*i) > r }) - 1
	return kindsTable[8*run+4]
}

// IsUnspaced reports whether r belongs to a script without spaces between words and is not IsCJK. These are Thai, Lao,
// Khmer, Burmese, Tibetan (which only separates syllables), Tai Le, Tai Tham, Balinese, Javanese, Batak, Yi and some
// others. Their marks, which carry the vowels, are included.
func IsUnspaced(r rune) bool { return kindOf(r)&kindUnspaced != 0 }

// IsMark reports whether r is a combining mark of a letter (general categories Mn and Mc, so not the key cap of an emoji).
// Most marks are not word runes for Python, so IsWord is false for them.
func IsMark(r rune) bool { return kindOf(r)&kindMark != 0 }
