package evidence_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/token"
)

// pair scores texts as short and as long ones.
type scale struct {
	*evidence.Scorer
	cut *token.Cutting
}

func lexicon(tb testing.TB) *token.Lexicon {
	tb.Helper()
	l, err := token.NewLexicon(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func shipped(tb testing.TB) *scale {
	tb.Helper()
	l := lexicon(tb)
	return &scale{evidence.New(l, evidence.Shipped), &token.Cutting{Cutter: token.NewCutter(l, 0)}}
}

func (s *scale) view(clean string) *token.View {
	s.cut.Cut(clean)
	return s.cut.View()
}

// What a reader would decide about a text, if the leader is kept. No weights were made for these pairs, which
// show the purpose of the score.
func TestWhatAReaderWouldSay(t *testing.T) {
	s := shipped(t)
	for _, c := range []struct {
		text, leader string
		same         bool
	}{
		// A typing error, a notation, a line of credit.
		{"the committee will recieve the annual report of the treasurer tomorrow", "the committee will receive the annual report of the treasurer tomorrow", true},
		{"the council will pay 1500 pounds to each of the families in the valley", "the council will pay 1,500 pounds to each of the families in the valley", true},
		{"会议将在明天下午2点开始,请大家提前6小时到达", "会议将在明天下午两点开始,请大家提前六小时到达", true},
		{"请各位同事帐号登录以后马上修改自己的密码", "请各位同事账号登录以后马上修改自己的密码", true},
		{"stocks close higher as tech shares rally after the report - reuters", "stocks close higher as tech shares rally after the report", true},
		// A question, a statement, and a text without a mark, which may be either.
		{"the council will meet in the town hall on monday?", "the council will meet in the town hall on monday.", false},
		{"the council will meet in the town hall on monday?", "the council will meet in the town hall on monday", true},
		{"the council will meet in the town hall on monday!", "the council will meet in the town hall on monday.", true},
		// Another number, name, place, opposite.
		{"the council will pay 2,500 pounds to each of the families in the valley", "the council will pay 1,500 pounds to each of the families in the valley", false},
		{"上海今天发布暴雨橙色预警,请市民注意防范", "北京今天发布暴雨橙色预警,请市民注意防范", false},
		{"google will open a new research centre near the university next year", "apple will open a new research centre near the university next year", false},
		{"curl 8.1.1 was released today with fixes for two security problems", "curl 8.10.1 was released today with fixes for two security problems", false},
		{"the committee will not approve the new budget for schools this year", "the committee will approve the new budget for schools this year", false},
		{"公司股价今天大幅下跌超过市场预期", "公司股价今天大幅上涨超过市场预期", false},
		// A wrong character that changes how the words around it are cut; a negation is not such an error.
		{"一组对比图看雄安巨变的十年", "一组兑比图看雄安巨变的十年", true},
		{"京东集团ceo徐雷退休后的生活", "京东集团ceo徐雷退羞后的生活", true},
		{"王女士说明天可以去医院看望她的母亲", "王女士说明天不可以去医院看望她的母亲", false},
		// Two that have exchanged places.
		{"sales were higher in 2019 than 2021 for the whole of the company", "sales were higher in 2021 than 2019 for the whole of the company", false},
		{"cup final tonight: arsenal 3-2 chelsea after extra time", "cup final tonight: chelsea 3-2 arsenal after extra time", false},
		{"talks between japan and south korea will begin on the second day of the tour", "talks between south korea and japan will begin on the second day of the tour", true},
		{"the shop sold 30 apples on monday and 20 pears on tuesday of the week", "the shop sold 20 pears on tuesday and 30 apples on monday of the week", true},
		// A word that two names share, a code without digits, an ordinal.
		{"the code for your booking of the room with a view is 2UNKD3DZ until friday", "the code for your booking of the room with a view is MVTSBMPG until friday", false},
		{"the 5th symposium on the history of the valley begins on friday", "the 3rd symposium on the history of the valley begins on friday", false},
		// Two names that differ in a few letters, and forms or spellings of one word.
		{"an earthquake shook the south of austria in the early morning", "an earthquake shook the south of australia in the early morning", false},
		{"the flood reached the border of iran this week", "the flood reached the border of iraq this week", false},
		{"the harbour is closed until the storm has passed the island", "the harbor is closed until the storm has passed the island", true},
		{"the theatre organises a concert for children on friday", "the theatre organizes a concert for children on friday", true},
		// A text longer than the leader.
		{"the harbour bridge is closed for repairs until friday. drivers should take the tunnel, where a toll of five pounds is due in both directions",
			"the harbour bridge is closed for repairs until friday", false},
		{"the harbour bridge is closed for repairs until friday", "the harbour bridge is closed for repairs until friday. drivers should take the tunnel", false},
		// The other way round it is contained, which is another question.
		{"the harbour bridge is closed for repairs until friday", "the harbour bridge is closed for repairs until friday. drivers should not take the old road", false},
	} {
		r, list := s.Explain(s.view(c.text), s.view(c.leader))
		if back := s.Score(s.view(c.leader), s.view(c.text)); back.Score != r.Score {
			t.Errorf("%q and %q: %v, the other way %v", c.text, c.leader, r.Score, back.Score)
		}
		if (r.Probability() >= .5) != c.same {
			t.Errorf("%q for %q: %.2f, %+v", c.text, c.leader, r.Probability(), list)
		}
		if got := s.Score(s.view(c.text), s.view(c.leader)); got != r {
			t.Errorf("%q: %+v, explained %+v", c.text, got, r)
		}
	}
}

// The evidence that is shown adds up to the score, and names what differs.
func TestEvidenceAddsUp(t *testing.T) {
	s := shipped(t)
	a, b := "the storm reached lisbon on tuesday with winds of 90 miles an hour", "the storm reached bilbao on tuesday with winds of 120 miles an hour"
	for name, explain := range map[string]func() (evidence.Result, []evidence.Evidence){
		"short": func() (evidence.Result, []evidence.Evidence) { return s.Explain(s.view(a), s.view(b)) },
		"long": func() (evidence.Result, []evidence.Evidence) {
			return s.Explain(evidence.NewLongView(a), evidence.NewLongView(b))
		},
	} {
		r, list := explain()
		sum, shown := 0.0, ""
		for _, e := range list {
			sum += e.Bits
			shown += fmt.Sprintf("%s %s/%s; ", e.Feature, e.A, e.B)
		}
		if math.Abs(sum-r.Bits()) > 1e-9 {
			t.Errorf("%s: evidence of %.4f bits, the score is %.4f", name, sum, r.Bits())
		}
		if !strings.Contains(shown, "lisbon/bilbao") || !strings.Contains(shown, "90/120") || !r.Replaced || r.First || r.Second {
			t.Errorf("%s: %s, %+v", name, shown, r)
		}
		if p := evidence.Probability(sum); p != r.Probability() {
			t.Errorf("%s: probability %v of the bits, %v of the score", name, p, r.Probability())
		}
	}
}

// A place that is replaced throughout a long text is another text; a word that is
// corrected in it is not.
func TestLongTexts(t *testing.T) {
	s := shipped(t)
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "section %d. the city of northfield keeps a register of its %s, and the council of northfield decides about them every %s year. ",
			i+1, strings.Fields("bridges schools parks libraries markets stations harbours cemeteries")[i%8], strings.Fields("second third fourth fifth")[i%4])
	}
	law := b.String()
	for _, c := range []struct {
		name, text string
		same       bool
	}{
		{"another city throughout", strings.ReplaceAll(law, "northfield", "westbrook"), false},
		{"a typing error", strings.Replace(law, "libraries", "libaries", 1), true},
		{"two words corrected", strings.Replace(strings.Replace(law, "keeps", "holds", 1), "decides", "rules", 1), true},
		{"half as much again", law + strings.Repeat("the mayor may appoint a commission of seven experts who report on the state of the water and of the roads. ", 22), false},
	} {
		r := s.Score(evidence.NewLongView(c.text), evidence.NewLongView(law))
		if (r.Probability() >= .5) != c.same {
			_, list := s.Explain(evidence.NewLongView(c.text), evidence.NewLongView(law))
			t.Errorf("%s: %.2f: %+v", c.name, r.Probability(), list)
		}
	}
}

// Two texts that share a passage are not the same if another long passage differs, even if both passages have the same words.
func TestRewrittenPassages(t *testing.T) {
	s := shipped(t)
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(strings.Repeat("the of and to in a is for ", 4) + "licence notice copy file author holder party claim terms work source form grant right owner use law part code name")
	passage := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[rng.IntN(len(words))] + " ")
		}
		return b.String()
	}
	for _, shared := range []int{200, 800} {
		for _, own := range []int{shared, 3 * shared} {
			body := passage(shared)
			a, b := body+passage(own), body+passage(own)
			if p := s.Score(evidence.NewLongView(a), evidence.NewLongView(b)).Probability(); p >= .5 {
				t.Errorf("%d common words and %d other ones: %.2f", shared, own, p)
			}
			_, list := s.Explain(evidence.NewLongView(a), evidence.NewLongView(b))
			for _, e := range list {
				if e.Feature == evidence.Insertion && e.A == "" && e.B == "" {
					t.Errorf("%d common words and %d other ones: the evidence names no word of the passages", shared, own)
				}
			}
			moved := a[len(body):] + body
			if p := s.Score(evidence.NewLongView(a), evidence.NewLongView(moved)).Probability(); p < .5 {
				t.Errorf("%d words moved: %.2f", shared, p)
			}
		}
	}
}

// For any two texts, short or long, the score is within its scale and reproducible, and equal texts are the
// same.
func FuzzScore(f *testing.F) {
	f.Add("call 0871 now to claim 500", "call 0872 now to claim 750 pounds")
	f.Add("第十一集预告", "第23集预告不")
	f.Add("一二三 ทดสอบ ภาษา カタカナ", "三 1,234.50 二〇二五 x9")
	f.Add("\xff\xfe é 𠮷", "")
	s := shipped(f)
	clean := text.Default()
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = clean.Clean(a), clean.Clean(b)
		for i, score := range []func(a, b string) evidence.Result{
			func(a, b string) evidence.Result { return s.Score(s.view(a), s.view(b)) },
			func(a, b string) evidence.Result { return s.Score(evidence.NewLongView(a), evidence.NewLongView(b)) },
		} {
			r := score(a, b)
			if p := r.Probability(); !(p > 0 && p < 1) || r != score(a, b) {
				t.Fatalf("%d: %q and %q: %+v, again %+v", i, a, b, r, score(a, b))
			}
			if own := score(a, a); own.Replaced || own.First || own.Second {
				t.Fatalf("%d: %q differs from itself: %+v", i, a, own)
			}
		}
	})
}

// Seeds of the hashes change nothing.
func TestSeedsDecideNothing(t *testing.T) {
	s := shipped(t)
	l, err := token.NewLexicon(nil)
	if err != nil {
		t.Fatal(err)
	}
	other := &token.Cutting{Cutter: token.NewCutter(l, 99)}
	view := func(clean string) *token.View {
		other.Cut(clean)
		return other.View()
	}
	words := strings.Fields("storm bridge not 7 12 up down garden 北京 上海 大学 不 三 lisbon paris tuesday friday the of and")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		a := make([]string, 1+rng.IntN(14))
		for i := range a {
			a[i] = words[rng.IntN(len(words))]
		}
		b := append([]string(nil), a...)
		for range 1 + rng.IntN(4) {
			b[rng.IntN(len(b))] = words[rng.IntN(len(words))]
		}
		x, y := strings.Join(a, " "), strings.Join(b, " ")
		if r, q := s.Score(s.view(x), s.view(y)), s.Score(view(x), view(y)); r != q {
			t.Fatalf("%q and %q: %+v, with another seed %+v", x, y, r, q)
		}
	}
}

// What a scorer keeps of the pairs before changes nothing.
func TestPairsBeforeDecideNothing(t *testing.T) {
	s := shipped(t)
	l, err := token.NewLexicon(nil)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("storm bridge not 7 12 us$5 , up down garden 北京 上海 大学 不 三 lisbon paris tuesday friday the of and (ap) 3% % eat ate")
	rng := rand.New(rand.NewPCG(4, 1))
	base := make([]string, 400)
	for i := range base {
		base[i] = words[rng.IntN(len(words))]
	}
	views := []*evidence.LongView{evidence.NewLongView(strings.Join(base, " "))}
	for range 24 {
		edited := append([]string(nil), base[rng.IntN(20):]...)
		for range rng.IntN(300) {
			edited[rng.IntN(len(edited))] = words[rng.IntN(len(words))]
		}
		views = append(views, evidence.NewLongView(strings.Join(edited, " ")))
	}
	for range 200 {
		a, b := views[rng.IntN(2)], views[rng.IntN(len(views))]
		if rng.IntN(2) == 0 {
			a, b = b, a
		}
		if got, want := s.Vector(a, b), evidence.New(l, evidence.Shipped).Vector(a, b); got != want {
			t.Fatalf("%v, by a new scorer %v", got, want)
		}
	}
}

func BenchmarkShort(b *testing.B) {
	s := shipped(b)
	x := s.view("the council will pay 1,500 pounds to each of the families in the valley after the storm")
	y := s.view("the council will pay 2,500 pounds to each of the families in the valley after the flood")
	for b.Loop() {
		s.Score(x, y)
	}
}

func BenchmarkLong(b *testing.B) {
	s := shipped(b)
	base := strings.Repeat("the council of the city keeps a register of its bridges and decides about them every second year ", 20)
	x, y := evidence.NewLongView(base+"after the storm"), evidence.NewLongView("notice: "+base+"after the flood")
	b.SetBytes(int64(len(base)))
	for b.Loop() {
		s.Score(x, y)
	}
}

// Two numbers differ even if half of their hashes is equal.
func TestHalfOfAHash(t *testing.T) {
	s := shipped(t)
	a, b := s.view("your parcel 350045 was handed to our courier today"), s.view("your parcel 274259 was handed to our courier today")
	if got := s.Vector(a, b)[evidence.Number]; got != token.Unit {
		t.Errorf("one number differs, and the feature is %d (want %d)", got, token.Unit)
	}
}

// Which text is contained in which depends on their order, and nothing else does.
func TestContained(t *testing.T) {
	s := shipped(t)
	text := "the council of the valley will pay for the repair of the old stone bridge before the winter begins and asks drivers to take the tunnel until then"
	more := text + " because the river has risen by two metres since monday and the ferry has stopped while the school bus takes the long road over the hills"
	short, long := "the council will pay for the bridge", "the council will pay for the bridge and for the road to the harbour this year"
	for _, c := range []struct {
		a, b          string
		first, second bool
	}{
		{text, more, true, false}, {more, text, false, true}, {text, text, true, true}, {short, long, false, false},
		{text, strings.Replace(more, "stone", "iron", 1), false, false},
	} {
		r := s.Score(s.view(c.a), s.view(c.b))
		if r.FirstHeld != c.first || r.SecondHeld != c.second {
			t.Errorf("%q in %q: %v and %v", c.a, c.b, r.FirstHeld, r.SecondHeld)
		}
	}
}

// Letters that differ by a typing error, an accent or a word break are alike; names, facts and two known words are not.
func TestLikeness(t *testing.T) {
	s := shipped(t)
	frame := "the committee will discuss the report of %s in the first week of the month"
	score := func(a, b string) float64 {
		return s.Score(s.view(fmt.Sprintf(frame, a)), s.view(fmt.Sprintf(frame, b))).Probability()
	}
	apart := score("apples", "winters")
	for _, c := range []struct {
		a, b  string
		alike bool
	}{
		{"government", "governmnet", true}, {"the école", "the ecole", true}, {"capabili ties", "capabilities", true},
		{"maria", "marie", false}, {"jansen", "hansen", false}, {"2019a", "2019b", false},
		{"austria", "australia", false}, {"iran", "iraq", false}, {"harbour", "harbor", true}, {"organises", "organizes", true},
	} {
		if got := score(c.a, c.b); (got > apart+.1) != c.alike {
			t.Errorf("%s and %s: %.2f, two other words %.2f", c.a, c.b, got, apart)
		}
	}
}
