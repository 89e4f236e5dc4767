package text_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
	"pgregory.net/rapid"

	"github.com/neardup/neardup/text"
)

func normalizer(t testing.TB, spec string) text.Normalizer {
	t.Helper()
	n, err := text.ParseNormalizer(spec)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ spec, in, want string }{
		{"default", "", ""},
		{"default", "plain text, nothing to do", "plain text, nothing to do"},
		{"default", "The Quick\tBrown\r\n\r\nFOX  jumps over", "the quick brown fox jumps over"},
		{"default", "  \n both ends\t\v ", "both ends"},
		{"default", " \u3000\u00a0 ", ""},
		{"default", "ＡＢＣ　１２３！", "abc 123!"},
		{"default", "ﬁne ½ ㎏ …", "fine 1⁄2 kg ..."},
		{"default", "10³ 2¹⁰ 10⁻³ m² H₂O Ca²⁺ 3⁺ ① ①² １²", "10^3 2^10 10^−3 m2 h2o ca2+ 3+ 1 1^2 1^2"},
		{"default", "e\u0301 E\u0301 \u00c9", "é é é"},
		{"default", "e\u200b\u0301", "é"},
		{"default", "J\u030c", "ǰ"},
		{"default", "ｶﾞ", "ガ"},
		{"default", "中\u200b文\ufeff，测\u00ad试", "中文,测试"},
		{"default", "漢字與簡體", "汉字与简体"},
		{"default", "๑๒ ١٢ ۱۲ १२ １２ 𝟏𝟐", "12 12 12 12 12 12"}, // Thai, Arabic, Persian, Devanagari, full-width, mathematical
		{"nfkc", "๑๒ １２", "๑๒ 12"},
		{"default", "a\x00b\x07c\x1fd", "abc d"},
		{"default", "a\xffb\xc0\xafc", "a\ufffdb\ufffd\ufffdc"},
		{"default", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"default", "\u202ejust bidi\u202c", "just bidi"},
		{"default", "한국어", "한국어"},
		{"default", "\u1112\u1161\u11ab", "한"},
		{"lower", "İstanbul IŞIK", "i̇stanbul işik"},
		{"lower", "ΟΔΟΣ ΣΑΣ Σ A.Σ.", "οδος σας σ a.ς."},
		{"lower", "ΑΣ\u0301 ΑΣ\u0301Α ẞ", "ας\u0301 ασ\u0301α ß"},
		{"lower", " Two  Spaces\n", " two  spaces\n"},
		{"nfkc", "Ａ  Ｂ", "A  B"},
		{"width", "Ａｶ　㎏", "Aカ ㎏"},
		{"zerowidth", "a\u200bB", "aB"},
		{"space", "A \u2003\n B", "A B"},
		{"simplify", "後面 乾隆", "后面 干隆"},
		{"none", " \xff ", " \xff "},
		{"numbers", "a\xff1", "a\ufffd0"},
		{"default,numbers", "Connected to 10.0.0.7:8080 in 35ms, try 2/3", "connected to 0 in 0, try 0"},
		{"default,numbers", "[2026-11-28T12:30:05,123] ERROR blk_-1608 of bob@example.com: -5 °C", "[0] error 0 of 0: 0 °c"},
		{"default,numbers", "status:200 /api/v1/users/17 user=4f2c-9a", "status:0 /api/0/users/0 user=0"},
		{"default,numbers", "用户１２３登录成功", "用户0登录成功"},
		{"default,accents", "Café 7", "cafe 7"},
	} {
		if got := normalizer(t, c.spec).Clean(c.in); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.spec, c.in, got, c.want)
		}
	}
}

// reference does what Clean promises step by step, the slow and plain way.
func reference(spec, s string) string {
	s = strings.Map(func(r rune) rune { return r }, s) // invalid bytes to U+FFFD
	steps := "," + spec + ","
	does := func(step string) bool { return strings.Contains(steps, ","+step+",") }
	if does("zerowidth") {
		s = normalizerOf("zerowidth").Clean(s)
	}
	if does("nfkc") {
		s = raised(s)
	}
	lower := func(s string) string { return normalizerOf("lower").Clean(s) }
	switch {
	case does("nfkc") && does("lower"):
		s = norm.NFKC.String(lower(norm.NFKC.String(s)))
	case does("nfkc"):
		s = norm.NFKC.String(s)
	case does("lower"):
		if does("width") {
			s = width.Fold.String(s)
		}
		s = lower(s)
	case does("width"):
		s = width.Fold.String(s)
	}
	if does("simplify") {
		s = normalizerOf("simplify").Clean(s)
	}
	if does("space") {
		s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || (r >= 0x1c && r <= 0x1f) }), " ")
	}
	if does("numbers") {
		s = chained.ReplaceAllString(numbered.ReplaceAllString(s, "0"), "0")
	}
	return s
}

var (
	numbered = regexp.MustCompile(`[A-Za-z0-9_.@-]*[0-9@][A-Za-z0-9_.@-]*`)
	chained  = regexp.MustCompile(`0(?:[:/,+]0)+`)
)

var superscripts = regexp.MustCompile("[⁰¹²³⁴-⁹⁺⁻]+")

// raised puts ^ between a digit and a superscript number.
func raised(s string) string {
	for i := 0; ; {
		run := superscripts.FindStringIndex(s[i:])
		if run == nil {
			return s
		}
		from, to := i+run[0], i+run[1]
		before := norm.NFKC.String(s[:from])
		if before != "" && before[len(before)-1] >= '0' && before[len(before)-1] <= '9' && strings.ContainsAny(s[from:to], "⁰¹²³⁴⁵⁶⁷⁸⁹") {
			s = s[:from] + "^" + s[from:]
			to++
		}
		i = to
	}
}

func normalizerOf(spec string) text.Normalizer {
	n, _ := text.ParseNormalizer(spec)
	return n
}

var someRunes = []rune("aAzZ09 .,-:@_/\t\n\r\x00\x1f\x7f中文漢後國，。！　Ａｚｶﾞｶﾀあア한글\u1100\u1161\u11a8éÉ\u0301\u0323\u0307\u0338\u030cßẞıİiσΣςΑα㎏ﬁ…½²⁴⁻¨´\u00a0\u2028\u200b\u200d\ufeff\u00ad\u202e\u034f\ufe0f\U000e0100\ufffd\U0001f600\U00020000\U0001d400Ｋ\u212bЖжԱ")

func someText() *rapid.Generator[string] {
	plain := rapid.StringOfN(rapid.RuneFrom(someRunes), 0, 60, -1)
	any := rapid.StringN(0, 30, -1)
	bytes := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) })
	ascii := rapid.StringOfN(rapid.RuneFrom([]rune("abcdeFGH   .\n")), 0, 80, -1)
	return rapid.Map(rapid.SliceOfN(rapid.OneOf(plain, any, bytes, ascii, plain, ascii), 0, 4),
		func(parts []string) string { return strings.Join(parts, "") })
}

func someSpec() *rapid.Generator[string] {
	steps := []string{"zerowidth", "nfkc", "width", "lower", "simplify", "space", "numbers"}
	subset := rapid.SliceOfNDistinct(rapid.SampledFrom(steps), 1, len(steps), rapid.ID[string])
	return rapid.OneOf(rapid.Just("zerowidth,nfkc,lower,simplify,space"),
		rapid.Map(subset, func(s []string) string { return strings.Join(s, ",") }))
}

func TestCleanIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, s := someSpec().Draw(t, "spec"), someText().Draw(t, "text")
		once := normalizerOf(spec).Clean(s)
		if twice := normalizerOf(spec).Clean(once); twice != once {
			t.Fatalf("%s: %q, then %q", spec, once, twice)
		}
		if !utf8.ValidString(once) {
			t.Fatalf("%s: %q is not UTF-8", spec, once)
		}
	})
}

func TestCleanIsTheStepsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := someSpec().Draw(t, "spec")
		s := strings.Map(func(r rune) rune {
			if r == 'Σ' || (r > 0xFFFF && !text.IsWord(r)) {
				return 'S' // Σ looks at its context, which the steps change; runes younger than the tables are left alone
			}
			return r
		}, someText().Draw(t, "text"))
		if got, want := normalizerOf(spec).Clean(s), reference(spec, s); got != want {
			t.Fatalf("%s: Clean(%q) =\n %q, step by step\n %q", spec, s, got, want)
		}
	})
}

func TestSpaceCaseAndWidthNeverMatter(t *testing.T) {
	clean := text.Default().Clean
	words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("abcxyz019.,!中文字éßжя")), 1, 12, -1), 1, 10)
	rapid.Check(t, func(t *rapid.T) {
		w := words.Draw(t, "words")
		gap := rapid.SampledFrom([]string{" ", "  ", "\n", "\t \r\n", "\u3000", "\u00a0 ", " \u200b"})
		change := rapid.SampledFrom([]func(string) string{
			strings.ToLower, width.Widen.String, norm.NFD.String,
			func(s string) string {
				return strings.ReplaceAll(strings.ToUpper(strings.ReplaceAll(s, "ß", "")), "", "\u200b") + strings.Repeat("", 1)
			},
		})
		plain := strings.Join(w, " ")
		var b strings.Builder
		b.WriteString(gap.Draw(t, "lead"))
		for i, word := range w {
			if i > 0 {
				b.WriteString(gap.Draw(t, "gap"))
			}
			if !strings.Contains(word, "ß") {
				word = change.Draw(t, "change")(word)
			}
			b.WriteString(word)
		}
		if got, want := clean(b.String()), clean(plain); got != want {
			t.Fatalf("Clean(%q) = %q, want %q", b.String(), got, want)
		}
	})
}

func TestCleanReturnsItsInput(t *testing.T) {
	for _, s := range []string{strings.Repeat("already clean text, 42 words. ", 50) + "end", strings.Repeat("这是一段已经规范的中文。", 50)} {
		allocs := testing.AllocsPerRun(10, func() {
			if text.Default().Clean(s) != s {
				t.Fatal("changed")
			}
		})
		if allocs != 0 {
			t.Errorf("%v allocations for clean text", allocs)
		}
	}
}

// Hostile input must cost time in proportion to its length: each takes
// milliseconds, and minutes if a part of Clean were quadratic.
func TestCleanIsLinear(t *testing.T) {
	const n = 200_000
	for _, unit := range []string{"\u0301", "\u0301\u200b", "\u0323\u0301", "Σ", "Σ\u00b7", "\u1161", " \u0301", "\u00a8", "İ", "\xff", "\ufdfa", "\u00b7"} {
		for _, spec := range []string{"default", "lower", "nfkc"} {
			s := "a" + strings.Repeat(unit, n/len(unit)) + "Σ"
			once := normalizer(t, spec).Clean(s)
			if twice := normalizer(t, spec).Clean(once); twice != once {
				t.Errorf("%s of many %q is not idempotent", spec, unit)
			}
		}
	}
}

func TestParseNormalizer(t *testing.T) {
	for spec, want := range map[string]string{
		"default": "zerowidth,nfkc,lower,simplify,space", "none": "none", "lower": "lower",
		"numbers,default": "zerowidth,nfkc,lower,simplify,space,numbers",
		"space,lower":     "lower,space", " nfkc , lower ": "nfkc,lower", "lower,lower": "lower",
	} {
		n := normalizer(t, spec)
		if n.String() != want {
			t.Errorf("%q prints as %q, want %q", spec, n, want)
		}
		if again := normalizer(t, n.String()); again != n {
			t.Errorf("%q does not come back from %q", spec, n)
		}
	}
	for _, spec := range []string{"", "upper", "lower,", "default,none"} {
		if _, err := text.ParseNormalizer(spec); err == nil {
			t.Errorf("no error for %q", spec)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "Hello  World", "漢字，ＡＢ", "e\u200b\u0301", "ΑΣ", string(someRunes), "\xff\xfe"} {
		f.Add(s)
	}
	specs := []string{"default", "lower", "nfkc", "nfkc,lower", "lower,space", "zerowidth,width,space", "zerowidth,nfkc", "simplify"}
	f.Fuzz(func(t *testing.T, s string) {
		for _, spec := range specs {
			n := normalizerOf(spec)
			once := n.Clean(s)
			if n.Clean(once) != once || !utf8.ValidString(once) {
				t.Errorf("%s: %q, then %q", spec, once, n.Clean(once))
			}
		}
	})
}

func ExampleNormalizer_Clean() {
	n, _ := text.ParseNormalizer("default")
	fmt.Println(n.Clean("  Ｎｅａｒ-Duplicate\n\t漢字！"))
	// Output: near-duplicate 汉字!
}

func ExampleParseNormalizer() {
	n, err := text.ParseNormalizer("space,lower")
	fmt.Println(n, err)
	// Output: lower,space <nil>
}

func ExampleDefault() {
	fmt.Println(text.Default())
	// Output: zerowidth,nfkc,lower,simplify,space
}

var benchmarks = []struct{ name, spec, unit string }{
	{"ascii clean", "default", "the quick brown fox jumps over the lazy dog, and back again. "},
	{"ascii prose", "lower,space", "The quick brown fox jumps over the lazy dog,\nand back again. "},
	{"ascii prose default", "default", "The quick brown fox jumps over the lazy dog,\nand back again. "},
	{"chinese clean", "default", "这是一段已经规范化的中文文本、没有需要改变的字符。"},
	{"chinese prose", "default", "这是一段普通的中文文本，标点是全角的，共２０个字：其余没有需要改变的。"},
	{"traditional", "default", "這是一段繁體中文，需要轉換為簡體字。"},
	{"german", "default", "Die größte Überraschung für Müller war die schöne Brücke über den Fluß. "},
}

func BenchmarkClean(b *testing.B) {
	for _, c := range benchmarks {
		b.Run(c.name, func(b *testing.B) {
			s := strings.TrimSpace(strings.Repeat(c.unit, 100_000/len(c.unit)))
			n := normalizer(b, c.spec)
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				n.Clean(s)
			}
		})
	}
}
