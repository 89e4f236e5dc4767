package hbase

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/neardup/neardup/docid"
	"golang.org/x/sync/errgroup"
)

// textRows limits the rows of a request, because the length of a URL is limited. At most textRequests run at a
// time.
const (
	textRows     = 100
	textRequests = 4
)

// Texts returns the stored texts of docIds. It omits docIds without any.
func (s *Sink) Texts(ctx context.Context, docIDs []string) (map[string]docid.Texts, error) {
	all := map[string]docid.Texts{}
	var mu sync.Mutex // protects all
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(textRequests)
	for some := range slices.Chunk(docIDs, textRows) {
		reading.Go(func() error {
			cells, err := s.g.multiget(ctx, s.table, "", some)
			if err != nil {
				return unavailable(err)
			}
			mu.Lock()
			defer mu.Unlock()
			return gather(all, cells)
		})
	}
	return all, reading.Wait()
}

// gather adds cells to the texts of their rows.
func gather(all map[string]docid.Texts, cells []cell) error {
	for _, c := range cells {
		t := all[c.row]
		var err error
		switch c.column {
		case column:
			var a Article
			err = json.Unmarshal(c.data, &a)
			if err == nil && !a.Gone {
				t.Kept = &docid.Article{Heat: a.Heat}
				t.Kept.ID, t.Kept.Text = a.NID, a.Content
			}
			t.KeptSeq = a.Seq
		case leader:
			var l Leader
			err = json.Unmarshal(c.data, &l)
			if err == nil {
				t.Ended = l.Gone
			}
			if err == nil && !l.Gone {
				t.Material = &docid.Material{NID: l.NID, Title: l.Title, Text: l.Content, Extras: l.Extras}
			}
		}
		if err != nil {
			return fmt.Errorf("%w: %s of docId %q in HBase: %w", docid.ErrCorrupt, c.column, c.row, err)
		}
		all[c.row] = t
	}
	return nil
}
