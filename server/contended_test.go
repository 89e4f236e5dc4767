package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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

// TestNotNow checks that a submission that always loses, or meets a store that lags, gets a request to retry.
func TestNotNow(t *testing.T) {
	for _, with := range []error{docid.ErrConflict, docid.ErrBehind} {
		f := start(t, func(c *server.Config) { c.Store = refusing{memoryStore(t), with} })
		r := f.do(server.Submit, http.MethodPost, "/v1/articles", `{"content":"some words"}`)
		if r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
			t.Errorf("%v: %d, Retry-After %q: %s", with, r.status, r.header.Get("Retry-After"), r.body)
		}
	}
}

// TestReasonIsLogged checks that the log has the store's reason and never a nid.
func TestReasonIsLogged(t *testing.T) {
	full := errors.New("write 000007.log: input/output error")
	for _, test := range []struct {
		with error
		want string
	}{
		{fmt.Errorf("%w: %w", docid.ErrUnavailable, full), "the store accepts no writes: write 000007.log: input/output error"},
		{fmt.Errorf("%w: an answer of 3 parts", docid.ErrUnavailable), "the store accepts no writes: an answer of 3 parts"},
		{errors.Join(docid.ErrUnavailable, full), "the store accepts no writes\nwrite 000007.log: input/output error"},
		{docid.ErrUnavailable, "the store accepts no writes"},
		{full, "write 000007.log: input/output error"},
	} {
		f := start(t, func(c *server.Config) { c.Store = refusing{memoryStore(t), test.with} })
		f.do(server.Submit, http.MethodPost, "/v1/articles", `{"nid":"a secret nid","content":"some words"}`)
		want, _ := json.Marshal(test.want)
		if log := f.log.String(); !strings.Contains(log, `"cause":`+string(want)) || strings.Contains(log, "secret") {
			t.Errorf("%v: %s", test.with, log)
		}
	}
}

// However many requests fail, the log has one line a second about them; the lines count all.
func TestFailuresAreCounted(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Store = refusing{memoryStore(t), fmt.Errorf("%w: the log is away", docid.ErrUnavailable)}
		c.Limits.Rate, c.Limits.Burst = 1e6, 1e6
	})
	const requests = 300
	begun := time.Now()
	for range requests {
		f.do(server.Submit, http.MethodPost, "/v1/articles", `{"content":"some words"}`)
	}
	took := time.Since(begun)
	time.Sleep(1100 * time.Millisecond) // a line is due
	f.do(server.Submit, http.MethodPost, "/v1/articles", `{"content":"some words"}`)
	lines, counted := 0, 0
	for _, line := range strings.Split(f.log.String(), "\n") {
		var said struct {
			Msg   string
			Count int
		}
		if json.Unmarshal([]byte(line), &said) == nil && said.Msg == "request failed" {
			lines++
			counted += said.Count
		}
	}
	if most := int(took/time.Second) + 2; lines > most || counted != requests+1 {
		t.Errorf("%d lines count %d requests, want at most %d that count %d", lines, counted, most, requests+1)
	}
}
