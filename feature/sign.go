package feature

import (
	"math/bits"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// Signs are units of their own. Few texts have any, so a block of words is first hashed without them. If the bytes between
// its words may be signs, it is hashed again.
//
// Two bytes after a word may hold a sign if they share a bit of these tables: first for the first byte, next for the
// second. The tables exclude frequent punctuation, such as full stops, hyphens, brackets and the slashes of links.
const (
	anything uint8 = 1 << iota // the first byte may begin a sign, whatever follows
	doubled                    // != && ||
	ending                     // a minus that ends a word, as in Ca2-
	opening                    // the second byte may begin a sign
	pointed                    // a point at the start of a word or a number
	apart                      // / and @ after a space
)

// signPairs holds the common flags of each pair of bytes, the first byte in the low half of the index.
var signPairs = func() (pairs [1 << 16]uint8) {
	var first, next [256]uint8
	for c := range 256 {
		first[c], next[c] = firstBits(byte(c)), anything
		if kinds[c] == 1 || c == '_' || c >= utf8.RuneSelf {
			if c >= utf8.RuneSelf {
				next[c] |= ending
			}
			continue
		}
		next[c] |= nextBits(byte(c))
	}
	for i := range pairs {
		pairs[i] = first[i&0xFF] & next[i>>8]
	}
	return pairs
}()

// mayBegin marks the bytes with which a sign may begin at the start of a block. They are not part of a word.
var mayBegin = func() (t [256]uint8) {
	for c := range byte(utf8.RuneSelf) {
		if text.MaySign[c] && !text.IsWord(rune(c)) {
			t[c] = anything
		}
	}
	return t
}()

func firstBits(c byte) uint8 {
	if c >= utf8.RuneSelf {
		return opening | pointed | apart
	}
	if text.IsWord(rune(c)) {
		return 0
	}
	bits := opening | pointed
	if c <= ' ' {
		bits |= apart
	}
	switch c {
	case '.', ')', ']', '?': // no word begins after these
		return opening
	case '-':
		return bits | ending
	case '!', '&', '|':
		return bits | doubled
	case '/', '@':
		return bits
	}
	if text.MaySign[c] {
		bits |= anything
	}
	return bits
}

func nextBits(c byte) uint8 {
	switch c {
	case '-':
		return opening | pointed
	case '.':
		return pointed | ending
	case '/', '@':
		return apart | ending
	case '=', '&', '|':
		return opening | ending | doubled
	case '#':
		return ending // it needs a letter before it
	}
	if text.MaySign[c] {
		return opening | ending
	}
	return ending
}

// signed reports whether there is a sign between words in the n bytes from an offset on.
func signed(s string, at, n int, word uint64) bool {
	var spots [blockBytes]uint8
	m := 0
	for gap := ^word & (1<<n - 1); gap != 0; gap &= gap - 1 {
		i := bits.TrailingZeros64(gap) & (blockBytes - 1)
		spots[m&(blockBytes-1)] = uint8(i)
		m += one(text.MaySign[s[at+i]])
	}
	for _, i := range spots[:m] {
		if name, _ := text.Sign(s, at+int(i)); name != "" {
			return true
		}
	}
	return false
}

// mixed hashes the words and signs in the n bytes from an offset on. It returns where it stopped, which is after these
// bytes, or after a sign that extends beyond them.
func (w *words) mixed(all []byte, s string, at, n int, word uint64) int {
	from := at
	for at < from+n {
		if word>>(at-from)&1 != 0 {
			end := at + 1
			for end < from+n && word>>(end-from)&1 != 0 {
				end++
			}
			w.put(w.word(all[at:end]), at)
			at = end
			continue
		}
		at = max(w.sign(s, at), at+1)
	}
	return at
}

// sign hashes the sign at an offset, if there is one, and returns where it ends.
func (w *words) sign(s string, at int) int {
	name, end := text.Sign(s, at)
	if name != "" {
		w.put(w.word([]byte(name)), at)
	}
	return end
}
