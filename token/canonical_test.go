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

// ownTable is a table of three words.
func ownTable(t testing.TB) *keyword.Table {
	t.Helper()
	raw, err := keyword.EncodeValues(map[string]int64{"run": keyword.Unit, "跑": keyword.Unit, "colour": keyword.Unit})
	if err != nil {
		t.Fatal(err)
	}
	table, err := keyword.ReadTable(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A lexicon of a corpus has no word but those of its table: what it lacks is not
// made of others.
func TestOwnLexicon(t *testing.T) {
	l, err := NewLexicon(ownTable(t))
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{"runs": "[run] ", "colour": "[colour] ", "ducks": "[ducks] ", "跑 6小时": "[跑] <6> [小时] "} {
		if got := show(NewCutter(l, 0).Cut(s)); got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
}

func show(tokens []Token) string {
	var b strings.Builder
	for _, x := range tokens {
		if x.Number() {
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

// What says the same has the same tokens, however it is written; what says
// another thing has not.
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
		{"decimal", "评分3.10", "评分3.1", true},
		{"decimal", "it costs 3.50", "it costs 3.5", true},
		{"decimal", "3.10 dollars", "3.1 dollars", true},
		{"decimal", "it costs $3.10", "it costs $3.1", true},
		{"decimal", "rose 3.10%", "rose 3.1 percent", true},
		{"decimal", "a rate of 3.50", "a rate of 3.5", true},
		{"decimal", "1,995.0 points", "1995 points", true},
		{"thousands", "1,234 people", "1234 people", true},
		{"thousands", "1'234 people", "1234 people", true},
		{"thousands", "1 234 567 people", "1,234,567 people", true},
		{"thousands", "1,23 people", "123 people", false},
		{"full-width", "１２３人", "123人", true},
		{"scale", "1.5万", "15000", true},
		{"scale", "43亿元", "4,300,000,000元", true},
		{"scale", "3千万人", "30000000人", true},
		{"scale", "3千米", "3公里", true},
		{"scale", "4.3bn", "4.3 billion", true},
		{"scale", "$5k", "$5,000", true},
		{"scale", "a 5k run", "a 5000 run", false},
		{"scale", "four million", "4 million", true},
		{"scale", "four million", "4 billion", false},
		{"words", "twenty-one men", "21 men", true},
		{"words", "twenty one men", "21 men", true},
		{"words", "two hundred and five men", "205 men", true},
		{"words", "two hundred men", "200 men", true},
		{"words", "twenty-one men", "22 men", false},
		{"words", "one of them", "1 of them", false},
		{"words", "one million people", "1,000,000 people", true},
		{"ordinal", "the 1st time", "the first time", true},
		{"ordinal", "the 2nd time", "the second time", true},
		{"ordinal", "the twenty-first", "the 21st", true},
		{"ordinal", "the 2nd time", "the 3rd time", false},
		{"roman", "rocky ii", "rocky iii", false},
		{"number sign", "no. 3", "no.3", true},
		{"number sign", "no. 3", "#3", true},
		{"number sign", "no. 3", "no.4", false},
		{"number sign", "no, not three", "not three", false},
		{"half", "½ price", "1/2 price", true},
		{"half", "三分之一", "1/3", true},
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
		{"numeral", "百分之八十", "80%", true},
		{"numeral", "百分之三点五", "3.5%", true},
		{"numeral", "四次会议", "4次会议", true},
		{"numeral", "一般来说", "1般来说", false},
		{"numeral", "半小时", "30分钟", false},
		{"score", "三比一", "3:1", true},
		{"score", "3比1", "3-1", true},
		{"score", "三比一获胜", "3比1获胜", true},
		{"score", "三比一", "三比二", false},
		{"score", "王艺迪四比三胜", "王艺迪4比3胜", true},
		{"score", "3 比 1", "3:1", true},
		{"score", "第一比第二", "1:2", false},
		{"percent", "80 %", "80%", true},
		{"percent", "80 percent", "80%", true},
		{"percent", "80 pct", "80%", true},
		{"percent", "80%", "80", false},

		{"date", "2024-03-05", "2024/3/5", true},
		{"date", "2024-03-05", "2024年3月5日", true},
		{"date", "2024 年 3 月 5 日", "2024年3月5日", true},
		{"date", "二〇二四年三月五日", "2024年3月5日", true},
		{"date", "2024-03-05", "march 5, 2024", true},
		{"date", "5 march 2024", "march 5, 2024", true},
		{"date", "5 mar 2024", "mar. 5 2024", true},
		{"date", "5th of march", "march 5th", true},
		{"date", "3月5号", "3月5日", true},
		{"date", "三月", "3月", true},
		{"date", "3月5日", "3月6日", false},
		{"date", "3月5日", "4月5日", false},
		{"date", "2024-03-05", "2024-05-03", false},
		{"date", "3/5", "5/3", false},
		{"date", "3月", "3个月", false},
		{"date", "march 2024", "2024年3月", true},
		{"date", "on march 5 we met", "on 5 march we met", true},
		{"date", "they march 500 miles", "they march 5 miles", false},
		{"weekday", "monday", "mon", true},
		{"weekday", "周一", "星期一", true},
		{"weekday", "本周六", "本星期六", true},
		{"weekday", "周一", "周二", false},
		{"time", "9:00", "9点", true},
		{"time", "9 o'clock", "9:00", true},
		{"time", "9:30", "9点30分", true},
		{"time", "9点半", "9点30分", true},
		{"time", "九点半", "9:30", true},
		{"time", "15时30分", "15:30", true},
		{"time", "2 pm", "14:00", true},
		{"time", "2:30pm", "14:30", true},
		{"time", "2 p.m. today", "2pm today", true},
		{"time", "下午2点", "14:00", true},
		{"time", "2 am", "2 pm", false},
		{"time", "9:30", "9:40", false},
		{"time", "9:30", "930", false},
		{"time", "9点一刻", "9:15", true},
		{"time", "2024-03-05t09:30", "2024/3/5 9:30", true},
		{"time", "14:00-16:00", "2 pm - 4 pm", true},
		{"time", "16:9", "16-9", true},

		{"currency", "$799", "799 dollars", true},
		{"currency", "$799", "799 usd", true},
		{"currency", "us$799", "usd 799", true},
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
		{"line end", "the infor- mation", "the information", true},
		{"line end", "multigra- nularity", "multigranularity", true},
		{"line end", "pre- and postwar", "preand postwar", false},
		{"line end", "short- term", "shortterm", false},

		{"spelling", "the colour of it", "the color of it", true},
		{"spelling", "organised by us", "organized by us", true},
		{"spelling", "the centre", "the center", true},
		{"spelling", "he travelled", "he traveled", true},
		{"spelling", "the travellers", "the travelers", true},
		{"spelling", "a grey catalogue", "a gray catalog", true},
		{"spelling", "a promise", "a promize", false},
		{"spelling", "surprised", "surprized", false},
		{"spelling", "well practised", "well practiced", true},
		{"spelling", "in defence of", "in defense of", true},
		{"spelling", "four of them", "for of them", false},
		{"spelling", "your hour", "yor hor", false},
		{"inflection", "two runs", "two run", true},
		{"inflection", "cities", "city", true},
		{"inflection", "news", "new", false},
		{"inflection", "goods", "good", false},
		{"inflection", "university", "universe", false},
		{"inflection", "paris", "pari", false},
		{"contraction", "i don't know", "i do not know", true},
		{"contraction", "i don’t know", "i dont know", true},
		{"contraction", "he won't go", "he will not go", true},
		{"contraction", "it's late", "it is late", true},
		{"contraction", "they're late", "they are late", true},
		{"contraction", "you can't go", "you cannot go", true},
		{"contraction", "you can't go", "you can go", false},
		{"contraction", "i don t know", "i don't know", true},
		{"contraction", "i dnt know, you ve won", "i don't know, you've won", true},
		{"contraction", "don smith", "do not smith", false},
		{"contraction", "trump's plan", "trump plan", true},
		{"abbreviation", "the u.s. army", "the us army", true},
		{"abbreviation", "the u.s army", "the us army", true},

		{"unit", "5 micrograms a day", "5 μg a day", true},
		{"unit", "20 mcg and 3 microlitres", "20 ug and 3 µl", true},
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
		{"look-alike", "раypal account", "paypal account", true},
		{"look-alike", "g00gle maps", "google maps", true},
		{"look-alike", "b2b sales", "bzb sales", false},
		{"letter", "5 μg", "5 µg", true},
		{"letter", "a café", "a cafe", true},
		{"letter", "α cells", "alpha cells", true},
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

// Words of no content weigh the least, units the same wherever they stand, and a
// word as much as what it stands for.
func TestWeights(t *testing.T) {
	c := newCutter(t)
	weight := func(s string) uint32 {
		tokens := c.Cut(s)
		return tokens[len(tokens)-1].Weight
	}
	for _, s := range []string{"啊", "好 嘛", "好 呵呵", "hello", "thanks", "thx", "reuters", "新华社", "see https://www.example.com/a/7?b=c.",
		"see t.co/9aqz1", "see www.example.com", "see go.dev/ref/spec."} {
		if got := weight(s); got != leastWeight {
			t.Errorf("%s weighs %d, not %d", s, got, leastWeight)
		}
	}
	for _, s := range []string{"5km", "5 kilometres", "$5", "80%", "百分之八十", "5公里"} {
		if got := weight(s); got != measureWeight {
			t.Errorf("the unit of %s weighs %d, not %d", s, got, measureWeight)
		}
	}
	for a, b := range map[string]string{"colour": "color", "cities": "city", "为啥": "为什么", "mon": "monday"} {
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
