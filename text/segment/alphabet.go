package segment

import "unicode/utf8"

// The characters of words, according to jieba's re_han_default: U+4E00 to U+9FD5, ASCII letters and digits, and + # & . _ %
// -
const (
	firstHan = 0x4E00
	lastHan  = 0x9FD5
	hanCount = lastHan - firstHan + 1
)

// wordByte[c] is true if the ASCII character c may be part of a word, alnum[c] if it is a letter or a digit.
var wordByte, alnum = func() (word, alnum [utf8.RuneSelf]bool) {
	for c := range byte(utf8.RuneSelf) {
		alnum[c] = ('0' <= c && c <= '9') || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z')
		word[c] = alnum[c]
	}
	for _, c := range "+#&._%-" {
		word[c] = true
	}
	return word, alnum
}()

// hanAt decodes the three bytes at p, which must be a Chinese character, to its offset from U+4E00.
func hanAt(s string, p int) uint {
	_ = s[p+2]
	return (uint(s[p]&0x0F)<<12 | uint(s[p+1]&0x3F)<<6 | uint(s[p+2]&0x3F)) - firstHan
}

// wordEnd returns the end of the run of word characters that starts at p, or p if there is none.
func wordEnd(s string, p int) int {
	for p < len(s) {
		c := s[p]
		if c < utf8.RuneSelf {
			if !wordByte[c] {
				return p
			}
			p++
			continue
		}
		if c < 0xE4 || c > 0xE9 || p+2 >= len(s) ||
			s[p+1]&0xC0 != 0x80 || s[p+2]&0xC0 != 0x80 || hanAt(s, p) >= hanCount {
			return p
		}
		p += 3
	}
	return p
}

// hanEnd returns the end of the run of Chinese characters at p, within a run of word characters.
func hanEnd(s string, p int) int {
	for p < len(s) && s[p] >= utf8.RuneSelf {
		p += 3
	}
	return p
}
