package feature

import "unicode"

// Until package text has them.
func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
