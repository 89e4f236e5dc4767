// Package token cuts clean text into words and numbers in one form for all ways
// to write them, each weighed by how rare it is.
//
// Weights come from fixed tables, in whole numbers: a text has the same tokens
// in every corpus and on every machine.
package token

import (
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/segment"
)

// Token is a word or a number of a text, in its place. Tokens of one Hash are
// one word and have one weight.
type Token struct {
	Hash   uint64 // of the canonical form
	Text   string // the canonical form of a word; a number as it is written
	Value  string // of a number, in one form for all ways to write it; else ""
	Weight uint32 // idf, in units of 1/Unit
	Known  bool   // a table has it
	Han    bool   // of Chinese characters
	Coded  bool   // no number, and has digits
}

// Number reports whether the token is a number and nothing else.
func (t *Token) Number() bool { return t.Value != "" }

// Cutter cuts clean text into tokens. It is used by one goroutine and takes some
// 400 KB.
type Cutter struct {
	lexicon *Lexicon
	seed    uint64
	tokens  []Token
	words   []string // of a run of Chinese characters
	again   []string // of what follows a numeral that ends within a word
	wordEnd int      // where the last word of letters ends
	recent  [1 << 13]form
}

// NewCutter returns a cutter that weighs words by a lexicon. The seed is that of
// their hashes.
func NewCutter(l *Lexicon, seed uint64) *Cutter { return &Cutter{lexicon: l, seed: seed} }

// form is what a word as written stands for. Words come again, so the last ones
// are kept by their hash: most words cost one hash and one look.
type form struct {
	written uint64 // the hash of the word as written
	hash    uint64
	text    string // canonical; "" where that is as written
	weight  uint32 // 0: of no word yet
	kind    kind
	known   bool
	coded   bool
}

// Cut returns the tokens of a clean text, valid until the next call: numbers,
// dates and times, words of letters and digits, Chinese words of the dictionary,
// and of other scripts without spaces every two runes in a row.
func (c *Cutter) Cut(clean string) []Token {
	c.tokens, c.wordEnd = c.tokens[:0], -1
	clean = unescape(clean)
	for at := datelineEnd(clean); at < len(clean); {
		b := clean[at]
		switch {
		case b < utf8.RuneSelf:
			switch ascii[b] {
			case classLetter:
				at = c.word(clean, at)
			case classDigit:
				at = c.figures(clean, at)
			default:
				at = c.sign(clean, at)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(clean[at:])
		switch class(r) {
		case classHan:
			at = c.han(clean, at)
		case classRun:
			at = c.run(clean, at)
		case classLetter:
			at = c.word(clean, at)
		default:
			at += size
		}
	}
	return c.tokens
}

type runeClass uint8

const (
	classOther runeClass = iota
	classDigit
	classLetter
	classHan
	classRun // of a script without spaces, not Chinese
)

var ascii = func() (table [utf8.RuneSelf]runeClass) {
	for b := range table {
		switch {
		case '0' <= b && b <= '9':
			table[b] = classDigit
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z':
			table[b] = classLetter
		}
	}
	return table
}()

// class of a rune. Blocks are given by number, and the tables of package text
// are fixed, so that a new Unicode version changes nothing.
func class(r rune) runeClass {
	switch {
	case r < utf8.RuneSelf:
		return ascii[r]
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r >= 0x20000 && r <= 0x323AF, r == 0x3007:
		return classHan
	case r >= 0x3041 && r <= 0x30FF && r != 0x30FB, r >= 0x31F0 && r <= 0x31FF, // kana
		text.IsUnspaced(r):
		return classRun
	case text.IsAlnum(r), text.IsMark(r):
		return classLetter
	}
	return classOther
}

// isWordByte reports whether a byte is an ASCII letter or digit.
func isWordByte(b byte) bool { return b < utf8.RuneSelf && ascii[b] != classOther }

// wordAt returns where the letters and digits end that begin at s[at].
func wordAt(s string, at int) int {
	for at < len(s) {
		if b := s[at]; b < utf8.RuneSelf {
			if ascii[b] == classOther {
				break
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if class(r) != classLetter {
			break
		}
		at += size
	}
	return at
}

// add adds what a word as written stands for, a form that is not looked into.
func (c *Cutter) add(f *form, written string, han bool) {
	if f.text != "" {
		written = f.text
	}
	c.tokens = append(c.tokens, Token{Hash: f.hash, Text: written, Weight: f.weight, Known: f.known, Han: han, Coded: f.coded})
}

// find returns what a word stands for.
func (c *Cutter) find(word string, han bool) *form {
	written := xxh3.HashStringSeed(word, c.seed)
	f := &c.recent[written%uint64(len(c.recent))]
	if f.written != written || f.weight == 0 {
		c.learn(f, word, han)
		f.written = written
	}
	return f
}

// put adds a word by its canonical form.
func (c *Cutter) put(word string, han bool) { c.add(c.find(word, han), word, han) }

// number adds a number. Its hash is that of no word: 7 is no word "7".
func (c *Cutter) number(written, value string) {
	c.tokens = append(c.tokens, Token{
		Hash: ^xxh3.HashStringSeed(value, c.seed), Text: written, Value: value, Weight: NumberWeight, Known: true,
	})
}

// word takes the letters and digits from at on and returns where they end.
func (c *Cutter) word(clean string, at int) int {
	end := at
	for end < len(clean) && isWordByte(clean[end]) {
		end++
	}
	next := byte(0)
	if end < len(clean) {
		if next = clean[end]; next >= utf8.RuneSelf {
			end = wordAt(clean, end)
		}
	}
	f := c.find(clean[at:end], false)
	if f.kind <= kindPlain && next < utf8.RuneSelf && next != '\'' && next != '-' && next != '.' {
		c.add(f, clean[at:end], false)
	} else {
		end = c.phrase(clean, at, end, f)
	}
	c.wordEnd = end
	return end
}

// phrase takes a word that is not taken by itself, or may go on behind a sign,
// and returns where what it is part of ends.
func (c *Cutter) phrase(clean string, at, end int, f *form) int {
	if end-at == 1 {
		if abbreviation, to := dotted(clean, at, end); to > end {
			c.put(abbreviation, false)
			return to
		}
	}
	if to := c.contracted(clean, at, end); to > end {
		return to
	}
	if word, to := c.hyphenated(clean, at, end); to > end {
		c.put(word, false)
		return to
	}
	switch f.kind {
	case kindNumber:
		if value, to := numberWords(clean, at, end); value != "" {
			return c.amount(clean, at, to, value)
		}
	case kindMonth:
		if to := c.monthFirst(clean, at, end, f.text); to > end {
			return to
		}
	case kindPhrase:
		for word := range strings.SplitSeq(f.text, " ") {
			c.put(word, false)
		}
		return end
	case kindNo: // no. 3
		p := end
		if p < len(clean) && clean[p] == '.' {
			if p = skipSpace(clean, p+1); p < len(clean) && isDigit(clean[p]) {
				return p
			}
		}
	case kindCoded:
		return c.coded(clean, at, end, f)
	}
	c.add(f, clean[at:end], false)
	return end
}

// coded takes a word with digits, and what belongs to it behind points: v5.4.0,
// ios17.1. Of a name of three letters or more with a few digits behind it, ios17,
// the digits are a number.
func (c *Cutter) coded(clean string, at, end int, f *form) int {
	word := clean[at:end]
	first := strings.IndexAny(word, "0123456789")
	plain := first > 0 && digits(word[first:]) == len(word)-first
	if !plain || first > 1 && len(word)-first > mostPlain || first == 2 || first == 1 && word[0] != 'v' {
		c.add(f, word, false)
		return end
	}
	to, _ := versionEnd(clean, at+first)
	if first == 1 && to == end {
		c.add(f, word, false) // v5
		return end
	}
	if first > 1 {
		c.put(word[:first], false)
	}
	c.number(clean[at+first:to], version(clean[at+first:to]))
	return to
}

// dotted returns the abbreviation of single letters that begins with the word
// clean[at:end], without its points, and where it ends: u.s. is us.
func dotted(clean string, at, end int) (word string, to int) {
	if end-at != 1 || !isLower(clean[at]) {
		return "", end
	}
	for to = at; to < at+2*mostDotted && to+1 < len(clean) && isLower(clean[to]) && clean[to+1] == '.'; to += 2 {
		word += clean[to : to+1]
	}
	if r, _ := utf8.DecodeRuneInString(clean[to:]); len(word) < 2 || to < len(clean) && class(r) == classLetter {
		return "", end
	}
	return word, to
}

// mostDotted is how many letters an abbreviation has at most.
const mostDotted = 8

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }

// apostrophes are the two signs that leave letters out.
const curly = "’"

// contracted takes a word and what an apostrophe binds to it, don't as do not
// and it's as it is, and returns where they end; end where nothing is bound. The
// s of a possessive is no word.
func (c *Cutter) contracted(clean string, at, end int) int {
	p := end
	switch {
	case strings.HasPrefix(clean[end:], "'"):
		p++
	case strings.HasPrefix(clean[end:], curly):
		p += len(curly)
	default:
		return end
	}
	to := wordAt(clean, p)
	word, bound := clean[at:end], clean[p:to]
	switch bound {
	case "s":
		c.put(word, false)
		switch {
		case word == "let":
			c.put("us", false)
		case isSubject(word):
			c.put("is", false)
		}
		return to
	case "t":
		if base, found := negated(word); found {
			c.put(base, false)
			c.put("not", false)
			return to
		}
	case "re", "ll", "ve", "m", "d":
		c.put(word, false)
		c.put(boundWords[bound], false)
		return to
	}
	return end
}

// hyphenated returns the word that a hyphen at the end of a line has parted,
// infor- mation, if the table has it.
func (c *Cutter) hyphenated(clean string, at, end int) (word string, to int) {
	if !strings.HasPrefix(clean[end:], "- ") || end+2 == len(clean) || !isLower(clean[end+2]) || end-at < 2 || end-at > longestWord {
		return "", end
	}
	to = wordAt(clean, end+2)
	if to-end-2 < 2 || to-at > longestWord {
		return "", end
	}
	word = clean[at:end] + clean[end+2:to]
	if _, known := weigh(c.lexicon.other, word); !known {
		return "", end
	}
	return word, to
}

// sign takes what is no letter and no digit: percent signs, fractions without a
// whole number, tags.
func (c *Cutter) sign(clean string, at int) int {
	switch clean[at] {
	case '.':
		if end := fractionEnd(clean, at); end > 0 {
			return c.amount(clean, at, end, decimal(clean[at:end]))
		}
	case '%':
		if n := len(c.tokens); n > 0 && c.tokens[n-1].Number() {
			c.put(percent, false)
		}
	case '<':
		return tagEnd(clean, at)
	}
	return at + 1
}

// tagEnd returns where the HTML tag ends that begins at s[at], or at+1.
func tagEnd(s string, at int) int {
	name := at + 1
	if name < len(s) && s[name] == '/' {
		name++
	}
	end := wordAt(s, name)
	if !isTag(s[name:end]) {
		return at + 1
	}
	for p := end; p < len(s) && p < end+mostTag && s[p] != '<'; p++ {
		if s[p] == '>' {
			return p + 1
		}
	}
	return at + 1
}

// mostTag is the length of the attributes of a tag.
const mostTag = 300

// han takes the Chinese characters from at on, numerals apart, and returns
// where they end, or what a numeral among them is part of.
func (c *Cutter) han(clean string, at int) int {
	end := at
	for end < len(clean) {
		r, size := utf8.DecodeRuneInString(clean[end:])
		if class(r) != classHan {
			break
		}
		end += size
	}
	c.words = c.segment(c.words[:0], clean[at:end])
	for p, i := at, 0; i < len(c.words); i++ {
		word := c.words[i]
		if to := c.hanNumber(clean, p, end); to > p {
			if to >= end {
				return to
			}
			// The numeral may reach over several words, or end within one.
			for p += len(word); p < to; {
				i++
				p += len(c.words[i])
			}
			if p > to { // what follows is cut as behind digits
				i = c.recut(clean, to, p, i) - 1
				p = to
			}
			continue
		}
		if p+len(word) == end && word == ordinal && end < len(clean) && isDigit(clean[end]) {
			return end // 第3 is 第三
		}
		c.hanWord(word)
		p += len(word)
	}
	return end
}

// segment appends the words of Chinese characters to dst.
func (c *Cutter) segment(dst []string, s string) []string {
	if g := c.lexicon.chinese().segmenter; g != nil {
		return g.Cut(dst, s, segment.HMM)
	}
	for at, r := range s {
		dst = append(dst, s[at:at+utf8.RuneLen(r)])
	}
	return dst
}

// recut cuts clean[from:to], the rest of words[i], anew together with the few
// words behind it, and returns the place of the first of the new words. They
// lie in the places of the old ones; where these are too few, the rest is a word.
func (c *Cutter) recut(clean string, from, to, i int) int {
	last := min(i+mostRecut, len(c.words)-1)
	end := to
	for _, word := range c.words[i+1 : last+1] {
		end += len(word)
	}
	c.again = c.segment(c.again[:0], clean[from:end])
	if first := last + 1 - len(c.again); first >= i {
		copy(c.words[first:], c.again)
		return first
	}
	c.words[i] = clean[from:to]
	return i
}

// mostRecut is how many words behind a numeral are cut anew with the rest of the
// word in which it ends.
const mostRecut = 3

func (c *Cutter) hanWord(word string) {
	if n := len(c.tokens); n > 0 && len(word) == 3 && isWeekday(word) && c.tokens[n-1].Han && strings.HasSuffix(c.tokens[n-1].Text, week) {
		word = week + word // of 本周六, cut as 本周 and 六
	}
	f := c.find(word, true)
	if f.kind == kindPhrase {
		for part := range strings.SplitSeq(f.text, " ") {
			c.put(part, true)
		}
		return
	}
	c.add(f, word, true)
}

// run takes the runes of a script without spaces from at on, every two in a
// row, and returns where they end.
func (c *Cutter) run(clean string, at int) int {
	last := -1 // where the rune before begins
	for at < len(clean) {
		r, size := utf8.DecodeRuneInString(clean[at:])
		if class(r) != classRun {
			break
		}
		if last >= 0 {
			c.pair(clean[last : at+size])
		}
		last = at
		at += size
	}
	if n := len(c.tokens); last >= 0 && (n == 0 || !endsAt(clean, at, c.tokens[n-1].Text)) {
		c.pair(clean[last:at]) // a single rune
	}
	return at
}

func endsAt(clean string, at int, s string) bool {
	return at >= len(s) && len(s) > 0 && clean[at-len(s):at] == s
}

func (c *Cutter) pair(s string) {
	c.tokens = append(c.tokens, Token{Hash: xxh3.HashStringSeed(s, c.seed), Text: s, Weight: NumberWeight / 2, Han: true})
}

// mostPlain is how many digits a number has at most that is no telephone number,
// account or code.
const mostPlain = 4

func digits(word string) (n int) {
	for i := range len(word) {
		if isDigit(word[i]) {
			n++
		}
	}
	return n
}

func hasDigit(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return '0' <= r && r <= '9' }) >= 0
}
