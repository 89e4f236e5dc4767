package standard_test

import (
	"context"
	"fmt"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/standard"
)

func ExampleDedupStrings() {
	lines := []string{"The ferry leaves at nine.", "The ferry leaves at nine!", "The ferry leaves at ten."}
	leader, err := standard.DedupStrings(context.Background(), lines)
	fmt.Println(leader, err) // [0 0 2] <nil>
	// Output: [0 0 2] <nil>
}

func ExampleConfig() {
	articles := batch.Documents([]neardup.Document{
		{ID: "a", Text: "Fire in the harbour: 12 dead."},
		{ID: "b", Text: "Fire in the harbour, 12 dead"},
		{ID: "c", Text: "Fire in the harbour: 14 dead."},
	})
	cfg, err := standard.Config()
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := batch.Dedup(context.Background(), articles, cfg, func(o batch.Outcome) error {
		fmt.Println(o.ID, o.Decision.Decision)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Kept, "kept")
	// Output:
	// a new
	// b duplicate
	// c new
	// 2 kept
}
