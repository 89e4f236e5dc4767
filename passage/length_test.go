package passage

import (
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

func TestParseLength(t *testing.T) {
	for _, s := range []string{"200 bytes", "100 runes", "50 words", "4 bytes"} {
		l, err := ParseLength(s)
		if err != nil || l.String() != s {
			t.Errorf("%q is %v, %v", s, l, err)
		}
	}
	if l, err := ParseLength("  50   words "); err != nil || l != (Length{50, Words}) {
		t.Errorf("with spaces: %v, %v", l, err)
	}
	for _, s := range []string{"", "200", "bytes", "3 bytes", "-5 words", "1e3 runes", "2000000 bytes", "5 pages", "5 words 6"} {
		if l, err := ParseLength(s); err == nil {
			t.Errorf("%q is %v, want an error", s, l)
		}
	}
}

func TestUnits(t *testing.T) {
	tests := []struct {
		unit Unit
		text string
		want string
	}{
		{Bytes, "aé", "a|\xc3|\xa9"},
		{Runes, "aé\xff汉", "a|é|\xff|汉"},
		{Words, " It's 汉字abc, x_1 -", "It|s|汉|字|abc|x_1"},
		{Words, " - ", ""},
	}
	for _, test := range tests {
		var units []string
		hashes := map[uint64]string{}
		test.unit.each(test.text, func(start, end int, hash uint64) {
			unit := test.text[start:end]
			if other, ok := hashes[hash]; ok && other != unit {
				t.Errorf("%q and %q have one hash", unit, other)
			}
			hashes[hash] = unit
			units = append(units, unit)
		})
		if got := strings.Join(units, "|"); got != test.want {
			t.Errorf("%s of %q: %q, want %q", unitNames[test.unit], test.text, got, test.want)
		}
	}
}

// The anchor of each window is its gram of the smallest hash, by definition. What its windows share recurs
// wherever one of them does.
func TestAnchorsAreMinimizers(t *testing.T) {
	for _, text := range []string{"", "abc", strings.Repeat("a", 100), strings.Repeat("abc", 30), "the quick brown fox jumps over the lazy dog; 他跳过了那只懒狗，又跳回来。"} {
		for _, l := range []Length{{4, Bytes}, {13, Bytes}, {9, Runes}, {5, Words}} {
			s := newSampler(l)
			var units []sampled
			l.Unit.each(text, func(start, end int, hash uint64) { units = append(units, sampled{start, end, hash}) })
			var want []anchor
			for first := range max(len(units)-l.N+1, 0) {
				a := minimizer(text, units[first:first+l.N], s.gram)
				if n := len(want); n > 0 && want[n-1].at == a.at && want[n-1].whole == a.whole {
					want[n-1].hi = a.hi
				} else {
					want = append(want, a)
				}
			}
			if got := s.anchors(text); !slices.Equal(got, want) {
				t.Errorf("%v of %q: %v, want %v", l, text, got, want)
			}
		}
	}
}

// minimizer returns the anchor of one window, from its units alone.
func minimizer(text string, units []sampled, gram int) anchor {
	best, at := anchor{lo: units[0].start, hi: units[len(units)-1].end}, 0
	for g := range len(units) - gram + 1 {
		var h uint64
		for _, u := range units[g : g+gram] {
			h = h*base + u.hash
		}
		h = mixed(h)
		if g == 0 || h <= best.key {
			best.key, best.at, at = h, units[g].start, g
		}
	}
	best.key = mixed(best.key)
	half := (len(units) - gram + 1) / 2
	if at >= half {
		best.whole = xxh3.HashStringSeed(text[units[at-half].start:units[at+gram-1].end], 1)
	} else {
		best.whole = xxh3.HashString(text[best.at:units[at+gram+half-1].end])
	}
	return best
}
