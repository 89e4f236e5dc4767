package made

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// edit changes the form of a text without changing its meaning. It returns false if it finds nothing to change.
type edit struct {
	name, language string // "" means both
	once           bool   // applied twice, it would undo or repeat itself
	apply          func(m *maker, rng *rand.Rand, t textOf, s string) (string, bool)
}

var edits = []edit{
	{"swap", "en", false, typo(swapLetters)},
	{"lost", "en", false, typo(loseLetter)},
	{"doubled", "en", false, typo(doubleLetter)},
	{"neighbour", "en", false, typo(neighbourKey)},
	{"swap", "zh", false, swapCharacters},
	{"homophone", "zh", false, homophone},
	{"lookalike", "zh", false, lookalike},
	{"lost", "zh", false, loseParticle},
	{"width", "zh", true, width},
	{"case", "en", true, letterCase},
	{"case", "zh", true, letterCase},
	{"quotes", "", true, quotes},
	{"dashes", "", false, dashes},
	{"punctuation", "", false, punctuation},
	{"spaces", "", false, spaces},
	{"entities", "", false, entities},
	{"tags", "", true, tags},
	{"hyphenation", "en", false, hyphenation},
	{"digits", "", true, groupDigits},
	{"percent", "", true, percentSpace},
	{"numeral", "zh", false, numeralChinese},
	{"numeral", "en", false, numeralEnglish},
	{"score", "zh", true, scoreChinese},
	{"date", "", true, dateForm},
	{"spelling", "en", false, british},
	{"inflection", "en", false, inflection},
	{"abbreviation", "en", false, abbreviation},
	{"variant", "zh", false, variant},
	{"particle", "zh", true, particle},
	{"script", "zh", true, script},
	{"source", "", true, sourceLine},
	{"greeting", "", true, greeting},
	{"link", "", true, link},
	{"wrap", "", true, wrap},
	{"contraction", "en", false, contraction},
}

// typo changes a word of at least five letters that is in no list, so that it cannot become another word of the texts.
func typo(change func(rng *rand.Rand, w []rune) []rune) func(*maker, *rand.Rand, textOf, string) (string, bool) {
	return func(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
		return m.atWord(rng, t, s, func(w string) (string, bool) {
			r := []rune(w)
			if len(r) < 5 || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) || strings.ToUpper(w) == w {
				return "", false
			}
			new := string(change(rng, r))
			return new, new != w && !m.known[strings.ToLower(new)]
		})
	}
}

// atWord changes one word: the first, from a random position on, for which fn finds a change.
func (m *maker) atWord(rng *rand.Rand, t textOf, s string, fn func(w string) (string, bool)) (string, bool) {
	ts := tokens(m.segmenter, t.language, s)
	if len(ts) == 0 {
		return "", false
	}
	urls := url.FindAllStringIndex(s, -1)
	from := rng.IntN(len(ts))
	for i := range ts {
		tk := ts[(from+i)%len(ts)]
		if within(urls, []int{tk.start, tk.end}) {
			continue
		}
		if new, ok := fn(s[tk.start:tk.end]); ok {
			return s[:tk.start] + new + s[tk.end:], true
		}
	}
	return "", false
}

func swapLetters(rng *rand.Rand, w []rune) []rune {
	out := append([]rune(nil), w...)
	i := 1 + rng.IntN(len(w)-2)
	out[i], out[i+1] = out[i+1], out[i]
	return out
}

func loseLetter(rng *rand.Rand, w []rune) []rune {
	i := 1 + rng.IntN(len(w)-2)
	return append(append([]rune(nil), w[:i]...), w[i+1:]...)
}

func doubleLetter(rng *rand.Rand, w []rune) []rune {
	i := 1 + rng.IntN(len(w)-1)
	return append(append([]rune(nil), w[:i+1]...), w[i:]...)
}

var keyboard = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}

func neighbourKey(rng *rand.Rand, w []rune) []rune {
	out := append([]rune(nil), w...)
	i := 1 + rng.IntN(len(w)-1)
	for _, row := range keyboard {
		if k := strings.IndexRune(row, out[i]); k >= 0 {
			near := k + 1
			if near == len(row) || (k > 0 && rng.IntN(2) == 0) {
				near = k - 1
			}
			out[i] = rune(row[near])
		}
	}
	return out
}

// atCharacter changes a word of two or three characters that is in no list into one that the dictionary does not have.
func (m *maker) atCharacter(rng *rand.Rand, t textOf, s string, fn func(w []rune) bool) (string, bool) {
	return m.atWord(rng, t, s, func(w string) (string, bool) {
		r := []rune(w)
		if len(r) < 2 || len(r) > 4 || !hasCJK(w) || m.lexica["zh"].groups[w] != nil || strings.ContainsAny(w, "一二三四五六七八九十百千万亿不没未无非") || !fn(r) {
			return "", false
		}
		new := string(r)
		return new, new != w && len(m.segmenter.Cut(nil, new, 0)) > 1
	})
}

func swapCharacters(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atCharacter(rng, t, s, func(w []rune) bool {
		i := rng.IntN(len(w) - 1)
		w[i], w[i+1] = w[i+1], w[i]
		return true
	})
}

func homophone(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atCharacter(rng, t, s, func(w []rune) bool { return replaceOne(rng, w, m.alike) })
}

func lookalike(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atCharacter(rng, t, s, func(w []rune) bool { return replaceOne(rng, w, m.lookalike) })
}

func replaceOne(rng *rand.Rand, w []rune, others map[rune][]rune) bool {
	from := rng.IntN(len(w))
	for i := range w {
		k := (from + i) % len(w)
		if o := others[w[k]]; len(o) > 0 {
			w[k] = o[rng.IntN(len(o))]
			return true
		}
	}
	return false
}

// loseParticle removes a word that carries no meaning.
func loseParticle(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atWord(rng, t, s, func(w string) (string, bool) {
		return "", set("的 了 呢 吧 啊 嘛 呀 就 也").has(w)
	})
}

// replaceAny replaces the first word of a pair that s has by the second word of the pair.
func replaceAny(rng *rand.Rand, s string, pairs ...string) (string, bool) {
	from := rng.IntN(len(pairs) / 2)
	for i := range len(pairs) / 2 {
		k := (from + i) % (len(pairs) / 2) * 2
		if strings.Contains(s, pairs[k]) {
			return strings.Replace(s, pairs[k], pairs[k+1], 1+rng.IntN(4)), true
		}
	}
	return "", false
}

func width(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	if rng.IntN(2) == 0 {
		if out, ok := replaceAny(rng, s, "，", ",", "：", ":", "！", "!", "？", "?", "（", "(", "；", ";"); ok {
			return out, true
		}
	}
	out := strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r + 0xFEE0
		}
		return r
	}, s)
	return out, out != s && utf8.RuneCountInString(s) < 400
}

func letterCase(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	var out string
	switch rng.IntN(4) {
	case 0:
		out = strings.ToUpper(s)
	case 1, 2:
		out = strings.ToLower(s)
	default:
		up := true
		out = strings.Map(func(r rune) rune {
			defer func() { up = !unicode.IsLetter(r) && r != '\'' }()
			if up {
				return unicode.ToUpper(r)
			}
			return r
		}, s)
	}
	return out, out != s
}

func quotes(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	if out, ok := replaceAny(rng, s, "“", "\"", "”", "\"", "'", "’", "’", "'", "「", "“", "《", "<", "‘", "'", " \"", " “"); ok && rng.IntN(4) > 0 {
		if strings.Contains(s, "《") {
			out = strings.ReplaceAll(out, "》", ">")
		}
		return out, true
	}
	if t.language == "zh" {
		return "“" + s + "”", !t.long
	}
	return "\"" + s + "\"", !t.long
}

func dashes(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	return replaceAny(rng, s, " - ", " – ", " -- ", " — ", "——", "—", "–", "-", "—", "--", " — ", " - ")
}

func punctuation(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	switch rng.IntN(4) {
	case 0:
		if out := strings.TrimRight(s, ".。!！"); out != s {
			return out, true
		}
		if t.language == "zh" {
			return s + "。", !strings.HasSuffix(s, "？")
		}
		return s + ".", !strings.HasSuffix(s, "?")
	case 1:
		return replaceAny(rng, s, ", ", " ", "，", " ", "、", "，", "...", "…", "……", "...", "!", ".", "！", "。", "；", "，", ";", ",")
	case 2:
		if strings.HasSuffix(s, "!") || strings.HasSuffix(s, "！") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
			return s + strings.Repeat(string(lastRune(s)), 2), true
		}
		if t.language == "zh" {
			return strings.TrimSuffix(s, "。") + "！", true
		}
		return strings.TrimSuffix(s, ".") + "!", true
	}
	return replaceAny(rng, s, ",", ", ", "，", "， ", ". ", ".  ", "。", "。 ", "：", "：", ":", " :")
}

func spaces(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	if t.language == "zh" {
		// between Chinese and Latin
		spaced := betweenScripts.ReplaceAllString(s, "$1$3 $2$4")
		if spaced != s {
			return spaced, true
		}
		closed := closeScripts.ReplaceAllString(s, "$1$3$2$4")
		return closed, closed != s
	}
	if i := strings.IndexByte(s[rng.IntN(len(s)):], ' '); i >= 0 && rng.IntN(2) == 0 {
		return strings.Replace(s, " ", "  ", 1+rng.IntN(3)), true
	}
	out := strings.ReplaceAll(s, ". ", ".")
	if out == s {
		out = strings.ReplaceAll(s, ", ", ",")
	}
	return out, out != s
}

var (
	betweenScripts = regexp.MustCompile(`(\p{Han})([A-Za-z0-9])|([A-Za-z0-9])(\p{Han})`)
	closeScripts   = regexp.MustCompile(`(\p{Han}) ([A-Za-z0-9])|([A-Za-z0-9]) (\p{Han})`)
)

func entities(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	return replaceAny(rng, s, "&", "&amp;", "\"", "&quot;", "'", "&#39;", "<", "&lt;", "’", "&rsquo;", "“", "&ldquo;", "—", "&mdash;", " ", "&nbsp;", "£", "&pound;", "·", "&middot;")
}

func tags(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	switch rng.IntN(3) {
	case 0:
		return "<p>" + strings.ReplaceAll(s, "\n\n", "</p>\n<p>") + "</p>", true
	case 1:
		return m.atWord(rng, t, s, func(w string) (string, bool) { return "<b>" + w + "</b>", len(w) > 3 })
	}
	return replaceAny(rng, s, "\n", "<br>\n", ". ", ".<br/> ", "。", "。<br/>", "，", "，<br>", ", ", ",<br> ")
}

func hyphenation(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atWord(rng, t, s, func(w string) (string, bool) {
		if len(w) < 8 || strings.ToLower(w) != w {
			return "", false
		}
		i := 3 + rng.IntN(len(w)-6)
		return w[:i] + "-\n" + w[i:], true
	})
}

func british(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atWord(rng, t, s, func(w string) (string, bool) {
		other, ok := m.spelling[strings.ToLower(w)]
		return likeCase(other, w), ok
	})
}

func contraction(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	return replaceAny(rng, s, " do not ", " don't ", " is not ", " isn't ", " cannot ", " can't ", " will not ", " won't ", " don't ", " do not ", " it's ", " it is ", "I'm ", "I am ", " can't ", " cannot ", "I'll ", "I will ", " didn't ", " did not ", " you are ", " you're ", " we are ", " we're ", " you're ", " you are ", " that's ", " that is ", " does not ", " doesn't ", " did not ", " didn't ", " have not ", " haven't ")
}

// inflection changes the tense or number of a verb of reporting.
func inflection(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	return replaceAny(rng, s, " said ", " says ", " reported ", " reports ", " announced ", " announces ", " told ", " tells ", " presents ", " presented ", " describes ", " described ", " have ", " has ", " provides ", " provide ", " includes ", " include ", " shows ", " showed ", " services ", " service ", " systems ", " system ", " databases ", " database ", " queries ", " query ", " officials ", " official ", " leaders ", " leader ", " policies ", " policy ", " terms ", " term ", " texts ", " text ")
}

func abbreviation(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	if t.source == "uci_sms" {
		if out, ok := replaceAny(rng, s, " you ", " u ", " your ", " ur ", " please ", " pls ", " for ", " 4 ", " to ", " 2 ", " tomorrow", " tmr", " are ", " r ", " because ", " coz ", " u ", " you ", " ur ", " your ", " 2 ", " to "); ok && rng.IntN(3) > 0 {
			return out, true
		}
	}
	return replaceAny(rng, s, "Monday", "Mon", "Tuesday", "Tue", "Wednesday", "Wed", "Thursday", "Thu", "Friday", "Fri", "Saturday", "Sat", "Sunday", "Sun", "January", "Jan", "February", "Feb", "August", "Aug", "September", "Sept", "October", "Oct", "November", "Nov", "December", "Dec", " and ", " & ", "United States", "U.S.", "U.S.", "US", " versus ", " vs ", " percent", "%", "Mr. ", "Mr ", "Prime Minister", "PM", " kilometers", " km", "for example", "e.g.", " approximately ", " approx. ", "Corporation", "Corp.", "Company", "Co.", "Limited", "Ltd.", "international conference on management of data", "SIGMOD", "very large data bases", "VLDB", "proceedings", "proc.", "transactions", "trans.", "journal", "j.")
}

func variant(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atWord(rng, t, s, func(w string) (string, bool) {
		others := m.variants[w]
		if len(others) == 0 {
			return "", false
		}
		return others[rng.IntN(len(others))], true
	})
}

func particle(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	out := strings.TrimRight(s, "。！!")
	if strings.HasSuffix(out, "？") || strings.HasSuffix(out, "?") || strings.HasSuffix(out, "”") {
		return "", false
	}
	return out + []string{"啊", "嘛", "喔", "哦", "呀", "啦", "哈哈", "～"}[rng.IntN(8)] + s[len(out):], !t.long
}

func script(m *maker, _ *rand.Rand, _ textOf, s string) (string, bool) {
	out := strings.Map(func(r rune) rune {
		if t, ok := m.traditional[r]; ok {
			return t
		}
		return r
	}, s)
	return out, out != s
}

var (
	linksAll = []string{"%s http://t.cn/A6vXk3p", "%s https://bit.ly/3kXz9q", "%s https://www.example.com/news/20140503.html", "%s http://goo.gl/x81Kd", "%s t.co/9aQz1"}
)

func wrapped(rng *rand.Rand, s string, forms []string) (string, bool) {
	return strings.Replace(forms[rng.IntN(len(forms))], "%s", s, 1), true
}

func sourceLine(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return wrapped(rng, s, m.credits[t.language])
}

func greeting(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return wrapped(rng, s, m.greetings[t.language])
}

func link(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	return wrapped(rng, s, linksAll)
}

// wrap breaks the lines of a text at other places.
func wrap(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	width := 30 + rng.IntN(50)
	if t.language == "zh" {
		width = min(width/2, max(6, utf8.RuneCountInString(s)/2))
	}
	var b strings.Builder
	column := 0
	for _, r := range s {
		switch {
		case r == '\n':
			column = 0
		case t.language == "en" && r == ' ' && column >= width:
			r, column = '\n', 0
		case t.language == "zh" && column >= width && unicode.Is(unicode.Han, r):
			b.WriteByte('\n')
			column = 1
		default:
			column++
		}
		b.WriteRune(r)
	}
	out := b.String()
	return out, out != s
}
