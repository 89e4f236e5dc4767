package token

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// digitOf returns the value and the kind of a Chinese numeral. The kind is 1 for a digit, otherwise the power of ten, and 0
// for other runes.
func digitOf(r rune) (value, kind int64) {
	if at := strings.IndexRune(hanDigits, r); at >= 0 {
		return int64(at / len("零")), 1
	}
	switch r {
	case '〇':
		return 0, 1
	case '两':
		return 2, 1
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

const hanDigits = "零一二三四五六七八九"

// measureWords are the characters before which a single Chinese numeral is a number. 一 usually means "a" before them, so it
// only counts before those of afterOne and before long ones.
const (
	measureWords = "楼层种起台架艘张套份笔支款折个名位人次届季集例号月日年岁度场件条项家只辆座枚轮期章节级等部首篇册本天周点分秒元块米倍成胎孩强连颗棵匹头把瓶杯碗袋盒箱桶批组排间栋所处吨克斤升亩"
	afterOne     = "元楼层届季集号期月日轮章节级等部"
)

var longMeasures = []string{
	"小时", "分钟", "秒钟", "刻钟", "个月", "星期", "礼拜", "世纪", "公里", "千米", "英里", "海里", "英尺", "英寸", "厘米", "毫米", "公斤", "千克", "毫克",
	"毫升", "公升", "公顷", "平方", "立方", "美元", "欧元", "英镑", "日元", "港元", "卢布", "百分点", "摄氏度",
}

const (
	ordinal = "第"
	// share begins a percentage in Chinese: 百分之五 is 5%.
	share   = "百分之"
	ofParts = "分之"
	percent = "percent"
)

// numerals returns the bounds of the Chinese numeral that begins at s[at], after a 第 or 百分之. If there is none, from == to.
// A single digit counts only after these, or before a measure word.
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

// isPower reports whether a numeral is a power of ten without a multiplier. In 数万元 and after digits, it is not a number by
// itself.
func isPower(s string) bool { return s == "百" || s == "千" || s == "万" || s == "亿" }

// counts reports whether a measure word is at s[at].
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
	return strings.HasPrefix(s[at:], ofParts)
}

// hanNumber adds the Chinese numeral at the start of the word clean[at:end], with a preceding 第 or 百分之. It returns where
// the numeral ends, or at if there is none.
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
	value := chineseNumber(written)
	if fraction, after := chineseFraction(clean[:end], to); after > to {
		value, to = scaled(decimal(value+"."+fraction), clean[:end], after)
	}
	c.number(clean[from:to], value)
	if strings.HasPrefix(written, share) {
		c.put(percent, false)
	}
	return to
}

// chineseFraction parses 点五 after a numeral. It is a fraction unless it is a time.
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

// chineseNumber converts a Chinese numeral to digits: 十一 to 11 and 二〇二五 to 2025. It returns an irregular numeral unchanged.
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
