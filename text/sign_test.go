package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/text"
)

// signs returns the names of the signs in s, joined by spaces.
func signs(t testing.TB, s string) string {
	var names []string
	for at := 0; at < len(s); {
		name, end := text.Sign(s, at)
		if (name == "" && end != at) || (name != "" && (end <= at || end > len(s))) {
			t.Fatalf("Sign(%q, %d) = %q, %d", s, at, name, end)
		}
		if name != "" {
			names = append(names, name)
			at = end
			continue
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return strings.Join(names, " ")
}

// TestSign specifies the signs of clean texts.
func TestSign(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		// A minus belongs to a number; dashes, ranges and bullets do not.
		{"-5 degrees", "-"}, {"−5 degrees", "-"}, {"–5 degrees", "-"}, {"5 degrees", ""}, {"+5 degrees", ""},
		{"the low tonight is -5 degrees", "-"}, {"shares closed -3.5% on monday", "- %"}, {"shares closed +3.5% on monday", "%"},
		{"(-5)", "-"}, {"x=-5", "= -"}, {"[-5]", "-"}, {"a:-5", "-"}, {"\"-5\"", "-"}, {"“-5”", "-"}, {"(3,-1)", "-"}, {"2*-3", "* -"},
		{"-$5", "- $"}, {"at -€5", "- €"}, {"is -٥", "-"}, {"$-5", "$ -"}, {"-.5", "- ."}, {"- 5", ""}, {"--5", ""}, {"—5", ""},
		{"26 -27", ""}, {"10 - 12", ""}, {"3-1", ""}, {"3–1", ""}, {"2019-2020", ""}, {"2024-05-06", ""}, {"a-b", ""}, {"a-5", ""}, {"word - word", ""}, {"- item", ""},
		{"gd-6046", ""}, {"x - 3 = 7", "="}, {"capabili- ties", ""}, {"pre- and post-war", ""}, {"12- 13", ""},
		{"最低气温-5度", "-"}, {"气温−5", "-"}, {"型号-5", ""}, {"第3-5页", ""}, {"(-5℃)", "-"},
		// Operators are between operands.
		{"15 + 27", "+"}, {"15+27", "+"}, {"x + 3 = 7", "+ ="}, {"a + b", "+"}, {"(a)+(b)", "+"}, {"h2 + o2", "+"}, {"tom + jerry", ""}, {"ctrl+c", ""},
		{"12 * 4", "*"}, {"(2)*sqrt(3)", "*"}, {"12 × 4", "*"}, {"3×4", "*"}, {"12 / 4", "/"}, {"12 ÷ 4", "/"}, {"3/4", ""}, {"and/or", ""}, {"and / or", ""}, {"1/2/2024", ""}, {"/etc/app", ""}, {"https://x.org/a", ""},
		{"*bold*", ""}, {"**bold**", ""}, {"5 **bold**", ""}, {"* item", ""}, {"(a) * [b]", ""}, {"按**g**显示", ""}, {"5* hotel", ""}, {"2**10", "^"}, {"2^10", "^"}, {"10^-3", "^ -"}, {"x^2", "^"}, {"^_^", ""},
		{"a = b", "="}, {"n=5", "="}, {"a == b", "=="}, {"a != b", "!="}, {"a ≠ b", "!="}, {"total = 5", "="}, {"?id=5", ""}, {"=====", ""},
		{"a < b", "<"}, {"a<b", "<"}, {"a > b", ">"}, {"a <= b", "<="}, {"a ≤ b", "<="}, {"a >= 5", ">="}, {"age > 18", ">"}, {"age<18", "<"}, {"p<.05", "< ."}, {"under ≤5 mm", "<="}, {"<5 mm", "<"},
		{"> quoted", ""}, {"> 5 quoted", ""}, {"home > products", ""}, {"<b>5</b>", ""}, {"a <b>c</b>", ""}, {"</p>", ""}, {"<br>", ""}, {"<name of author> 1990", ""}, {"(> 5)", ">"}, {"x<b>y", ""},
		{"±5", "±"}, {"5 ± 2", "±"}, {"5 +/- 2", "±"}, {"≈5", "≈"}, {"10 % 3", "%"}, {"if (a) && (b)", "&&"}, {"ok && done", "&&"}, {"ok || done", "||"}, {"at&t", ""}, {"a | b", ""},
		{"cout << x", "<<"}, {"in >> x", ">>"}, {"lunch @ noon", "@"}, {"@anna", ""}, {"a@b.org", ""}, {"a -> b", "→"}, {"a → b", "→"}, {"a <- b", "←"},
		// After a number.
		{"50%", "%"}, {"50 %", "%"}, {"%50", "%"}, {"%s", ""}, {"a/2013%20b", ""}, {"5‰", "‰"}, {"20°c", "°"}, {"20 °c", "°"}, {"10+ years", "+"}, {"10+, or", "+"}, {"+49 30", ""},
		{"25€", "€"}, {"€25", "€"}, {"25 €", "€"}, {"€ 25", "€"}, {"$25", "$"}, {"us$25", "$"}, {"门票25£", "£"}, {"¥100", "¥"}, {"₹5", "₹"}, {"₽ 5", "₽"}, {"$path", ""}, {"kill 9 $pid", ""}, {"a $ b", ""},
		// After letters.
		{"c++", "++"}, {"c++11", "++"}, {"c#", "#"}, {"f# and c#", "# #"}, {"c++/c#", "++ #"}, {"#tag", ""}, {"issue#12", ""}, {"c#5", "#"}, {"title##", ""}, {"开头#", ""}, {"issue #12", ""}, {"a#b", ""}, {"c+++", ""},
		{"a+ needed", "+"}, {"a- needed", "-"}, {"b-", "-"}, {"b+", "+"}, {"b-.", "-"}, {"aa/a-", "-"}, {"ca2+ in water", "+"}, {"ca2- in water", "-"}, {"ca2− in water", "-"}, {"disney+", "+"}, {"don't- no", ""},
		// Before letters.
		{".net", "."}, {"use .net", "."}, {"asp.net", ""}, {"`.orig`", "."}, {"_orig", "_"}, {"a_b", ""}, {"_em_", ""}, {"_see below_", ""}, {"--force", "--"}, {"git push --force", "--"}, {"yes--no", ""}, {"-- no", ""},
		{".5 %", ". %"}, {"0.5", ""}, {"end. next", ""}, {"...and", ""}, {"e.g. x", ""},
		// Marks of opposite meaning.
		{"✓ done", "✓"}, {"✔️ done", "✓"}, {"✅", "✓"}, {"❌ done", "✗"}, {"👍", "👍"}, {"👍🏽", "👍"}, {"👍\ufe0f", "👍"}, {"👎", "👎"}, {"↑ 5", "↑"}, {"▼", "↓"}, {"♂ ♀", "♂ ♀"}, {"🔴🟢", "🔴 🟢"}, {"😀", "🙂"}, {"😢", "🙁"},
		// Punctuation has no name.
		{"he said \"yes\", to it; (so): what?! it’s “fine” — … 'ok' [1] {2} a\\b ~ `x`", ""}, {"10:30", ""}, {"3:1", ""}, {"1,500.25", ""}, {"中文，标点。「好」", ""}, {"«oui»", ""},
	} {
		if got := signs(t, c.in); got != c.want {
			t.Errorf("signs of %q: %q, want %q", c.in, got, c.want)
		}
	}
}

// What typography changes is no sign.
func TestSignForgivesTypography(t *testing.T) {
	for _, forms := range [][]string{
		{"it's", "it’s", "it`s"}, {"a-b", "a–b", "a—b", "a b"}, {"word - word", "word – word", "word — word", "word, word", "word -- word"},
		{"-5", "−5", "–5", "(-5)", "\"-5\"", "“-5”", "«-5»"}, {"3*4", "3 * 4", "3×4", "3 × 4", "(3 × 4)"}, {"a<=b", "a <= b", "a ≤ b"}, {"5%", "5 %"}, {"25€", "25 €", "€25", "€ 25"},
		{"+5", "5"}, {"2019-2020", "2019–2020", "2019 - 2020", "2019 – 2020"}, {"*yes*", "**yes**", "_yes_", "yes", "«yes»", "\"yes\""}, {"- item", "* item", "• item", "item"},
	} {
		for _, form := range forms[1:] {
			if got, want := signs(t, text.Default().Clean(form)), signs(t, text.Default().Clean(forms[0])); got != want {
				t.Errorf("%q has %q, %q has %q", form, got, forms[0], want)
			}
		}
	}
}

var signRunes = []rune("ab 12  .,-–−+*/^=!<>&|@#$€%‰°×÷≤≠±_()'\"’✓✗👍👎→中ε\ufe0f\n")

// Signs begin only where MaySign allows it, need no more than a few neighbours, and repeat.
func TestSignLooksAtNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom(signRunes), 0, 40, -1).Draw(t, "s")
		for at := range s {
			name, end := text.Sign(s, at)
			if again, same := text.Sign(strings.Clone(s), at); again != name || same != end {
				t.Fatalf("Sign(%q, %d) = %q, %d and then %q, %d", s, at, name, end, again, same)
			}
			if name != "" && !text.MaySign[s[at]] {
				t.Fatalf("MaySign[%q] is false, but Sign(%q, %d) = %q", s[at], s, at, name)
			}
			pad := strings.Repeat("word ", 10)
			if in, _ := text.Sign(pad+"\n"+s+"\n"+pad, len(pad)+1+at); at > 3 && at < len(s)-6 && !strings.ContainsAny(s, " \n") && in != name {
				t.Fatalf("Sign(%q, %d) = %q, %q among words", s, at, name, in)
			}
		}
	})
}

// A text of only signs takes time linear in its length.
func TestSignIsLinear(t *testing.T) {
	for _, unit := range []string{"-", "+", "<", "- ", "a-", "✓\ufe0f", "_a", "--", "#a", "1 "} {
		signs(t, strings.Repeat(unit, 1<<17))
	}
	for _, long := range []string{strings.Repeat("a", 1<<17), strings.Repeat(" ", 1<<17), strings.Repeat("1", 1<<17)} {
		signs(t, strings.Join(slices.Repeat([]string{"-"}, 100), long[:1<<14]))
	}
}

func FuzzSign(f *testing.F) {
	for _, s := range []string{"-5 + 3 <= c++", "€ 25–30 %", "\xe2\x80", "\xf0\x9f\x91", "a\xff-5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for at := range len(s) {
			name, end := text.Sign(s, at)
			if (name == "" && end != at) || (name != "" && (end <= at || end > len(s))) {
				t.Fatalf("Sign(%q, %d) = %q, %d", s, at, name, end)
			}
		}
		signs(t, s)
	})
}
