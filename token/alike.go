package token

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Alike reports whether two words are one, written in two ways: one abbreviates
// or inflects the other, or is it with a typing error. Two words that the table
// knows are seldom an error: of them two letters exchanged or one doubled are
// forgiven, and Chinese characters that sound the same. What has digits is a name,
// and never misspelt.
func Alike(x, y *Token) bool {
	if x.Fact() || y.Fact() {
		return false
	}
	if x.Han || y.Han {
		return x.Han && y.Han && alikeHan(x, y)
	}
	return alikeWords(x, y)
}

// Opposites reports whether two words are opposites, or name two of a class: units,
// months, roman numerals, single letters.
func Opposites(x, y *Token) bool {
	return areOpposites(x.Text, y.Text) || isRoman(x.Text) && isRoman(y.Text) || isOption(x.Text) && isOption(y.Text)
}

// Ordinals reports whether two words are ordinals: they are opposites of a kind, and numbers.
func Ordinals(x, y *Token) bool { return ordinalValue(x.Text) > 0 && ordinalValue(y.Text) > 0 }

// Negates reports whether a word says no.
func Negates(t *Token) bool { return isNegation(t.Text) }

// Joined reports whether the words of two places are one row of letters, parted
// in two ways, or one side is the initials of the other.
func Joined(a, b []*Token) bool {
	if len(a) == 0 || len(b) == 0 || len(a) == 1 && len(b) == 1 {
		return false
	}
	if initials(a, b) || initials(b, a) {
		return true
	}
	n, m := size(a), size(b)
	facts := slices.ContainsFunc(a, (*Token).Fact) || slices.ContainsFunc(b, (*Token).Fact)
	if n != m && (facts || !a[0].Han && (max(n, m) > longestWord || max(n, m)-min(n, m) > utf8.UTFMax*max(1, n/8))) {
		return false // nearly always
	}
	x, y := joined(a, n), joined(b, m)
	switch {
	case x == "" || y == "":
		return false
	case x == y:
		return true
	case facts:
		return false
	case allHan(a) && allHan(b):
		least := 3
		if len(a) == 1 || len(b) == 1 {
			least = 2 // 老人 is cut as 人 and 老 if these changed places
		}
		return misspelt(x, y, mistakable) || exchanged(x, y, least) || doubled(x, y) || doubled(y, x)
	}
	most := max(1, len(x)/8)
	return min(len(x), len(y)) >= 6 && max(len(x), len(y)) <= longestWord && lettersApart(x, y) <= 2*most && editsAtMost(x, y, most)
}

// SameLetters reports whether two rows of words are one row of letters that a space parts in
// another way, as the end of a line does in Chinese. Rows with facts are not.
func SameLetters(a, b []*Token) bool {
	if size(a) != size(b) || slices.ContainsFunc(a, (*Token).Fact) || slices.ContainsFunc(b, (*Token).Fact) {
		return false
	}
	rest := ""
	for _, x := range a {
		for word := x.letters(); word != ""; {
			if rest == "" {
				if len(b) == 0 {
					return false
				}
				rest, b = b[0].letters(), b[1:]
				continue
			}
			n := min(len(word), len(rest))
			if word[:n] != rest[:n] {
				return false
			}
			word, rest = word[n:], rest[n:]
		}
	}
	return len(a) > 0 && rest == "" && len(b) == 0
}

// Fact reports whether a word is a number or a code: never misspelt.
func (t *Token) Fact() bool { return t.Number() || t.Coded }

func allHan(tokens []*Token) bool {
	for _, t := range tokens {
		if !t.Han {
			return false
		}
	}
	return true
}

// letters are what is compared letter by letter: of a Chinese word as it is written, for its canonical form
// may be another word.
func (t *Token) letters() string {
	if t.Han {
		return t.Written
	}
	return t.Text
}

func size(tokens []*Token) (n int) {
	for _, t := range tokens {
		n += len(t.letters())
	}
	return n
}

func joined(tokens []*Token, size int) string {
	var b strings.Builder
	b.Grow(size)
	for _, t := range tokens {
		b.WriteString(t.letters())
	}
	return b.String()
}

// initials reports whether a single word of one side is made of the first
// letters of the words of the other: vldb and very large data bases.
func initials(one, many []*Token) bool {
	if len(one) != 1 || len(many) < 2 || len(one[0].Text) != len(many) {
		return false
	}
	for i := range many {
		if many[i].Text == "" || many[i].Text[0] != one[0].Text[i] || !isLower(many[i].Text[0]) {
			return false
		}
	}
	return true
}

// nameEndings are what is left off the end of a Chinese word that still says the
// same: 北京 is 北京市, and 北京 is no 北京站.
const nameEndings = `市 省 县 区 镇 村 乡 州 国 族 们 儿 子 的 了 着 过 里 上 中 性 化 者 人 自治区 特别行政区 大学 公司 集团 股份 有限公司 先生 女士 同志`

var nameEndingTable = wordSet(nameEndings)

// singleErrors are characters that are written for each other as words of their own.
const singleErrors = `的得 的地 地得 在再 做作 像象 座坐 帐账 蛮满`

func alikeHan(x, y *Token) bool {
	a, b := x.Written, y.Written
	if len(a) > len(b) {
		a, b = b, a
	}
	if rest, found := strings.CutPrefix(b, a); found {
		return len(a) >= 6 && (rest == "" || nameEndingTable().has(rest))
	}
	if abbreviatesHan(a, b) || strings.Contains(singleErrors, a+b) || strings.Contains(singleErrors, b+a) {
		return true
	}
	if x.Known && y.Known {
		return misspelt(a, b, sameSound)
	}
	return misspelt(a, b, mistakable) || exchanged(a, b, 2)
}

// abbreviatesHan reports whether a word of two characters has the first ones of
// the two halves of a longer one: 浙大 is 浙江大学.
func abbreviatesHan(short, long string) bool {
	return utf8.RuneCountInString(short) == 2 && utf8.RuneCountInString(long) == 4 && len(short) == 6 && len(long) == 12 &&
		short[:3] == long[:3] && short[3:] == long[6:9]
}

func alikeWords(x, y *Token) bool {
	if len(x.Text) > len(y.Text) {
		x, y = y, x
	}
	a, b := x.Text, y.Text
	if a == b {
		return true
	}
	if len(a) < 3 || len(b) > longestWord {
		return false
	}
	forms := (a[0] == b[0] || len(b) <= longestOther) && slices.Contains(irregular().of(a), b)
	if x.Known && y.Known && a[0] != b[0] && (a[0] != b[1] || len(a) != len(b)) && a[0] < utf8.RuneSelf {
		return forms // all else keeps the first letter, or exchanges it
	}
	if rest, found := strings.CutPrefix(b, a); found && (endsStem(len(a), rest) || abbreviates(x, y)) {
		return true
	}
	known := x.Known && y.Known
	// Canonical forms have lost endings where a table knows the word, which it does not know of an error: yadrs and yards.
	return inflected(a, b) || forms || (mistyped(a, b, known) || x.Known != y.Known && mistyped(x.Written, y.Written, false)) && !areOpposites(a, b)
}

// longestOther is the length of the longest irregular form that begins with
// another letter than its word: eaten of ate.
const longestOther = 5

// abbreviates reports whether the beginning of a word stands for it: conf for
// conference, thurs for thursday, but not martin for martinez. A common word that a rarer one begins with, man and
// management, is another word.
func abbreviates(short, long *Token) bool {
	if 2*len(short.Text) > len(long.Text)+2 {
		return false // it spares little
	}
	if len(short.Text) == 3 && strings.HasSuffix(long.Text, "day") {
		return true // sat and sun are words of their own
	}
	return !short.Known || long.Known && short.Weight >= long.Weight+Unit && len(short.Text) >= 4
}

// mistyped reports whether one of two words is the other with a typing error in
// four letters. Of two known words only letters exchanged or doubled are one.
func mistyped(x, y string, known bool) bool {
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 || len(y) > longestWord || lettersApart(x, y) > 2*max(1, len(y)/4) {
		return false
	}
	runes := 0
	for _, r := range x {
		if k := class(r); k == classHan || k == classRun {
			return false
		}
		runes++
	}
	switch {
	case runes < 4:
		return runes == 3 && len(y) == 3 && swapped(x, y)
	case known:
		return doubled(x, y) || len(x) == len(y) && exchanged(x, y, 4)
	}
	if len(x) == len(y) && x[0] != y[0] && !neighbours(x[0], y[0]) {
		return exchanged(x, y, 4) // the first letter is seldom another one: merlin is not berlin
	}
	most := 1
	if len(y)-len(x) <= 1 { // baseball is not basketball
		most = max(1, utf8.RuneCountInString(y)/4)
	}
	if runes >= 6 && len(x) == len(y) && lettersApart(x, y) == 0 {
		most = max(most, 2) // bycicle has all letters of bicycle
	}
	return editsAtMost(x, y, most)
}

// lettersApart counts letters that only one of two words has, each once, where all are
// ASCII: an edit adds two at most. It settles nearly all pairs of words in a few
// nanoseconds.
func lettersApart(x, y string) int {
	var in [2]uint64
	for side, s := range [2]string{x, y} {
		for i := 0; i < len(s); i++ {
			if s[i] >= utf8.RuneSelf {
				return 0
			}
			in[side] |= 1 << (s[i] & 63)
		}
	}
	return bits.OnesCount64(in[0] ^ in[1])
}

// keys are the rows of the keyboard.
var keys = [...]string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}

// neighbours reports whether two letters lie side by side on the keyboard.
func neighbours(x, y byte) bool {
	for i, row := range keys {
		at := strings.IndexByte(row, x)
		if at < 0 {
			continue
		}
		for k := max(i-1, 0); k <= min(i+1, len(keys)-1); k++ {
			if to := strings.IndexByte(keys[k], y); to >= 0 && max(at, to)-min(at, to) <= 1 {
				return true
			}
		}
	}
	return false
}

// doubled reports whether y is x with one letter or character written twice.
func doubled(x, y string) bool {
	if len(y) <= len(x) || len(y) > len(x)+utf8.UTFMax {
		return false
	}
	n, last := 0, 0 // the common start, and the length of its last rune
	for n < len(x) {
		_, size := utf8.DecodeRuneInString(x[n:])
		if !strings.HasPrefix(y[n:], x[n:n+size]) {
			break
		}
		n, last = n+size, size
	}
	return n > 0 && len(y) == len(x)+last && y[n:n+last] == x[n-last:n] && y[n+last:] == x[n:]
}

// swapped reports whether two letters in a row have exchanged places.
func swapped(x, y string) bool { return editsAtMost(x, y, 1) && sorted(x) == sorted(y) }

func sorted(s string) [3]byte {
	a, b, c := s[0], s[1], s[2]
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	return [3]byte{a, b, c}
}

// longestWord is the length in bytes of the longest words that are compared
// letter by letter.
const longestWord = 64

// inflected reports whether two English words have one stem: jumps and jumped.
func inflected(x, y string) bool {
	n := 0
	for n < len(x) && x[n] == y[n] {
		n++
	}
	return n >= 4 && endsStem(n, x[n:]) && endsStem(n, y[n:])
}

// endsStem reports whether an inflected word ends so behind a stem of n letters:
// billion is no form of bill.
func endsStem(n int, ending string) bool {
	return isEnding(ending) && (n > 4 || !strings.HasPrefix(ending, "ion"))
}

// editsAtMost reports whether at most most edits make y of x: a letter put in,
// taken away or replaced, or two in a row exchanged. O(len(x)*len(y)); both are
// words.
func editsAtMost(x, y string, most int) bool {
	var runes [2][longestWord]rune
	a, b := appendRunes(runes[0][:0], x), appendRunes(runes[1][:0], y)
	if max(len(a), len(b))-min(len(a), len(b)) > most {
		return false
	}
	var memory [3][longestWord + 1]int
	before, last, row := memory[0][:len(b)+1], memory[1][:len(b)+1], memory[2][:len(b)+1]
	for k := range last {
		last[k] = k
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for k := 1; k <= len(b); k++ {
			cost := 1
			if a[i-1] == b[k-1] {
				cost = 0
			}
			row[k] = min(last[k-1]+cost, last[k]+1, row[k-1]+1)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				row[k] = min(row[k], before[k-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)] <= most
}

func appendRunes(dst []rune, s string) []rune {
	for _, r := range s {
		dst = append(dst, r)
	}
	return dst
}
