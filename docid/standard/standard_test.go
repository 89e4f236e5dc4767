package standard_test

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/store/memory"
)

// Two lines to a detector with the default method.
func ExampleOpen() {
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	d, err := standard.Open(ctx, store, "news")
	if err != nil {
		fmt.Println(err)
		return
	}
	for nid, text := range []string{
		"The ministry said on Monday that the wind farm off the coast will be built by next year.",
		"The ministry said on Monday that the wind farm off the coast will be built by next year!",
		"Rain is expected in the northern valleys until Friday, the weather service said.",
	} {
		var article docid.Submission
		article.ID, article.Text = fmt.Sprint("n", nid), text
		a, err := d.Add(ctx, article)
		fmt.Println(a.ID, a.Decision.Decision, a.Leader, err)
	}
	// Output:
	// n0 new  <nil>
	// n1 duplicate n0 <nil>
	// n2 new  <nil>
}

// Settings can be changed first: here a url, too, counts only if the contents
// are alike, and short texts are compared by their characters.
func ExampleSettings() {
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	s := standard.Settings()
	s.URLAgrees = standard.Method(methods.Config{Name: "jaccard", Threshold: .2})
	s.ContentMethod, s.EarlierMethod = standard.Method(methods.Config{Name: "ngram", Threshold: .8}), nil
	d, err := docid.NewDetector(ctx, store, "news", s)
	if err != nil {
		fmt.Println(err)
		return
	}
	var article docid.Submission
	article.URL, article.Text = "https://example.org/1", "Your parcel is at the post office."
	a, err := d.Add(ctx, article)
	fmt.Println(a.Decision.Decision, err)
	article.Text = "The bridge opens on Sunday."
	a, err = d.Add(ctx, article)
	fmt.Println(a.Decision.Decision, err)
	// Output:
	// new <nil>
	// new <nil>
}
