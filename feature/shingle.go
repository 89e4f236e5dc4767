// Package feature turns a clean text into shingles, which are hashed features. Package keyword adds weighted keywords.
//
// A shingle is K consecutive units of a text, and a unit is a word or a rune. Every shingle becomes one 64-bit hash that is
// fixed for ever (hash.go has the definition), so hashes can be stored and compared between machines, versions and years.
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
	// Auto uses each Chinese, Japanese or Korean rune (Han, Hiragana, Katakana, Hangul) and each maximal run of other word
	// runes as a unit. So units are words in English and runes in Chinese, also within one text.
	Auto Unit = iota
	// Words uses the maximal runs of letters, digits and underscores, like \w+ in Python.
	Words
	// Runes uses each letter and digit (isalnum in Python) and drops everything else, including spaces.
	Runes
	// Scripts extends Auto to all scripts. Runes of scripts without spaces between words (text.IsUnspaced: Thai, Lao,
	// Khmer, Burmese, Tibetan, ...) are also units, including their marks. A mark inside any other word belongs to the
	// word, as in Hindi. For Chinese, Japanese, Korean and English it equals Auto.
	Scripts
)

// unitNames holds the names of the units in the order of the constants.
var unitNames = [...]string{"auto", "words", "runes", "scripts"}

// MaxK is the largest number of units in a shingle.
const MaxK = 32

// Shingle defines how a text is cut: into sequences of K consecutive units. The zero value is invalid; Default suits most
// texts.
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
		return Shingle{}, fmt.Errorf("%q: invalid (want unit:k, for example auto:3)", spec)
	}
	k, err := strconv.Atoi(num)
	if err != nil || k < 1 || k > MaxK || strconv.Itoa(k) != num {
		return Shingle{}, fmt.Errorf("shingle %q: invalid k (want 1 to %d)", spec, MaxK)
	}
	unit := slices.Index(unitNames[:], name)
	if unit < 0 {
		return Shingle{}, fmt.Errorf("shingle %q: invalid unit (want auto, words, runes or scripts)", spec)
	}
	return Shingle{Unit: Unit(unit), K: k}, nil
}

// Validate returns an error unless ParseShingle could have returned s.
func (s Shingle) Validate() error {
	_, err := ParseShingle(s.String())
	return err
}

// String returns the form that ParseShingle parses.
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

// Append appends one 64-bit hash for every shingle of a clean text to dst, in the order of the text, including repetitions.
// A text of 1 to K-1 units is one shingle, and a text without a unit has none. Bytes that are not UTF-8 separate words and
// are not units. Hashes made with a secret random seed cannot be predicted. With the same seed they are the same
// everywhere.
//
// O(len(clean)). It only allocates to grow dst.
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
