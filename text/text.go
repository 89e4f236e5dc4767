// Package text turns bytes into clean text. [Decode] detects the charset. [Normalizer.Clean] removes differences that two
// copies of one text may have: width and other compatibility forms, case, invisible marks, traditional characters, white
// space.
//
// The Unicode tables are those of Python 3.11 (Unicode 14), made by tables.py, and never change. They define which runes
// belong to a word ([IsWord], [IsAlnum]) and what is lower case. So records do not change with the version of Go.
package text

import (
	"fmt"
	"slices"
	"strings"
)

// Normalizer cleans texts. It is a small value that can be compared and copied. The zero Normalizer is "none" and changes
// nothing.
type Normalizer struct{ steps uint8 }

// The steps, in the order in which they are applied.
const (
	stripInvisible uint8 = 1 << iota
	compatibility
	foldWidth
	lowerCase
	simplify
	collapseSpace
	foldAccents // applied to the output of the other steps
	foldNumbers // applied to the output of foldAccents
)

var stepNames = [...]string{"zerowidth", "nfkc", "width", "lower", "simplify", "space", "accents", "numbers"}

// Default returns the normalizer named "default": zerowidth, nfkc, lower, simplify, space (measurements:
// docs/web-pages.md).
func Default() Normalizer {
	return Normalizer{stripInvisible | compatibility | lowerCase | simplify | collapseSpace}
}

// ParseNormalizer parses "none" or a list of steps separated by commas, in which default stands for its steps. The order
// of the list does not matter; steps always apply in this order:
//
//	zerowidth  drops zero-width marks, byte order marks, soft hyphens, bidi
//	           controls, variation selectors and control characters
//	nfkc       Unicode normalisation form KC (contains width); a superscript number
//	           after a digit gets ^ before it: 10³ becomes 10^3, m² becomes m2
//	width      full-width ASCII becomes ASCII, half-width kana full-width
//	lower      lower case as Python's str.lower makes it
//	simplify   traditional Chinese characters become simplified, one by one, and
//	           digits of other scripts 0 to 9
//	space      a run of white space becomes one U+0020; none at the ends
//	accents    drops accents of Latin and Greek letters, vowel marks of Arabic and
//	           Hebrew, stress marks and the Arabic stretching (not in default:
//	           docs/languages.md)
//	numbers    words with a digit or an @ become 0, so lines of one template of a log
//	           become equal (not in default: docs/short-texts.md)
//
// Any step also turns each byte that is not UTF-8 into U+FFFD.
func ParseNormalizer(spec string) (Normalizer, error) {
	if spec == "none" {
		return Normalizer{}, nil
	}
	var n Normalizer
	for name := range strings.SplitSeq(spec, ",") {
		name = strings.TrimSpace(name)
		if name == "default" {
			n.steps |= Default().steps
			continue
		}
		step := slices.Index(stepNames[:], name)
		if step < 0 {
			return Normalizer{}, fmt.Errorf("unknown normalisation step %q (want default, none or a list of %s)",
				name, strings.Join(stepNames[:], ","))
		}
		n.steps |= 1 << step
	}
	return n, nil
}

// String returns the steps in the order in which they apply, or "none". It also lists them for "default", so a
// stored record shows what was done to its text.
func (n Normalizer) String() string {
	if n.steps == 0 {
		return "none"
	}
	var names []string
	for i, s := range stepNames {
		if n.does(1 << i) {
			names = append(names, s)
		}
	}
	return strings.Join(names, ",")
}

func (n Normalizer) does(step uint8) bool { return n.steps&step != 0 }
