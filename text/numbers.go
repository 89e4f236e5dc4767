package text

import "unicode/utf8"

// withoutNumbers replaces each word that has a digit or an @ by 0. A chain of such words, for example 12:30:05 or 7/2024,
// becomes a single 0. A word is a run of ASCII letters, digits and _ - . @, so identifiers, addresses and version numbers
// are words. Lines that one template has filled with different values become equal.
func withoutNumbers(s string) string {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	out := make([]byte, 0, len(s)+1)
	for i := 0; i < len(s); {
		end, number := i, false
		for ; end < len(s) && ofWord(s[end]); end++ {
			number = number || s[end] == '@' || s[end]-'0' < 10
		}
		switch n := len(out); {
		case end == i:
			out = append(out, s[i])
			end++
		case !number:
			out = append(out, s[i:end]...)
		case n > 1 && out[n-2] == '0' && linksNumbers(out[n-1]):
			out = out[:n-1]
		default:
			out = append(out, '0')
		}
		i = end
	}
	return string(out)
}

func ofWord(b byte) bool {
	return b-'0' < 10 || b|0x20-'a' < 26 || b == '_' || b == '-' || b == '.' || b == '@'
}

func linksNumbers(b byte) bool { return b == ':' || b == '/' || b == ',' || b == '+' }
