package neardup_test

import (
	"fmt"
	"testing"

	"github.com/neardup/neardup"
)

func TestDocIDs(t *testing.T) {
	id, err := neardup.NewIdentity("", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := neardup.NewDocIDs(id, "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := neardup.NewDocIDs(id, "b")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for seq := range uint64(10_000) {
		s := a.DocID(seq)
		if seen[s] || len(s) != 33 || s[16] != '-' {
			t.Fatalf("docId %q of %d", s, seq)
		}
		seen[s] = true
		if got, ok := a.Leader(s); !ok || got != seq {
			t.Fatalf("Leader(%q) = %d, %v, want %d", s, got, ok, seq)
		}
		if _, ok := b.Leader(s); ok {
			t.Fatalf("tenant b takes docId %q of tenant a", s)
		}
	}
	for _, bad := range []string{"", "x", "0123456789abcdef-0123456789abcdef", "0123456789ABCDEF-0123456789abcdeg"} {
		if _, ok := a.Leader(bad); ok {
			t.Errorf("Leader(%q) is accepted", bad)
		}
	}
}

func ExampleDocIDs() {
	ids, err := neardup.NewDocIDs(neardup.Identity{}, "default")
	s := ids.DocID(1)
	leader, ok := ids.Leader(s)
	fmt.Println(len(s), leader, ok, err)
	// Output: 33 1 true <nil>
}
