package token

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/text"
)

func newCutter(t testing.TB) *Cutter {
	t.Helper()
	l, err := NewLexicon(nil)
	if err != nil {
		t.Fatal(err)
	}
	return NewCutter(l, 0)
}

func TestLabel(t *testing.T) {
	l, err := NewLexicon(nil)
	if err != nil {
		t.Fatal(err)
	}
	own, err := NewLexicon(ownTable(t))
	if err != nil {
		t.Fatal(err)
	}
	if l.Label() != TablesLabel || own.Label() == TablesLabel || own.Label() == "" {
		t.Errorf("labels %q and %q", l.Label(), own.Label())
	}
}

// ownTable returns a table of three words.
func ownTable(t testing.TB) *keyword.IDFTable {
	t.Helper()
	raw, err := keyword.EncodeValues(map[string]int64{"run": keyword.Unit, "跑": keyword.Unit, "colour": keyword.Unit})
	if err != nil {
		t.Fatal(err)
	}
	table, err := keyword.ReadIDFTable(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A lexicon of a corpus only has the words of its table, and does not derive others from them.
func TestOwnLexicon(t *testing.T) {
	l, err := NewLexicon(ownTable(t))
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{"colour": "[colour] ", "ducks": "[ducks] ", "跑 6小时": "[跑] <6> [小时] "} {
		if got := show(NewCutter(l, 0).Cut(s)); got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
}

func show(tokens []Token) string {
	var b strings.Builder
	for _, x := range tokens {
		if x.Kind == Number {
			fmt.Fprintf(&b, "<%s> ", x.Text)
		} else {
			fmt.Fprintf(&b, "[%s] ", x.Text)
		}
	}
	return b.String()
}

func hashes(tokens []Token) []uint64 {
	out := make([]uint64, 0, len(tokens))
	for i := range tokens {
		out = append(out, tokens[i].Hash)
	}
	return out
}

// Texts of one meaning have the same tokens, however they are written; texts of another meaning do not.
func TestOneForm(t *testing.T) {
	tests := []struct {
		name string
		a, b string
		same bool
	}{
		{"version", "curl 8.10.1 released", "curl 8.1.1 released", false},
		{"version", "curl 8.10.1 released", "curl 8.10.1 released", true},
		{"version", "python 3.10 is out", "python 3.1 is out", false},
		{"version", "python3.10 is out", "python 3.10 is out", true},
		{"version", "v3.10", "v3.1", false},
		{"version", "v5.4.0 is out", "5.4.0 is out", true},
		{"version", "ios17.1", "ios 17.1", true},
		{"version", "ios17", "ios 17", true},
		{"version", "ios17", "ios18", false},
		{"version", "版本3.10", "版本3.1", false},
		{"version", "section 3.10", "section 3.1", false},
		{"thousands", "1,234 people", "1234 people", true},
		{"thousands", "1'234 people", "1234 people", true},
		{"thousands", "1,23 people", "123 people", false},
		{"full-width", "１２３人", "123人", true},
		{"words", "twenty-one men", "21 men", true},
		{"words", "twenty one men", "21 men", true},
		{"words", "two hundred and five men", "205 men", true},
		{"words", "two hundred men", "200 men", true},
		{"words", "twenty-one men", "22 men", false},
		{"words", "one of them", "1 of them", false},
		{"ordinal", "the 1st time", "the first time", true},
		{"ordinal", "the 2nd time", "the second time", true},
		{"ordinal", "the 2nd time", "the 3rd time", false},
		{"sign", "5 degrees", "-5 degrees", false},
		{"sign", "+3.5 %", "3.5 %", true},
		{"sign", "15 + 27", "15 - 27", false},
		{"sign", "a < b", "a > b", false},
		{"sign", "c++", "c", false},
		{"sign", "c#", "c", false},
		{"sign", ".net", "net", false},
		{"sign", "run --force", "run force", false},
		{"sign", "3:1", "3-1", true},
		{"sign", "is it raining?", "is it raining.", false},
		{"sign", "it is raining!", "it is raining.", true},
		{"sign", "5 ‰", "5 %", false},
		{"sign", "done ✓", "done ✗", false},
		{"link", "mail anna.b@example.org now", "mail anna.c@example.org now", false},
		{"roman", "rocky ii", "rocky iii", false},
		{"number sign", "no. 3", "no.3", true},
		{"number sign", "no. 3", "no.4", false},
		{"number sign", "no, not three", "not three", false},
		{"half", "½ price", "1/2 price", true},
		{"half", "三分之一", "三分之二", false},

		{"numeral", "六小时", "6小时", true},
		{"numeral", "六小时", "七小时", false},
		{"numeral", "三十分钟后", "30分钟后", true},
		{"numeral", "两个月", "2个月", true},
		{"numeral", "一个月", "1个月", true},
		{"numeral", "五公里外", "5公里外", true},
		{"numeral", "八公斤", "8公斤", true},
		{"numeral", "八十平方米", "80平方米", true},
		{"numeral", "三天", "3天", true},
		{"numeral", "新增三例", "新增3例", true},
		{"numeral", "第三", "第3", true},
		{"numeral", "第三集", "第3集", true},
		{"numeral", "第三集", "第四集", false},
		{"numeral", "三点五亿", "3.5亿", true},
		{"numeral", "三万人", "3万人", true},
		{"numeral", "三万人", "30,000人", true},
		{"numeral", "12.5亿元", "十二亿五千万元", true},
		{"numeral", "三万人", "3亿人", false},
		{"numeral", "百分之八十", "80%", true},
		{"numeral", "百分之三点五", "3.5%", true},
		{"numeral", "四次会议", "4次会议", true},
		{"numeral", "一般来说", "1般来说", false},
		{"numeral", "半小时", "30分钟", false},
		{"percent", "80 %", "80%", true},
		{"percent", "80 percent", "80%", true},
		{"percent", "80 pct", "80%", true},
		{"percent", "80%", "80", false},

		{"currency", "$799", "799 dollars", true},
		{"currency", "$799", "799 usd", true},
		{"currency", "$5", "€5", false},
		{"currency", "we won 5 games", "we 5 won games", false},
		{"currency", "¥5", "5元", true},
		{"currency", "5美元", "$5", true},
		{"currency", "£5", "5 pounds", true},
		{"unit", "5km", "5 km", true},
		{"unit", "5 kilometers", "5 kilometres", true},
		{"unit", "5 kms", "5km", true},
		{"unit", "5km", "5 miles", false},
		{"unit", "16gb", "16 gb", true},
		{"unit", "16gb", "16mb", false},
		{"unit", "5g network", "5 g network", false},
		{"unit", "5公里", "5千米", true},
		{"unit", "2 hours", "2 hrs", true},

		{"entity", "kr&#246;ger &amp; co", "kröger & co", true},
		{"entity", "it&rsquo;s late &mdash; now", "it's late - now", true},
		{"sign", "black & white", "black and white", true},
		{"sign", "at&t", "at and t", false},
		{"tag", "a <b>bold</b> word<br/>", "a bold word", true},
		{"tag", "a < b and c > d", "a and d", false},

		{"contraction", "i don't know", "i do not know", true},
		{"contraction", "i don’t know", "i dont know", true},
		{"contraction", "he won't go", "he will not go", true},
		{"contraction", "it's late", "it is late", false}, // is weighs little
		{"contraction", "it's late", "its late", false},
		{"contraction", "they're late", "theyre late", true},
		{"contraction", "you can't go", "you cannot go", true},
		{"contraction", "you can't go", "you can go", false},
		{"contraction", "i dnt know, youve won", "i don't know, you've won", true},
		{"contraction", "don smith", "do not smith", false},
		{"contraction", "trump's plan", "trump plan", true},

		{"unit", "5 mg a day", "5 ug a day", false},
		{"variant", "为啥不去", "为什么不去", true},
		{"variant", "其它图象", "其他图像", true},
		{"variant", "早点回来", "早些回来", true},
		{"variant", "今日有雨", "今天有雨", true},
		{"variant", "帐号", "账号", true},
		{"variant", "中国与法国的关系", "中国和法国的关系", true},
		{"variant", "依然已经大约", "仍旧业已大概", true},
		{"variant", "将会下雨", "已经下雨", false},
		{"variant", "哪里", "那里", false},
		{"variant", "他", "她", false},
		{"variant", "江西", "江苏", false},
		{"number of an issue", "fixed several packaging bugs #503057", "fixed several packaging bugs #571247", false},
		{"letter", "5 μg", "5 µg", true},
		{"letter", "москва", "mockba", false},
	}
	a, b := newCutter(t), newCutter(t)
	clean := text.Default()
	for _, test := range tests {
		x, y := a.Cut(clean.Clean(test.a)), b.Cut(clean.Clean(test.b))
		if same := slices.Equal(hashes(x), hashes(y)); same != test.same {
			t.Errorf("%s: %q is %s, %q is %s: same %v, want %v", test.name, test.a, show(x), test.b, show(y), same, test.same)
		}
	}
}

// Words of no content weigh the least, units the same in any place, and a word as much as its canonical form.
func TestWeights(t *testing.T) {
	c := newCutter(t)
	weight := func(s string) uint32 {
		tokens := c.Cut(s)
		return tokens[len(tokens)-1].Weight
	}
	for _, s := range []string{"啊", "好 嘛", "好 呵呵", "hello", "thanks", "thx", "reuters", "新华社"} {
		if got := weight(s); got != leastWeight {
			t.Errorf("%s weighs %d, not %d", s, got, leastWeight)
		}
	}
	for _, s := range []string{"5km", "5 kilometres", "$5", "80%", "百分之八十", "5公里"} {
		if got := weight(s); got != measureWeight {
			t.Errorf("the unit of %s weighs %d, not %d", s, got, measureWeight)
		}
	}
	for a, b := range map[string]string{"gray": "grey", "为啥": "为什么", "mon": "monday"} {
		if weight(a) != weight(b) {
			t.Errorf("%s weighs %d, %s %d", a, weight(a), b, weight(b))
		}
	}
	for _, s := range []string{"e.g. storms", "and/or", "read me.txt", "the u.s./china talks", "v1.2/rc", "it ended.then it began"} {
		if got := weight(s); got == leastWeight {
			t.Errorf("%s is taken for an address", s)
		}
	}
	if weight("reuters") >= weight("election") || weight("city") == measureWeight {
		t.Error("a word of content weighs no more than one of none")
	}
}

// Furniture around a text leaves no tokens, unless fewer than four would remain.
func TestFurniture(t *testing.T) {
	a, b := newCutter(t), newCutter(t)
	clean := text.Default()
	for with, without := range map[string]string{
		"RT @vera: this regex must become a t-shirt #perl http://t.co/Qhrk0b7kAZ": "this regex must become a t-shirt",
		"the beta is now in all regions: www.example.org/a via @someone":          "the beta is now in all regions",
		"LONDON, Nov 3 (Reuters) - shares of the bank fell sharply":               "shares of the bank fell sharply",
		"新华社北京3月5日电 上海今天发布暴雨橙色预警":                                                 "上海今天发布暴雨橙色预警",
		"【突发】上海今天发布暴雨橙色预警":                                                        "上海今天发布暴雨橙色预警",
		"## shares of the bank fell sharply":                                      "shares of the bank fell sharply",
	} {
		x, y := a.Cut(clean.Clean(with)), b.Cut(clean.Clean(without))
		if !slices.Equal(hashes(x), hashes(y)) {
			t.Errorf("%q is %s, want %s", with, show(x), show(y))
		}
	}
	for _, s := range []string{"@someone", "#tag", "see https://t.example/a/b", "【突发】", "##", "http://t.co/x http://t.co/y"} {
		if clean := clean.Clean(s); len(a.Cut(clean)) == 0 && strings.Trim(clean, "# 【】") != "" {
			t.Errorf("%q has no tokens", s)
		}
	}
	if n := len(a.CutPart("https://t.example/a/b", false)); n != 0 {
		t.Errorf("a part that is a link has %d tokens", n)
	}
}

// A closed class of words denies; words that only begin as they do deny nothing.
func TestDenies(t *testing.T) {
	c := newCutter(t)
	count := func(s string) (n int) {
		for _, x := range c.Cut(text.Default().Clean(s)) {
			if x.Denies {
				n++
			}
		}
		return n
	}
	for s, want := range map[string]int{
		"it is not open": 1, "it isn't open": 1, "it never opens": 1, "non-toxic paint": 1, "Revert \"add a test\"": 1, "without sugar": 1,
		"it is noted": 0, "a notable nonsense": 0,
		"列车不从四号站台发车": 1, "请勿吸烟": 1, "他没有参加": 1, "没有人": 1, "无人": 1, "该药不可用于孕妇": 1, "尚未逮捕": 1,
		"不断进步": 0, "非常好": 0, "未来的城市": 0, "特别的人": 0, "无线网络": 0,
		"der zug fährt nicht": 1, "le train ne part pas": 2, "el tren no sale": 1, "pociąg nie odjeżdża": 1, "القطار لا يغادر": 1,
		"列車は出発しません": 1, "รถไฟไม่ออก": 1,
	} {
		if got := count(s); got != want {
			t.Errorf("%q has %d negations, want %d: %s", s, got, want, show(c.Cut(s)))
		}
	}
}

// Opposites are words of a list, two of a class, or a word with a negating prefix.
func TestOpposites(t *testing.T) {
	c := newCutter(t)
	word := func(s string) *Token {
		x := c.Cut(s)[0]
		return &x
	}
	for _, p := range []struct {
		a, b string
		want bool
	}{
		{"open", "closed", true}, {"上涨", "下跌", true}, {"north", "south", true}, {"iii", "iv", true}, {"f", "g", true}, {"first", "third", true},
		{"toxic", "nontoxic", true}, {"febrile", "afebrile", true}, {"legal", "illegal", true}, {"paid", "unpaid", true},
		{"round", "around", false}, {"table", "chair", false}, {"open", "open", false}, {"art", "inart", false},
	} {
		x, y := word(p.a), word(p.b)
		if got, back := Opposites(x, y), Opposites(y, x); got != p.want || back != got {
			t.Errorf("%s and %s: %v, back %v, want %v", p.a, p.b, got, back, p.want)
		}
	}
}

// TestFact: what is a fact, and not one word for another.
func TestFact(t *testing.T) {
	c := newCutter(t)
	for clean, facts := range map[string]string{
		"open at 7 in berlin.":         "7",
		"k61 costs 5 kg":               "k61 5 kg",
		"a < b?":                       "<",
		"run --force and .net":         "--force .net",
		"no figures, no signs, at all": "",
	} {
		var got []string
		for _, token := range c.Cut(clean) {
			if token.Fact() {
				got = append(got, token.Written)
			}
		}
		if strings.Join(got, " ") != facts {
			t.Errorf("%q: facts %q, want %q", clean, got, facts)
		}
	}
}
