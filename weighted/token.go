package weighted

import (
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/segment"
)

// token is a word or a number of a text, in its place.
type token struct {
	hash   uint64
	text   string // as it stands in the clean text
	value  string // of a number, in one form for all ways to write it; else ""
	weight uint32
	known  bool // the idf table has it
	han    bool // of Chinese characters
	path   bool // with a slash or a dot beside it, as in the address of a page
	tag    bool // with # or @ before it
	coded  bool // no number, and has digits
	// measure is what a number counts, the Chinese measure word right behind it or
	// the currency before it; 0: none.
	measure rune
}

// number reports whether the token is a number and nothing else.
func (t *token) number() bool { return t.value != "" }

// cutter cuts clean text into tokens. It is used by one goroutine.
type cutter struct {
	lexicon *lexicon
	seed    uint64
	tokens  []token
	words   []string
	recent  [1 << 14]weighed // by hash: a table is far away, and words come again
}

// weighed is what a table says of the word of a hash.
type weighed struct {
	hash   uint64
	weight uint32 // 0: of no word yet
	known  bool
}

// cut returns the tokens of a clean text, valid until the next call: numbers
// (1,995.0 is 1995), words of letters and digits, Chinese words of the
// dictionary, and of other scripts without spaces every two runes in a row.
// Chinese numerals are numbers after 第, before a measure word, and where they
// are two or more.
func (c *cutter) cut(clean string) []token {
	c.tokens = c.tokens[:0]
	clean = unescape(clean)
	for at := datelineEnd(clean); at < len(clean); {
		r, size := utf8.DecodeRuneInString(clean[at:])
		switch class(r) {
		case classHan:
			at = c.han(clean, at)
		case classRun:
			at = c.run(clean, at)
		case classDigit:
			if end := numberEnd(clean, at); end > 0 {
				at = c.amount(clean, at, end, decimal(clean[at:end]))
				continue
			}
			at = c.word(clean, at)
		case classLetter:
			at = c.word(clean, at)
		default:
			if end := fractionEnd(clean, at); end > 0 {
				at = c.amount(clean, at, end, decimal(clean[at:end]))
				continue
			}
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

// class of a rune. Blocks are given by number, and the tables of package text
// are fixed, so that a new Unicode version changes nothing.
func class(r rune) runeClass {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case '0' <= r && r <= '9':
			return classDigit
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			return classLetter
		}
		return classOther
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

// weigh adds a word by what the table says of it.
func (c *cutter) weigh(table *keyword.Table, word string, han bool) {
	t := token{hash: xxh3.HashStringSeed(word, c.seed), text: word, han: han, coded: !han && hasDigit(word)}
	r := &c.recent[t.hash%uint64(len(c.recent))]
	if r.hash != t.hash || r.weight == 0 {
		r.hash = t.hash
		r.weight, r.known = weigh(table, word)
	}
	t.weight, t.known = r.weight, r.known
	c.tokens = append(c.tokens, t)
}

// numberHash is the hash of a number: 7 is no word "7".
func (c *cutter) numberHash(value string) uint64 { return ^xxh3.HashStringSeed(value, c.seed) }

// appendNumbers appends the hashes of the numbers in a word that is none
// itself: those of its digits, and the version that it is.
func (c *cutter) appendNumbers(dst []uint64, t *token) []uint64 {
	if t.number() || t.han || !hasDigit(t.text) {
		return dst
	}
	for _, value := range codeNumbers(nil, t.text) {
		dst = append(dst, c.numberHash(value))
	}
	if isVersioned(t.text) {
		dst = append(dst, c.numberHash(decimal(t.text[1:])))
	}
	return dst
}

func (c *cutter) number(text, value string, measure rune) {
	c.tokens = append(c.tokens, token{
		hash: c.numberHash(value), text: text, value: value, weight: numberWeight, known: true, measure: measure,
	})
}

// amount adds the number clean[from:to] with the scale behind it, as in 4.3bn,
// 4.3 billion, 43亿 and four million, and returns where they end.
func (c *cutter) amount(clean string, from, to int, value string) int {
	end, zeros := scaleEnd(clean, to)
	if sharp := clean[to:min(len(clean), to+len(onTheHour))]; to-from <= 2 && sharp == onTheHour && numberEnd(clean, to+1) == to+len(onTheHour) {
		c.number(clean[from:to+len(onTheHour)], value, '点')
		return to + len(onTheHour)
	}
	if zeros > 0 {
		value = shifted(value, zeros)
	}
	c.number(clean[from:end], value, measureAt(clean, from, end))
	return end
}

// measureAt is what the number clean[from:to] counts: the currency sign before
// it or the measure word behind it; 0 if there is none. $5 is no €5.
func measureAt(clean string, from, to int) rune {
	if r, _ := utf8.DecodeLastRuneInString(clean[:from]); isCurrency(r) {
		if r == '¥' {
			return '元'
		}
		return r
	}
	if r, _ := utf8.DecodeRuneInString(clean[to:]); to < len(clean) && strings.ContainsRune(measureWords, r) {
		return r
	}
	return 0
}

// word takes the letters and digits from at on and returns where they end.
func (c *cutter) word(clean string, at int) int {
	end := at
	for end < len(clean) {
		r, size := utf8.DecodeRuneInString(clean[end:])
		if k := class(r); k != classLetter && k != classDigit {
			break
		}
		end += size
	}
	word := clean[at:end]
	if abbreviation, to := dotted(clean, at, end); to > end {
		word, end = abbreviation, to
	} else if to := versionEnd(clean, at, end); to > end {
		word, end = clean[at:to], to
	}
	word = canonical(word)
	if value := numberWord(word); value != "" {
		return c.amount(clean, at, end, value)
	}
	name, number := splitModel(word)
	c.weigh(c.lexicon.other, name, false)
	t := &c.tokens[len(c.tokens)-1]
	t.path = joins(clean, at-1) || joins(clean, end)
	t.tag = at > 0 && (clean[at-1] == '#' || clean[at-1] == '@')
	if number != "" {
		c.number(number, decimal(number), measureAt(clean, at, end))
	}
	return end
}

// joins reports whether the parts of an address are joined at clean[at]: by one of
// its marks, or by a dot without a blank.
func joins(clean string, at int) bool {
	if at < 0 || at >= len(clean) {
		return false
	}
	return strings.IndexByte("/=?&%@_", clean[at]) >= 0 || clean[at] == '.' && at > 0 && clean[at-1] != ' ' && at+1 < len(clean) && clean[at+1] != ' '
}

// splitModel splits a name of three letters or more from the few digits behind
// it: ios17 is ios 17. Any other word is one.
func splitModel(word string) (name, number string) {
	at := strings.IndexAny(word, "0123456789")
	if at < 3 || len(word)-at > mostPlain || digits(word[at:]) != len(word)-at {
		return word, ""
	}
	return word[:at], word[at:]
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

// versionEnd returns where the version of a program ends that begins with the
// word clean[at:end]: v5.4.0 is one word.
func versionEnd(clean string, at, end int) int {
	if end-at < 2 || clean[at] != 'v' || digits(clean[at+1:end]) != end-at-1 {
		return end
	}
	for end+1 < len(clean) && clean[end] == '.' && isDigit(clean[end+1]) {
		for end++; end < len(clean) && isDigit(clean[end]); {
			end++
		}
	}
	return end
}

// han takes the Chinese characters from at on, numerals apart, and returns
// where they end.
func (c *cutter) han(clean string, at int) int {
	end := at
	for end < len(clean) {
		r, size := utf8.DecodeRuneInString(clean[end:])
		if class(r) != classHan {
			break
		}
		end += size
	}
	chinese := c.lexicon.chinese()
	c.words = c.words[:0]
	if chinese.segmenter != nil {
		c.words = chinese.segmenter.Cut(c.words, clean[at:end], segment.HMM)
	} else {
		for p := at; p < end; {
			_, size := utf8.DecodeRuneInString(clean[p:])
			c.words = append(c.words, clean[p:p+size])
			p += size
		}
	}
	for p, i := at, 0; i < len(c.words); i++ {
		word := c.words[i]
		if from, to := numerals(clean[at:end], p-at); to > from && from == p-at {
			// The numeral may reach over several words, or end within one.
			c.number(clean[p:at+to], chineseNumber(clean[p:at+to]), measureAt(clean, p, at+to))
			for p += len(word); p < at+to && i+1 < len(c.words); {
				i++
				p += len(c.words[i])
			}
			if p > at+to { // the rest of the word
				c.hanWord(clean[at+to:p], chinese)
			}
			continue
		}
		c.hanWord(word, chinese)
		p += len(word)
	}
	return end
}

func (c *cutter) hanWord(word string, chinese chineseLexicon) {
	if n := len(c.tokens); n > 0 && isWeekday(word) && c.tokens[n-1].han && strings.HasSuffix(c.tokens[n-1].text, week) {
		word = week + word // of 本周六, cut as 本周 and 六
	}
	word = canonical(word)
	c.weigh(chinese.idf, word, true)
}

// run takes the runes of a script without spaces from at on, every two in a
// row, and returns where they end.
func (c *cutter) run(clean string, at int) int {
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
	if n := len(c.tokens); last >= 0 && (n == 0 || !endsAt(clean, at, c.tokens[n-1].text)) {
		c.pair(clean[last:at]) // a single rune
	}
	return at
}

func endsAt(clean string, at int, s string) bool {
	return at >= len(s) && len(s) > 0 && clean[at-len(s):at] == s
}

func (c *cutter) pair(s string) {
	c.tokens = append(c.tokens, token{hash: xxh3.HashStringSeed(s, c.seed), text: s, weight: numberWeight / 2, han: true})
}
