package weighted_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/weighted"
)

func method(tb testing.TB, c weighted.Config) *weighted.Method {
	tb.Helper()
	m, err := weighted.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func ExampleNew() {
	m, err := weighted.New(weighted.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := m.View("dear customer, you have won 500 pounds, call our office today")
	b := m.View("dear customer, you have won 750 pounds, call our office today")
	match := m.Compare(a, b)
	fmt.Printf("%.2f near %v, variant %v: %v\n", match.Similarity, match.Near, match.Variant, m.Conflicts(a, b))
	// Output: 0.75 near false, variant true: [{number 500 750}]
}

// What a reader calls the same, and what another thing. Each rule has a pair
// on either side of it.
func TestFacts(t *testing.T) {
	m := method(t, weighted.Config{Threshold: .3})
	for _, c := range []struct{ a, b, want string }{
		// One number, written in two ways.
		{"the council will pay 1,500 pounds to each of the families", "the council will pay 1500 pounds to each of the families", "near"},
		{"database systems report of 1995.0 by the editors", "database systems report of 1995 by the editors", "near"},
		{"two bridges were closed in the storm last night", "2 bridges were closed in the storm last night", "near"},
		{"第十一集预告片今天发布", "第11集预告片今天发布", "near"},
		{"interest rates rise by 0.25% after the meeting", "interest rates rise by .25 percent after the meeting", "near"},
		{"苹果公司股价今日大涨百分之五", "苹果公司股价今日大涨5%", "near"},
		{"明天下午两点在三楼会议室开会", "明天下午2点在3楼会议室开会", "near"},
		{"the new phone starts at $799 in all of the shops", "the new phone starts at 799 dollars in all of the shops", "near"},
		{"google fined €4.3bn by the eu over its phones", "google fined 4.3 billion euros by the eu over its phones", "near"},
		{"four million people will vote on the new treaty", "4 million people will vote on the new treaty", "near"},
		{"人口突破1.5万人", "人口突破15000人", "near"},
		{"ios17正式版发布", "ios 17正式版发布", "near"},
		// One word, written in several ways.
		{"u.s. stocks fall on worries of a recession", "us stocks fall on worries of a recession", "near"},
		{"u.s. stocks fall on worries of a recession", "uk stocks fall on worries of a recession", "opposite"},
		{"are you coming to the party tonight", "r u coming to the party tonite", "near"},
		{"星期一下午有雨", "周一下午有雨", "near"},
		{"星期一下午有雨", "周二下午有雨", "name"},
		{"神舟十五号载人飞船发射成功", "神舟15号载人飞船成功发射", "near"}, // cut into other words
		{"本周六上午9:00在操场集合", "本周六上午9点在操场集合", "near"},
		{"本周六上午9点在学校操场集合", "本周日上午9点在学校操场集合", "name"},
		{"如何重置密码", "怎么重置密码", "near"},
		{"scientists discover new species of frog in the rainforest", "new species of frog discovered in the rainforest by scientists", "near"},
		// Another number.
		{"the new phone starts at $799 in all of the shops", "the new phone starts at €799 in all of the shops", "number"},
		{"新款手机售价¥799", "新款手机售价799元", "near"},
		{"the council will pay 1,500 pounds to each of the families", "the council will pay 2,500 pounds to each of the families", "number"},
		{"two bridges were closed in the storm last night", "three bridges were closed in the storm last night", "number"},
		{"长月烬明第十一集预告", "长月烬明第23集预告", "number"},
		{"please quote your claim code k61 when you call us", "please quote your claim code k62 when you call us", "number"},
		{"国色芳华预告", "国色芳华2预告", "number"},
		{"database tuning part i of the course", "database tuning part ii of the course", "number"},
		{"the answer is plan a of the committee", "the answer is plan b of the committee", "number"},
		{"10月12日新增本土确诊322例", "重庆新增10例本土确诊", "number"}, // of another measure
		{"5月29日新增本土确诊20例", "北京新增本土确诊20例", "number"},   // in the place of something else
		{"斗罗大陆", "斗罗大陆2", "number"},                   // few words have no footer
		{"上海新增3例本土确诊", "上海新增本土确诊3例", "near"},
		// A number more, at the end: a footer, but not the only telephone number.
		{"free entry into our weekly draw for music vouchers", "free entry into our weekly draw for music vouchers 18", "near"},
		{"free entry into our weekly draw for music vouchers", "free entry into our weekly draw for music vouchers 87066", "number"},
		// Another name; the same name, abbreviated, misspelt or moved.
		{"奋力谱写中国式现代化江西篇章", "奋力谱写中国式现代化甘肃篇章", "name"},
		{"reminiscences on influential papers by richard snodgrass", "reminiscences on influential papers by kenneth ross", "name"},
		{"acm transactions on database systems by the editors", "acm trans on database systems by the editors", "near"},
		{"where will object techonology drive data administration", "where will object technology drive data administration", "near"},
		{"hybrid systems for storage, very large data bases 2001", "hybrid systems for storage, vldb 2001", "near"},
		{"beverly yang and hector molina on hybrid systems", "hector molina and beverly yang on hybrid systems", "near"},
		{"the quick brown fox jumps over the fence", "the quick brown fox jumped over the fence", "near"},
		{"blackpink演唱会", "blackpink香港演唱会", "more"},
		{"ig对战jdg", "ig对战edg", "name"}, // letters among Chinese are names
		{"tes对战we", "we对战up", "name"},
		{"狂飙收视率", "三体收视率", "name"},
		{"2022lpl春季赛", "2022kpl春季赛", "name"}, // letters and digits are never misspelt
		{"小米15价格", "小米15ultra价格", "name"},
		{"过敏性鼻炎高发季", "过敏性鼻炎高发季节", "near"},
		{"掘金 太阳", "掘金vs太阳", "near"},
		{"江苏学校开学前十五天不得再作为核酸检测点使用", "南京学校开学前十五天不得再作为核酸检测点使用", "name"}, // Chinese begins with no greeting
		{"peer kr&#246;ger on data bubbles", "peer kröger on data bubbles", "near"},
		{"urgent, your mobile 0796xxxxxx has won a prize of the lottery", "urgent, your mobile has won a prize of the lottery", "near"}, // digits put out
		{"i am waiting for your mail", "i am waiting for your call", "name"},
		{"日本男篮战胜委内瑞拉男篮", "日本男篮vs委内瑞拉男篮", "name"},
		// One thing more.
		{"马来西亚男子性侵两女儿致怀孕被判多年监禁", "马来西亚男子性侵两女儿致怀孕", "more"},
		{"中国女足对朝鲜女足比分二比一", "中国女足半场对朝鲜女足比分二比一", "more"},
		{"北京新增本土确诊12例", "北京昨日新增本土确诊12例", "near"},
		{"sorry, i'll call later", "sorry, i'll call later in meeting", "more"},
		{"awesome, be there in a minute", "haha awesome, be there in a minute", "near"}, // a greeting
		// What kind of news it is and who brought it, a greeting, thanks; but not inside what is said.
		{"stocks close higher as tech shares rally - reuters", "stocks close higher as tech shares rally", "near"},
		{"快讯:中国女排3比0战胜日本队,晋级世锦赛四强", "中国女排3:0战胜日本队 晋级世锦赛四强", "near"},
		{"各位同事:明天下午两点在会议室开会,请准时参加。谢谢!", "明天下午两点在会议室开会,请准时参加", "near"},
		{"新华社北京3月5日电 十三届全国人大五次会议今日在京开幕", "十三届全国人大五次会议今日在京开幕", "near"},
		{"london, nov 3 (reuters) - stocks close higher as tech shares rally", "stocks close higher as tech shares rally", "near"},
		{"rt @bbc: storm eunice hits southern england", "storm eunice hits southern england #weather", "near"},
		{"林孝埈说等我回来", "林孝埈 谢谢大家我回来了", "more"},
		{"john smith appointed chief executive of acme corp", "acme corp appoints john smith as chief executive", "near"}, // as is no name
		{"全国甲卷", "全国甲卷 难", "more"}, // a single character
		{"12306候补", "12306求候补", "near"},
		{"淘宝免单", "淘宝又免单了", "near"},
		// Who says so.
		{"张一山把南艺烤肠吃涨价", "张一山回应把南艺烤肠吃涨价", "stance"},
		{"the club signed the young striker from the second league last summer", "the club denies it signed the young striker from the second league last summer", "stance"},
		// Another word to be texted.
		{"claim 150 pounds of discount vouchers, text shop to 85023 now", "claim 150 pounds of discount vouchers, text yes to 85023 now", "keyword"},
		// Yes and no.
		{"the committee will approve the new budget for schools", "the committee will not approve the new budget for schools", "negation"},
		{"北京地铁今天停运", "北京地铁今天没有停运", "negation"},
		{"i'm at work. please call", "i'm at home. please call", "opposite"},
		{"is your paper today in the morning", "is your paper in the morning tomorrow", "opposite"}, // wherever they stand
		{"他的一天是小说都不敢写的程度", "她的一天是小说都不敢写的程度", "opposite"},
		{"公司股价上涨超过预期", "公司股价下跌超过预期", "opposite"},
		{"the minister says he will attend the summit", "the minister says he won't attend the summit", "negation"},
		{"the minister says he will not attend the summit", "the minister says he won't attend the summit", "near"},
		{"i can talk now, call me", "i can't talk now, don't call me", "negation"}, // two of them are no yes
		// Who beat whom.
		{"rng战胜tes", "tes战胜rng", "order"},
		{"篮网vs凯尔特人", "凯尔特人vs篮网", "near"},
		{"辽宁男篮战胜广东男篮", "广东男篮战胜辽宁男篮", "order"},
		{"王楚钦3比2梁靖崑", "梁靖崑3比2王楚钦", "order"},
		{"水晶宫1比2利物浦", "水晶宫2比1利物浦", "order"},
		{"水晶宫1比2利物浦", "利物浦2比1水晶宫", "near"},
		{"南部战区回应美舰擅闯南沙岛礁", "美舰擅闯南沙岛礁南部战区回应", "near"},
		{"spurs beat arsenal in the final", "arsenal beat spurs in the final", "order"},
	} {
		a, b := m.View(c.a), m.View(c.b)
		match := m.Compare(a, b)
		got := "near"
		if conflicts := m.Conflicts(a, b); len(conflicts) > 0 {
			got = conflicts[0].Kind
		}
		if match.Near != (got == "near") || match.Variant == match.Near || got != c.want {
			t.Errorf("%q and %q: %s (%+v, %v), want %s", c.a, c.b, got, match, m.Conflicts(a, b), c.want)
		}
	}
}

// A form that is filled in anew is another text; a document of which a few
// numbers, its dates and the numbers of its paragraphs change is an edition.
func TestForms(t *testing.T) {
	m := method(t, weighted.Config{})
	report := func(numbers ...any) string {
		return strings.Repeat("the forecast for the metropolitan area and the counties around it is renewed every hour and is read on the radio ", 4) +
			fmt.Sprintf("issued march %v, high of %v degrees, low of %v at night, winds at %v miles, rain %v percent, see section %v above", numbers...)
	}
	monday := report(5, 54, 41, 10, 30, 7)
	for _, c := range []struct {
		name, other string
		want        bool
	}{
		{"all", report(9, 61, 47, 25, 80, 7), true},
		{"half of them", report(9, 61, 47, 25, 30, 7), true},
		{"two", report(9, 61, 47, 10, 30, 7), false},
		{"date and paragraph", report(9, 54, 41, 10, 30, 8), false},
		{"none", monday, false},
		{"all, in a long document", report(9, 61, 47, 25, 80, 7) + strings.Repeat(" and so on", 1000), false},
	} {
		got := m.SubjectConflicts(m.Subject(monday), m.Subject(c.other))
		if len(got) > 0 != c.want || c.want && (got[0] != neardup.Conflict{Kind: weighted.KindNumber, A: "54", B: "61"}) {
			t.Errorf("%s changed: %v", c.name, got)
		}
	}
	if got := method(t, weighted.Config{Facts: "-number"}).SubjectConflicts(m.Subject(monday), m.Subject(report(9, 61, 47, 25, 80, 7))); len(got) > 0 {
		t.Errorf("without numbers: %v", got)
	}
}

// A kind of fact that is left out decides nothing.
func TestKindsCanBeLeftOut(t *testing.T) {
	const a, b = "the council will pay 1,500 pounds to each of the families", "the council will pay 2,500 pounds to each of the families"
	for _, kind := range weighted.Kinds() {
		m := method(t, weighted.Config{Facts: weighted.Facts("-" + kind)})
		if got := m.Compare(m.View(a), m.View(b)).Near; got != (kind == weighted.KindNumber) {
			t.Errorf("without %s they are near: %v", kind, got)
		}
	}
}

func TestMergeIgnoresFacts(t *testing.T) {
	a, b := "the council will pay 1,500 pounds to each of the families", "the council will pay 2,500 pounds to each of the families"
	for _, c := range []struct {
		config weighted.Config
		near   bool
	}{
		{weighted.Config{}, false},
		{weighted.Config{Variants: weighted.Merge}, true},
		{weighted.Config{Facts: "name,negation"}, true},
		{weighted.Config{Facts: "number"}, false},
	} {
		m := method(t, c.config)
		if match := m.Compare(m.View(a), m.View(b)); match.Near != c.near || match.Similarity < .6 {
			t.Errorf("%+v: %+v", c.config, match)
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for want, c := range map[string]weighted.Config{
		"threshold 2":      {Threshold: 2},
		`variants "x"`:     {Variants: "x"},
		`"colour" is no`:   {Facts: "number,colour"},
		"with and without": {Facts: "number,-name"},
	} {
		if _, err := weighted.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v does not say %q", c, err, want)
		}
	}
}

// The built-in tables are those that the Spec names.
func TestTables(t *testing.T) {
	zh, err := keyword.Chinese()
	if err != nil {
		t.Fatal(err)
	}
	en, err := keyword.English()
	if err != nil {
		t.Fatal(err)
	}
	const chinese, english = "e78593ab327de614032cf0e96bd54263", "41e7922e1f62dbfb9857861a043ef538" // built-in/1
	if zh.Digest() != chinese || en.Digest() != english {
		t.Errorf("built-in tables are %s and %s: raise their version", zh.Digest(), en.Digest())
	}
	own := method(t, weighted.Config{IDF: en, Seed: 5})
	if got := own.Spec().String(); got != "weighted/3 threshold=0.6 variants=keep idf="+english+" seed="+neardup.SeedID(5) {
		t.Error(got)
	}
}

// texts are sentences of words of all weights, in families with words
// exchanged, so that similarities lie on both sides of the threshold.
func texts(families, size, words int) []string {
	rng := rand.New(rand.NewPCG(7, uint64(words)))
	vocabulary := strings.Fields("the a of and to in is was for with this that your account service privacy policy information data user " +
		"bridge river garden castle mountain teacher doctor captain farmer painter silver copper marble velvet 北京 上海 经济 发展 " +
		"数据库 电影 音乐 城市 博物馆 天文学家 望远镜 图书馆 铁路 博览会")
	word := func() string {
		if w := vocabulary[rng.IntN(len(vocabulary))]; rng.IntN(3) > 0 {
			return w
		}
		return fmt.Sprintf("w%c%c%c", 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26))
	}
	var all []string
	for range families {
		base := make([]string, 2+rng.IntN(words))
		for i := range base {
			base[i] = word()
		}
		for range size {
			edited := slices.Clone(base)
			for range rng.IntN(1 + len(base)/2) {
				edited[rng.IntN(len(edited))] = word()
			}
			all = append(all, strings.Join(edited, " "))
		}
	}
	return all
}

// Brute force as the oracle: every pair at the threshold shares a key where
// texts are short, nearly every pair where their keys are a sample; sketches
// reject none; and all of it is symmetric.
func TestKeysFindThePairs(t *testing.T) {
	for _, c := range []struct {
		words     int
		threshold float64
		recall    float64
	}{{6, .6, 1}, {6, .8, 1}, {6, .3, .98}, {40, .6, .995}, {200, .6, .995}} {
		m := method(t, weighted.Config{Threshold: c.threshold, Variants: weighted.Merge, Seed: 3})
		all := texts(20, 8, c.words)
		views := make([]neardup.View, len(all))
		records := make([]neardup.Record, len(all))
		keys := 0
		for i, text := range all {
			views[i] = m.RecordView(text, &records[i])
			keys += len(records[i].Index)
			var alone neardup.Record
			m.Record(text, &alone)
			if !slices.Equal(alone.Index, records[i].Index) || alone.Sketch != records[i].Sketch {
				t.Fatalf("%q has other keys alone", text)
			}
		}
		near, found := 0, 0
		for i := range all {
			for j := range i {
				match := m.Compare(views[i], views[j])
				if match != m.Compare(views[j], views[i]) {
					t.Fatalf("%q and %q are not compared alike both ways", all[i], all[j])
				}
				if want := jaccard(m, all[i], all[j]); match.Near != (want >= c.threshold) || match.Near && match.Similarity != want {
					t.Fatalf("%q and %q: %+v, want %v", all[i], all[j], match, want)
				}
				if !match.Near || all[i] == all[j] {
					continue
				}
				near++
				if !m.Plausible(records[i].Sketch, records[j].Sketch) {
					t.Errorf("the sketches of %q and %q deny %v", all[i], all[j], match.Similarity)
				}
				if slices.ContainsFunc(records[i].Index, func(k uint64) bool { return slices.Contains(records[j].Index, k) }) {
					found++
				}
			}
		}
		if near < 8 || float64(found) < c.recall*float64(near) {
			t.Errorf("%+v: %d of %d pairs share a key", c, found, near)
		}
		if keys > 34*len(all) && c.threshold >= .6 {
			t.Errorf("%+v: %d keys of %d texts", c, keys, len(all))
		}
	}
}

// jaccard is the definition, by maps: the weight of a word is the total of a
// text of nothing else.
func jaccard(m *weighted.Method, a, b string) float64 {
	x, y := wordsOf(a), wordsOf(b)
	var common, union float64
	for w := range x {
		weight := weightOf(m, w)
		union += weight
		if y[w] {
			common += weight
		}
	}
	for w := range y {
		if !x[w] {
			union += weightOf(m, w)
		}
	}
	return common / union
}

func wordsOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

func weightOf(m *weighted.Method, word string) float64 { return float64(m.Weight(word)) }

// Conflicts are the same both ways, with the sides exchanged.
func FuzzConflictsAreSymmetric(f *testing.F) {
	f.Add("call 0871 now to claim 500", "call 0872 now to claim 750 pounds")
	f.Add("第十一集预告", "第23集预告不")
	f.Add("一二三 ทดสอบ ภาษา カタカナ", "三 1,234.50 二〇二五 x9")
	m := method(f, weighted.Config{Threshold: .1})
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := m.View(a), m.View(b)
		if m.Compare(x, y) != m.Compare(y, x) {
			t.Errorf("%q and %q: %+v and %+v", a, b, m.Compare(x, y), m.Compare(y, x))
		}
		forth, back := m.Conflicts(x, y), m.Conflicts(y, x)
		for i := range back {
			back[i].A, back[i].B = back[i].B, back[i].A
		}
		if !slices.Equal(forth, back) {
			t.Errorf("%q and %q: %v one way, %v the other", a, b, forth, back)
		}
		if match := m.Compare(x, m.View(a)); match.Variant {
			t.Errorf("%q is a variant of itself: %v", a, m.Conflicts(x, m.View(a)))
		}
	})
}

// A text that is near has words in common that weigh three fifths of either, each as much as in all texts.
func TestOverlaps(t *testing.T) {
	m := method(t, weighted.Config{})
	text := "the council will pay 1,500 pounds to each of the families"
	got := m.Overlaps(nil, m.View(text))
	if len(got) != 1 || len(got[0].Features) != 10 || len(got[0].Weights) != 10 {
		t.Fatalf("%+v", got)
	}
	sum := uint64(0)
	for _, w := range got[0].Weights {
		sum += w
	}
	if least := float64(got[0].Least); sum != m.Weight(text) || least < .6*float64(sum) || least-1 >= .6*float64(sum) {
		t.Errorf("%d of %d is in common at least, the text weighs %d", got[0].Least, sum, m.Weight(text))
	}
	if got := m.Overlaps(nil, m.View("")); len(got) != 0 {
		t.Errorf("of an empty text %+v", got)
	}
}
