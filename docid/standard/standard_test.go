package standard_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
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
		a, err := d.Add(ctx, docid.Submission{ID: fmt.Sprint("n", nid), Text: text})
		fmt.Println(a.ID, a.Decision.Decision, a.Leader, err)
	}
	// Output:
	// n0 new  <nil>
	// n1 duplicate n0 <nil>
	// n2 new  <nil>
}

// Settings can be changed first: here a url also counts only if the contents are alike, and short texts are
// compared by their characters.
func ExampleSettings() {
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	s := standard.Settings()
	s.URLAgrees = standard.Method("jaccard threshold=.2")
	s.ContentMethod = standard.Method("ngram threshold=.8")
	d, err := docid.NewDetector(ctx, store, "news", s)
	if err != nil {
		fmt.Println(err)
		return
	}
	article := docid.Submission{URL: "https://example.org/1", Text: "Your parcel is at the post office."}
	a, err := d.Add(ctx, article)
	fmt.Println(a.Decision.Decision, err)
	article.Text = "The bridge opens on Sunday."
	a, err = d.Add(ctx, article)
	fmt.Println(a.Decision.Decision, err)
	// Output:
	// new <nil>
	// new <nil>
}

// TestTitleOfASeries: one title leads to a docId unless the contents share a template and differ in facts. A
// story in another notation, or one that continues, belongs to the title.
func TestTitleOfASeries(t *testing.T) {
	const title, story = "暴雨红色预警", "市气象台今天上午发布暴雨红色预警信号,预计未来三小时降雨量将达到一百毫米以上,请市民注意防范"
	for _, c := range []struct{ text, leader string }{
		{"市气象台今天上午发布暴雨橙色预警信号,预计未来三小时降雨量将达到五十毫米以上,请市民注意防范", ""},
		{"市气象台今日上午发布暴雨红色预警信号,预计未来3小时降雨量将达到100毫米以上,请市民注意防范", "first"},
		{story + "。全市中小学明天停课一天,请家长留意学校通知,公交线路也将有所调整", "first"},
	} {
		store, err := memory.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d, err := standard.Open(t.Context(), store, "news")
		if err != nil {
			t.Fatal(err)
		}
		for nid, text := range []string{story, c.text} {
			a, err := d.Add(t.Context(), docid.Submission{ID: []string{"first", "second"}[nid], Title: title, Text: text})
			if err != nil {
				t.Fatal(err)
			}
			if c.leader != "" && nid == 1 && (a.Basis != "equal title, jaccard of auto:3" || a.Method != "jaccard" || a.Similarity < standard.TitleAgrees || a.Similarity >= 1) {
				t.Errorf("%s: what agrees is %s by %s, %g", text, a.Basis, a.Method, a.Similarity)
			}
			if nid == 1 && (a.Leader != c.leader || (c.leader == "" && (a.VariantOf != "first" || len(a.Conflicts) == 0))) {
				t.Errorf("%s: %+v", text, a)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
