package made

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// edit changes how a text is written and not what it says; false where it
// finds nothing to change.
type edit struct {
	name, language string // "" is both
	apply          func(m *maker, rng *rand.Rand, t textOf, s string) (string, bool)
}

var edits = []edit{
	{"swap", "en", typo(swapLetters)},
	{"lost", "en", typo(loseLetter)},
	{"doubled", "en", typo(doubleLetter)},
	{"neighbour", "en", typo(neighbourKey)},
	{"swap", "zh", swapCharacters},
	{"homophone", "zh", homophone},
	{"lookalike", "zh", lookalike},
	{"lost", "zh", loseParticle},
	{"width", "zh", width},
	{"case", "en", letterCase},
	{"case", "zh", letterCase},
	{"quotes", "", quotes},
	{"dashes", "", dashes},
	{"punctuation", "", punctuation},
	{"spaces", "", spaces},
	{"entities", "", entities},
	{"tags", "", tags},
	{"hyphenation", "en", hyphenation},
	{"digits", "", groupDigits},
	{"percent", "", percentSpace},
	{"numeral", "zh", numeralChinese},
	{"numeral", "en", numeralEnglish},
	{"score", "zh", scoreChinese},
	{"date", "", dateForm},
	{"spelling", "en", british},
	{"inflection", "en", inflection},
	{"abbreviation", "en", abbreviation},
	{"variant", "zh", variant},
	{"particle", "zh", particle},
	{"script", "zh", script},
	{"source", "", sourceLine},
	{"greeting", "", greeting},
	{"link", "", link},
	{"wrap", "", wrap},
	{"contraction", "en", contraction},
}

// typo changes one word of five letters or more that no list has, so that no
// other word of the texts comes of it.
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

// atWord changes one word, the first for which fn knows how, from a drawn place on.
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
			if near == len(row) || k > 0 && rng.IntN(2) == 0 {
				near = k - 1
			}
			out[i] = rune(row[near])
		}
	}
	return out
}

// atCharacter changes a word of two or three characters that no list has into
// one that the dictionary does not know.
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

// loseParticle leaves out a word that carries no meaning.
func loseParticle(m *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return m.atWord(rng, t, s, func(w string) (string, bool) {
		return "", set("的 了 呢 吧 啊 嘛 呀 就 也 都 还").has(w)
	})
}

// replaceAny replaces one of the first words that s has by the second.
func replaceAny(rng *rand.Rand, s string, pairs ...string) (string, bool) {
	from := rng.IntN(len(pairs) / 2)
	for i := range len(pairs) / 2 {
		k := (from + i) % (len(pairs) / 2) * 2
		if strings.Contains(s, pairs[k]) {
			return strings.ReplaceAll(s, pairs[k], pairs[k+1]), true
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

var (
	thousands  = regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\b`)
	ungrouped  = regexp.MustCompile(`(^|[^\d.,:/-])([1-9]\d{3,6})(人|元|万|名|米|公里|个|吨|次| people| miles| dollars| users| documents| meters)`)
	percentage = regexp.MustCompile(`(\d) ?%`)
)

func groupDigits(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	if thousands.MatchString(s) {
		return thousands.ReplaceAllStringFunc(s, func(w string) string { return strings.ReplaceAll(w, ",", "") }), true
	}
	out := ungrouped.ReplaceAllStringFunc(s, func(w string) string {
		m := ungrouped.FindStringSubmatch(w)
		d := m[2]
		for i := len(d) - 3; i > 0; i -= 3 {
			d = d[:i] + "," + d[i:]
		}
		return m[1] + d + m[3]
	})
	return out, out != s
}

func percentSpace(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	if !percentage.MatchString(s) {
		return "", false
	}
	forms := []string{"$1 %", "$1%", "$1％", "$1 percent"}
	n := len(forms)
	if t.language == "zh" {
		n--
	}
	out := percentage.ReplaceAllString(s, forms[rng.IntN(n)])
	return out, out != s
}

const digitsChinese = "〇一二三四五六七八九"

var (
	measured  = regexp.MustCompile(`(^|[^\d.:：/\-A-Za-z])(\d{1,2})(小时|个|年|岁|人|天|名|次|分钟|位|倍|部|周|月|日|只|家|元|连|米)`)
	measuredC = regexp.MustCompile(`([二三四五六七八九]|[二三四五六七八九]?十[一二三四五六七八九]?)(小时|个|岁|人|天|名|次|分钟|位|倍|部|周|只|家|连)`)
)

// numeralChinese writes 6小时 for 六小时 or the other way.
func numeralChinese(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	if loc := measured.FindStringSubmatchIndex(s); loc != nil {
		n, _ := strconv.Atoi(s[loc[4]:loc[5]])
		if w := inChinese(n, s[loc[6]:loc[7]]); w != "" {
			return s[:loc[4]] + w + s[loc[5]:], true
		}
	}
	if loc := measuredC.FindStringSubmatchIndex(s); loc != nil && loc[0] > 0 && !strings.ContainsRune("十百千万第几一二三四五六七八九", lastRune(s[:loc[0]])) {
		if n := ofChinese(s[loc[2]:loc[3]]); n > 0 {
			return s[:loc[2]] + strconv.Itoa(n) + s[loc[3]:], true
		}
	}
	return "", false
}

func inChinese(n int, unit string) string {
	d := []rune(digitsChinese)
	switch {
	case n == 2 && unit != "月" && unit != "日" && unit != "岁" && unit != "连":
		return "两"
	case n < 1 || n > 99:
		return ""
	case n < 10:
		return string(d[n])
	case n == 10:
		return "十"
	case n < 20:
		return "十" + string(d[n-10])
	case n%10 == 0:
		return string(d[n/10]) + "十"
	}
	return string(d[n/10]) + "十" + string(d[n%10])
}

func ofChinese(w string) int {
	n := 0
	for _, r := range w {
		if r == '十' {
			n = max(n, 1) * 10
			continue
		}
		n += strings.IndexRune(digitsChinese, r) / len("一")
	}
	return n
}

var (
	numeralWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
	smallNumber  = regexp.MustCompile(`\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)( (?:people|years|days|months|weeks|hours|minutes|men|women|children|times|points|games|others|million|billion|percent|soldiers|miles|students|countries|business days))`)
	smallDigits  = regexp.MustCompile(`(^|[^\d.,:$£-])\b(\d\d?)( (?:people|years|days|months|weeks|hours|minutes|men|women|children|times|points|games|others|million|billion|percent|soldiers|miles|students|countries|business days))`)
)

func numeralEnglish(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	if loc := smallNumber.FindStringSubmatchIndex(s); loc != nil {
		for n, w := range numeralWords {
			if w == s[loc[2]:loc[3]] {
				return s[:loc[2]] + strconv.Itoa(n) + s[loc[3]:], true
			}
		}
	}
	if loc := smallDigits.FindStringSubmatchIndex(s); loc != nil {
		if n, _ := strconv.Atoi(s[loc[4]:loc[5]]); n >= 2 && n <= 12 {
			return s[:loc[4]] + numeralWords[n] + s[loc[5]:], true
		}
	}
	return "", false
}

var score = regexp.MustCompile(`(^|[^\d:：\-.])(\d)([:：\-比])(\d)($|[^\d:：\-.])`)

func scoreChinese(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	loc := score.FindStringSubmatchIndex(s)
	if loc == nil {
		return "", false
	}
	a, b, sep := s[loc[4]:loc[5]], s[loc[8]:loc[9]], s[loc[6]:loc[7]]
	d := []rune("零一二三四五六七八九")
	forms := []string{a + ":" + b, a + "-" + b, a + "比" + b, string(d[a[0]-'0']) + "比" + string(d[b[0]-'0'])}
	new := forms[rng.IntN(len(forms))]
	return s[:loc[4]] + new + s[loc[9]:], new != a+sep+b
}

var (
	dateChinese = regexp.MustCompile(`(\d{4})年(\d{1,2})月(\d{1,2})日`)
	dateEnglish = regexp.MustCompile(`\b(January|February|March|April|May|June|July|August|September|October|November|December) (\d{1,2}), (\d{4})`)
	dateOther   = regexp.MustCompile(`\b(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December),? (\d{4})`)
)

func dateForm(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	if m := dateChinese.FindStringSubmatch(s); m != nil {
		month, _ := strconv.Atoi(m[2])
		day, _ := strconv.Atoi(m[3])
		forms := []string{fmt.Sprintf("%s-%02d-%02d", m[1], month, day), fmt.Sprintf("%s.%d.%d", m[1], month, day), fmt.Sprintf("%s/%d/%d", m[1], month, day), fmt.Sprintf("%s 年 %d 月 %d 日", m[1], month, day)}
		return strings.Replace(s, m[0], forms[rng.IntN(len(forms))], 1), true
	}
	if dateEnglish.MatchString(s) {
		return dateEnglish.ReplaceAllString(s, "$2 $1 $3"), true
	}
	out := dateOther.ReplaceAllString(s, "$2 $1, $3")
	return out, out != s
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

// inflection writes a verb of reporting in another tense or number.
func inflection(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	return replaceAny(rng, s, " said ", " says ", " reported ", " reports ", " announced ", " announces ", " told ", " tells ", " presents ", " presented ", " describes ", " described ", " have ", " has ", " provides ", " provide ", " includes ", " include ", " shows ", " showed ", " services ", " service ", " systems ", " system ", " databases ", " database ", " queries ", " query ", " officials ", " official ", " leaders ", " leader ", " policies ", " policy ", " terms ", " term ", " texts ", " text ")
}

func abbreviation(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	return replaceAny(rng, s, "Monday", "Mon", "Tuesday", "Tue", "Wednesday", "Wed", "Thursday", "Thu", "Friday", "Fri", "Saturday", "Sat", "Sunday", "Sun", "January", "Jan", "February", "Feb", "August", "Aug", "September", "Sept", "October", "Oct", "November", "Nov", "December", "Dec", " and ", " & ", " you ", " u ", " your ", " ur ", " please ", " pls ", " for ", " 4 ", " to ", " 2 ", "United States", "U.S.", "U.S.", "US", " versus ", " vs ", " percent", "%", "Mr. ", "Mr ", "Prime Minister", "PM", " tomorrow", " tmr", " are ", " r ", " kilometers", " km", " because ", " coz ", " information ", " info ")
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
	return out + []string{"啊", "嘛", "喔", "呢", "哦", "呀", "啦", "哈哈", "了", "～"}[rng.IntN(10)] + s[len(out):], !t.long
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
	creditsEnglish   = []string{"(Reuters) - %s", "(AP) %s", "%s (AP)", "%s (Reuters)", "%s via @newsdesk", "Source: AFP. %s", "%s - BBC News", "%s | The Guardian", "[Update] %s", "%s (c) 2014 All rights reserved.", "By Staff Writer\n%s", "RT @breaking: %s", "%s\nPhoto: Getty Images", "WASHINGTON (AP) -- %s", "LONDON, July 3 (Reuters) - %s", "FW: %s", "%s [Editor's note: corrected spelling]"}
	creditsChinese   = []string{"来源：新华网\n%s", "%s（来源：新华网）", "%s 来源：人民日报", "%s（责任编辑：李明）", "%s @央视新闻", "%s via @头条新闻", "【%s】", "新华社北京3月5日电 %s", "（记者 王强）%s", "转：%s", "%s（图）", "%s [视频]", "#%s#", "中新网讯 %s", "%s_新浪网", "%s - 知乎", "编辑：小雨\n%s", "原标题：%s", "%s（完）", "%s 转载请注明出处"}
	greetingsEnglish = []string{"Hi, %s", "Hello everyone,\n\n%s", "Dear all,\n%s", "Hey! %s", "%s Thanks!", "%s\n\nBest regards", "%s Cheers", "Good morning. %s", "FYI: %s", "%s thx", "%s :)", "Ok %s"}
	greetingsChinese = []string{"大家好，%s", "您好，%s", "各位，%s", "%s 谢谢！", "亲爱的朋友们：%s", "%s 祝好", "早上好！%s", "hi，%s", "%s[微笑]", "%s [doge]", "分享：%s"}
	linksAll         = []string{"%s http://t.cn/A6vXk3p", "%s https://bit.ly/3kXz9q", "%s https://www.example.com/news/20140503.html", "%s http://goo.gl/x81Kd", "%s t.co/9aQz1"}
)

func wrapped(rng *rand.Rand, t textOf, s string, english, chinese []string) (string, bool) {
	forms := english
	if t.language == "zh" {
		forms = chinese
	}
	return strings.Replace(forms[rng.IntN(len(forms))], "%s", s, 1), true
}

func sourceLine(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return wrapped(rng, t, s, creditsEnglish, creditsChinese)
}

func greeting(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return wrapped(rng, t, s, greetingsEnglish, greetingsChinese)
}

func link(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	return wrapped(rng, t, s, linksAll, linksAll)
}

// wrap breaks the lines of a text anew.
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
