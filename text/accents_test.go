package text

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAccents(t *testing.T) {
	n, err := ParseNormalizer("accents,zerowidth,nfkc,lower,simplify,space")
	if err != nil || n.String() != "zerowidth,nfkc,lower,simplify,space,accents" {
		t.Fatalf("%v, %v", n, err)
	}
	for in, want := range map[string]string{
		"plain text":               "plain text",
		"Café Ångström naïve":      "cafe angstrom naive",
		"Cafe\u0301":               "cafe",
		"Tiếng Việt":               "tieng viet",
		"Ελλάδα ἄνθρωπος":          "ελλαδα ανθρωπος",
		"МОСКВА́ и йод":            "москва и йод", // й is a letter of its own
		"العَرَبِيَّةُ عـــربي":    "العربية عربي",
		"שָׁלוֹם":                  "שלום",
		"ภาษาไทย ที่นี่":           "ภาษาไทย ที่นี่",
		"हिन्दी":                   "हिन्दी",
		"がぎ ガ":                     "がぎ ガ",
		"a \u0301 b":               "a b",
		"\u0301":                   "",
		"中文":                       "中文",
		"straße, œuvre, øre, łódź": "straße, œuvre, øre, łodz",
	} {
		if got := n.Clean(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := Default().Clean("Café العَرَبِيَّةُ"); got != "café العَرَبِيَّةُ" {
		t.Errorf("by default: %q", got)
	}
}

// Clean text stays unchanged.
func TestAccentsOnce(t *testing.T) {
	n, _ := ParseNormalizer("zerowidth,nfkc,lower,simplify,space,accents")
	piece := rapid.SampledFrom([]rune("aAéÅИиαΆآاعـ י\u0301\u0306\u0308\u0327\u064E\u0654\u05B8\u0E35กि ´ \u1FBD\u0345\u0344"))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"))
		once := n.Clean(s)
		if again := n.Clean(once); again != once {
			t.Fatalf("%q became %q, then %q", s, once, again)
		}
	})
}

func TestUnaccented(t *testing.T) {
	for r, want := range map[rune]rune{'é': 'e', 'ü': 'u', 'ώ': 'ω', 'й': 'й', 'a': 'a', '中': '中', 'ø': 'ø'} {
		if got := Unaccented(r); got != want {
			t.Errorf("%c is %c, want %c", r, got, want)
		}
	}
}
