package text

import (
	"testing"
	"unicode"
)

// Compares the tables with Go's, which may be of a later Unicode with more runes. U+A9CF is shared by two
// scripts and in none.
func TestUnspaced(t *testing.T) {
	scripts := []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese,
		unicode.Javanese, unicode.Batak, unicode.Buginese, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Yi,
		unicode.Rejang, unicode.Cham, unicode.Brahmi, unicode.Ahom, unicode.Makasar, unicode.Tangut, unicode.Khitan_Small_Script, unicode.Nushu}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		content := unicode.In(r, unicode.L, unicode.M, unicode.N)
		if IsUnspaced(r) && (!content || (!unicode.In(r, scripts...) && r != 0xA9CF)) {
			t.Errorf("%U is not a letter, mark or number of the scripts", r)
		}
		if IsUnspaced(r) && IsCJK(r) {
			t.Errorf("%U is of both kinds", r)
		}
		if IsMark(r) && !unicode.Is(unicode.M, r) {
			t.Errorf("%U is no mark", r)
		}
	}
	for _, s := range []string{"ภาษาไทย๑่", "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာဘာသာ", "བོདསྐདཡིག", "ᬩᬮᬶ", "ꦗꦮ", "ꆈꌠ"} {
		for _, r := range s {
			if !IsUnspaced(r) {
				t.Errorf("%U of %s is not found", r, s)
			}
		}
	}
	for _, r := range "aé中かאعहि한་ །๏" {
		if IsUnspaced(r) {
			t.Errorf("%U is no rune of such a script, or punctuation", r)
		}
	}
	if IsMark('\u20E3') {
		t.Error("a key cap is no mark of a letter")
	}
	for _, r := range "\u0301\u064Eि\u0E35" {
		if !IsMark(r) {
			t.Errorf("%U is a mark", r)
		}
	}
}
