package docid_test

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/memory"
)

// A detector needs a store and settings; what is not set is off. Package
// docid/standard has the settings of the service.
func ExampleNewDetector() {
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	d, err := docid.NewDetector(ctx, store, "news", docid.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, url := range []string{"http://a.example/1", "http://b.example/2"} {
		a, err := d.Add(ctx, docid.Submission{URL: url, Text: "The same words on two sites."})
		fmt.Println(a.Decision.Decision, a.Stage, err)
	}
	// Output:
	// new  <nil>
	// duplicate content <nil>
}

// printed is a sink that keeps nothing.
type printed struct{ last uint64 }

func (p *printed) Cursor(context.Context, string) (uint64, error) { return p.last, nil }

func (p *printed) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	for _, d := range ds {
		fmt.Println(d.Seq, d.Kind, d.NID, d.Article.Text)
		p.last = d.Seq
	}
	return nil
}

func (p *printed) Close() error { return nil }

// A relay feeds a sink what was decided, with the articles, in order.
func ExampleDetector_Relay() {
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	d, err := docid.NewDetector(ctx, store, "news", docid.Settings{Content: docid.Exact})
	if err != nil {
		fmt.Println(err)
		return
	}
	relay, err := d.Relay(ctx, "printed", &printed{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, nid := range []string{"a", "b"} {
		if _, err := d.Add(ctx, docid.Submission{ID: nid, Text: "The same words."}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(relay.Drain(ctx))
	// Output:
	// 1 new a The same words.
	// 2 duplicate b The same words.
	// 2 <nil>
}
