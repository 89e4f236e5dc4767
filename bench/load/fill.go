package load

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/neardup/neardup/docid"
)

// fillers is the number of articles that Fill adds concurrently.
const fillers = 16

// Fill adds the first articles to an index.
func Fill(ctx context.Context, d *docid.Detector, articles int) error {
	numbers, errs := make(chan int), make(chan error, fillers)
	var group sync.WaitGroup
	for range fillers {
		group.Go(func() {
			made := NewArticles()
			var failed error
			for n := range numbers { // continues after an error, so that no client waits
				if failed != nil {
					continue
				}
				a := made.Make(n)
				var sub docid.Submission
				sub.ID, sub.URL, sub.Title, sub.Text = a.NID, a.URL, a.Title, a.Content
				if _, err := d.Add(ctx, sub); err != nil {
					failed = fmt.Errorf("article %d: %w", n, err)
				}
			}
			errs <- failed
		})
	}
	for n := range articles {
		numbers <- n
	}
	close(numbers)
	group.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}
