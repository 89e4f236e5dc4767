package feature_test

import (
	"math/bits"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/text"
)

// units cuts a text the slow and obvious way.
func units(clean string, unit feature.Unit) []string {
	var out []string
	open := false
	taken := 0
	for i, r := range clean {
		if i < taken {
			continue // the rest of a sign
		}
		if !text.IsAlnum(r) && (r != '_' || unit == feature.Runes) {
			if name, end := text.Sign(clean, i); name != "" {
				taken = end
				if unit == feature.Runes {
					out = append(out, strings.Split(name, "")...)
				} else {
					out, open = append(out, name), false
				}
				continue
			}
		}
		if unit == feature.Scripts && (text.IsUnspaced(r) || (open && text.IsMark(r))) {
			word := clean[i : i+utf8.RuneLen(r)]
			if open && !text.IsUnspaced(r) {
				out[len(out)-1] += word
			} else {
				out, open = append(out, word), false
			}
			continue
		}
		if r == utf8.RuneError || (!text.IsAlnum(r) && (r != '_' || unit == feature.Runes)) {
			open = open && unit == feature.Runes
			continue
		}
		word := clean[i : i+utf8.RuneLen(r)]
		switch {
		case unit == feature.Runes:
			out = append(out, word)
		case unit != feature.Words && text.IsCJK(r):
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
func shingles(clean string, s feature.Shingle) []string {
	u := units(clean, s.Unit)
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

func chain(lanes []uint64, k, l uint64) (z uint64) {
	for i := 0; i < len(lanes); i += 2 {
		y := uint64(0)
		if i+1 < len(lanes) {
			y = lanes[i+1]
		}
		z = fold(lanes[i]^z^k, y^l)
	}
	return z
}

func hash(shingle string, unit feature.Unit, seed uint64) uint64 {
	var key [5]uint64
	for i := range key {
		key[i] = splitmix(&seed)
	}
	var lanes []uint64
	for i, word := range strings.Split(shingle, "\x00") {
		var lane uint64
		if unit == feature.Runes {
			r, _ := utf8.DecodeRuneInString(word)
			lane = uint64(r)
			if i%3 != 0 {
				lane |= lanes[i/3] << 21
				lanes = lanes[:i/3]
			}
		} else {
			bytes := make([]uint64, (len(word)+7)/8)
			for i := range len(word) {
				bytes[i/8] |= uint64(word[i]) << (i % 8 * 8)
			}
			lane = chain(bytes, key[0], key[1])
		}
		lanes = append(lanes, lane)
	}
	z := chain(lanes, key[2], key[3]) * (key[4] | 1)
	return z ^ z>>32
}

func wantHashes(clean string, s feature.Shingle, seed uint64) []uint64 {
	var out []uint64
	for _, sh := range shingles(clean, s) {
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
		rapid.StringOfN(rapid.RuneFrom([]rune("ab12  .,-–−+*/^=!<>&|@#$€%‰°×≤≠±_()'\"’✓👍→中c\ufe0f\n")), 0, 90, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("中文字符、。かカ한 a1𠀀")), 0, 60, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("éñß—“” ½²Ⅷ́")), 0, 40, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("กี่ไ๑ ກີຂ້ខ្ញុំམིའུ་က်ျ。中हिंदीعَرَ aé\u0301")), 0, 60, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 6), func(p []string) string { return strings.Join(p, "") })
}

func TestAppendEqualsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clean := texts().Draw(t, "clean")
		s := feature.Shingle{
			Unit: feature.Unit(rapid.IntRange(0, 3).Draw(t, "unit")),
			K:    rapid.IntRange(1, 10).Draw(t, "k"),
		}
		seed := rapid.Uint64().Draw(t, "seed")
		got := s.Append([]uint64{7}, clean, seed)
		want := append([]uint64{7}, wantHashes(clean, s, seed)...)
		if !slices.Equal(got, want) {
			t.Fatalf("%v of %q:\ngot  %x\nwant %x", s, clean, got, want)
		}
	})
}

// Units are the units of shingles, at the right offsets, and equal units have equal hashes.
func TestUnitsEqualTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clean := texts().Draw(t, "clean")
		unit := feature.Unit(rapid.SampledFrom([]feature.Unit{feature.Auto, feature.Words, feature.Scripts}).Draw(t, "unit"))
		want := units(clean, unit)
		hashes, starts := feature.Units(clean, unit)
		if len(hashes) != len(want) || len(starts) != len(want) {
			t.Fatalf("%d hashes and %d starts of %q", len(hashes), len(starts), want)
		}
		of := map[string]uint32{}
		for i, word := range want {
			if named, _ := text.Sign(clean, int(starts[i])); (named != word && !strings.HasPrefix(clean[starts[i]:], word)) || (i > 0 && starts[i] <= starts[i-1]) {
				t.Fatalf("%q is not at %d of %q", word, starts[i], clean)
			}
			if h, ok := of[word]; ok && h != hashes[i] {
				t.Fatalf("%q has the hashes %x and %x", word, h, hashes[i])
			}
			of[word] = hashes[i]
		}
		for _, seed := range []uint64{0, 7} {
			s := feature.Shingle{Unit: unit, K: 2}
			shingles, again, at := s.AppendUnits([]uint64{1}, clean, seed)
			if !slices.Equal(shingles, s.Append([]uint64{1}, clean, seed)) || !slices.Equal(again, hashes) || !slices.Equal(at, starts) {
				t.Fatalf("%q: AppendUnits with seed %d returns others", clean, seed)
			}
		}
	})
}

// TestMix: Mix is the output of SplitMix64 at a state.
func TestMix(t *testing.T) {
	for state := uint64(0); state < 1000; {
		before := state
		if want := splitmix(&state); feature.Mix(state) != want {
			t.Fatalf("Mix(%#x), want %#x", state, want)
		}
		state = before + 1
	}
}
