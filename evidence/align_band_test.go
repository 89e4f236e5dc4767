package evidence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup/token"
)

// whole computes fill by definition, for all ends of both texts.
func whole(x, y []token.Token) []uint16 {
	wide := len(y) + 1
	lengths := make([]uint16, (len(x)+1)*wide)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i].Hash == y[j].Hash {
				lengths[i*wide+j] = lengths[(i+1)*wide+j+1] + 1
			} else {
				lengths[i*wide+j] = max(lengths[(i+1)*wide+j], lengths[i*wide+j+1])
			}
		}
	}
	return lengths
}

// slotsOf walks along a whole table.
func slotsOf(x, y []token.Token) (found []string) {
	lengths, wide := whole(x, y), len(y)+1
	i, j, fromI, fromJ := 0, 0, 0, 0
	slot := func() {
		if i > fromI || j > fromJ {
			found = append(found, fmt.Sprintf("%d-%d %d-%d", fromI, i, fromJ, j))
		}
	}
	for i < len(x) && j < len(y) {
		switch {
		case x[i].Hash == y[j].Hash:
			slot()
			i, j = i+1, j+1
			fromI, fromJ = i, j
		case lengths[(i+1)*wide+j] >= lengths[i*wide+j+1]:
			i++
		default:
			j++
		}
	}
	i, j = len(x), len(y)
	slot()
	return found
}

// TestAlignInABand: the alignment is the one of the whole table, whatever the two
// texts have in common, also with a table full of what was there before.
func TestAlignInABand(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	words := func(n, kinds int) []token.Token {
		all := make([]token.Token, n)
		for i := range all {
			all[i].Hash = r.Uint64N(uint64(kinds)) + 1
		}
		return all
	}
	var l aligner
	for round := range 3000 {
		kinds := []int{2, 5, 50, 5000}[r.IntN(4)]
		x := words(r.IntN(120), kinds)
		y := slices.Clone(x)
		for range []int{0, 1, 4, 20, 80}[r.IntN(5)] { // words added, removed and replaced
			at := r.IntN(len(y) + 1)
			switch r.IntN(3) {
			case 0:
				y = slices.Insert(y, at, words(1+r.IntN(3), kinds)...)
			case 1:
				y = slices.Delete(y, at, min(len(y), at+1+r.IntN(3)))
			default:
				copy(y[at:], words(1, kinds))
			}
		}
		switch round % 10 {
		case 0:
			y = words(r.IntN(120), kinds)
		case 1: // as much to leave out as is tried first, or a little more, for what is longer than what is near
			both, one := words(2+r.IntN(3), 5000), words(1, 5000)
			x = append(words(narrow-2+r.IntN(6), 5000), both...)
			y = append(slices.Clone(both), words(narrow-2+r.IntN(6), 5000)...)
			x, y = slices.Insert(x, 10, one...), slices.Insert(y, 10, one...)
		}
		if round%10 != 1 { // ends that are equal are cut before: here they are not
			x = append(append([]token.Token{{Hash: 1 << 60}}, x...), token.Token{Hash: 1 << 61})
			y = append(append([]token.Token{{Hash: 1 << 62}}, y...), token.Token{Hash: 1 << 63})
		}
		var got []string
		l.slots = l.slots[:0]
		l.align(x, y)
		for _, s := range l.slots {
			got = append(got, fmt.Sprintf("%d-%d %d-%d", placeOf(x, s.a), placeOf(x, s.a)+len(s.a), placeOf(y, s.b), placeOf(y, s.b)+len(s.b)))
		}
		want := slotsOf(x, y)
		if len(got) != len(want) {
			t.Fatalf("round %d: %d slots, want %d", round, len(got), len(want))
		}
		for i, w := range want {
			var a0, a1, b0, b1 int
			fmt.Sscanf(w, "%d-%d %d-%d", &a0, &a1, &b0, &b1)
			if a0 == a1 || b0 == b1 { // an empty side is nowhere
				continue
			}
			if got[i] != w {
				t.Fatalf("round %d: slot %d is %s, want %s", round, i, got[i], w)
			}
		}
	}
}

// placeOf returns where a part of a text begins in it.
func placeOf(text, part []token.Token) int {
	for i := range text {
		if len(part) > 0 && &text[i] == &part[0] {
			return i
		}
	}
	return 0
}

// BenchmarkAlign aligns two notices of 390 words in which every 40th differs.
func BenchmarkAlign(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]token.Token, 390)
	for i := range x {
		x[i].Hash = r.Uint64()
	}
	y := slices.Clone(x)
	for i := 0; i < len(y); i += 40 {
		y[i].Hash = r.Uint64()
	}
	y[len(y)-1].Hash = 1
	var l aligner
	for b.Loop() {
		l.slots = l.slots[:0]
		l.align(x, y)
	}
}
