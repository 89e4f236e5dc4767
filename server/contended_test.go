package server_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
)

// refusing is a store whose commits are refused with an error.
type refusing struct {
	docid.Store
	with error
}

type refusingIndex struct {
	docid.Index
	with error
}

func (s refusing) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	return refusingIndex{ix, s.with}, err
}

func (i refusingIndex) Commit(context.Context, *docid.Change) (docid.Receipt, error) {
	return docid.Receipt{}, i.with
}

// TestNotNow: who is never first, and who meets a store that is behind, is told
// to come again.
func TestNotNow(t *testing.T) {
	for _, with := range []error{docid.ErrConflict, docid.ErrBehind} {
		f := start(t, func(c *server.Config) { c.Store = refusing{memoryStore(t), with} })
		r := f.do(server.Submit, http.MethodPost, "/v1/articles", `{"content":"some words"}`)
		if r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
			t.Errorf("%v: %d, Retry-After %q: %s", with, r.status, r.header.Get("Retry-After"), r.body)
		}
	}
}
