package feature_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/text"
)

// frames put what differs into a sentence.
var frames = []string{
	"%s", "The report of Monday says that %s, as expected by all.", "Note: %s", "In the second part of the exam, %s is the answer.",
	"据昨天的报道，%s。", "They wrote \"%s\" on the board (twice).", "Item 7, %s\nand nothing else",
}

// signPairs are texts of different meanings: %d is a number, the same in both.
var signPairs = [][2]string{
	{"the low is -%d degrees", "the low is %d degrees"}, {"sales rose +%d.5%% in May", "sales rose -%d.5%% in May"}, {"a loss of $-%d", "a loss of $%d"},
	{"%d + 27", "%d * 27"}, {"%d + 27", "%d / 27"}, {"%d - 27", "%d × 27"}, {"%d + 27", "%d - 27"}, {"x > %d", "x < %d"}, {"x >= %d", "x > %d"}, {"age ≤ %d", "age ≥ %d"},
	{"x = %d", "x != %d"}, {"x == %d", "x = %d"}, {"%d^2", "%d2"}, {"%d³", "%d3"}, {"%d ± 2", "%d + 2"}, {"%d ÷ 4", "%d + 4"},
	{"%d%% of it", "%d‰ of it"}, {"%d%%", "%d"}, {"%d°", "%d"}, {"it costs %d€", "it costs %d£"}, {"it costs $%d", "it costs €%d"}, {"it costs ¥%d", "it costs %d"}, {"%d+ years of work", "%d years of work"},
	{"c++ in %d days", "c# in %d days"}, {"C# in %d days", "C in %d days"}, {"F# in %d days", "F in %d days"}, {"grade A- for task %d", "grade A+ for task %d"}, {"Ca2+ and %d more", "Ca2- and %d more"},
	{".NET %d", "NET %d"}, {"push %d --force", "push %d force"}, {"keep `.orig` of %d", "keep `orig` of %d"}, {"a && b in line %d", "a || b in line %d"}, {"out << %d", "out >> %d"}, {"meet @ gate %d", "meet gate %d"},
	{"✓ task %d", "✗ task %d"}, {"task %d ✅", "task %d ❌"}, {"👍 for talk %d", "👎 for talk %d"}, {"price %d ↑", "price %d ↓"}, {"%d → 9", "%d ← 9"}, {"group %d ♂", "group %d ♀"}, {"line %d 🔴", "line %d 🟢"}, {"day %d 😀", "day %d 😢"},
	{"气温-%d度", "气温%d度"}, {"门票%d€", "门票%d£"},
}

// typographyPairs are texts of the same meaning.
var typographyPairs = [][2]string{
	{"the low is -%d degrees", "the low is −%d degrees"}, {"the low is -%d degrees", "the low is –%d degrees"}, {"sales rose +%d%%", "sales rose %d%%"}, {"%d%% of it", "%d %% of it"},
	{"%d × 4", "%d * 4"}, {"%d÷4", "%d ÷ 4"}, {"x<=%d", "x ≤ %d"}, {"x >= %d", "x≥%d"}, {"x != %d", "x ≠ %d"}, {"%d ± 2", "%d +/- 2"}, {"x->%d", "x -> %d"},
	{"%d-2", "%d–2"}, {"%d:1 at home", "%d-1 at home"}, {"2019-20 season, match %d", "2019–20 season, match %d"}, {"word - word %d", "word — word %d"}, {"well-known %d", "well‑known %d"},
	{"it's %d o'clock", "it’s %d o’clock"}, {"he said \"yes\" %d times", "he said “yes” %d times"}, {"«oui» %d", "\"oui\" %d"}, {"wait... %d", "wait… %d"}, {"(a) %d", "a) %d"},
	{"it costs %d€", "it costs %d €"}, {"it costs $%d", "it costs $ %d"}, {"**bold** %d", "bold %d"}, {"*it* %d", "it %d"}, {"- item %d", "• item %d"}, {"* item %d", "item %d"}, {"> quoted %d", "quoted %d"},
	{"ＡＢＣ %d！", "abc %d!"}, {"第%d条：合同，终止。", "第%d条 合同 终止"}, {"「好」%d", "“好”%d"}, {"# title %d", "title %d"}, {"## title %d ##", "title %d"}, {"✔️ task %d", "✓ task %d"}, {"👍🏽 %d", "👍 %d"}, {"10^%d", "10 ^ %d"}, {"1,%d02", "1,%d02 "},
	{"a / b: %d", "a / b, %d"}, {"email <me> %d", "email me %d"}, {"yes, %d; no", "yes %d no"}, {"%d\u00a0km", "%d km"}, {"m² %d", "m2 %d"}, {"H₂O %d", "H2O %d"}, {"10³ %d", "10^3 %d"}, {"<b>%d</b> items", "<b> %d </b> items"},
}

// made puts pairs into frames, n of them, the same each time.
func made(seed uint64, pairs [][2]string, n int) (out [][2]string) {
	r := rand.New(rand.NewPCG(seed, 38))
	for i := range n {
		pair, frame, number := pairs[i%len(pairs)], frames[r.IntN(len(frames))], 2+r.IntN(97)
		var made [2]string
		for side, form := range pair {
			made[side] = text.Default().Clean(fmt.Sprintf(frame, fmt.Sprintf(form, number)))
		}
		out = append(out, made)
	}
	return out
}

// TestMadeSigns: no two of 200 texts that differ in a sign have the same shingles, and at least
// 95 in 100 of those that differ in typography do.
func TestMadeSigns(t *testing.T) {
	for _, spec := range []string{"auto:1", "auto:3", "words:3", "scripts:2", "runes:3"} {
		s, err := feature.ParseShingle(spec)
		if err != nil {
			t.Fatal(err)
		}
		set := func(clean string) []uint64 { return feature.Set(s.Append(nil, clean, 1)) }
		for _, pair := range made(1, signPairs, 200) {
			if a, b := set(pair[0]), set(pair[1]); slices.Equal(a, b) || pair[0] == pair[1] {
				t.Errorf("%s: %q and %q have the same %d shingles", spec, pair[0], pair[1], len(a))
			}
		}
		same := 0
		var differ []string
		for _, pair := range made(2, typographyPairs, 200) {
			if slices.Equal(set(pair[0]), set(pair[1])) {
				same++
			} else {
				differ = append(differ, fmt.Sprintf("%q and %q", pair[0], pair[1]))
			}
		}
		t.Logf("%s: %d of 200 typography pairs have the same shingles, not %s", spec, same, strings.Join(differ, "; "))
		if same < 190 {
			t.Errorf("%s: %d of 200 typography pairs have the same shingles, want 190", spec, same)
		}
	}
}
