package feature

import (
	"slices"
	"unicode/utf8"
)

// asciiAlnum is 1 for the letters and digits of ASCII.
var asciiAlnum = func() (t [256]uint8) {
	for c := range utf8.RuneSelf {
		if isAlnum(rune(c)) {
			t[c] = 1
		}
	}
	return t
}()

// appendRunes appends every letter and digit of s.
func appendRunes(dst []uint64, s string) []uint64 {
	for len(s) > 0 {
		const step = 64
		dst = slices.Grow(dst, step)
		out := dst[len(dst) : len(dst)+step]
		n, i := 0, 0
		for i < len(s) && i < step {
			c := s[i]
			if c < utf8.RuneSelf {
				out[n&(step-1)] = uint64(c)
				n += int(asciiAlnum[c])
				i++
				continue
			}
			r, width := utf8.DecodeRuneInString(s[i:])
			if isAlnum(r) {
				out[n&(step-1)] = uint64(r)
				n++
			}
			i += width
		}
		dst = dst[:len(dst)+n]
		s = s[i:]
	}
	return dst
}
