package made

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/segment"
)

func made(t *testing.T, half string) []Pair {
	t.Helper()
	folders := []string{"uci_sms", "html", "zh_edit_pairs", "zh_laws"}
	for _, f := range folders {
		shared.Path(t, f)
	}
	pairs, err := Make(Options{Data: shared.Dir(), Seed: 1, Half: half, Most: 3, Sources: folders})
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) < 300 {
		t.Fatalf("%d pairs only", len(pairs))
	}
	return pairs
}

func TestPairs(t *testing.T) {
	a := made(t, "a")
	t.Run("the same seed gives the same bytes, which eval reads", func(t *testing.T) {
		first, second := t.TempDir(), t.TempDir()
		for dir, pairs := range map[string][]Pair{first: a, second: made(t, "a")} {
			if err := Write(dir, pairs); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"pairs.tsv", "docs.jsonl"} {
			x, err := os.ReadFile(filepath.Join(first, name))
			if err != nil {
				t.Fatal(err)
			}
			y, err := os.ReadFile(filepath.Join(second, name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(x, y) {
				t.Errorf("%s differs", name)
			}
		}
		read, err := eval.ReadJudged(filepath.Join(first, "pairs.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range read {
			if p.TextA != a[i].TextA || p.TextB != a[i].TextB || p.Label != a[i].Label {
				t.Fatalf("pair %d was read as %+v", i, p)
			}
		}
	})
	t.Run("each text has at most two pairs, each other text is made once", func(t *testing.T) {
		uses, other := map[string]int{}, map[string]string{}
		for _, p := range a {
			source, _, _ := strings.Cut(p.Band, " ")
			_, id, _ := strings.Cut(p.A, "|")
			uses[source+id]++
			if uses[source+id] > 2 {
				t.Errorf("%s has more than two pairs", p.A)
			}
			if set := other[p.TextB]; set != "" {
				t.Errorf("%s and %s made the same text %.80q", set, p.Set, p.TextB)
			}
			other[p.TextB] = p.Set
		}
	})
	t.Run("a pair differs by its change and no more", func(t *testing.T) {
		for _, p := range a {
			if p.Label != "facts" || strings.Contains(p.Band, " k=") {
				continue
			}
			words := strings.SplitN(p.Band, " ", 4) // source, short, where, old>new
			start, oldEnd, newEnd := differ(p.TextA, p.TextB)
			old, with := p.TextA[start:oldEnd], p.TextB[start:newEnd]
			if len(words) != 4 || (utf8.RuneCountInString(words[3]) < 40 && !within1(words[3], old, with)) {
				t.Errorf("%s: %q became %q", p.Band, old, with)
			}
		}
	})
	t.Run("a form is filled in twice, and as many facts differ as its class says", func(t *testing.T) {
		forms := 0
		for _, p := range a {
			if !strings.Contains(p.Set, "_form.") {
				continue
			}
			forms++
			if k := p.Set[len(p.Set)-1:]; p.Label != "facts" || !strings.HasSuffix(p.Band, "k="+k) || k < "1" || k > "5" {
				t.Errorf("%s: %s, %s", p.Set, p.Label, p.Band)
			}
			if start, endA, endB := differ(p.TextA, p.TextB); start == endA && start == endB {
				t.Errorf("%s: nothing differs", p.A)
			}
			if strings.Contains(p.TextA+p.TextB, "{person}") {
				t.Errorf("%s: a slot is open", p.A)
			}
		}
		if forms < 20 {
			t.Errorf("%d forms", forms)
		}
	})
	t.Run("the halves share no text", func(t *testing.T) {
		of := map[string]bool{}
		for _, p := range a {
			of[p.TextA] = true
		}
		for _, p := range made(t, "b") {
			if of[p.TextA] {
				t.Errorf("%s is of both halves", p.A)
			}
		}
	})
}

// within1: what differs is a part of the words that the band names.
func within1(band, old, with string) bool {
	a, b, ok := strings.Cut(band, ">")
	space := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return ok && strings.Contains(space(a), space(old)) && strings.Contains(space(b), space(with))
}

// differ tells where two texts differ, from the front and from the back.
func differ(a, b string) (start, endA, endB int) {
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for start > 0 && (!utf8.RuneStart(at(a, start)) || !utf8.RuneStart(at(b, start))) {
		start--
	}
	endA, endB = len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	for endA < len(a) && !utf8.RuneStart(a[endA]) {
		endA++
		endB++
	}
	return start, endA, endB
}

func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func TestWordsAreOfOneClassAndHalf(t *testing.T) {
	for _, language := range []string{"en", "zh"} {
		all, err := readLexicon(language, -1)
		if err != nil {
			t.Fatal(err)
		}
		of := [2]*lexicon{}
		for h := range of {
			of[h], err = readLexicon(language, h)
			if err != nil {
				t.Fatal(err)
			}
		}
		for w, g := range all.groups {
			x, y := of[0].groups[w], of[1].groups[w]
			if (x == nil) == (y == nil) {
				t.Errorf("%s: %q of class %s is of both halves or none", language, w, g.class.name)
			}
		}
		for _, c := range all.classes {
			if len(c.groups) < 2 {
				t.Errorf("%s: class %s has %d words", language, c.name, len(c.groups))
			}
		}
	}
}

func TestFind(t *testing.T) {
	g, err := segment.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ language, text, want string }{
		{"en", "He left London and went to Paris on a cold Monday.", "London=place Paris=place Monday=weekday"},
		{"en", "Paris Hilton may come in May.", "May=month"},
		{"en", "You may march on.", ""},
		{"en", "The red-hot chilli of the hot-dog and the dog.", "dog=animal"},
		{"en", "They fish in the sea with three dogs.", "three=numeral dogs=animal"},
		{"en", "a second time, 30 seconds, two weeks", "two=numeral weeks=unit"},
		{"en", "The Red Cross in the White House", ""},
		{"en", "see www.google.com/apple and Google.", "Google=company"},
		{"zh", "北京电视台在上海设立机构", "上海=place"},
		{"zh", "北京银行发布公告", ""},
		{"zh", "小明星期五去了武汉", "星期五=weekday 武汉=place"},
		{"zh", "绿色发展与红色裙子", "红色=colour 裙子=clothing"},
		{"zh", "用 Linux Mint 而不用 Linux 了", "Linux Mint=product Linux=product"},
		{"zh", "第一时间赶到，位列第一", "第一=ordinal"},
	} {
		l, err := readLexicon(c.language, -1)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, h := range l.find(g, c.text) {
			found = append(found, c.text[h.start:h.end]+"="+h.group.class.set())
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%s: found %q, want %q", c.text, got, c.want)
		}
	}
}

// Edits that say the same, once with what they find and once where they find nothing.
func TestEdits(t *testing.T) {
	m := &maker{lexica: map[string]*lexicon{}}
	var err error
	m.segmenter, err = segment.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "zh"} {
		m.lexica[language], err = readLexicon(language, -1)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.readTables(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ edit, language, text, want string }{
		{"digits", "en", "1,234 people came", "1234 people came"},
		{"digits", "zh", "约1500人参加", "约1,500人参加"},
		{"digits", "zh", "第1743次会议", ""},
		{"numeral", "zh", "高烧6小时", "高烧六小时"},
		{"numeral", "zh", "等了两天和十二天", "等了两天和12天"},
		{"numeral", "zh", "2015年10月1日", ""},
		{"numeral", "en", "wait two days", "wait 2 days"},
		{"spelling", "en", "Colour matters", "Color matters"},
		{"hyphenation", "en", "no", ""},
		{"script", "zh", "汉语", "漢語"},
	} {
		for _, e := range edits {
			if e.name != c.edit || (e.language != "" && e.language != c.language) {
				continue
			}
			got, ok := e.apply(m, m.rng("test"), textOf{language: c.language}, c.text)
			if !ok {
				got = ""
			}
			if got != c.want {
				t.Errorf("%s of %q gives %q, want %q", c.edit, c.text, got, c.want)
			}
		}
	}
	same := text.Default()
	for _, e := range edits {
		if e.name == "width" || e.name == "script" {
			s := "腾讯发布QQ，版本2"
			if got, ok := e.apply(m, m.rng("width"), textOf{language: "zh"}, s); ok && e.name == "width" && strings.ContainsRune(got, 'Ｑ') && same.Clean(got) != same.Clean(s) {
				t.Errorf("%s: %q is not the clean text of %q", e.name, got, s)
			}
		}
	}
}

// The facts of slots are drawn of the half's words, of each kind more than one.
func TestFill(t *testing.T) {
	for _, language := range []string{"en", "zh"} {
		l, err := readLexicon(language, 1)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := readLines(language+"_forms.txt", -1)
		if err != nil {
			t.Fatal(err)
		}
		rng := (&maker{}).rng("fill", language)
		for _, line := range lines {
			open := slot.FindAllString(line, -1)
			if len(open) == 0 {
				t.Errorf("%q has no slot", line)
			}
			for _, s := range open {
				kinds := map[string]bool{}
				for range 20 {
					kinds[l.fill(rng, strings.Trim(s, "{}"))] = true
				}
				if len(kinds) < 3 {
					t.Errorf("%s of %q is filled with %v", s, line, kinds)
				}
			}
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // classes of the numbers
	}{
		{"curl 8.10.1 fixes it", "version"},
		{"Ubuntu 14.04 is out", "version"},
		{"worth 8.9 billion", "number"},
		{"it cost $44.50 in 1999, up 5%", "amount year percent"},
		{"call 08712402578 at 10:30", "code clock"},
		{"see http://x.org/2014/5 and A4-5", ""},
		{"host 0.0.0.0", ""},
	} {
		var got []string
		m := maker{}
		for _, n := range numbers(m.rng("v"), textOf{language: "en", body: c.text}) {
			got = append(got, n.class)
			if new := n.apply(c.text); new == c.text {
				t.Errorf("%q did not change", c.text)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: %q, want %q", c.text, s, c.want)
		}
	}
}

// Credits and greetings of one half are not those of the other; each takes the text in.
func TestCreditsOfHalves(t *testing.T) {
	for _, name := range []string{"en_credits.txt", "zh_credits.txt", "en_greetings.txt", "zh_greetings.txt"} {
		a, err := readLines(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := readLines(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		if min(len(a), len(b)) < 10 {
			t.Errorf("%s: %d and %d lines", name, len(a), len(b))
		}
		for _, line := range append(a, b...) {
			if strings.Count(line, "%s") != 1 {
				t.Errorf("%s: %q", name, line)
			}
		}
		for _, line := range a {
			if slices.Contains(b, line) {
				t.Errorf("%s: %q in both", name, line)
			}
		}
	}
}
