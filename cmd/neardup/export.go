package main

import (
	"context"
	"encoding/csv"
	"errors"
	"maps"
	"slices"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/server/api"
)

// exportPage is how many changes are asked for at a time.
const exportPage = 1000

type export struct {
	*app
	remote remoteFlags
}

func (e *export) do(ctx context.Context, _ []string) error {
	c, err := e.remote.client(e.stderr)
	if err != nil {
		return err
	}
	defer c.Close()
	found, err := exported(ctx, c)
	if err != nil {
		return err
	}
	rows := [][]string{{"nid", "docId"}}
	for _, nid := range slices.Sorted(maps.Keys(found)) {
		rows = append(rows, []string{corpus.Cell(nid), found[nid]})
	}
	return csv.NewWriter(e.stdout).WriteAll(rows)
}

// exported is the docId of every article that lives, by nid.
func exported(ctx context.Context, c *api.Client) (map[string]string, error) {
	st, err := c.Stats(ctx)
	if err != nil {
		return nil, err
	}
	docIDs, ended := map[string]string{}, map[string]bool{}
	for at := uint64(0); at < st.Seq; {
		page, err := c.Log(ctx, at, exportPage)
		if err != nil {
			return nil, err
		}
		if len(page.Entries) == 0 || !slices.Equal(page.Epochs, st.Epochs) {
			return nil, errors.New("the index was restored meanwhile: call it again")
		}
		for _, e := range page.Entries {
			if at = e.Seq; at > st.Seq {
				break
			}
			switch e.Kind {
			case "new", "duplicate", "correct":
				docIDs[e.NID] = e.DocID
			case "delete":
				delete(docIDs, e.NID)
			case "end", "expire":
				ended[e.DocID] = true
			}
		}
	}
	maps.DeleteFunc(docIDs, func(_, docID string) bool { return ended[docID] })
	return docIDs, nil
}
