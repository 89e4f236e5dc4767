package worker

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/neardup/neardup/batch"
)

// A forest has the components of its edges, also of an ordinal with itself and of those that are held only for a while.
func TestForestKeepsComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	edges := []columns{{900, 900}}
	for range 300 {
		edges = append(edges, columns{rng.IntN(500), rng.IntN(500)})
	}
	want := firsts(edges)
	for _, most := range []int{forestOrdinals, 50, 2} {
		var out bytes.Buffer
		if _, err := forest(newRows(t.Context(), bytes.NewReader(rowsOf(edges...)), &out, "nn"), most); err != nil {
			t.Fatal(err)
		}
		found := parsed(t, "nn", out.Bytes())
		got := firsts(found)
		for ordinal, first := range want {
			if got[ordinal] != first {
				t.Errorf("%d ordinals at once: %d is of %d, want %d", most, ordinal, got[ordinal], first)
			}
		}
		for _, e := range found {
			if e[0].(int) < e[1].(int) || (most == forestOrdinals && e[1] != want[e[0].(int)]) {
				t.Errorf("%d ordinals at once: %v", most, e)
			}
		}
		if most == forestOrdinals && len(found) != len(want) {
			t.Errorf("%d rows, want %d", len(found), len(want))
		}
	}
}

// firsts returns the first ordinal of the component of each ordinal, by repetition.
func firsts(edges []columns) map[int]int {
	of := map[int]int{}
	for _, e := range edges {
		of[e[0].(int)], of[e[1].(int)] = e[0].(int), e[1].(int)
	}
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			a, b := e[0].(int), e[1].(int)
			if least := min(of[a], of[b]); of[a] != least || of[b] != least {
				of[a], of[b], changed = least, least, true
			}
		}
	}
	return of
}

// Ordinals of an index are before zero, and first.
func TestForestOfAnIndex(t *testing.T) {
	f := components{slots: map[batch.Ordinal]int{}}
	f.join(held+3, 7)
	f.join(held+3, held)
	if first := f.ordinals[f.root(held)]; first != 7 {
		t.Errorf("the first is %d", first)
	}
}
