// Package token cuts clean text into weighted words, numbers and signs.
//
// A [Cutter] cuts a text into tokens. Numbers, contractions and the words of a few short lists get one form for all their
// spellings. Weights are integers from fixed tables, so a text has the same tokens in every corpus and on every machine.
// word.go, number.go and han.go cut. canonical.go and numeral.go give the one form. furniture.go skips text around the
// content. opposite.go relates two tokens. view.go packs the tokens of a text for comparison.
package token

import (
	"cmp"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/neardup/neardup/text"
)

// Kind separates words from facts. A differing fact cannot be replaced by another one without changing the meaning.
type Kind uint8

const (
	Plain   Kind = iota // letters, or Chinese characters
	Number              // only a number
	Code                // a word with digits, a name such as .net or --force, a link
	Measure             // a unit or a currency
	Sign                // an operator, a minus, a check mark; see text.Sign
	End                 // a full stop or a question mark that ends the text
)

// Token is a word, number or sign at its position in a text. Tokens with one Hash are the same word and have one weight.
type Token struct {
	Hash    uint64 // hash of the canonical form
	Text    string // the canonical form, which all spellings share
	Written string // in its original spelling
	Weight  uint32 // idf, in units of 1/Unit
	Known   bool   // whether a table has it
	Han     bool   // made of Chinese characters
	Denies  bool   // a negation
	opposed bool   // whether it may have opposites
	Kind    Kind
}

// Fact reports whether the token is a number, code, unit or sign, and not a word or the mark that ends the text.
func (t *Token) Fact() bool { return t.Kind != Plain && t.Kind != End }

// Cutter cuts clean text into tokens. It is for one goroutine and takes some 400 KB.
type Cutter struct {
	lexicon *Lexicon
	seed    uint64
	tokens  []Token
	words   []string // of the current run of Chinese characters
	skipped bool     // whether furniture was skipped
	whole   bool     // whether furniture must not be skipped
	recent  [1 << 12][2]form
}

// NewCutter returns a cutter that weighs words by a lexicon. seed is the seed of their hashes.
func NewCutter(l *Lexicon, seed uint64) *Cutter { return &Cutter{lexicon: l, seed: seed} }

// form is the canonical form of a word as written. Words recur, so the most recent forms are cached by hash. For most words
// that takes one hash and one look-up.
type form struct {
	written uint64 // hash of the word as written
	hash    uint64
	text    string // the canonical form, or "" if it equals the written form
	weight  uint32 // 0 if the form is unused
	list    list
	kind    Kind
	known   bool
	denies  bool
	opposed bool
}

// leastLeft is the least number of tokens that must remain without the furniture. Otherwise nothing is skipped.
const leastLeft = 4

// Cut returns the tokens of a clean text, valid until the next call. They are numbers, signs, words of letters
// and digits, Chinese words of the dictionary, and every two consecutive runes of other scripts without spaces.
// Furniture is skipped unless fewer than four tokens remain.
func (c *Cutter) Cut(clean string) []Token {
	c.whole = false
	c.cut(clean, true)
	if n := len(c.tokens); c.skipped && n < leastLeft+1 && (n < leastLeft || c.tokens[n-1].Kind == End) {
		c.whole = true
		c.cut(clean, true)
	}
	return c.tokens
}

// CutPart cuts a part of a longer text, which may be all furniture. first is set if the part begins the text.
func (c *Cutter) CutPart(clean string, first bool) []Token {
	c.whole = false
	c.cut(clean, first)
	return c.tokens
}

func (c *Cutter) cut(clean string, first bool) {
	c.tokens, c.skipped = c.tokens[:0], false
	if strings.IndexByte(clean, '&') >= 0 {
		if plain := html.UnescapeString(clean); plain != clean { // from half-converted pages: kr&#246;ger
			clean = text.Default().Clean(plain)
		}
	}
	at, end := 0, len(clean)
	if first && !c.whole {
		at, end = body(clean)
		c.skipped = at > 0 || end < len(clean)
	}
	for clean = clean[:end]; at < end; {
		if b := clean[at]; b < utf8.RuneSelf {
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
		r, _ := utf8.DecodeRuneInString(clean[at:])
		switch class(r) {
		case classHan:
			at = c.han(clean, at)
		case classRun:
			at = c.run(clean, at)
		case classLetter:
			at = c.word(clean, at)
		default:
			at = c.sign(clean, at)
		}
	}
	c.end(clean)
}

// end adds the mark that ends the text. A question differs from a statement, but a text without a mark may be either.
func (c *Cutter) end(clean string) {
	clean = strings.TrimRight(clean, `"'”’)» `)
	mark, size := utf8.DecodeLastRuneInString(clean)
	switch mark {
	case '!', '。':
		mark = '.'
	case '.', '?':
	default:
		size = 0
	}
	if size == 0 || len(c.tokens) == 0 {
		return
	}
	name := string(mark)
	c.tokens = append(c.tokens, Token{Hash: xxh3.HashStringSeed(name, c.seed), Text: name, Written: clean[len(clean)-size:], Weight: leastWeight, Known: true, Kind: End})
}

type runeClass uint8

const (
	classOther runeClass = iota
	classDigit
	classLetter
	classHan
	classRun // of a script without spaces other than Chinese
)

var ascii = func() (table [utf8.RuneSelf]runeClass) {
	for b := range table {
		switch {
		case '0' <= b && b <= '9':
			table[b] = classDigit
		case ('a' <= b && b <= 'z') || ('A' <= b && b <= 'Z'):
			table[b] = classLetter
		}
	}
	return table
}()

// class returns the class of a rune. Blocks are given by number, and the tables of package text are fixed, so
// that a new Unicode version changes nothing.
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

// wordAt returns the end of the letters and digits that begin at s[at].
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

// add adds the form of a word as written.
func (c *Cutter) add(f *form, written string, han bool) {
	c.tokens = append(c.tokens, Token{
		Hash: f.hash, Text: cmp.Or(f.text, written), Written: written, Weight: f.weight, Known: f.known, Han: han,
		Denies: f.denies, opposed: f.opposed, Kind: f.kind,
	})
}

// find returns the form of a word. Each word has two slots in the cache, and the most recent takes the first.
func (c *Cutter) find(word string, han bool) *form {
	written := xxh3.HashStringSeed(word, c.seed)
	set := &c.recent[written%uint64(len(c.recent))]
	if set[0].written == written && set[0].weight != 0 {
		return &set[0]
	}
	if set[1].written == written && set[1].weight != 0 {
		return &set[1]
	}
	set[1] = set[0]
	c.learn(&set[0], word, han)
	set[0].written = written
	return &set[0]
}

// put adds a word by its canonical form.
func (c *Cutter) put(word string, han bool) { c.add(c.find(word, han), word, han) }

// number adds a number. Its hash differs from that of any word: 7 is not the word "7".
func (c *Cutter) number(written, value string) {
	c.tokens = append(c.tokens, Token{
		Hash: ^xxh3.HashStringSeed(value, c.seed), Text: value, Written: written, Weight: NumberWeight, Known: true, Kind: Number,
	})
}

// mark adds a sign, or the unit that it represents.
func (c *Cutter) mark(name, written string) {
	if f := c.find(name, false); f.kind == Measure || f.list == listSame {
		c.add(f, written, false)
		return
	}
	c.fact(Sign, name, written)
}

// fact adds a token that weighs as much as a number.
func (c *Cutter) fact(k Kind, name, written string) {
	c.tokens = append(c.tokens, Token{Hash: xxh3.HashStringSeed(name, c.seed), Text: name, Written: written, Weight: NumberWeight, Known: true, Kind: k})
}

// sign adds a sign, a tag, or a handle, or skips a rune without content. It returns where that ends.
func (c *Cutter) sign(clean string, at int) int {
	switch clean[at] {
	case '<':
		if end := tagEnd(clean, at); end > at+1 {
			return end
		}
	case '&':
		if at > 0 && clean[at-1] == ' ' && at+1 < len(clean) && clean[at+1] == ' ' {
			c.put("and", false)
		}
	case '@':
		if end := handleEnd(clean, at); end > at && !c.whole {
			c.skipped = true
			return end
		}
	}
	if name, end := text.Sign(clean, at); end > at {
		if name == "." || name == "_" || name == "--" { // as in .net, --force
			if to := wordAt(clean, end); to > end {
				c.fact(Code, clean[at:to], clean[at:to])
				return to
			}
		}
		c.mark(name, clean[at:end])
		return end
	}
	_, size := utf8.DecodeRuneInString(clean[at:])
	return at + size
}

// tagEnd returns the end of the HTML tag that begins at s[at], or at+1.
func tagEnd(s string, at int) int {
	name := at + 1
	if name < len(s) && s[name] == '/' {
		name++
	}
	end := wordAt(s, name)
	if !tagTable[s[name:end]] {
		return at + 1
	}
	for p := end; p < len(s) && p < end+300 && s[p] != '<'; p++ {
		if s[p] == '>' {
			return p + 1
		}
	}
	return at + 1
}

// run adds the pairs of consecutive runes of a script without spaces from at on, and returns where they end.
func (c *Cutter) run(clean string, at int) int {
	from, last := at, -1 // start of the run and of the previous rune
	for at < len(clean) {
		r, size := utf8.DecodeRuneInString(clean[at:])
		if class(r) != classRun {
			break
		}
		if last >= 0 {
			c.addBigram(clean[last : at+size])
		}
		last = at
		at += size
	}
	if n := len(c.tokens); last >= 0 && (n == 0 || !endsAt(clean, at, c.tokens[n-1].Written)) {
		c.addBigram(clean[last:at]) // a single rune
	}
	for _, no := range runNegations {
		for range strings.Count(clean[from:at], no) {
			c.put(no, false)
		}
	}
	return at
}

func endsAt(clean string, at int, s string) bool {
	return at >= len(s) && len(s) > 0 && clean[at-len(s):at] == s
}

func (c *Cutter) addBigram(s string) {
	c.tokens = append(c.tokens, Token{Hash: xxh3.HashStringSeed(s, c.seed), Text: s, Written: s, Weight: NumberWeight / 2, Han: true})
}
