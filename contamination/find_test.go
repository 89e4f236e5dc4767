package contamination_test

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/neardup/neardup/contamination"
)

func of(items ...contamination.Item) iter.Seq2[contamination.Item, error] {
	return func(yield func(contamination.Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

func finder(tb testing.TB, items ...contamination.Item) *contamination.Finder {
	tb.Helper()
	f, err := contamination.New(of(items...), contamination.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func ExampleFinder_Find() {
	f, err := contamination.New(of(contamination.Item{
		ID: "gsm8k/2", Question: "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts in total does it take?", Answer: "3",
	}), contamination.Config{})
	if err != nil {
		panic(err)
	}
	for _, x := range f.Find("Warm-up.\nA robe takes 4 bolts of blue fiber and half that\nmuch white fiber.  How many bolts in total does it take?") {
		fmt.Println(x.Item, x.Verdict, x.Start, x.End, x.Differs)
		fmt.Println(x.Why)
	}
	// Output:
	// gsm8k/2 partial 9 113 [{2 4}]
	// the document has 0.94 of the question (words weighted by rarity); with a probability of 0.26 it says the same; it has "4" instead of "2"
}

const (
	robe    = "A robe takes 2 bolts of blue fiber and half that much white fiber.  How many bolts in total does it take?"
	chinese = "光合作用中,植物把光能转化为化学能的场所是哪一种细胞器?"
)

// What verdicts mean, by examples.
func TestVerdicts(t *testing.T) {
	items := []contamination.Item{
		{ID: "robe", Question: robe, Answer: "3"},
		{ID: "zh", Question: chinese, Answer: "叶绿体"},
		{ID: "stub", Question: "Which is true?", Answer: "Both"},
		{ID: "short", Question: "What is photosynthesis?", Answer: "Process converting light to chemical energy"},
		{ID: "text", Text: "Call me Ishmael. Some years ago, never mind how long precisely, I thought I would sail about a little."},
	}
	f := finder(t, items...)
	if got, want := f.Items(), (contamination.Items{Items: 5, Stubs: 1, StubIDs: []string{"stub"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("of the items %+v, want %+v", got, want)
	}
	for _, c := range []struct{ name, text, want string }{
		{"whole", robe, "robe question contaminated"},
		{"punctuation, case and line ends", "A ROBE takes 2 bolts of “blue fiber”\nand half\nthat much white fiber! How many bolts\tin total does it take", "robe question contaminated"},
		{"with its answer", robe + " The answer is 3.", "robe question contaminated answered"},
		{"a word is another", strings.Replace(robe, "takes", "needs", 1), "robe question contaminated"},
		{"a number is another", strings.Replace(robe, "2", "7", 1), "robe question partial"},
		{"a negation more", strings.Replace(robe, "takes", "never takes", 1), "robe question partial"},
		{"the first half", robe[:66], "robe question partial"},
		{"some words", "A robe takes long to sew. How many bolts in total?", ""},
		{"in Chinese", "练习:" + chinese + "答案是叶绿体。", "zh question contaminated answered"},
		{"in traditional Chinese", "光合作用中,植物把光能轉化為化學能的場所是哪一種細胞器?", "zh question contaminated"},
		{"cut into lines", "光合作用中,植物把\n光能转化为化学能的\n场所是哪一种细胞器?", "zh question contaminated"},
		{"a stub", "Which is true? Both.", ""},
		{"a short question alone", "What is photosynthesis? Plants do it.", ""},
		{"a short question and its answer", "What is photosynthesis? It is the process converting light to chemical energy.",
			"short question and answer contaminated answered, short answer contaminated"},
		{"a text", "So: call me Ishmael. Some years ago—never mind how long precisely—I thought I would sail about a little.", "text text contaminated"},
		{"twice", robe + strings.Repeat(" And so on, and on.", 20) + robe, "robe question contaminated, robe question contaminated"},
		{"nothing", "", ""},
	} {
		var list []string
		for _, x := range f.Find(c.text) {
			one := fmt.Sprintf("%s %s %s", x.Item, x.Part, x.Verdict)
			if x.Answered {
				one += " answered"
			}
			list = append(list, one)
		}
		if got := strings.Join(list, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The verdict is about the question as written: signs, and the numbers at its edges, make another question of
// the same words.
func TestFormulas(t *testing.T) {
	for _, c := range []struct{ item, text, want string }{
		{"Find the order of the symmetric group S_n for n = 6", "Find the order of the symmetric group S_n for n = 10", "partial 6 10"},
		{"Find the order of the symmetric group S_n for n = 6", "Find the order of the symmetric group S_n for n = 6.", "contaminated"},
		{"Find the order of the symmetric group S_n for n = 6", "Find the order of the symmetric group S_n for n = 6.5", "partial 6 6.5"},
		{"Find the order of the symmetric group S_n for n = 6", "Find the order of the symmetric group S_n for n = 6 + 2?", "partial 6 6 + 2"},
		{"Find the degree of the extension Q(sqrt(2), sqrt(3)) over Q", "Find the degree of the extension Q(sqrt(2)*sqrt(3)) over Q", "partial 2), sqrt 2)*sqrt"},
		{"Calculate carefully the resulting value of 15 + 27?", "Calculate carefully the resulting value of 15 - 27?", "partial 15 + 27 15 - 27"},
		{"Calculate carefully the resulting value of 15 + 27?", "Calculate carefully the resulting value of 15 + 27 = 42", "contaminated"},
		{"Calculate carefully the resulting value of 15 − 27", "calculate carefully the resulting value of 15 - 27.", "contaminated"},
		{"-5 degrees of frost were measured yesterday in Helsinki harbour", "5 degrees of frost were measured yesterday in Helsinki harbour", "partial -5 5"},
		{"5 degrees of frost were measured yesterday in Helsinki harbour", "Yesterday:\n- 5 degrees of frost were measured yesterday in Helsinki harbour", "contaminated"},
		{"A well-known shop, open daily, sells **2** bolts of fabric - cheaply", "A well known shop, open daily, sells 2 bolts of fabric – cheaply", "contaminated"},
	} {
		var got []string
		for _, x := range finder(t, contamination.Item{ID: "q", Question: c.item}).Find(c.text) {
			one := string(x.Verdict)
			for _, d := range x.Differs {
				one += " " + d.Item + " " + d.Passage
			}
			got = append(got, one)
		}
		if !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%q in %q: %q, want %q", c.item, c.text, got, c.want)
		}
	}
}

// Text that several questions share is only a part of each.
func TestSharedPassages(t *testing.T) {
	const passage = "This question refers to the following information. The real grievance of the worker is the insecurity of his existence; he is not sure that he will always have work, he is not sure that he will not be thrown upon the scrap heap in old age, and he is prepared to suffer for a moment in order that his children may be free. "
	f := finder(t,
		contamination.Item{ID: "a", Question: passage + "Which movement of the century does the author defend?"},
		contamination.Item{ID: "b", Question: passage + "Who opposed these claims in parliament?"},
		contamination.Item{ID: "c", Question: passage + "What came of it in Prussia?"})
	for text, want := range map[string]string{
		passage: "a partial, b partial, c partial",
		passage + "Who opposed these claims in parliament?": "b contaminated",
	} {
		var got []string
		for _, x := range f.Find(text) {
			got = append(got, fmt.Sprint(x.Item, " ", x.Verdict))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Of items with the same question, the finding names the one whose answer occurs.
func TestTheAnswerNamesTheItem(t *testing.T) {
	f := finder(t, contamination.Item{ID: "a", Question: robe, Answer: "2 bolts"}, contamination.Item{ID: "b", Question: robe, Answer: "3 bolts"})
	for text, want := range map[string]string{robe + " 2 bolts.": "a", robe + " 3 bolts.": "b", robe: "a"} {
		if found := f.Find(text); len(found) != 1 || found[0].Item != want {
			t.Errorf("%q: %+v, want one of %s", text, found, want)
		}
	}
	if got, want := f.Items(), (contamination.Items{Items: 2, Repeated: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("of the items %+v, want %+v", got, want)
	}
}

// The passage is the original text, whatever cleaning does to it.
func TestPlaces(t *testing.T) {
	f := finder(t, contamination.Item{ID: "robe", Question: robe}, contamination.Item{ID: "zh", Question: chinese})
	for _, before := range []string{"", "  ", "ﬁrst Ⅳ ", "İÀé ", "\u200bzero\u200bwidth ", "中文。", "㍿ ", "e\u0301 ", "\xff\xfe ", "“Σίσυφος” "} {
		for _, item := range []string{robe, chinese} {
			text := before + item + " and after"
			found := f.Find(text)
			if len(found) != 1 {
				t.Errorf("%q: %d findings", text, len(found))
				continue
			}
			runes := []rune(text)
			if got := string(runes[found[0].Start:found[0].End]); strings.TrimRight(item, "?") != got {
				t.Errorf("%q: the passage is %q", text, got)
			}
		}
	}
}

// Find does not depend on the caller or on earlier calls.
func TestFindIsPure(t *testing.T) {
	f := finder(t, contamination.Item{ID: "robe", Question: robe}, contamination.Item{ID: "zh", Question: chinese})
	texts := []string{robe, chinese, strings.Repeat(robe, 30), "nothing", chinese + robe}
	var want [][]contamination.Finding
	for _, text := range texts {
		want = append(want, finder(t, contamination.Item{ID: "robe", Question: robe}, contamination.Item{ID: "zh", Question: chinese}).Find(text))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 40 {
				if got := f.Find(texts[i%len(texts)]); !reflect.DeepEqual(got, want[i%len(texts)]) {
					t.Errorf("of %q: %v, want %v", texts[i%len(texts)], got, want[i%len(texts)])
				}
			}
		})
	}
	wg.Wait()
}

func TestMistakesAreNamed(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		items iter.Seq2[contamination.Item, error]
		cfg   contamination.Config
		want  string
	}{
		"share":  {of(), contamination.Config{Least: .4}, "out of range"},
		"memory": {of(contamination.Item{ID: "a", Question: robe}), contamination.Config{Memory: 10}, contamination.ErrMemory.Error()},
		"item":   {func(yield func(contamination.Item, error) bool) { yield(contamination.Item{}, broken) }, contamination.Config{}, "broken"},
	} {
		if _, err := contamination.New(c.items, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// For any text, places are in it, in order, and contain the passage.
func FuzzFind(f *testing.F) {
	finder := finder(f, contamination.Item{ID: "robe", Question: robe}, contamination.Item{ID: "zh", Question: chinese})
	f.Add("x " + robe)
	f.Add("\xff" + chinese[:40] + "\n\u0301" + chinese[40:])
	f.Add(strings.Repeat("blue fiber and half that much ", 50))
	f.Fuzz(func(t *testing.T, text string) {
		runes, last := []rune(text), 0
		for _, x := range finder.Find(text) {
			if x.Start < last || x.Start >= x.End || x.End > len(runes) || x.Held < 0 || x.Held > 1 {
				t.Fatalf("%+v of %d runes", x, len(runes))
			}
			last = x.Start
			if valid := strings.ToValidUTF8(text, ""); valid == text && string(runes[x.Start:x.End]) != x.Passage {
				t.Fatalf("%q is not %q", string(runes[x.Start:x.End]), x.Passage)
			}
		}
	})
}

// TestNoItems: New without items returns an error and does not panic.
func TestNoItems(t *testing.T) {
	if _, err := contamination.New(nil, contamination.Config{}); err == nil {
		t.Error("no items are taken")
	}
}
