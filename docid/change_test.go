package docid_test

import (
	"fmt"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

func ExampleEpochOf() {
	epochs := []docid.Epoch{{First: 10, Number: 7}, {First: 20, Number: 9}}
	fmt.Println(docid.EpochOf(epochs, 9), docid.EpochOf(epochs, 10), docid.EpochOf(epochs, 25))
	// Output: 0 7 9
}

func ExampleAnonymousNID() {
	fmt.Println(docid.AnonymousNID(42))
	// Output: ~42
}

func ExampleQuery_Bounds() {
	postings, hits := (&docid.Query{NameLimit: 3}).Bounds()
	fmt.Println(postings, hits)
	// Output: 16384 3
}

// The hottest of those that are hotter than the kept copy and agree with their
// leader, the earliest of equals.
func TestContest(t *testing.T) {
	member := func(nid string, heat int64, disagrees bool) docid.Member {
		return docid.Member{Article: docid.Article{Document: neardup.Document{ID: nid}, Heat: heat}, Disagrees: disagrees}
	}
	for _, test := range []struct {
		name    string
		members []docid.Member
		want    string
	}{
		{"none is hotter", []docid.Member{member("a", 5, false), member("b", 3, false)}, ""},
		{"the hottest", []docid.Member{member("a", 6, false), member("b", 9, false), member("c", 7, false)}, "b"},
		{"the earliest of equals", []docid.Member{member("a", 9, false), member("b", 9, false)}, "a"},
		{"one that disagrees does not count", []docid.Member{member("a", 9, true), member("b", 6, false)}, "b"},
	} {
		g := docid.Group{Kept: &docid.Article{Heat: 5}}
		g.Contest(test.members, true)
		got := ""
		if g.Hotter != nil {
			got = g.Hotter.ID
		}
		if got != test.want || !g.HotterUnknown {
			t.Errorf("%s: %q, want %q; unknown %v", test.name, got, test.want, g.HotterUnknown)
		}
	}
}

func ExampleMember_Own() {
	m := docid.Member{Leader: 3, Seq: 3}
	fmt.Println(m.Own())
	m.Leader, m.Correction = 9, &docid.Correction{Own: 9} // moved to a docId made for it
	fmt.Println(m.Own())
	// Output:
	// 3
	// 9
}

func ExampleReceipt_Home() {
	r := docid.Receipt{Entry: docid.Entry{Leader: 3}}
	fmt.Println(r.Home())
	r.Moved = &docid.Correction{Leader: 9}
	fmt.Println(r.Home())
	// Output:
	// 3
	// 9
}
