package server_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
	"github.com/prometheus/client_golang/prometheus"
)

// TestSinkFigures: how many changes a sink lacks, and how long the oldest waits.
func TestSinkFigures(t *testing.T) {
	registry := prometheus.NewRegistry()
	came := time.Now().Add(-time.Hour)
	f := start(t, func(c *server.Config) {
		c.Metrics = registry
		plain := c.Settings
		c.Settings = func(tenant string) docid.Settings {
			s := plain(tenant)
			s.Now = func() time.Time { return came }
			return s
		}
	})
	ix, err := f.store.Index(t.Context(), "news", nil)
	if err != nil {
		t.Fatal(err)
	}
	box := ix
	if _, err := box.Outbox().Attach(t.Context(), "map"); err != nil {
		t.Fatal(err)
	}
	check := func(when string, lag, least, most float64) {
		t.Helper()
		got := gauges(t, registry, "news")
		if age := got["neardup_sink_age_seconds"]; got["neardup_sink_lag"] != lag || age < least || age > most {
			t.Errorf("%s: a lag of %v, for %v seconds; want %v, for %v to %v", when, got["neardup_sink_lag"], age, lag, least, most)
		}
	}
	check("nothing came", 0, 0, 0)
	for _, body := range []string{`{"nid":"a","content":"rain in the north"}`, `{"nid":"b","content":"sun in the south"}`} {
		if r := f.do(server.Submit, http.MethodPost, "/v1/articles", body); r.status != http.StatusOK {
			t.Fatalf("%d: %s", r.status, r.body)
		}
		came = came.Add(30 * time.Minute)
	}
	check("two came", 2, 3600, 4200)
	if err := box.Outbox().Acknowledge(t.Context(), "map", 1); err != nil {
		t.Fatal(err)
	}
	check("the sink has the first", 1, 1800, 2400)
	if err := box.Outbox().Acknowledge(t.Context(), "map", 2); err != nil {
		t.Fatal(err)
	}
	check("it has both", 0, 0, 0)
}

// gauges returns the values of a tenant by metric.
func gauges(t *testing.T, registry *prometheus.Registry, tenant string) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, family := range families {
		for _, m := range family.Metric {
			for _, l := range m.Label {
				if l.GetName() == "tenant" && l.GetValue() == tenant && m.Gauge != nil {
					out[family.GetName()] = m.Gauge.GetValue()
				}
			}
		}
	}
	return out
}

// TestBlankArticlesAreCounted checks that an article without text is new, marked and counted. One that joins
// by its title is a normal duplicate, and a replayed answer is not counted.
func TestBlankArticlesAreCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	f := start(t, func(c *server.Config) { c.Metrics = registry })
	for _, c := range []struct{ body, basis string }{
		{`{"nid":"a","title":"Weekly report","content":" \u3000 "}`, "no text"},
		{`{"nid":"a","title":"Weekly report","content":" \u3000 "}`, "no text"},
		{`{"nid":"b","content":""}`, "no text"},
		{`{"nid":"c","title":"Weekly report"}`, "equal title"},
		{`{"nid":"d","content":"a text that says something"}`, ""},
	} {
		var a api.Answer
		r := f.do(server.Submit, http.MethodPost, "/v1/articles", c.body)
		r.decode(t, &a)
		if a.Basis != c.basis {
			t.Errorf("%s: %d, %s", c.body, r.status, r.body)
		}
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "neardup_blank_total" {
			if n := family.Metric[0].Counter.GetValue(); n != 2 {
				t.Errorf("%v without text, want 2", n)
			}
			return
		}
	}
	t.Error("nothing counts articles without text")
}

// setBack is a sink whose cursor was set back by hand.
type setBack struct {
	docid.Sink
	at  uint64
	err error
}

func (s *setBack) Cursor(context.Context, string) (uint64, error) { return s.at, s.err }

// TestLagIsTheSinksOwn: a sink that was set back after it acknowledged lacks what it
// lacks; one that cannot be asked lacks what it has not acknowledged.
func TestLagIsTheSinksOwn(t *testing.T) {
	registry, sink := prometheus.NewRegistry(), &setBack{}
	f := start(t, func(c *server.Config) { c.Metrics, c.Sinks = registry, map[string]docid.Sink{"map": sink} })
	for n := range 3 {
		if r := f.do(server.Submit, http.MethodPost, "/v1/articles", fmt.Sprintf(`{"nid":"n%d"}`, n)); r.status != http.StatusOK {
			t.Fatalf("%d: %s", r.status, r.body)
		}
	}
	ix, err := f.store.Index(t.Context(), "news", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := ix.Outbox().Acknowledge(t.Context(), "map", 3); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		at  uint64
		err error
		lag float64
	}{{3, nil, 0}, {1, nil, 2}, {0, nil, 3}, {0, docid.ErrUnavailable, 0}} {
		sink.at, sink.err = test.at, test.err
		got := gauges(t, registry, "news")
		if got["neardup_sink_lag"] != test.lag || (got["neardup_sink_age_seconds"] > 0) != (test.lag > 0) {
			t.Errorf("cursor %d, %v: a lag of %v for %v seconds, want %v", test.at, test.err, got["neardup_sink_lag"], got["neardup_sink_age_seconds"], test.lag)
		}
	}
}
