package made

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/segment"
)

// token is a word of a text.
type token struct{ start, end int }

// hit is a listed word in a text.
type hit struct {
	group      *group
	start, end int
	first, n   int // range of tokens
}

// tokens cuts a text into words: runs of letters and digits in English, and the words of the segmenter in Chinese.
func tokens(g *segment.Segmenter, language, s string) []token {
	var out []token
	if language == "zh" {
		at := 0
		for _, w := range g.Cut(nil, s, segment.HMM) {
			if r, _ := utf8.DecodeRuneInString(w); text.IsAlnum(r) {
				out = append(out, token{at, at + len(w)})
			}
			at += len(w)
		}
		return out
	}
	open := false
	for i, r := range s {
		if text.IsAlnum(r) {
			if !open {
				out = append(out, token{start: i})
			}
			open = true
			out[len(out)-1].end = i + utf8.RuneLen(r)
			continue
		}
		open = false
	}
	return out
}

// find returns the listed words that s uses as words of their class. At each token it takes the longest.
func (l *lexicon) find(g *segment.Segmenter, s string) []hit {
	ts := tokens(g, l.language, s)
	shouted := mostlyCapitals(s, ts)
	var out []hit
	for i := 0; i < len(ts); i++ {
		for n := min(4, len(ts)-i); n >= 1; n-- {
			start, end := ts[i].start, ts[i+n-1].end
			if end-start > 60 {
				continue
			}
			w := s[start:end]
			group := l.groups[w]
			if group == nil && l.language == "en" && sentenceStart(s, start) {
				group = l.groups[lowerFirst(w)]
				if group != nil && group.class.form == asName {
					group = nil
				}
			}
			if group == nil {
				continue
			}
			h := hit{group, start, end, i, n}
			if !shouted && l.stands(s, ts, h) {
				out = append(out, h)
			}
			i += n - 1
			break
		}
	}
	return out
}

func lowerFirst(w string) string {
	r, n := utf8.DecodeRuneInString(w)
	return string(unicode.ToLower(r)) + w[n:]
}

// mostlyCapitals reports whether a title capitalises its words, so that capitals do not show names.
func mostlyCapitals(s string, ts []token) bool {
	n := 0
	for _, t := range ts {
		if r, _ := utf8.DecodeRuneInString(s[t.start:]); unicode.IsUpper(r) {
			n++
		}
	}
	return n > 3 && n > len(ts)/2
}

// sentenceStart reports whether a position is at the start of s or after the end of a sentence.
func sentenceStart(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t\n\"“'‘(")
	return before == "" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "!") || strings.HasSuffix(before, "?") || strings.HasSuffix(before, ":")
}

type wordSet map[string]bool

func (s wordSet) has(w string) bool { return s[w] }

// set makes a set of words.
func set(words string) wordSet {
	out := wordSet{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

var (
	// Words that precede a noun.
	before = set(`a an the his her my your our their its this that these those any no some every each all both other another
		of in on by with without for from at new old and or as first second two three four five six seven eight nine ten
		many several few most more such local national public private former 's s small large big little young good bad great
		own same different whole next last main major senior his per about under over near behind between among against`)
	determiners = set(`a an the his her my your our their its this that every each 's s`)
	numerals    = set(`a an one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty
		hundred thousand million billion several few many last next this each every per square cubic`)
	// Words before which a word is part of a name or an idiom.
	compounds = set(`house market card list mail hole box flag tape cross sea bank street jack union belt sox wings devils bulls
		league time bit rights line hand way point half`)
	peopleOrIdiom = set(`voters man men woman women people person president student students community player players child children girl girls boy boys church leader leaders americans american teenager neighborhood neighborhoods planet ink meat wine tea hair south africans africa and`)
	organisations = set(`大学 银行 证券 集团 公司 队 国安 申花 日报 晚报 卫视 航空 电视台 时报 队长 学院 集团公司 股份 人寿 石化 理工大学 师范大学
		时间 条 位 机场 火车站 路 街 街道 号 航天 版 站 一中 中学 之春 味 菜 人民出版社 卫士 总局 博物院 博物馆 冬奥 奥运 奥运会 冬奥会 财经大学 政法大学 交通大学 话 货 蛋糕 炸酱面 火锅 烤鸭`)
	colourIdioms  = set(`文化 资源 旅游 教育 传承 基因 生活 生态 发展 食品 金融 低碳 通道 环保 出行 建筑 产业 能源 制造 消费 矿山 污染 星期五 地带 网站 产业链 预警 信号 革命 遗址 传统 故事 引擎 江山 血脉 债券 转型 增长 办公 农业 交通 采购 信贷 经济 经典 记忆 圣地 收入 幽默 产品`)
	institutions  = set(`银行 大学 学校 中学 小学 医院 机场 法院 火车站 图书馆 博物馆 动物园 体育馆`)
	ordinalIdioms = set(`条 章 款 项 时间 方 手 人称 产业`)
	// months that are also other words
	monthBefore = set(`in on of since until till last next early late mid by this from through to before after and between`)
)

// placeNamed reports whether the lists have w as a place.
func (l *lexicon) placeNamed(w string) bool {
	g := l.groups[w]
	return g != nil && (g.class.set() == "place" || g.class.set() == "province" || g.class.set() == "country")
}

// tokened is a text with its tokens.
type tokened struct {
	text string
	all  []token
}

// word returns the word of token i, or "" if there is none.
func (t tokened) word(i int) string {
	if i < 0 || i >= len(t.all) {
		return ""
	}
	return t.text[t.all[i].start:t.all[i].end]
}

// gap returns the text between tokens i-1 and i.
func (t tokened) gap(i int) string {
	if i <= 0 || i >= len(t.all) {
		return "|"
	}
	return t.text[t.all[i-1].end:t.all[i].start]
}

// stands reports whether a word is used as a word of its class, judging by the words around it.
func (l *lexicon) stands(s string, ts []token, h hit) bool {
	t := tokened{s, ts}
	prev, next := t.word(h.first-1), t.word(h.first+h.n)
	gapBefore, gapAfter := t.gap(h.first), t.gap(h.first+h.n)
	if (strings.ContainsAny(gapBefore, "-@/_.\\") && !strings.Contains(gapBefore, " ")) || (strings.ContainsAny(gapAfter, "-@/_\\") && !strings.Contains(gapAfter, " ")) {
		return false
	}
	if gapAfter == "." && next != "" { // a domain
		return false
	}
	c := h.group.class
	if l.language == "zh" {
		return l.standsChinese(c, s[h.start:h.end], prev, next, gapBefore, gapAfter)
	}
	lowPrev, lowNext := strings.ToLower(prev), strings.ToLower(next)
	number := prev != "" && prev[0] >= '0' && prev[0] <= '9'
	if c.form != asName && ((gapAfter == " " && compounds[lowNext]) || gapBefore == "'" || (gapAfter == "'" && lowNext != "s")) {
		return false
	}
	first := sentenceStart(s, h.start)
	switch c.set() {
	case "month":
		return (number && gapBefore == " ") || (next != "" && next[0] >= '0' && next[0] <= '9') || monthBefore[prev]
	case "nationality", "language":
		return !(gapAfter == " " && set("Union Commission Central Economic Parliament America Tigers Tiger Open Cup Airways").has(next))
	case "weekday":
		return true
	case "religion":
		return gapAfter != " " || !capital(next)
	case "person", "surname", "name":
		return !(gapAfter == " " && set("Street University Hospital Center Centre Park Prize Award Road Airport County City Island Lake").has(next)) && gapAfter != ". "
	case "place", "country", "company", "organisation", "product":
		if l.partOfName(t, h) {
			return false
		}
		return !(first && c.set() == "company" && len(h.group.words[0]) < 6 && gapAfter == " " && !set("said says is has will to and announced plans was shares 's").has(lowNext))
	case "unit", "currency":
		return (number && gapBefore == " ") || (numerals[lowPrev] && gapBefore == " ")
	case "scale":
		return number || numerals[lowPrev]
	case "ordinal":
		return determiners[lowPrev] && gapBefore == " " && !set("place name lady minister aid hand half person party").has(lowNext)
	case "numeral":
		_, before := l.groups[lowPrev]
		return !(before && l.groups[lowPrev].class.set() == "numeral") && !(l.groups[lowNext] != nil && l.groups[lowNext].class.set() == "numeral") && lowPrev != "point"
	case "colour":
		return !peopleOrIdiom[lowNext] && lowPrev != "into" && !(lowPrev == "the" && gapAfter != " ")
	case "season", "daytime", "direction":
		return lowPrev != "good" && lowNext != "time"
	}
	// nouns must follow a determiner, with at most an adjective in between
	if l.plural[strings.ToLower(s[h.start:h.end])] && first {
		return true
	}
	if gapBefore != " " || (c.form == asMass && gapAfter == "'") {
		return false
	}
	return before[lowPrev] || (determiners[strings.ToLower(t.word(h.first-2))] && t.gap(h.first-1) == " ")
}

func capital(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}

// partOfName reports whether a place, company or the like is part of a longer name, or an abbreviation.
func (l *lexicon) partOfName(t tokened, h hit) bool {
	prev, next := t.word(h.first-1), t.word(h.first+h.n)
	before, after := t.gap(h.first), t.gap(h.first+h.n)
	switch {
	case after == " " && capital(next):
		return true
	case before == " " && capital(prev) && !sentenceStart(t.text, t.all[h.first-1].start):
		return true
	case after == ", " && capital(next) && h.group.class.set() == "place" && l.groups[next] != nil && l.groups[next].class.set() == "country":
		return true // "Paris, France"
	}
	return strings.HasSuffix(before, "(") && strings.HasPrefix(after, ")") // a source, or its short name
}

func (l *lexicon) standsChinese(c *class, w, prev, next, gapBefore, gapAfter string) bool {
	if c.form == asName { // Latin words, which must not be part of a longer one
		latin := func(w string) bool { return w != "" && w[0] < 128 }
		return !(latin(next) && (gapAfter == "" || gapAfter == " ")) && !(latin(prev) && (gapBefore == "" || gapBefore == " "))
	}
	adjacent := gapAfter == ""
	if adjacent && organisations[next] {
		return false
	}
	switch c.set() {
	case "place", "country", "province":
		// 北京人 and the like: with one more character, the name of a capital becomes another word
		return !(adjacent && utf8.RuneCountInString(next) == 1 && strings.Contains("队菜话味货派系通台", next))
	case "month":
		return !(adjacent && utf8.RuneCountInString(next) == 1 && strings.Contains("天份", next)) || next == "份"
	case "unit", "currency":
		return gapBefore == "" && prev != "" && (prev[0] < 128 || strings.ContainsAny(prev, "一二三四五六七八九十百千万亿两几"))
	case "building": // 北京银行 is a company
		return !(gapBefore == "" && institutions[w] && l.placeNamed(prev))
	case "person":
		return gapBefore != "·" && gapAfter != "·"
	case "colour":
		return !(adjacent && colourIdioms[next])
	case "ordinal":
		return !(adjacent && ordinalIdioms[next])
	}
	return true
}
