package token

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func digitsEnd(s string, at int) int {
	for at < len(s) && isDigit(s[at]) {
		at++
	}
	return at
}

func skipSpace(s string, at int) int {
	if at < len(s) && s[at] == ' ' {
		at++
	}
	return at
}

// figures takes what begins with the digit clean[at] and returns where it ends:
// a date, a time, a version, an ordinal, a number with what multiplies it, or a
// code.
func (c *Cutter) figures(clean string, at int) int {
	end := digitsEnd(clean, at)
	next := rune(0)
	if end < len(clean) {
		if next = rune(clean[end]); next >= utf8.RuneSelf {
			next, _ = utf8.DecodeRuneInString(clean[end:])
		}
	}
	if end-at <= mostPlain && next != 0 && next != ',' {
		if to := c.dateOrTime(clean, at, end, next); to > at {
			return to
		}
	}
	if to, parts := versionEnd(clean, at); parts >= 3 {
		c.number(clean[at:to], version(clean[at:to]))
		return to
	}
	to := numberEnd(clean, at)
	if to == 0 {
		if word, to := ordinalEnd(clean, at, end); to > end {
			c.nth(clean, at, to, word)
			return to
		}
		if _, zeros := shortScaleEnd(clean, end); zeros > 0 && at > 0 && currencySign(lastRune(clean[:at])) != "" {
			return c.amount(clean, at, end, decimal(clean[at:end]))
		}
		return c.word(clean, at)
	}
	if value := clean[at:to]; strings.HasSuffix(value, "0") && strings.IndexByte(value, '.') >= 0 && c.named(clean, at, to) {
		c.number(value, value)
		return to
	}
	return c.amount(clean, at, to, decimal(clean[at:to]))
}

// named reports whether the decimal clean[at:to] is the version of what stands
// before it, of which 3.10 is no 3.1: a word that no amount follows, with no sign
// of an amount behind it.
func (c *Cutter) named(clean string, at, to int) bool {
	if len(c.tokens) == 0 || c.wordEnd < 0 || c.wordEnd != at && (c.wordEnd != at-1 || clean[at-1] != ' ') {
		return false
	}
	if last := &c.tokens[len(c.tokens)-1]; last.Number() || beforeAmount()[last.Text] || listed(last.Text).kind == kindMeasure {
		return false
	}
	if end, zeros := scaleEnd(clean, to); zeros > 0 || strings.HasPrefix(clean[end:], "%") {
		return false
	}
	p := skipSpace(clean, to)
	end := wordAt(clean, p)
	return end == p || listed(clean[p:end]).kind != kindMeasure
}

// nth adds an ordinal: up to twelve it is a word, as it is nearly always
// written, and beyond a number.
func (c *Cutter) nth(clean string, at, end int, digits string) {
	if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n < len(ordinals) {
		c.put(ordinals[n], false)
		return
	}
	c.number(clean[at:end], decimal(digits))
}

// ordinalEnd returns the digits of the ordinal that begins with the digits
// s[at:end], and where it ends; end if it is none.
func ordinalEnd(s string, at, end int) (digits string, to int) {
	if end-at > 3 || end+2 > len(s) || end+2 < len(s) && isWordByte(s[end+2]) {
		return "", end
	}
	switch s[end : end+2] {
	case "st", "nd", "rd", "th":
		return s[at:end], end + 2
	}
	return "", end
}

// versionEnd returns where the digits and points end that begin at s[at], and
// how many parts they have.
func versionEnd(s string, at int) (end, parts int) {
	end, parts = digitsEnd(s, at), 1
	for end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		end = digitsEnd(s, end+1)
		parts++
	}
	return end, parts
}

// version writes a version in one form: a number without a point is one.
func version(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return decimal(s)
	}
	return s
}

// numberEnd returns where the number ends that begins at s[at], a digit: digits
// with separators of thousands and decimals. 0 if letters follow that are no
// unit and no scale, which makes it a code such as 4k.
func numberEnd(s string, at int) int {
	end := digitsEnd(s, at)
	first := end
	for end < len(s) && first-at <= 3 {
		if (s[end] == ',' || s[end] == '\'') && isGroup(s, end+1) {
			end += 4
			continue
		}
		if s[end] == ' ' && s[at] != '0' && isGroup(s, end+1) && (end > first || spacedGroups(s, end)) {
			end += 4
			continue
		}
		break
	}
	separated := end > first
	if end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		separated = true
		end = digitsEnd(s, end+1)
	}
	if end == len(s) || separated {
		return end
	}
	if b := s[end]; b < utf8.RuneSelf {
		if ascii[b] != classLetter {
			return end
		}
	} else if r, _ := utf8.DecodeRuneInString(s[end:]); class(r) != classLetter {
		return end
	}
	if _, zeros := scaleEnd(s, end); zeros == 0 && listed(s[end:wordAt(s, end)]).kind != kindMeasure {
		return 0
	}
	return end
}

// isGroup reports whether exactly three digits stand at s[at].
func isGroup(s string, at int) bool {
	return at+2 < len(s) && isDigit(s[at]) && isDigit(s[at+1]) && isDigit(s[at+2]) && (at+3 == len(s) || !isWordByte(s[at+3]))
}

// spacedGroups reports whether two groups with spaces before them begin at s[at]:
// 1 234 567 is a number, and 1 234 may be two.
func spacedGroups(s string, at int) bool {
	return at+4 < len(s) && s[at+4] == ' ' && isGroup(s, at+5)
}

// fractionEnd returns where the number ends that begins with the point s[at], as
// .25 where no word stands before it; 0 if there is none.
func fractionEnd(s string, at int) int {
	if s[at] != '.' || at+1 == len(s) || !isDigit(s[at+1]) {
		return 0
	}
	if r, _ := utf8.DecodeLastRuneInString(s[:at]); at > 0 && (r == '.' || class(r) != classOther) {
		return 0
	}
	end := numberEnd(s, at+1)
	if end == 0 {
		return 0
	}
	if second := strings.IndexByte(s[at+1:end], '.'); second >= 0 {
		return at + 1 + second // .0.0 are two
	}
	return end
}

// amount adds the number clean[from:to] with the scale behind it, as in 4.3bn,
// 4.3 billion, 43亿 and four million, and the currency before it behind it, and
// returns where they end.
func (c *Cutter) amount(clean string, from, to int, value string) int {
	end, zeros := scaleEnd(clean, to)
	currency := ""
	if from > 0 {
		currency = c.currencyBefore(clean, from)
	}
	if zeros == 0 && currency != "" {
		end, zeros = shortScaleEnd(clean, to)
	}
	if zeros > 0 {
		value = shifted(value, zeros)
	}
	c.number(clean[from:end], value)
	if currency != "" {
		c.put(currency, false)
		if p := skipSpace(clean, end); p < len(clean) {
			if next := wordAt(clean, p); listed(clean[p:next]).text == currency {
				return next // $5 usd
			}
		}
		return end
	}
	return c.score(clean, end)
}

// currencyBefore returns the currency that stands before the number at
// clean[at:] by its sign or its name, which is taken back: it is added behind.
func (c *Cutter) currencyBefore(clean string, at int) string {
	before := clean[:at]
	if before[at-1] == ' ' {
		before = before[:at-1]
	}
	r, size := utf8.DecodeLastRuneInString(before)
	n := len(c.tokens)
	if name := currencySign(r); name != "" {
		if name == "dollar" && n > 0 && c.tokens[n-1].Text == "us" && c.wordEnd == len(before)-size {
			c.tokens = c.tokens[:n-1] // us$5
		}
		return name
	}
	if n > 0 && c.wordEnd == len(before) && isCurrency(c.tokens[n-1].Text) && (n == 1 || !c.tokens[n-2].Number()) {
		c.tokens = c.tokens[:n-1]
		return c.tokens[:n][n-1].Text
	}
	return ""
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func currencySign(r rune) string {
	switch r {
	case '$':
		return "dollar"
	case '€':
		return "euro"
	case '£':
		return "pound"
	case '¥':
		return "元"
	case '₹':
		return "rupee"
	case '₽':
		return "ruble"
	case '₩':
		return "won"
	}
	return ""
}

// scaleEnd returns where the scale ends that stands behind a number that ends
// at s[at], and its power of ten; at and 0 where there is none.
func scaleEnd(s string, at int) (end, zeros int) {
	from := skipSpace(s, at)
	if from == len(s) {
		return at, 0
	}
	word := ""
	switch s[from] {
	case 't', 'm', 'b':
		end = wordAt(s, from)
		word = s[from:end]
	case "万"[0], "亿"[0], "千"[0], "百"[0]:
		return chineseScaleEnd(s, at, from)
	}
	switch word {
	case "thousand":
		return end, 3
	case "million", "mn":
		return end, 6
	case "billion", "bn":
		return end, 9
	case "trillion", "tn":
		return end, 12
	}
	return at, 0
}

// chineseScales are powers of ten, the longer ones first. 千 alone may belong to a
// unit, 千米.
var chineseScales = []struct {
	word  string
	zeros int
}{{"万亿", 12}, {"千亿", 11}, {"百亿", 10}, {"千万", 7}, {"百万", 6}, {"万", 4}, {"亿", 8}}

func chineseScaleEnd(s string, at, from int) (end, zeros int) {
	for _, scale := range chineseScales {
		if strings.HasPrefix(s[from:], scale.word) {
			return from + len(scale.word), scale.zeros
		}
	}
	return at, 0
}

// shortScaleEnd is scaleEnd for the single letters behind an amount of money.
func shortScaleEnd(s string, at int) (end, zeros int) {
	if at == len(s) || at+1 < len(s) && isWordByte(s[at+1]) {
		return at, 0
	}
	switch s[at] {
	case 'k':
		return at + 1, 3
	case 'm':
		return at + 1, 6
	case 'b':
		return at + 1, 9
	}
	return at, 0
}

// shifted multiplies a number in one form by a power of ten.
func shifted(value string, zeros int) string {
	whole, fraction, _ := strings.Cut(value, ".")
	fraction += strings.Repeat("0", max(0, zeros-len(fraction)))
	return decimal(whole + fraction[:zeros] + "." + fraction[zeros:])
}

// decimal writes a number of digits, separators and a point in one form: without
// separators, zeros in front and zeros behind the point.
func decimal(s string) string {
	if strings.ContainsAny(s, ",' ") {
		s = separators.Replace(s)
	}
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s = strings.TrimLeft(s, "0"); s == "" || s[0] == '.' {
		s = "0" + s
	}
	return s
}

var separators = strings.NewReplacer(",", "", "'", "", " ", "")

// numberWords reads the number in words that begins with the word s[at:end], and
// returns its value and where it ends: twenty-one, two hundred and five. What
// multiplies it by thousands is left to amount. "One" is a number before a scale
// only: it is a pronoun more often.
func numberWords(s string, at, end int) (value string, to int) {
	n := smallNumber(s[at:end])
	to = end
	if n >= 20 && n < 100 {
		if p, last := nextWord(s, to, "- "); last > p {
			if unit := smallNumber(s[p:last]); unit >= 1 && unit <= 9 {
				n, to = n+unit, last
			} else if nth := ordinalValue(s[p:last]); nth >= 1 && nth <= 9 && s[to] == '-' {
				return strconv.Itoa(n + nth), last
			}
		}
	}
	if n < 100 {
		if p, last := nextWord(s, to, " "); s[p:last] == "hundred" {
			n, to = 100*n, last
		} else if _, zeros := scaleEnd(s, to); n == 1 && zeros == 0 {
			return "", end
		}
	}
	if n >= 100 && n < 1000 {
		p, last := nextWord(s, to, " ")
		if s[p:last] == "and" {
			p, last = nextWord(s, last, " ")
		}
		if rest := smallNumber(s[p:last]); rest >= 1 && rest < 100 {
			n, to = n+rest, last
			if p, last := nextWord(s, to, "- "); rest >= 20 && last > p {
				if unit := smallNumber(s[p:last]); unit >= 1 && unit <= 9 {
					n, to = n+unit, last
				}
			}
		}
	}
	return strconv.Itoa(n), to
}

// nextWord returns the word behind one of the signs at s[at]; an empty one if
// there is none.
func nextWord(s string, at int, signs string) (from, to int) {
	if at == len(s) || strings.IndexByte(signs, s[at]) < 0 {
		return at, at
	}
	return at + 1, wordAt(s, at+1)
}

// codeNumbers appends the values of the runs of digits in a code to dst.
func codeNumbers(dst []string, word string) []string {
	for i := 0; i < len(word); {
		if !isDigit(word[i]) {
			i++
			continue
		}
		end := digitsEnd(word, i)
		dst = append(dst, decimal(word[i:end]))
		i = end
	}
	return dst
}

// digitOf returns the value of a Chinese numeral and its kind: 1 for a digit,
// else the power of ten it stands for; kind 0 for no numeral.
func digitOf(r rune) (value, kind int64) {
	switch r {
	case '〇', '零':
		return 0, 1
	case '一':
		return 1, 1
	case '二', '两':
		return 2, 1
	case '三':
		return 3, 1
	case '四':
		return 4, 1
	case '五':
		return 5, 1
	case '六':
		return 6, 1
	case '七':
		return 7, 1
	case '八':
		return 8, 1
	case '九':
		return 9, 1
	case '十':
		return 0, 10
	case '百':
		return 0, 100
	case '千':
		return 0, 1000
	case '万':
		return 0, 10_000
	case '亿':
		return 0, 100_000_000
	}
	return 0, 0
}

// measureWords are what a single Chinese numeral is a number before.
// 一 is "a" before most of them, and counts only before those of afterOne and
// the long ones.
const (
	measureWords = "楼层种起台架艘张套份笔支款折个名位人次届季集例号月日年岁度场件条项家只辆座枚轮期章节级等部首篇册本天周点分秒元块米倍成胎孩强连颗棵匹头把瓶杯碗袋盒箱桶批组排间栋所处吨克斤升亩"
	afterOne     = "楼层届季集号期月日轮章节级等部"
)

var longMeasures = []string{
	"小时", "分钟", "秒钟", "刻钟", "个月", "星期", "礼拜", "世纪", "公里", "千米", "英里", "海里", "英尺", "英寸", "厘米", "毫米", "公斤", "千克", "毫克",
	"毫升", "公升", "公顷", "平方", "立方", "美元", "欧元", "英镑", "日元", "港元", "卢布", "百分点", "摄氏度",
}

// week stands before the number of a day of the week, 周六.
const week = "周"

func isWeekday(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && strings.ContainsRune("一二三四五六日天", r)
}

const (
	ordinal = "第"
	// share is how a share of a hundred begins in Chinese: 百分之五 is 5%.
	share   = "百分之"
	percent = "percent"
	against = "比"
)

// numerals returns the Chinese numeral that begins at s[at], with the 第 or 百分之
// before it: from == to where there is none. A single digit counts after these,
// before a measure word and in a score.
func numerals(s string, at int) (from, to int) {
	r, size := utf8.DecodeRuneInString(s[at:])
	p, nth, part := at, r == '第', r == '百' && strings.HasPrefix(s[at:], share)
	switch {
	case nth:
		p += size
	case part:
		p += len(share)
	}
	first := p
	runes := 0
	for p < len(s) {
		r, size = utf8.DecodeRuneInString(s[p:])
		if _, kind := digitOf(r); kind == 0 {
			break
		}
		runes++
		p += size
	}
	switch {
	case runes == 0:
		return at, at
	case nth, part, runes >= 2, !isPower(s[first:p]) && counts(s, p, s[first:p] == "一"):
		return at, p
	}
	return at, at
}

// isPower reports whether a numeral is a power of ten that nothing multiplies: of
// 数万元 and behind digits it is no number by itself.
func isPower(s string) bool { return s == "百" || s == "千" || s == "万" || s == "亿" }

// counts reports whether a measure word or the other side of a score stands at
// s[at].
func counts(s string, at int, one bool) bool {
	if at == len(s) {
		return false
	}
	measures := measureWords
	if one {
		measures = afterOne
	}
	if r, _ := utf8.DecodeRuneInString(s[at:]); strings.ContainsRune(measures, r) {
		return true
	}
	for _, word := range longMeasures {
		if strings.HasPrefix(s[at:], word) {
			return true
		}
	}
	if rest, found := strings.CutPrefix(s[at:], against); found && rest != "" {
		r, _ := utf8.DecodeRuneInString(rest)
		_, kind := digitOf(r)
		return kind == 1 && !startsWithAny(rest, "一些", "一般", "一直", "一起", "一样")
	}
	return false
}

func startsWithAny(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// hanNumber takes the numeral of Chinese characters that begins the word at
// clean[at], or what it is part of, a date, a time, a score, and returns where
// that ends; at if there is none.
func (c *Cutter) hanNumber(clean string, at, end int) int {
	if r, _ := utf8.DecodeRuneInString(clean[at:]); r != '第' {
		if _, kind := digitOf(r); kind == 0 {
			return at
		}
	}
	from, to := numerals(clean[:end], at)
	if to == from {
		return at
	}
	written := clean[from:to]
	if strings.HasPrefix(written, ordinal) {
		c.number(written, chineseNumber(written))
		return to
	}
	part := strings.HasPrefix(written, share)
	if !part {
		if r, _ := utf8.DecodeRuneInString(clean[to:]); to < len(clean) {
			if after := c.dateOrTime(clean, from, to, r); after > from {
				return after
			}
		}
	}
	value := chineseNumber(written)
	if fraction, after := chineseFraction(clean[:end], to); after > to {
		value, to = decimal(value+"."+fraction), after
		var zeros int
		if to, zeros = scaleEnd(clean, to); zeros > 0 {
			value = shifted(value, zeros)
		}
	}
	c.number(clean[from:to], value)
	if part {
		c.put(percent, false)
	}
	return c.score(clean, to)
}

// score takes the other side of a score behind the number that ends at clean[at],
// 3比1, and returns where it ends; at if there is none.
func (c *Cutter) score(clean string, at int) int {
	for strings.HasPrefix(clean[at:], against) {
		n, to := integer(clean, at+len(against))
		if n < 0 || to < len(clean) && (clean[to] == '.' || startsWithAny(clean[to:], "年", "月", "日", "点", "般", "些", "直", "起", "样")) {
			break
		}
		c.figure(n)
		at = to
	}
	return at
}

// chineseFraction reads 点五 behind a numeral, a fraction unless it is a time.
func chineseFraction(s string, at int) (fraction string, end int) {
	rest, found := strings.CutPrefix(s[at:], "点")
	if !found {
		return "", at
	}
	end = at + len("点")
	for _, r := range rest {
		value, kind := digitOf(r)
		if kind != 1 {
			if kind == 10 || r == '分' || r == '刻' || r == '点' {
				return "", at
			}
			break
		}
		fraction += strconv.FormatInt(value, 10)
		end += utf8.RuneLen(r)
		if len(fraction) > 9 {
			return "", at
		}
	}
	if fraction == "" {
		return "", at
	}
	return fraction, end
}

// chineseNumber writes a Chinese numeral in digits, 十一 as 11 and 二〇二五 as
// 2025; what is no regular numeral stays as it is.
func chineseNumber(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, ordinal), share)
	var total, section, digit int64
	plain, digits := true, []byte(nil)
	for _, r := range s {
		value, kind := digitOf(r)
		switch {
		case kind == 1:
			digit = value
			digits = append(digits, '0'+byte(value))
			continue
		case kind >= 10_000:
			total += max(section+digit, 1) * kind
			section, digit = 0, 0
		default:
			section += max(digit, 1) * kind
			digit = 0
		}
		plain = false
	}
	if plain {
		return decimal(string(digits))
	}
	return strconv.FormatInt(total+section+digit, 10)
}
