package ngram

import (
	"math/rand/v2"
	"testing"
)

// The sum in one word against the sum class by class.
func TestDiffering(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		a, b := rng.Uint64()&bitmap, rng.Uint64()&bitmap
		want := 0
		for shift := 0; shift < 48; shift += 3 {
			d := int(a>>shift&7) - int(b>>shift&7) + 8
			want += min(d%8, 8-d%8)
		}
		if got := differing(a, b); got != want {
			t.Fatalf("%o and %o differ by %d, want %d", a, b, got, want)
		}
	}
	if got := differing(0, 4*lowBits); got != 64 {
		t.Errorf("the greatest difference is %d", got)
	}
}

func TestClasses(t *testing.T) {
	seen := map[uint]bool{}
	for r := range rune(0x10000) {
		if c := classOf(r); c > 15 {
			t.Fatalf("%q has class %d", r, c)
		} else {
			seen[c] = true
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d classes", len(seen))
	}
}
