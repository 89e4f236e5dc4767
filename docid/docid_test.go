package docid_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/neardup/neardup/docid"
)

func TestDocIDs(t *testing.T) {
	id, err := docid.NewIdentity("", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := docid.NewDocIDs(id, "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := docid.NewDocIDs(id, "b")
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

// TestDocIDsOfEpochs: a number has one docId in each history, and a docId is
// read only where it was given.
func TestDocIDsOfEpochs(t *testing.T) {
	id, err := docid.NewIdentity("", nil)
	if err != nil {
		t.Fatal(err)
	}
	var histories []docid.DocIDs
	for _, epochs := range [][]docid.Epoch{
		nil, {{First: 50, Number: 7}}, {{First: 50, Number: 7}, {First: 80, Number: 1 << 63}}, {{First: 30, Number: 9}},
	} {
		id.Epochs = epochs
		ids, err := docid.NewDocIDs(id, "a")
		if err != nil {
			t.Fatal(err)
		}
		histories = append(histories, ids)
	}
	for i, x := range histories {
		for _, y := range histories[:i] {
			for seq := range uint64(100) {
				same := x.Epoch(seq) == y.Epoch(seq)
				if (x.DocID(seq) == y.DocID(seq)) != same {
					t.Errorf("history %d: change %d of epochs %d and %d has docIds %s and %s", i, seq, x.Epoch(seq), y.Epoch(seq), x.DocID(seq), y.DocID(seq))
				}
				if _, ok := y.Leader(x.DocID(seq)); ok != same {
					t.Errorf("history %d: docId of change %d is read elsewhere: %v", i, seq, ok)
				}
			}
		}
	}
	if got := []uint64{histories[2].Epoch(49), histories[2].Epoch(50), histories[2].Epoch(79), histories[2].Epoch(80)}; !slices.Equal(got, []uint64{0, 7, 7, 1 << 63}) {
		t.Errorf("epochs %v", got)
	}
}

func ExampleDocIDs() {
	ids, err := docid.NewDocIDs(docid.Identity{}, "default")
	s := ids.DocID(1)
	leader, ok := ids.Leader(s)
	fmt.Println(len(s), leader, ok, err)
	// Output: 33 1 true <nil>
}
