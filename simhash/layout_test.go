package simhash

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// layoutNames returns layouts of every family for a distance.
func layoutNames(k int) []string {
	names := map[int][]string{
		3: {"choose:6,2"},
		6: {"choose:9,2"},
	}[k]
	for _, l := range layouts(k) {
		names = append(names, l.String())
	}
	return names
}

func layoutOf(tb testing.TB, name string, k int) Layout {
	tb.Helper()
	l, err := ParseLayout(name, k)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func TestLayoutsOfThePapers(t *testing.T) {
	for _, c := range []struct {
		name                    string
		k, tables, probes, bits int // bits: the narrowest key
	}{
		{"probe:4", 3, 4, 4, 16},
		{"choose:5,2", 3, 10, 10, 25},
		{"choose:6,3", 3, 20, 20, 31},
		{"probe:3", 3, 3, 24, 21},
		{"probe:3", 6, 3, 277, 21},
		{"probe:4", 6, 4, 52, 16},
		{"probe:1", 0, 1, 1, 64},
	} {
		l := layoutOf(t, c.name, c.k)
		narrow := 64
		for _, tb := range l.tables {
			narrow = min(narrow, tb.bits)
		}
		if l.Tables() != c.tables || l.Probes() != c.probes || narrow != c.bits {
			t.Errorf("%s for %d: %d tables, %d probes, %d bits", l, c.k, l.Tables(), l.Probes(), narrow)
		}
	}
}

func TestLayoutsThatWouldMissPairsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		k    int
	}{
		{"probe:0", 0}, {"probe:5", 3}, {"probe:-1", 3}, {"choose:5,3", 3}, {"choose:3,1", 3}, {"nested:4,4", 3},
		{"choose:30,2", 3}, {"probe", 3}, {"probe:2,2", 3}, {"choose:4", 3}, {"", 3},
		{"probe:1", 7}, {"probe:4", 8}, {"probe:1", -1},
	} {
		if l, err := ParseLayout(c.name, c.k); err == nil {
			t.Errorf("%q for %d was taken: %d tables", c.name, c.k, l.Tables())
		}
	}
}

// Some table finds any difference of at most k bits, and the key consists of the masked bits.
func TestLayoutsCover(t *testing.T) {
	for k := 0; k <= MaxK; k++ {
		for _, name := range layoutNames(k) {
			l := layoutOf(t, name, k)
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
						t.Fatalf("%s table %d: key %x of %x", name, i, tb.key(x), x)
					}
				}
				if met != 1 {
					t.Fatalf("%s for %d: %x is reported %d times", name, k, x, met)
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
