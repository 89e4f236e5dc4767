// Package feature turns a clean text into hashed features: shingles here, weighted keywords in package keyword.
//
// A shingle is K consecutive units of a text, and a unit is a word or a rune.
// Every shingle becomes one 64-bit hash that is fixed for ever (hash.go has
// the definition), so hashes can be stored and compared between machines,
// versions and years.
package feature

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unit is the unit of a shingle.
type Unit uint8

const (
	// Auto takes each Chinese, Japanese or Korean rune (Han, Hiragana,
	// Katakana, Hangul) and each maximal run of other word runes as a unit:
	// words for English, runes for Chinese, both in a mixed text.
	Auto Unit = iota
	// Words takes the maximal runs of letters, digits and underscore: the
	// words that \w+ finds in Python.
	Words
	// Runes takes each letter and digit (isalnum in Python) and drops all
	// else, spaces included.
	Runes
	// Scripts is Auto for every script. Runes of scripts without spaces between words (text.IsUnspaced: Thai,
	// Lao, Khmer, Burmese, Tibetan, ...) are also units, including their marks. A mark inside any other word
	// belongs to it, as in Hindi. For Chinese, Japanese, Korean and English it equals Auto.
	Scripts
)

// unitNames holds the names of the units in the order of the constants.
var unitNames = [...]string{"auto", "words", "runes", "scripts"}

// MaxK is the largest number of units in a shingle.
const MaxK = 32

// Shingle sets how a text is cut: K consecutive units. The zero value cuts nothing; Default is a good start.
type Shingle struct {
	Unit Unit
	K    int
}

// Default is auto:3.
var Default = Shingle{Unit: Auto, K: 3}

// ParseShingle reads "auto:3", "words:3", "runes:4" or "scripts:3". K is 1..MaxK.
func ParseShingle(spec string) (Shingle, error) {
	name, num, ok := strings.Cut(spec, ":")
	if !ok {
		return Shingle{}, fmt.Errorf("%q is not a shingle: unit:k, for example auto:3", spec)
	}
	k, err := strconv.Atoi(num)
	if err != nil || k < 1 || k > MaxK || strconv.Itoa(k) != num {
		return Shingle{}, fmt.Errorf("shingle %q: k must be 1..%d", spec, MaxK)
	}
	unit := slices.Index(unitNames[:], name)
	if unit < 0 {
		return Shingle{}, fmt.Errorf("shingle %q: unit must be auto, words, runes or scripts", spec)
	}
	return Shingle{Unit: Unit(unit), K: k}, nil
}

// Validate reports whether s is one that ParseShingle could have returned.
func (s Shingle) Validate() error {
	_, err := ParseShingle(s.String())
	return err
}

// String returns what ParseShingle reads.
func (s Shingle) String() string {
	return s.Unit.String() + ":" + strconv.Itoa(s.K)
}

// String returns "auto", "words", "runes" or "scripts".
func (u Unit) String() string {
	if int(u) < len(unitNames) {
		return unitNames[u]
	}
	return "unit" + strconv.Itoa(int(u))
}

// Append appends to dst one 64-bit hash for every shingle of a clean text, in
// the order of the text, repeats kept. A text of 1 to K-1 units is one
// shingle; a text without a unit has none. Bytes that are not UTF-8 separate
// words and are not units. Hashes made with an unknown random seed cannot be
// foreseen; with the same seed they are the same everywhere.
//
// O(len(clean)); allocates only to grow dst.
func (s Shingle) Append(dst []uint64, clean string, seed uint64) []uint64 {
	if s.K < 1 || s.K > MaxK {
		return dst
	}
	k := newKeys(seed)
	from := len(dst)
	if s.Unit == Runes {
		dst = appendRunes(dst, clean)
		return dst[:from+k.joinRunes(dst[from:], s.K)]
	}
	w := words{keys: k, unit: s.Unit, hashes: dst}
	w.append(clean)
	return w.hashes[:from+k.joinWords(w.hashes[from:], s.K)]
}
