package server_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/stack"
	"github.com/neardup/neardup/server"
)

// probed is a store that looks at the stack where a commit is handed to the writer, which is the last to ask
// the context whether the client still waits.
type probed struct {
	docid.Store
	look func()
}

type probedIndex struct {
	docid.Index
	look func()
}

type probedContext struct {
	context.Context
	look func()
}

func (s probed) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	return probedIndex{ix, s.look}, err
}

func (i probedIndex) Commit(ctx context.Context, c *docid.Change) (docid.Receipt, error) {
	return i.Index.Commit(probedContext{ctx, i.look}, c)
}

func (c probedContext) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

// From a request to the writer, and to the method that judges a pair, there are few functions. The goals are 14, and 24
// with the functions of the method.
func TestStackOfARequest(t *testing.T) {
	written, judged := &stack.Probe{From: "server.(*Server).ServeHTTP"}, &stack.Probe{From: "server.(*Server).ServeHTTP"}
	f := start(t, func(c *server.Config) {
		c.Store = probed{memoryStore(t), written.Look}
		c.Settings = func(tenant string) docid.Settings {
			s := settings(tenant)
			content := s.ContentMethod
			s.ContentMethod = func(seed uint64, table []byte) (neardup.Method, error) {
				m, err := content(seed, table)
				return stack.Judging(m, judged.Look), err
			}
			return s
		}
	})
	for _, body := range []string{
		`{"content":"The ferry to the island leaves at nine today and comes back in the evening with the mail."}`,
		`{"content":"The ferry to the island leaves at nine today and comes back in the evening with mail."}`,
	} {
		if r := f.do(server.Submit, http.MethodPost, "/v1/articles", body); r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	written.Check(t, 17)
	judged.Check(t, 32)
}
