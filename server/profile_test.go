package server_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/prometheus/client_golang/prometheus"
)

// letter is an index of the classic system that has seen it all.
type letter struct {
	attach error
	fed    chan string
}

func (l *letter) Add(_ context.Context, sub docid.Submission) (docid.Answer, error) {
	if sub.Text == "" {
		return docid.Answer{}, docid.ErrBacklog
	}
	a := docid.Answer{DocID: "0-1", Seq: 7, Stage: docid.StageTitle}
	a.ID, a.Decision.Decision = sub.ID, neardup.Duplicate
	return a, nil
}

func (l *letter) Stats(context.Context) (docid.Stats, []docid.Attachment, error) {
	return docid.Stats{Seq: 7, Leaders: 2, Members: 7}, []docid.Attachment{{Sink: "map", Seq: 3}}, nil
}

func (l *letter) Attach(context.Context, string, docid.Sink) error { return l.attach }

func (l *letter) Feed(ctx context.Context, name string, _ docid.Sink, failed func(error)) error {
	failed(errors.New("away"))
	l.fed <- name
	<-ctx.Done()
	return ctx.Err()
}

// TestClassicProfile checks that the classic system only accepts submissions, that its sinks are fed and that
// its metrics are reported.
func TestClassicProfile(t *testing.T) {
	l, registry := &letter{fed: make(chan string, 2)}, prometheus.NewRegistry()
	f := start(t, func(c *server.Config) {
		c.Classic = func(context.Context, string) (server.Classic, error) { return l, nil }
		c.Settings, c.Metrics, c.Sinks = nil, registry, map[string]docid.Sink{"map": nil}
	})
	for _, c := range []struct {
		role               server.Role
		method, path, body string
		status             int
		says               string
	}{
		{server.Submit, http.MethodPost, "/docId/getDocId", `{"content":"x"}`, 200, `"docId_filter duplicate title","docId":"0-1"`},
		{server.Submit, http.MethodPost, "/docId/getDocId", `{}`, 503, `"status":"fail"`},
		{server.Submit, http.MethodPost, "/v1/articles", `{"content":"x"}`, 200, `"stage":"title"`},
		{server.Submit, http.MethodPost, "/v1/batch", `{"articles":[{"content":"x"}]}`, 200, `"seq":7`},
		{server.Read, http.MethodPost, "/docId/getDocId", `{"content":"x"}`, 403, `"status":"fail"`},
		{server.Submit, http.MethodPatch, "/v1/articles/n", `{"heat":1}`, 404, ""},
		{server.Read, http.MethodGet, "/v1/docids", "", 404, ""},
		{server.Moderate, http.MethodGet, "/v1/rulings", "", 404, ""},
		{server.Admin, http.MethodGet, "/v1/log", "", 404, ""},
		{server.Read, http.MethodGet, "/ui/", "", 404, ""},
	} {
		if r := f.do(c.role, c.method, c.path, c.body); r.status != c.status || !strings.Contains(r.body, c.says) {
			t.Errorf("%s %s: %d %s; want %d with %q", c.method, c.path, r.status, r.body, c.status, c.says)
		}
	}
	if got := gauges(t, registry, "news"); got["neardup_sink_lag"] != 4 || got["neardup_docids"] != 2 || got["neardup_seq"] != 7 {
		t.Errorf("figures %v", got)
	}
	if err := f.server.Sweep(t.Context(), time.Now()); err != nil {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { f.server.Run(ctx) })
	for range 2 { // tenants
		if name := <-l.fed; name != "map" {
			t.Errorf("fed %q", name)
		}
	}
	stop()
	running.Wait()
	if !strings.Contains(f.log.String(), "a sink is unreachable") {
		t.Error("the log has no reason for an unreachable sink")
	}
	l.attach = docid.ErrUndrained
	access := &server.Access{}
	access.Allow(server.Hash{}, server.Grant{Tenant: "news"})
	_, err := server.New(t.Context(), server.Config{Classic: func(context.Context, string) (server.Classic, error) { return l, nil },
		Access: access, Sinks: map[string]docid.Sink{"map": nil}})
	if !errors.Is(err, docid.ErrUndrained) {
		t.Errorf("a sink that cannot be attached: %v", err)
	}
}
