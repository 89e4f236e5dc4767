package made

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A change replaces a stretch of a text.
type change struct {
	class      string
	start, end int
	with       string
}

func (c change) apply(s string) string { return s[:c.start] + c.with + s[c.end:] }

// another draws a word of the same class with another meaning.
func (l *lexicon) another(rng *rand.Rand, s string, h hit) (string, bool) {
	c := h.group.class
	if len(c.groups) < 2 {
		return "", false
	}
	old := s[h.start:h.end]
	for range 20 {
		g := c.groups[rng.IntN(len(c.groups))]
		if g == h.group || len(g.words) == 0 {
			continue
		}
		w := g.words[rng.IntN(len(g.words))]
		if strings.Contains(s, w) {
			continue // the text already mentions it
		}
		if l.language == "en" {
			if l.plural[strings.ToLower(old)] {
				w = plural(w)
			}
			if c.form != asName {
				w = likeCase(w, old)
			}
			if !sameArticle(s[:h.start], old, w) {
				continue
			}
		}
		return w, true
	}
	return "", false
}

// sameArticle reports whether a new word fits after the article "a" or "an" of the old one.
func sameArticle(before, old, new string) bool {
	words := strings.Fields(before)
	if len(words) == 0 || (!strings.EqualFold(words[len(words)-1], "a") && !strings.EqualFold(words[len(words)-1], "an")) {
		return true
	}
	return vowel(old) == vowel(new)
}

func vowel(w string) bool { return strings.ContainsRune("aeiouAEIOU", rune(w[0])) && w != "university" }

// facts lists changes of single places in a text that change its meaning, in the order of the text.
func (m *maker) facts(rng *rand.Rand, t textOf, hits []hit) []change {
	l := m.lexica[t.language]
	var out []change
	for _, h := range hits {
		if w, ok := l.another(rng, t.body, h); ok {
			out = append(out, change{h.group.class.set(), h.start, h.end, w})
		}
	}
	out = append(out, numbers(rng, t)...)
	out = append(out, l.opposite(rng, m.tokens(t), t.body)...)
	out = append(out, negations(l.language, m.tokens(t), t.body)...)
	out = append(out, exchanges(t.body, hits, l.language)...)
	return slices.DeleteFunc(out, func(c change) bool { return contested(t, c) })
}

// contested reports changes after which a reader may still call two texts the same: to the date or version of a document,
// and to words that may be names of the authors of a record.
func contested(t textOf, c change) bool {
	if c.class == "data" && t.source != "dblp_acm" {
		return true
	}
	switch t.source {
	case "ota_terms_versions":
		return (c.class == "year" || c.class == "version" || c.class == "month" || c.class == "date") && edition.MatchString(t.body)
	case "dblp_acm":
		return c.class == "furniture" || c.class == "colour" || c.class == "person" || c.class == "surname" || c.class == "name" || c.start*5 > len(t.body)*2
	}
	return false
}

var edition = regexp.MustCompile(`(?i)effective|updated|revised|version|as of|modified`)

// opposite lists changes of words to their opposite.
func (l *lexicon) opposite(rng *rand.Rand, ts []token, s string) []change {
	var out []change
	for i, t := range ts {
		w := s[t.start:t.end]
		others := l.opposites[w]
		if others == nil && l.language == "en" && sentenceStart(s, t.start) {
			others = l.opposites[lowerFirst(w)]
		}
		if len(others) == 0 || hyphenated(s, t) {
			continue
		}
		other := others[rng.IntN(len(others))]
		if l.language == "en" {
			other = likeCase(other, w)
			prev := ""
			if i > 0 {
				prev = strings.ToLower(s[ts[i-1].start:ts[i-1].end])
			}
			next := ""
			if i+1 < len(ts) {
				next = strings.ToLower(s[ts[i+1].start:ts[i+1].end])
			}
			if !oppositeStands(strings.ToLower(w), prev, next) || !sameArticle(s[:t.start], w, other) {
				continue
			}
		}
		if l.language == "zh" && i+1 < len(ts) && set("以上 以下").has(w) && (set("简称 统称 称 规定 条款 各项").has(s[ts[i+1].start:ts[i+1].end]) || i == 0) {
			continue
		}
		if (strings.Contains(s, other) && l.language == "zh") || (l.language == "en" && containsWord(s, other)) {
			continue
		}
		out = append(out, change{"opposite", t.start, t.end, other})
	}
	return out
}

// oppositeStands excludes words that have another meaning in their context: left after "was", "up to", "set up", "at most",
// "at all".
func oppositeStands(w, prev, next string) bool {
	switch w {
	case "left", "right":
		return prev == "the" && (next == "side" || next == "hand" || next == "wing" || next == "leg" || next == "arm" || next == "foot" || next == "corner")
	case "up", "down":
		return prev == "go" || prev == "went" || prev == "was" || prev == "is" || prev == "were" || prev == "move" || next == "percent"
	case "most", "least":
		return prev == "at" || prev == "the"
	case "all", "none", "more", "fewer", "present", "light", "hard", "free", "take", "give", "gave", "took", "may", "ask", "answer", "full", "clean", "kind", "like":
		return w == "free" && prev == "for"
	case "support", "supports", "buy", "oppose":
		return set("to will would not they we i you who not cannot can").has(prev)
	case "good":
		return !set("morning night evening afternoon luck day thing faith friday").has(next)
	case "long", "short", "old", "young", "early", "late", "first", "hot", "cold", "cool", "warm":
		return next != "term" && next != "as" && prev != "as" && prev != "too" && prev != "years" && prev != "so" && prev != "in"
	case "before", "after":
		return next != "all" && prev != "look" && prev != "looking"
	case "can":
		return next != "t"
	case "must":
		return next != "not"
	case "never", "always":
		return true
	case "open", "close":
		return next != "to" && next != "source"
	case "gain", "gains", "rose", "loss", "losses":
		return true
	}
	return true
}

func hyphenated(s string, t token) bool {
	return (t.start > 0 && strings.ContainsRune("-'’", rune(s[t.start-1]))) || (t.end < len(s) && strings.ContainsRune("-'’", rune(s[t.end])))
}

func containsWord(s, w string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], w)
		if i < 0 {
			return false
		}
		i += at
		if !wordAt(s, i-1, false) && !wordAt(s, i+len(w), true) {
			return true
		}
		at = i + len(w)
	}
}

// wordAt reports whether s[i] is an ASCII letter or digit.
func wordAt(s string, i int, _ bool) bool {
	return i >= 0 && i < len(s) && ((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= '0' && s[i] <= '9'))
}

// Words that "not" may follow.
var auxiliaries = set("is are was were will would can could should has have had does did do may might must am")

// negations lists changes that insert or delete a negation.
func negations(language string, ts []token, s string) []change {
	var out []change
	if strings.ContainsAny(s, "?？吗") {
		return nil // a question is about the same, negated or not
	}
	for i, t := range ts {
		w := s[t.start:t.end]
		prev, next := "", ""
		if i > 0 {
			prev = s[ts[i-1].start:ts[i-1].end]
		}
		if i+1 < len(ts) {
			next = s[ts[i+1].start:ts[i+1].end]
		}
		if language == "en" {
			switch {
			case (w == "not" && auxiliaries[strings.ToLower(prev)] && s[t.start-1] == ' ' && next != "only" && next != "be") || (w == "not" && prev == "be"):
				out = append(out, change{"negation", t.start - 1, t.end, ""})
			case set("is are was were will would could should must").has(w) && next != "" && next != "not" && next != "n" && t.end < len(s) && s[t.end] == ' ' && s[t.end+1] >= 'a' && s[t.end+1] <= 'z' && !set("there it they he she we you i also all been never no").has(strings.ToLower(next)):
				out = append(out, change{"negation", t.end, t.end, " not"})
			}
			continue
		}
		switch {
		case set("不能 不会 不是 不可以 不应 不应该 不支持 不允许 不需要 不想 不愿 不属于 不适用 不适合 不影响").has(w) && next != "不" && prev != "能" && prev != "会" && prev != "是" && prev != "只" && prev != "岂" && prev != "要":
			out = append(out, change{"negation", t.start, t.start + len("不"), ""})
		case set("可以 应该 能够 需要 支持 允许 属于 适用 适合 影响 会 建议 打算 愿意 承认 知道 符合 喜欢").has(w) && prev != "不" && prev != "没" && prev != "没有" && prev != "未" && prev != "也" && next != "不" && next != "会" && !strings.HasSuffix(prev, "不") && standsNegated(prev, w):
			out = append(out, change{"negation", t.start, t.start, "不"})
		}
	}
	return out
}

// standsNegated excludes 支持 and 需要 as nouns (系统支持, 生活需要), which 不 cannot negate.
func standsNegated(prev, w string) bool {
	switch w {
	case "支持", "需要", "影响", "建议":
		return set("我 你 他 她 我们 你们 他们 它 将 都 只 仍 仍然 目前 暂时 当前 版本 并").has(prev)
	case "会":
		return set("我 你 他 她 我们 你们 他们 它 这 将 就 都 系统 TiDB").has(prev)
	}
	return true
}

// exchanges lists exchanges of two words of one class whose order matters. They must not be part of a list, or be joined by
// "and".
func exchanges(s string, hits []hit, language string) []change {
	var out []change
	for i := 0; i+1 < len(hits); i++ {
		a, b := hits[i], hits[i+1]
		if a.group == b.group || a.group.class != b.group.class || a.group.class.form == asNoun || a.group.class.set() == "numeral" {
			continue
		}
		between := s[a.end:b.start]
		if n := utf8.RuneCountInString(between); n < 1 || n > 30 {
			continue
		}
		if (language == "en" && (!relation.MatchString(between) || strings.Contains(between, " and ") || strings.Contains(between, " or "))) || (language == "zh" && !relationChinese.MatchString(between)) {
			continue
		}
		out = append(out, change{"exchange", a.start, b.end, s[b.start:b.end] + between + s[a.start:a.end]})
	}
	return out
}

// The text between two words whose order matters.
var (
	relation        = regexp.MustCompile(`^[a-z ']*\b(to|over|from|than|beat|beats|defeated|told|attacked|accused|killed|bought|sold|invaded|asked|called|into|for|against|by)\b[a-z ']*$`)
	relationChinese = regexp.MustCompile(`^[^，。、；：！？和与及跟同暨vVx×&\s]*[向对比胜负击败飞往到赴被把让给称赢输击赴抵至撤入访告打骂追][^，。、；：！？和与及跟同暨\s]*$`)
)

// The forms of numbers.
var (
	numeric  = regexp.MustCompile(`[$£€¥￥]?\d+(?:[.,:]\d+)*(?:%| ?percent\b)?`)
	isYear   = regexp.MustCompile(`^(?:19\d\d|20[0-3]\d)$`)
	isClock  = regexp.MustCompile(`^\d{1,2}:\d\d$`)
	money    = regexp.MustCompile(`^ ?(?:元|万元|亿元|美元|欧元|英镑|日元|dollars|euros|pounds|p\b|pence)`)
	isAmount = regexp.MustCompile(`^[$£€¥￥]`)
)

// numbers lists changes of numbers, versions, years, amounts, times and codes.
func numbers(rng *rand.Rand, t textOf) []change {
	s := t.body
	var out []change
	urls := url.FindAllStringIndex(s, -1)
	for _, loc := range numeric.FindAllStringIndex(s, -1) {
		start, end := loc[0], loc[1]
		w := s[start:end]
		if within(urls, loc) || joined(s, start-1) || joined(s, end) || len(w) > 11 {
			continue
		}
		class := "number"
		switch {
		case isClock.MatchString(w):
			class = "clock"
		case versioned(w, s[:start], s[end:]):
			class = "version"
		case strings.Count(w, ".") > 1:
			continue // part of an address
		case strings.HasSuffix(w, "%") || strings.HasSuffix(w, "percent"):
			class = "percent"
		case isAmount.MatchString(w) || money.MatchString(s[end:]):
			class = "amount"
		case isYear.MatchString(w) && !yearStands(t, s[:start], s[end:]):
			if t.source == "dblp_acm" {
				continue // records of one paper differ in it
			}
		case isYear.MatchString(w):
			class = "year"
		case len(w) >= 5 && t.language == "en" && !strings.ContainsAny(w, ",.:"):
			class = "code"
		case strings.HasPrefix(s[end:], "月") || strings.HasPrefix(s[end:], "日"):
			class = "date"
		case strings.ContainsAny(w, ":"):
			continue
		}
		if new, ok := otherNumber(rng, class, w, s); ok {
			out = append(out, change{class, start, end, new})
		}
	}
	return out
}

var (
	url           = regexp.MustCompile(`(?:https?://|www\.)[^\s)>"，。）]+|\S+@\S+|[\w-]+\.(?:com|org|net|co|uk|cn|md|html)\S*`)
	versionBefore = regexp.MustCompile(`(?:\b[vV]|[vV]ersion |[rR]elease |版本(?:为|是)? ?|\b(?:Linux|Ubuntu|Debian|Fedora|CentOS|RHEL|Mint|Android|Python|Java|PHP|MySQL|MariaDB|TiDB|TiKV|TiUP|GNOME|KDE|Firefox|Chrome|iOS|Kernel|kernel|内核|Plasma|openSUSE|Xfce|GCC|OpenSSL|Bluetooth|USB|Perl|Ruby|Rails|Qt|GTK|GIMP|LibreOffice|Vim|Node.js|Hadoop|Spark|Unity|Wine|Windows)[ -]?)$`)
)

func versioned(w, before, after string) bool {
	dots := strings.Count(w, ".")
	if strings.HasPrefix(after, " billion") || strings.HasPrefix(after, " million") || strings.HasPrefix(after, "%") || w[0] < '0' || w[0] > '9' {
		return false
	}
	return (dots == 2 && !strings.Contains(before, "--host") && !strings.Contains(w, ",")) || (dots == 1 && versionBefore.MatchString(before))
}

// yearStands excludes amounts that look like a year, and years in a record.
func yearStands(t textOf, before, after string) bool {
	if t.source == "dblp_acm" {
		return false
	}
	if t.language == "zh" {
		return strings.HasPrefix(after, "年") || strings.HasPrefix(after, " 年")
	}
	return !amountAfter.MatchString(after)
}

var amountAfter = regexp.MustCompile(`^ (?:people|dollars|pounds|miles|men|women|meters|metres|points|bonus|shares|jobs|workers|troops|soldiers|prize|cash|txt)`)

func within(all [][]int, loc []int) bool {
	for _, u := range all {
		if loc[0] < u[1] && loc[1] > u[0] {
			return true
		}
	}
	return false
}

// joined reports whether the character at i extends the adjacent word or number.
func joined(s string, i int) bool {
	return wordAt(s, i, true) || (i >= 0 && i < len(s) && strings.ContainsRune("-_/#&+*=", rune(s[i])))
}

// otherNumber draws another number that can replace w.
func otherNumber(rng *rand.Rand, class, w, s string) (string, bool) {
	for range 20 {
		var b strings.Builder
		switch class {
		case "year":
			y, _ := strconv.Atoi(w)
			y += rng.IntN(12) - 6
			b.WriteString(strconv.Itoa(y))
		case "clock":
			fmt.Fprintf(&b, "%d:%s", 1+rng.IntN(12), []string{"00", "15", "30", "45", "10", "20"}[rng.IntN(6)])
		case "version":
			b.WriteString(otherVersion(rng, w))
		case "date":
			fmt.Fprintf(&b, "%d", 1+rng.IntN(12))
		default:
			b.WriteString(otherDigits(rng, w))
		}
		if new := b.String(); new != w && !sameValue(new, w) && !strings.Contains(s, new) {
			return new, true
		}
	}
	return "", false
}

// sameValue reports whether two numbers are equal as decimals: 3.10 is 3.1, unless they are versions.
func sameValue(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}

// otherDigits replaces one digit or all. In one of six cases it also changes their number.
func otherDigits(rng *rand.Rand, w string) string {
	b := []byte(w)
	var places []int
	for i, c := range b {
		if c >= '0' && c <= '9' {
			places = append(places, i)
		}
	}
	one := rng.IntN(2) == 0
	pick := places[rng.IntN(len(places))]
	for n, i := range places {
		if one && i != pick {
			continue
		}
		least := 0
		if n == 0 {
			least = 1
		}
		b[i] = byte('0' + least + rng.IntN(10-least))
	}
	if len(places) > 1 && !strings.ContainsAny(w, ",.") && rng.IntN(6) == 0 {
		return string(b[:pick]) + string(b[pick+1:]) // 120 to 12
	}
	return string(b)
}

// otherVersion changes, removes or adds a part.
func otherVersion(rng *rand.Rand, w string) string {
	parts := strings.Split(w, ".")
	i := rng.IntN(len(parts))
	switch rng.IntN(4) {
	case 0:
		if len(parts[i]) > 1 { // 8.10.1 to 8.1.1
			parts[i] = parts[i][:len(parts[i])-1]
			break
		}
		parts[i] += strconv.Itoa(rng.IntN(10))
	default:
		n, _ := strconv.Atoi(parts[i])
		parts[i] = strconv.Itoa(max(0, n+1+rng.IntN(6)-3))
	}
	return strings.Join(parts, ".")
}
