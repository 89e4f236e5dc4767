package text

import (
	"strings"
	"unicode/utf8"
)

// MaySign reports for each byte whether a sign may begin with it. Letters and digits outside of ASCII may begin with the
// same byte, so callers look for words first.
var MaySign = func() (t [256]bool) {
	for _, c := range "!#$%&*+-./<=>@^_|" {
		t[c] = true
	}
	for name := range signs {
		t[name[0]] = true
	}
	return t
}()

// use is the set of contexts in which a sign counts. A space stands for any white space.
type use uint16

const (
	always  use = 1 << iota
	between     // operands on both sides, and spaces on both sides or on neither
	spaced      // operands and spaces on both sides
	apart       // spaces on both sides
	compare     // spaces on both sides and one operand, or a number after it
	before      // directly before a number
	after       // after a digit, or a digit and a space
	percent     // before a number, at a position where a word could begin
	endsWord
	minus // makes the following number negative, or ends a short word
)

type sign struct {
	name string
	use  use
}

// signs maps signs to their canonical form. Two signs with one name mean the same. Currencies, and signs that depend on
// letters, have separate rules below.
var signs = func() map[string]sign {
	t := map[string]sign{
		"+": {"+", between | endsWord}, "±": {"±", between | before}, "+/-": {"±", between | before},
		"*": {"*", between}, "×": {"*", between}, "**": {"^", between}, "^": {"^", between},
		"/": {"/", spaced}, "÷": {"/", between},
		"=": {"=", between | compare}, "==": {"==", between | compare}, "≈": {"≈", between | compare},
		"!=": {"!=", between | compare}, "<>": {"!=", between}, "≠": {"!=", between | compare},
		"<": {"<", between | compare}, ">": {">", between | compare},
		"<=": {"<=", between | compare}, "≤": {"<=", between | compare}, "≦": {"<=", between | compare}, "⩽": {"<=", between | compare},
		">=": {">=", between | compare}, "≥": {">=", between | compare}, "≧": {">=", between | compare}, "⩾": {">=", between | compare},
		"&&": {"&&", between | apart}, "||": {"||", between | apart},
		"<<": {"<<", apart}, ">>": {">>", apart}, "@": {"@", apart},
		"->": {"→", apart}, "=>": {"→", apart}, "<-": {"←", apart},
		"%": {"%", spaced | after | percent}, "‰": {"‰", after}, "°": {"°", after},
		"-": {"-", minus}, "−": {"-", minus}, "‐": {"-", minus}, "‒": {"-", minus}, "–": {"-", minus},
	}
	for name, forms := range map[string]string{
		"✓": "✓✔☑✅", "✗": "✗✘❌☒✕✖", "👍": "👍", "👎": "👎", "♂": "♂", "♀": "♀", "🔴": "🔴", "🟢": "🟢",
		"↑": "↑▲⬆", "↓": "↓▼⬇", "→": "→➡", "←": "←⬅",
		"🙂": "☺🙂😀😃😄😁😆😅😂🤣😊😍😉😎", "🙁": "☹🙁😞😟😢😭😠😡😔😕😣😩",
	} {
		for _, r := range forms {
			t[string(r)] = sign{name, always}
		}
	}
	return t
}()

// Sign returns the sign or operator that begins at s[at] and is part of the content of a clean text. It returns
// the canonical name and the end, or "" and at. at must be the start of a rune, and not inside a sign that was
// returned before. Typography is not a sign: dashes, quotes, markup, 3-1, 3/4.
//
// It looks at the neighbours only, so calls at every rune take O(len(s)).
func Sign(s string, at int) (name string, end int) {
	if at < 0 || at >= len(s) || !MaySign[s[at]] || (s[at] < utf8.RuneSelf && !plausible(s, at)) {
		return "", at
	}
	end = signEnd(s, at)
	switch s[at] {
	case '.', '_':
		if startsWord(s, at, s[at:end]) {
			return s[at:end], end
		}
		return "", at
	case '#':
		if endsLetters(s, at, end) && !strings.HasPrefix(s[end:], "#") {
			return "#", end
		}
		return "", at
	case '+':
		if strings.HasPrefix(s[at:], "++") && !strings.HasPrefix(s[at:], "+++") && endsLetters(s, at, at+2) {
			return "++", at + 2
		}
	case '-':
		if end == at+2 && startsWord(s, at, s[at:end]) {
			return s[at:end], end
		}
	}
	if r, _ := decodeRune(s, at); isCurrency(r) {
		if around(s, at, end).amount() {
			return s[at:end], end
		}
		return "", at
	}
	var found sign
	if end == at+1 {
		found = single[s[at]]
	} else if end > at {
		found = signs[s[at:end]]
	}
	if found.name == "" || !found.use.holds(around(s, at, end)) {
		return "", at
	}
	if found.use == always {
		end += len(s[end:]) - len(strings.TrimLeftFunc(s[end:], isVariant))
	}
	return found.name, end
}

// single holds the signs of one ASCII character.
var single = func() (t [256]sign) {
	for name, s := range signs {
		if len(name) == 1 {
			t[name[0]] = s
		}
	}
	return t
}()

// plausible checks the bytes next to an ASCII character, to exclude frequent punctuation: full stops, hyphens, slashes of
// links, markup, tables.
func plausible(s string, at int) bool {
	before, after := byte(' '), byte(' ')
	if at > 0 {
		before = s[at-1]
	}
	if at+1 < len(s) {
		after = s[at+1]
	}
	left, right := byteKinds[before], byteKinds[after]
	switch c := s[at]; c {
	case '.':
		return right&(byteWord|byteOther) != 0 && left&byteWord == 0 && before != '.'
	case '_':
		return left&byteWord == 0
	case '-':
		if right == byteSpace {
			return left&byteSpace == 0 && before != '-'
		}
		return left&right&byteWord == 0
	case '#':
		return left&(byteWord|byteOther) != 0 && after != '#'
	case '/', '@':
		return left&right&byteSpace != 0
	case '|', '&':
		return after == c && before != c
	case '!':
		return after == '='
	case '*':
		return after == '*' || left&byteSpace == right&byteSpace
	}
	return true
}

const (
	byteWord  uint8 = 1 << iota // an ASCII letter or digit
	byteSpace                   // white space, or possibly a part of it
	byteOther                   // not ASCII
)

var byteKinds = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = byteOther | byteSpace
		case IsAlnum(rune(c)):
			t[c] = byteWord
		case isSpace(rune(c)):
			t[c] = byteSpace
		}
	}
	return t
}()

// operatorBytes are the ASCII characters of which operators with several characters consist.
const operatorBytes = "+-*/^=!<>&|@"

// signEnd returns the end of the sign that may begin at s[at]. That is a rune, or a run of operator characters without the
// minus of a following number. Inside such a run it returns at.
func signEnd(s string, at int) int {
	c := s[at]
	if c >= utf8.RuneSelf {
		if c == 0xE2 && at+1 < len(s) && s[at+1] == 0x80 && at+2 < len(s) && (s[at+2] < 0x90 || (s[at+2] > 0x93 && s[at+2] != 0xB0)) {
			return at // a quote, an em dash or a space
		}
		_, size := decodeRune(s, at)
		return at + size
	}
	if strings.IndexByte(operatorBytes, c) < 0 {
		return at + 1
	}
	within := at > 0 && strings.IndexByte(operatorBytes, s[at-1]) >= 0
	if within && c != '-' {
		return at
	}
	end := at + 1
	for end < len(s) && end < at+4 && strings.IndexByte(operatorBytes, s[end]) >= 0 {
		end++
	}
	if s[end-1] == '-' && end-1 > at && startsNumber(s[end:]) {
		end--
	}
	if within && end > at+1 {
		return at
	}
	return end
}

// oneSpace is the greatest length of a single white space character.
const oneSpace = 3

// surroundings holds the text around a sign.
type surroundings struct {
	s           string
	at, end     int // start and end of the sign
	left, right int // end of the text before it, and start of the text after it, without white space
}

func around(s string, at, end int) surroundings {
	left, right := strings.TrimRightFunc(s[:at], isSpace), strings.TrimLeftFunc(s[end:], isSpace)
	return surroundings{s, at, end, len(left), len(s) - len(right)}
}

func (u use) holds(p surroundings) bool {
	spaceLeft, spaceRight := p.left < p.at, p.right > p.end
	spaces := spaceLeft && spaceRight && p.left > 0 && p.right < len(p.s)
	even := spaceLeft == spaceRight
	switch {
	case u&always != 0,
		u&apart != 0 && spaces,
		u&between != 0 && even && p.leftOperand() && p.rightOperand() && !p.tag(),
		u&spaced != 0 && spaces && p.leftOperand() && p.rightOperand(),
		u&compare != 0 && p.compares(spaces),
		u&before != 0 && !spaceRight && startsNumber(p.s[p.end:]),
		u&after != 0 && p.at-p.left <= oneSpace && endsInDigit(p.s[:p.left]) && !startsInDigit(p.s[p.end:]), // excludes %20
		u&percent != 0 && !spaceRight && startsNumber(p.s[p.end:]) && p.fresh(),
		u&endsWord != 0 && !spaceLeft && p.closed() && endsInAlnum(p.s[:p.at]):
		return true
	case u&minus != 0:
		return p.negative() || p.endsShortWord()
	}
	return false
}

// compares reports whether a comparison has an operand and a value to compare with, or a number after it. A > at the start
// of a line may be a quotation.
func (p surroundings) compares(spaces bool) bool {
	if p.tag() || (p.s[p.at:p.end] == ">" && (p.left == 0 || strings.ContainsAny(p.s[p.left:p.at], "\r\n"))) {
		return false
	}
	if spaces {
		return (p.leftOperand() && (p.rightOperand() || startsInAlnum(p.s[p.right:]))) ||
			(p.rightOperand() && endsInAlnum(p.s[:p.left]))
	}
	even := p.right == p.end || p.left < p.at || p.fresh() // excludes <name> 5
	return even && p.s[p.at] != '=' && p.right-p.end <= oneSpace && startsNumber(p.s[p.right:])
}

// tag reports whether a < or > belongs to an HTML tag without attributes.
func (p surroundings) tag() bool {
	const most = 12
	switch p.s[p.at:p.end] {
	case "<":
		rest := p.s[p.end:min(len(p.s), p.end+most)]
		word := strings.TrimLeftFunc(rest, IsAlnum)
		return word != rest && word != "" && word[0] == '>' && !startsInDigit(rest)
	case ">":
		head := p.s[max(0, p.at-most):p.at]
		word := strings.TrimRight(strings.TrimRightFunc(head, IsAlnum), "/")
		return word != head && strings.HasSuffix(word, "<")
	}
	return false
}

// leftOperand reports whether an operand ends before the sign: a number, a variable of one letter, or a closing
// parenthesis.
func (p surroundings) leftOperand() bool {
	s := p.s[:p.left]
	r, size := utf8.DecodeLastRuneInString(s)
	if size == 0 {
		return false
	}
	if isDigit(r) || strings.ContainsRune(")]}%°", r) || isCurrency(r) {
		return true
	}
	return isVariable(r) && !endsInLetter(s[:len(s)-size])
}

// rightOperand reports whether an operand begins after the sign. It may be a function call such as sqrt(2).
func (p surroundings) rightOperand() bool {
	s := p.s[p.right:]
	if startsNumber(s) || strings.HasPrefix(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz"), "(") {
		return true
	}
	s = strings.TrimPrefix(s, "-")
	r, size := utf8.DecodeRuneInString(s)
	return isVariable(r) && !startsInLetter(s[size:])
}

// amount reports whether a digit is next to a currency, or one space away. In "kill -9 $pid" there is none.
func (p surroundings) amount() bool {
	follows := p.at-p.left <= oneSpace && endsInDigit(p.s[:p.left])
	return (follows && (p.left == p.at || p.closed())) || (p.right-p.end <= oneSpace && startsNumber(p.s[p.right:]))
}

// negative reports whether the minus belongs to a following number. The text before it must not begin a range, a date or a
// hyphenated word.
func (p surroundings) negative() bool {
	if !startsNumber(p.s[p.end:]) || p.s[p.end] == '-' || endsInDigit(p.s[:p.left]) {
		return false
	}
	return p.left < p.at || p.fresh() || p.quantity()
}

// fresh reports whether a word could begin at the sign.
func (p surroundings) fresh() bool { return opens(p.s[:p.at], "=<>:*/^|,;≤≥≠≈±×÷") }

// quantity reports whether the sign stands between a Chinese character and a number of degrees or percent: 气温-5度.
func (p surroundings) quantity() bool {
	const most = 8
	r, _ := utf8.DecodeLastRuneInString(p.s[:p.at])
	unit := strings.TrimLeft(p.s[p.end:min(len(p.s), p.end+most)], "0123456789.")
	return IsCJK(r) && (strings.HasPrefix(unit, "度") || strings.HasPrefix(unit, "°") || strings.HasPrefix(unit, "%") || strings.HasPrefix(p.s[p.at:], "−"))
}

// endsShortWord reports whether the sign ends a grade (A-) or an ion (Ca2-).
func (p surroundings) endsShortWord() bool {
	const most = 12
	if p.left < p.at || !p.closed() || (p.s[p.at] != '-' && !strings.HasPrefix(p.s[p.at:], "−")) {
		return false
	}
	head := p.s[:p.at]
	word := head[max(0, p.at-most):]
	word = word[len(strings.TrimRightFunc(word, IsAlnum)):]
	letters := strings.TrimRightFunc(word, isDigit)
	if letters == "" || (utf8.RuneCountInString(letters) > 1 && letters == word) {
		return false
	}
	return ends(letters, isVariable) && opens(head[:p.at-len(word)], "/,")
}

// closed reports whether the text, or a word or clause in it, ends after the sign.
func (p surroundings) closed() bool {
	if p.right > p.end || p.right == len(p.s) {
		return true
	}
	r, _ := decodeRune(p.s, p.right)
	return strings.ContainsRune(",.;:!?)]}\"'`’”»、。)", r)
}

// startsWord reports whether a prefix such as . or -- is at the beginning of a word or, if it is a point, of a
// number.
func startsWord(s string, at int, prefix string) bool {
	rest := s[at+len(prefix):]
	switch prefix {
	case "--":
		return startsInLetter(rest) && opens(s[:at], "")
	case "_":
		return startsInLetter(rest) && opens(s[:at], "") && !emphasis(rest)
	case ".":
		if startsInDigit(rest) {
			return opens(s[:at], "=<>:*/^|,;≤≥≠≈±×÷-−")
		}
		return startsInLetter(rest) && opens(s[:at], "")
	}
	return false
}

// emphasis reports whether a _ soon ends a word, as in markup.
func emphasis(s string) bool {
	const most = 64
	for ok := true; ok; {
		_, s, ok = strings.Cut(s[:min(len(s), most)], "_")
		if ok && !startsInAlnum(s) && !strings.HasPrefix(s, "_") {
			return true
		}
	}
	return false
}

// opens reports whether a word may begin after a text. The text must be empty, or end in white space, a quote, an opening
// parenthesis, a currency, or one of more.
func opens(s, more string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	if r == '\'' && endsInAlnum(s[:len(s)-size]) {
		return false // an apostrophe
	}
	return size == 0 || isSpace(r) || strings.ContainsRune("([{\"'`“‘„‚«「『《【、。", r) || isCurrency(r) ||
		strings.ContainsRune(more, r)
}

// endsLetters reports whether a sign ends a name of letters, as in c++ and c#. No letter may follow. After #, a digit may
// follow only if the name is one letter (not issue#12).
func endsLetters(s string, at, end int) bool {
	r, size := utf8.DecodeLastRuneInString(s[:at])
	if !isVariable(r) || startsInLetter(s[end:]) {
		return false
	}
	return s[at] != '#' || !startsInDigit(s[end:]) || !endsInAlnum(s[:at-size])
}

// startsNumber reports whether s begins with a number, which is a digit, possibly after a point, a currency or a minus.
func startsNumber(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "−")
	if r, size := utf8.DecodeRuneInString(s); isCurrency(r) {
		s = strings.TrimPrefix(s[size:], " ")
	}
	return startsInDigit(strings.TrimPrefix(s, "."))
}

func isCurrency(r rune) bool {
	return r == '$' || r == '£' || r == '¥' || r == '¢' || (r >= 0x20A0 && r <= 0x20C0)
}

// isDigit reports whether r is a decimal digit in ASCII, Arabic, Devanagari or Bengali.
func isDigit(r rune) bool {
	return (r >= '0' && r <= '9') || (r >= 0x660 && r <= 0x669) || (r >= 0x6F0 && r <= 0x6F9) || (r >= 0x966 && r <= 0x96F) || (r >= 0x9E6 && r <= 0x9EF)
}

func isLetter(r rune) bool { return IsAlnum(r) && !isDigit(r) }

// isVariable reports whether r may be the name of a variable, such as x or α, but not 中.
func isVariable(r rune) bool { return isLetter(r) && !IsCJK(r) }

// isVariant reports whether r only selects the appearance of the emoji before it.
func isVariant(r rune) bool { return (r >= 0xFE00 && r <= 0xFE0F) || (r >= 0x1F3FB && r <= 0x1F3FF) }

func startsInDigit(s string) bool  { return starts(s, isDigit) }
func startsInLetter(s string) bool { return starts(s, isVariable) }
func startsInAlnum(s string) bool  { return starts(s, IsAlnum) }
func endsInDigit(s string) bool    { return ends(s, isDigit) }
func endsInLetter(s string) bool   { return ends(s, isVariable) }
func endsInAlnum(s string) bool    { return ends(s, IsAlnum) }

func starts(s string, is func(rune) bool) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && is(r)
}

func ends(s string, is func(rune) bool) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && is(r)
}
