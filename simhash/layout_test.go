package simhash

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// allLayouts returns layouts of every family for a distance.
func allLayouts(k int) []layout {
	more := map[int][]layout{3: {choose(3, 6, 2)}, 6: {choose(6, 9, 2)}}[k]
	return append(more, layouts(k)...)
}

func TestLayoutsOfThePapers(t *testing.T) {
	for _, c := range []struct {
		layout
		tables, probes, bits int // bits: the narrowest key
	}{
		{probe(3, 4), 4, 4, 16},
		{choose(3, 5, 2), 10, 10, 25},
		{choose(3, 6, 3), 20, 20, 31},
		{probe(3, 3), 3, 24, 21},
		{probe(6, 3), 3, 277, 21},
		{probe(6, 4), 4, 52, 16},
		{probe(0, 1), 1, 1, 64},
	} {
		narrow, probes := 64, 0
		for _, tb := range c.layout.tables {
			narrow, probes = min(narrow, tb.bits), probes+len(tb.flips)
		}
		if len(c.layout.tables) != c.tables || probes != c.probes || narrow != c.bits {
			t.Errorf("%s for %d: %d tables, %d probes, %d bits", c.name, c.k, len(c.layout.tables), probes, narrow)
		}
	}
}

// Some table finds any difference of at most k bits, and the key consists of the masked bits.
func TestLayoutsCover(t *testing.T) {
	for k := 0; k <= MaxK; k++ {
		for _, l := range allLayouts(k) {
			rapid.Check(t, func(t *rapid.T) {
				var x uint64
				for _, b := range rapid.SliceOfN(rapid.IntRange(0, 63), 0, k).Draw(t, "bits") {
					x |= 1 << b
				}
				met := 0
				for i := range l.tables {
					tb := &l.tables[i]
					if tb.meets(x) && l.first(i, x) {
						met++
					}
					if bits.OnesCount64(tb.key(x)) != bits.OnesCount64(x&tb.mask) || tb.key(x)>>tb.bits != 0 {
						t.Fatalf("%s table %d: key %x of %x", l.name, i, tb.key(x), x)
					}
				}
				if met != 1 {
					t.Fatalf("%s for %d: %x is reported %d times", l.name, k, x, met)
				}
			})
		}
	}
}

func TestFlips(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for r := 0; r <= 3; r++ {
			seen := map[uint64]bool{}
			for _, f := range flips(n, r) {
				if seen[f] || f>>n != 0 || bits.OnesCount64(f) > r {
					t.Fatalf("flips(%d, %d) has %x", n, r, f)
				}
				seen[f] = true
			}
			want := 0
			for f := range uint64(1) << n {
				if bits.OnesCount64(f) <= r {
					want++
				}
			}
			if len(seen) != want {
				t.Fatalf("flips(%d, %d): %d, want %d", n, r, len(seen), want)
			}
		}
	}
}
