package ledger

import (
	"fmt"
	"testing"
)

// TestKnown checks that every added nid is found, that few others are, and that the bits per nid stay bounded.
func TestKnown(t *testing.T) {
	for _, n := range []int{0, 1, 1024, 1025, 50_000} {
		var k nidFilter
		for i := range n {
			k.add(fmt.Sprint("there ", i))
		}
		passed := 0
		for i := range n {
			if !k.has(fmt.Sprint("there ", i)) {
				t.Fatalf("of %d nids, %d is denied", n, i)
			}
			if k.has(fmt.Sprint("elsewhere ", i)) {
				passed++
			}
		}
		if (k.has("not there") && n == 0) || passed > 1+n/20 {
			t.Errorf("of %d nids that are not there %d pass", n, passed)
		}
		if most := 4*n + 2048; k.bytes() > most {
			t.Errorf("%d nids take %d bytes, more than %d", n, k.bytes(), most)
		}
	}
}
