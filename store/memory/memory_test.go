package memory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/memory"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Backend {
		return storetest.Backend{Open: func(ctx context.Context) (docid.Store, error) { return memory.New(ctx) }}
	})
}

func Example() {
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	d, err := docid.NewDetector(ctx, store, "default", docid.Settings{URL: docid.Exact, Content: docid.Exact})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, url := range []string{"http://a.example/1", "https://b.example/2"} {
		var article docid.Submission
		article.URL, article.Text = url, "The same words on two sites."
		a, err := d.Add(ctx, article)
		fmt.Println(a.Decision.Decision, a.Stage, a.Seq, a.LeaderSeq, err)
	}
	// Output:
	// new  1 1 <nil>
	// duplicate content 2 1 <nil>
}
