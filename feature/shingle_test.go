package feature_test

import (
	"math/bits"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/feature"
)

// units cuts a text the slow and obvious way.
func units(text string, unit feature.Unit) []string {
	alnum := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	cjk := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}
	var out []string
	open := false
	for i, r := range text {
		if r == utf8.RuneError || !alnum(r) && (r != '_' || unit == feature.Runes) {
			open = open && unit == feature.Runes
			continue
		}
		word := text[i : i+utf8.RuneLen(r)]
		switch {
		case unit == feature.Runes:
			out = append(out, word)
		case unit == feature.Auto && cjk(r):
			out, open = append(out, word), false
		case open:
			out[len(out)-1] += word
		default:
			out, open = append(out, word), true
		}
	}
	return out
}

// shingles joins units the slow and obvious way.
func shingles(text string, s feature.Shingle) []string {
	u := units(text, s.Unit)
	if len(u) == 0 {
		return nil
	}
	k := min(s.K, len(u))
	var out []string
	for i := range len(u) - k + 1 {
		out = append(out, strings.Join(u[i:i+k], "\x00"))
	}
	return out
}

// fold and hash are the definition in hash.go, written again from its text.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

func splitmix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func hash(shingle string, unit feature.Unit, seed uint64) uint64 {
	a := splitmix(&seed) | 1
	b := splitmix(&seed) | 1
	p := splitmix(&seed)&^7 | 5
	c := splitmix(&seed) | 1
	d := splitmix(&seed) | 1
	var h uint64
	for word := range strings.SplitSeq(shingle, "\x00") {
		var u uint64
		if unit == feature.Runes {
			r, _ := utf8.DecodeRuneInString(word)
			u = uint64(r)
		} else {
			padded := word + strings.Repeat("\x00", (16-len(word)%16)%16)
			for ; padded != ""; padded = padded[16:] {
				var xy [2]uint64
				for i := range 16 {
					xy[i/8] |= uint64(padded[i]) << (i % 8 * 8)
				}
				u = fold(xy[0]^a^u, xy[1]^b)
			}
		}
		h = h*p + u
	}
	return fold(h^c, fold(h, d)^p)
}

func wantHashes(text string, s feature.Shingle, seed uint64) []uint64 {
	var out []uint64
	for _, sh := range shingles(text, s) {
		out = append(out, hash(sh, s.Unit, seed))
	}
	return out
}

// texts generates what breaks scanners: long and short words, runs of every
// script, broken UTF-8.
func texts() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("abcXYZ019_ .,")), 0, 90, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 200, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("中文字符、。かカ한 a1𠀀")), 0, 60, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("éñß—“” ½²Ⅷ́")), 0, 40, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 6), func(p []string) string { return strings.Join(p, "") })
}

func TestAppendEqualsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		s := feature.Shingle{
			Unit: feature.Unit(rapid.IntRange(0, 2).Draw(t, "unit")),
			K:    rapid.IntRange(1, 6).Draw(t, "k"),
		}
		seed := rapid.Uint64().Draw(t, "seed")
		got := s.Append([]uint64{7}, text, seed)
		want := append([]uint64{7}, wantHashes(text, s, seed)...)
		if !slices.Equal(got, want) {
			t.Fatalf("%v of %q:\ngot  %x\nwant %x", s, text, got, want)
		}
	})
}
