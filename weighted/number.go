package weighted

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// numberEnd returns where the number ends that begins at s[at], a digit: digits
// with separators of thousands and decimals. 0 if letters follow without a
// separator, which makes it a code such as 2nd or 16gb.
func numberEnd(s string, at int) int {
	end := at
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	grouped := false
	for end-at <= 3 || grouped {
		if end+3 < len(s) && s[end] == ',' && isDigit(s[end+1]) && isDigit(s[end+2]) && isDigit(s[end+3]) &&
			(end+4 == len(s) || !isDigit(s[end+4])) {
			end += 4
			grouped = true
			continue
		}
		break
	}
	separated := grouped
	if end+1 < len(s) && s[end] == '.' && isDigit(s[end+1]) {
		separated = true
		for end++; end < len(s) && isDigit(s[end]); {
			end++
		}
	}
	if r, _ := utf8.DecodeRuneInString(s[end:]); end < len(s) && class(r) == classLetter && !separated {
		if _, zeros := scaleEnd(s, end); zeros == 0 {
			return 0
		}
	}
	return end
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

// scales are the words behind a number that multiply it, as powers of ten.
var scales = []struct {
	word  string
	zeros int
}{{"thousand", 3}, {"million", 6}, {"mn", 6}, {"billion", 9}, {"bn", 9}, {"trillion", 12}, {"tn", 12}, {"万亿", 12}, {"万", 4}, {"亿", 8}}

// scaleEnd returns where the scale ends that stands behind a number that ends
// at s[at], and its power of ten; at and 0 where there is none.
func scaleEnd(s string, at int) (end, zeros int) {
	from := at
	if strings.HasPrefix(s[at:], " ") {
		from++
	}
	for _, scale := range scales {
		if !strings.HasPrefix(s[from:], scale.word) {
			continue
		}
		end = from + len(scale.word)
		if r, _ := utf8.DecodeRuneInString(s[end:]); end < len(s) && class(r) == classLetter {
			continue
		}
		return end, scale.zeros
	}
	return at, 0
}

// shifted multiplies a number in one form by a power of ten.
func shifted(value string, zeros int) string {
	whole, fraction, _ := strings.Cut(value, ".")
	fraction += strings.Repeat("0", max(0, zeros-len(fraction)))
	return decimal(whole + fraction[:zeros] + "." + fraction[zeros:])
}

// decimal writes a number of digits, commas and a point in one form: without
// commas, zeros in front and zeros behind the point.
func decimal(s string) string {
	if strings.IndexByte(s, ',') >= 0 {
		s = strings.ReplaceAll(s, ",", "")
	}
	if strings.IndexByte(s, '.') >= 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s = strings.TrimLeft(s, "0"); s == "" || s[0] == '.' {
		s = "0" + s
	}
	return s
}

// numberWords are the values of English number words. "One" is left out: it is
// a pronoun more often than a number.
var numberWords = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17",
	"eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60",
	"seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100", "thousand": "1000", "million": "1000000",
}

func numberWord(word string) string {
	if len(word) < 3 || len(word) > 9 {
		return ""
	}
	return numberWords[word]
}

// codeNumbers appends the values of the runs of digits in a code to dst.
func codeNumbers(dst []string, word string) []string {
	for i := 0; i < len(word); {
		if !isDigit(word[i]) {
			i++
			continue
		}
		end := i
		for end < len(word) && isDigit(word[end]) {
			end++
		}
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
// 一 is "a" before most of them, and counts only before those of afterOne.
const (
	measureWords = "楼层种起台架艘张套份笔支款折个名位人次届季集例号月日年岁度场件条项家只辆座枚轮期章节级等部首篇册本天周点分秒元块米倍成胎孩强连"
	afterOne     = "楼层届季集号期月日轮章节级等部"
)

// currencies are the signs before amounts, and what stands behind them in Chinese.
const currencies = "$€£¥₹₽₩元"

// isCurrency reports whether a number is an amount by what it counts.
func isCurrency(measure rune) bool { return measure != 0 && strings.ContainsRune(currencies, measure) }

// onTheHour stands behind the hour, 9:00.
const onTheHour = ":00"

// week stands before the number of a day of the week, 周六.
const week = "周"

func isWeekday(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return size == len(word) && strings.ContainsRune("一二三四五六日天", r)
}

// percent is how a share of a hundred begins in Chinese: 百分之五 is 5%.
const percent = "百分之"

// numerals returns the Chinese numeral that begins at s[at], with the 第 or 百分之
// before it: from == to where there is none. A single digit counts after these
// and before a measure word.
func numerals(s string, at int) (from, to int) {
	r, size := utf8.DecodeRuneInString(s[at:])
	p, ordinal, share := at, r == '第', strings.HasPrefix(s[at:], percent)
	switch {
	case ordinal:
		p += size
	case share:
		p += len(percent)
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
	if runes == 0 {
		return at, at
	}
	measures := measureWords
	if s[first:p] == "一" {
		measures = afterOne
	}
	next, _ := utf8.DecodeRuneInString(s[p:])
	if ordinal || share || runes >= 2 || p < len(s) && strings.ContainsRune(measures, next) {
		return at, p
	}
	return at, at
}

// chineseNumber writes a Chinese numeral in digits, 十一 as 11 and 二〇二五 as
// 2025; what is no regular numeral stays as it is.
func chineseNumber(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "第"), percent)
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
