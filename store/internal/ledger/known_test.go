package ledger

import (
	"fmt"
	"testing"
)

// TestSeenForgetsNothing: every row that was added is known, those that were
// not hardly ever are, and a row costs at most 8 bytes.
func TestSeenForgetsNothing(t *testing.T) {
	s, n := newKnownRows(drawSeed()), 200_000
	if s.has([]byte("n0")) {
		t.Error("an empty set has something")
	}
	for i := range n {
		s.add(fmt.Appendf(nil, "n%d", i))
		s.add(fmt.Appendf(nil, "n%d", i))
	}
	strangers := 0
	for i := range n {
		if !s.has(fmt.Appendf(nil, "n%d", i)) {
			t.Fatalf("row %d is forgotten", i)
		}
		if s.has(fmt.Appendf(nil, "other%d", i)) {
			strangers++
		}
	}
	if strangers > 5 { // 0.15 expected
		t.Errorf("%d strangers of %d are taken for known", strangers, n)
	}
	if per := s.bytes() / n; per > 8 {
		t.Errorf("%d bytes a row", per)
	}
}
