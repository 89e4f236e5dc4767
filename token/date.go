package token

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A date is its year, month and day, in this order, whatever the order and the
// signs it is written in; a month is the English word for it. A time is one
// number, 9:30, and in the afternoon that of the clock behind the word pm.

var months = [...]string{
	"", "january", "february", "march", "april", "may", "june",
	"july", "august", "september", "october", "november", "december",
}

// monthOf returns the number of a month by its canonical name; 0 for none.
func monthOf(name string) int {
	for n := 1; n < len(months); n++ {
		if months[n] == name {
			return n
		}
	}
	return 0
}

const (
	firstYear = 1000
	lastYear  = 2999
)

func isYear(n int) bool { return firstYear <= n && n <= lastYear }
func isDay(n int) bool  { return 1 <= n && n <= 31 }

// integer reads the integer of at most four digits or Chinese numerals that
// begins at s[at], and returns where it ends; at and -1 if there is none.
func integer(s string, at int) (n, end int) {
	if end = digitsEnd(s, at); end > at {
		if end-at > mostPlain {
			return -1, at
		}
		n, _ = strconv.Atoi(s[at:end]) // four digits are one
		return n, end
	}
	runes := 0
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if _, kind := digitOf(r); kind == 0 || kind > 10 {
			break
		}
		if runes++; runes > mostPlain {
			return -1, at
		}
		end += size
	}
	if end == at {
		return -1, at
	}
	n, _ = strconv.Atoi(chineseNumber(s[at:end]))
	return n, end
}

// dateOrTime takes the date or the time that begins with the number clean[at:end],
// behind which next stands, and returns where it ends; at if there is none.
func (c *Cutter) dateOrTime(clean string, at, end int, next rune) int {
	switch next {
	case '-', '/', '.':
		if to := c.isoDate(clean, at, end); to > at {
			return to
		}
		if next == '-' {
			return c.dayFirst(clean, at, end)
		}
	case ':':
		return c.clock(clean, at, end)
	case ' ':
		p := end + 1
		if p == len(clean) {
			return at
		}
		if r, _ := utf8.DecodeRuneInString(clean[p:]); r >= utf8.RuneSelf {
			if r == '年' || r == '月' || r == '点' || r == '时' {
				return c.dateOrTime(clean, at, p, r)
			}
			return at
		}
		if isLower(clean[p]) {
			if to := c.halfOfDay(clean, at, end); to > at {
				return to
			}
			return c.dayFirst(clean, at, end)
		}
	case 'a', 'p':
		return c.halfOfDay(clean, at, end)
	case 's', 'n', 'r', 't':
		if _, to := ordinalEnd(clean, at, end); to > end {
			if after := c.dayFirst(clean, at, to); after > at {
				return after
			}
		}
	case '年', '月':
		return c.chineseDate(clean, at)
	case '点', '时':
		return c.chineseClock(clean, at, end)
	}
	return at
}

// date adds a date; a part that is 0 is not there.
func (c *Cutter) date(year, month, day int) {
	if year > 0 {
		c.figure(year)
	}
	c.put(months[month], false)
	if day > 0 {
		c.figure(day)
	}
}

func (c *Cutter) figure(n int) {
	value := strconv.Itoa(n)
	c.number(value, value)
}

// isoDate takes 2024-03-05, 2024/3/5 and 2024.3.5.
func (c *Cutter) isoDate(clean string, at, end int) int {
	year, _ := integer(clean, at)
	if end-at != 4 || !isDigit(clean[at]) || !isYear(year) {
		return at
	}
	sign := clean[end]
	month, p := integer(clean, end+1)
	if month < 1 || month > 12 || !isDigit(clean[p-1]) || p == len(clean) || clean[p] != sign || p-end > 3 {
		return at
	}
	day, to := integer(clean, p+1)
	if !isDay(day) || !isDigit(clean[to-1]) || to-p > 3 || to < len(clean) && (isWordByte(clean[to]) && clean[to] != 't' || clean[to] == sign) {
		return at
	}
	c.date(year, month, day)
	if to+1 < len(clean) && clean[to] == 't' && isDigit(clean[to+1]) {
		to++ // 2024-03-05t09:30
	}
	return to
}

// clock takes 9:30, and pm behind it.
func (c *Cutter) clock(clean string, at, end int) int {
	hour, _ := integer(clean, at)
	minute, to := integer(clean, end+1)
	if end-at > 2 || hour < 0 || hour > 24 || to != end+3 || minute < 0 || minute > 59 || !isDigit(clean[to-1]) ||
		to < len(clean) && isDigit(clean[to]) || at > 0 && clean[at-1] == ':' {
		return at
	}
	half, after := halfOfDay(clean, to)
	c.time(clean[at:to], hour, minute, half)
	return after
}

// time adds a time, and before it which half of the day is meant where that is
// said or told by an hour beyond twelve.
func (c *Cutter) time(written string, hour, minute int, half string) {
	n := len(c.tokens)
	switch {
	case n > 0 && c.tokens[n-1].Han && c.tokens[n-1].Text == "下午":
		c.tokens = c.tokens[:n-1]
		half = "pm"
	case n > 0 && c.tokens[n-1].Han && c.tokens[n-1].Text == "上午":
		c.tokens = c.tokens[:n-1]
		half = "am"
	}
	if hour > 12 && hour < 24 {
		hour, half = hour-12, "pm"
	}
	if half != "" {
		c.put(half, false)
	}
	value := strconv.Itoa(hour) + ":" + strconv.Itoa(minute/10) + strconv.Itoa(minute%10)
	c.number(written, value)
}

// halfOfDay reads am or pm at s[at], behind a space or not, and returns where it
// ends.
func halfOfDay(s string, at int) (half string, end int) {
	p := skipSpace(s, at)
	if p == len(s) || s[p] != 'a' && s[p] != 'p' {
		return "", at
	}
	half = "am"
	if s[p] == 'p' {
		half = "pm"
	}
	switch rest := s[p+1:]; {
	case strings.HasPrefix(rest, "m"):
		end = p + 2
	case strings.HasPrefix(rest, ".m."):
		end = p + 4
	case strings.HasPrefix(rest, ".m"):
		end = p + 3
	default:
		return "", at
	}
	if end < len(s) && wordAt(s, end) > end {
		return "", at
	}
	return half, end
}

// halfOfDay takes 9am, 9 p.m. and 9 o'clock.
func (c *Cutter) halfOfDay(clean string, at, end int) int {
	hour, _ := integer(clean, at)
	if hour < 0 || hour > 24 {
		return at
	}
	if half, to := halfOfDay(clean, end); to > end {
		c.time(clean[at:end], hour, 0, half)
		return to
	}
	if p := skipSpace(clean, end); startsWithAny(clean[p:], "o'clock", "oclock", "o’clock") {
		to := wordAt(clean, p+strings.IndexByte(clean[p:], 'c'))
		half, to := halfOfDay(clean, to)
		c.time(clean[at:end], hour, 0, half)
		return to
	}
	return at
}

// monthAt reads the name of a month at s[at], and returns its number and where it
// ends with the point behind it.
func monthAt(s string, at int) (month, end int) {
	end = wordAt(s, at)
	if end-at < 3 || end-at > len("september") {
		return 0, at
	}
	f := listed(s[at:end])
	if f.kind != kindMonth {
		return 0, at
	}
	if end < len(s) && s[end] == '.' && end-at <= 4 {
		end++
	}
	return monthOf(f.text), end
}

// yearAt reads a year of four digits behind a comma, a space or a hyphen at
// s[at], and returns where it ends; at and 0 if there is none.
func yearAt(s string, at int) (year, end int) {
	p := at
	if p < len(s) && s[p] == ',' {
		p++
	}
	if p < len(s) && (s[p] == ' ' || s[p] == '-') {
		p++
	}
	if p == at {
		return 0, at
	}
	end = digitsEnd(s, p)
	if end-p != 4 || end < len(s) && (isWordByte(s[end]) || s[end] == ':') {
		return 0, at
	}
	if year, _ = integer(s, p); !isYear(year) {
		return 0, at
	}
	return year, end
}

// dayFirst takes 5 march 2024, 5th of march and 5-mar-2024.
func (c *Cutter) dayFirst(clean string, at, end int) int {
	number := digitsEnd(clean, at)
	day, _ := integer(clean, at)
	if number == at || number-at > 2 || !isDay(day) || end+1 >= len(clean) {
		return at
	}
	p := end + 1
	if strings.HasPrefix(clean[p:], "of ") {
		p += len("of ")
	}
	if clean[end] != ' ' && clean[end] != '-' {
		return at
	}
	month, to := monthAt(clean, p)
	if month == 0 {
		return at
	}
	year, to := yearAt(clean, to)
	c.date(year, month, day)
	return to
}

// monthFirst takes march 5, 2024, march 5th and march 2024, of which clean[at:end]
// is the month, and returns where it ends; end if no day and no year follows.
func (c *Cutter) monthFirst(clean string, at, end int) int {
	month, p := monthAt(clean, at)
	if month == 0 || p >= len(clean) {
		return end
	}
	if year, to := yearAt(clean, p); year > 0 {
		c.date(year, month, 0)
		return to
	}
	if clean[p] != ' ' && clean[p] != '-' {
		return end
	}
	p++
	if strings.HasPrefix(clean[p:], "the ") {
		p += len("the ")
	}
	number := digitsEnd(clean, p)
	day, _ := integer(clean, p)
	if number == p || number-p > 2 || !isDay(day) {
		return end
	}
	to := number
	if _, nth := ordinalEnd(clean, p, number); nth > number {
		to = nth
	} else if to < len(clean) && (wordAt(clean, to) > to || strings.IndexByte(":%", clean[to]) >= 0 || clean[to] == '.' && to+1 < len(clean) && isDigit(clean[to+1])) {
		return end
	}
	year, to := yearAt(clean, to)
	c.date(year, month, day)
	return to
}

// chineseDate takes 2024年3月5日, 3月5日, 3月 and the year of 2024年, in digits or
// Chinese numerals, with spaces between them or without.
func (c *Cutter) chineseDate(clean string, at int) int {
	n, p := integer(clean, at)
	year, month := 0, 0
	to := at
	if after := signEnd(clean, p, "年"); after > p && isYear(n) && !startsWithAny(clean[after:], "代", "度", "级") {
		year, to = n, after
		n, p = integer(clean, skipSpace(clean, after))
	}
	if after := signEnd(clean, p, "月"); n >= 1 && n <= 12 && after > p && !startsWithAny(clean[after:], "亮", "饼", "球") {
		month, to = n, signEnd(clean, after, "份")
		n, p = integer(clean, skipSpace(clean, after))
	}
	switch {
	case month == 0 && year > 0:
		c.figure(year)
		return to
	case month == 0:
		return at
	}
	day := 0
	if after := max(signEnd(clean, p, "日"), signEnd(clean, p, "号")); isDay(n) && p > to && after > p {
		day, to = n, after
	}
	c.date(year, month, day)
	return to
}

// signEnd returns where the character ends that stands at s[at], behind a space
// or not; at if it does not.
func signEnd(s string, at int, sign string) int {
	if p := skipSpace(s, at); strings.HasPrefix(s[p:], sign) {
		return p + len(sign)
	}
	return at
}

// chineseClock takes 9点, 9点30分, 9点半, 9点一刻 and 9时30分.
func (c *Cutter) chineseClock(clean string, at, end int) int {
	hour, p := integer(clean, at)
	if hour < 0 || hour > 24 || end-p > 1 {
		return at
	}
	r, size := utf8.DecodeRuneInString(clean[end:])
	to, rest := end+size, clean[end+size:]
	minute, minuteEnd := integer(clean, to)
	switch {
	case r == '时' && startsWithAny(rest, "间", "代", "段", "期", "候", "尚", "常", "装", "速"):
		return at
	case r == '点' && startsWithAny(rest, "评", "击", "赞", "名", "心"):
		return at
	case strings.HasPrefix(rest, "半"):
		minute, to = 30, to+len("半")
	case startsWithAny(rest, "一刻"):
		minute, to = 15, to+len("一刻")
	case startsWithAny(rest, "三刻"):
		minute, to = 45, to+len("三刻")
	case minute >= 0 && minute <= 59 && strings.HasPrefix(clean[minuteEnd:], "分"):
		to = minuteEnd + len("分")
	case minute >= 10 && minute <= 59 && r == '点' && !isDigit(clean[at]) == !isDigit(clean[to]):
		to = minuteEnd // 九点四十
	case minute >= 0 && minute <= 9 && r == '点':
		return at // 三点五, a decimal
	default:
		minute = 0
		to = max(to, signEnd(clean, to, "整"), signEnd(clean, to, "钟"))
	}
	c.time(clean[at:to], hour, minute, "")
	return to
}
