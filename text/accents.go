package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// accents are the marks that copies of a text leave out: accents and stress
// marks, the vowels and other points of Arabic and Hebrew, the Arabic
// stretching. Not those of Thai, Hindi or Japanese, which make another word.
var accents = []span{
	{0x300, 0x36F}, {0x591, 0x5BD}, {0x5BF, 0x5BF}, {0x5C1, 0x5C2}, {0x5C4, 0x5C5}, {0x5C7, 0x5C7},
	{0x610, 0x61A}, {0x640, 0x640}, {0x64B, 0x65F}, {0x670, 0x670}, {0x6D6, 0x6DC}, {0x6DF, 0x6E4}, {0x6E7, 0x6E8}, {0x6EA, 0x6ED},
	{0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF},
}

// accented are the blocks of letters that are written with their accents:
// Latin and Greek. The accents of Cyrillic letters (й) make letters of their own.
var accented = []span{{0xC0, 0x24F}, {0x370, 0x3FF}, {0x1E00, 0x1EFF}, {0x1F00, 0x1FFF}}

// withoutAccents drops accents. Where one stood alone, it may leave two spaces side by side.
func withoutAccents(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0xC0 && within(accents, r) {
			return -1
		}
		return Unaccented(r)
	}, s)
}

// Unaccented returns the letter of a Latin or Greek rune without its accents, and any other rune as it is.
func Unaccented(r rune) rune {
	if r < 0xC0 || !within(accented, r) {
		return r
	}
	return base(r)
}

// base returns the letter under the accents.
func base(r rune) rune {
	var buf [utf8.UTFMax]byte
	if d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition(); len(d) > 0 {
		r, _ = utf8.DecodeRune(d)
	}
	return r
}
