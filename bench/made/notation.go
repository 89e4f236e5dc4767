package made

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// Numbers, dates and scores with several notations.
var (
	thousands  = regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\b`)
	ungrouped  = regexp.MustCompile(`(^|[^\d.,:/第-])([1-9]\d{3,6})(人|元|万|名|米|公里|个|吨|次| people| miles| dollars| users| documents| meters)`)
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

// numeralChinese changes 六小时 to 6小时, or the reverse.
func numeralChinese(_ *maker, rng *rand.Rand, _ textOf, s string) (string, bool) {
	if loc := measured.FindStringSubmatchIndex(s); loc != nil && ((s[loc[6]:loc[7]] != "月" && s[loc[6]:loc[7]] != "日") || (!strings.ContainsAny(s[loc[7]:min(len(s), loc[7]+1)], "0123456789") && !strings.HasSuffix(s[:loc[4]], "年") && !strings.HasSuffix(s[:loc[4]], "月"))) {
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

func scoreChinese(_ *maker, rng *rand.Rand, t textOf, s string) (string, bool) {
	loc := score.FindStringSubmatchIndex(s)
	if loc == nil || (t.source != "zh_weibo_hotsearch" && s[loc[6]:loc[7]] != "比") {
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
