package text

import (
	_ "embed"
	"encoding/binary"
	"sync"
)

// The flags of a code point in the tables. They fit in one byte.
const (
	classWord     = 1 << iota // Python's \w
	classAlnum                // Python's str.isalnum
	classCJK                  // Han, kana, Hangul, Bopomofo; classAlnum is also set
	classSpace                // Python's str.isspace
	classStrip                // invisible, to be dropped
	classLower                // has a lower-case form
	classNFKC                 // changed by NFKC, combining, or may compose with the rune before it
	classSimplify             // has a simplified form
)

// Layout of class.bin: a row number (2 bytes, little-endian) for every 256
// code points, then the rows of 256 flag bytes.
const (
	classBlocks = 0x110000 >> 8
	classRows   = 2 * classBlocks
)

//go:embed class.bin
var classTable string

//go:embed simplified.bin
var simplifiedTable string

// class returns the flags of r, or 0 for a surrogate and an invalid code point.
func class(r rune) uint8 {
	if uint32(r) < 1<<16 {
		return basic[uint16(r)]
	}
	return rare(r)
}

// basic holds the flags of the first 65,536 code points, so that most take one load.
var basic = func() (t [1 << 16]uint8) {
	for r := range t {
		t[r] = rare(rune(r))
	}
	return t
}()

// rare looks up the flags of a code point in the table.
func rare(r rune) uint8 {
	if uint32(r) > 0x10FFFF {
		return 0
	}
	b := int(r>>8) * 2
	row := int(classTable[b]) | int(classTable[b+1])<<8
	return classTable[classRows+row<<8+int(r&0xFF)]
}

// IsWord reports whether re.match(r"\w", r, re.U) matches in Python: r is a letter, a number or the underscore. Combining
// marks do not match. It takes about a nanosecond.
func IsWord(r rune) bool { return class(r)&classWord != 0 }

// IsAlnum reports whether str.isalnum is true for r in Python. It takes about a nanosecond.
func IsAlnum(r rune) bool { return class(r)&classAlnum != 0 }

// IsCJK reports whether r is a letter or number of Han, Hiragana, Katakana, Hangul or Bopomofo. Half-width forms and the
// prolonged sound mark are included. IsWord and IsAlnum are true for every such rune. It takes about a nanosecond.
func IsCJK(r rune) bool { return class(r)&classCJK != 0 }

func isSpace(r rune) bool { return class(r)&classSpace != 0 }

// simpler holds the simplified form of every rune with classSimplify. It has an array for the BMP and a map for the few
// others. It is built on first use and takes 110 KB.
type simpler struct {
	bmp   [simplifyHigh - simplifyLow]rune
	other map[rune]rune
}

const simplifyLow, simplifyHigh = 0x3400, 0xA000

var simplifications = sync.OnceValue(func() *simpler {
	t := &simpler{other: make(map[rune]rune)}
	for i := 0; i < len(simplifiedTable); i += 8 {
		from, to := uint32At(simplifiedTable, i), uint32At(simplifiedTable, i+4)
		if from >= simplifyLow && from < simplifyHigh {
			t.bmp[from-simplifyLow] = to
		} else {
			t.other[from] = to
		}
	}
	return t
})

func (t *simpler) of(r rune) rune {
	if r >= simplifyLow && r < simplifyHigh {
		return t.bmp[r-simplifyLow]
	}
	return t.other[r]
}

func uint32At(s string, i int) rune {
	return rune(binary.LittleEndian.Uint32([]byte(s[i : i+4])))
}
