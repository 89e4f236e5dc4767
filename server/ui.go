package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/neardup/neardup/pages"
	"github.com/neardup/neardup/server/api"
	dto "github.com/prometheus/client_model/go"
)

// maxInspect bounds a text to inspect, in bytes. The time for the edit distance grows with the product of
// both lengths.
const maxInspect = 64 << 10

// routesForPages registers the pages under /ui and the routes that only they use. The pages contain no data,
// so they need no token.
func (s *Server) routesForPages(mux *http.ServeMux) error {
	page, policy, err := pages.Live()
	if err != nil {
		return err
	}
	mux.HandleFunc("GET /ui/{$}", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(page) // the client may have disconnected
	})
	mux.Handle("GET /{$}", http.RedirectHandler("/ui/", http.StatusSeeOther))
	mux.Handle("GET /ui", http.RedirectHandler("/ui/", http.StatusMovedPermanently))
	register(s, operation(Read, http.MethodGet, "/v1/me", "me", "Get the tenant and the roles of the token"), s.me)
	register(s, operation(Read, http.MethodGet, "/v1/live", "live", "Get the metrics of the tenant; with the role operator, those of the server and all tenants"), s.figuresNow)
	register(s, with(operation(Read, http.MethodPost, "/v1/inspect", "inspect", "Compare two texts on every scale, with fingerprints and keywords"), http.StatusNotFound), s.inspect)
	return nil
}

func (s *Server) me(ctx context.Context, _ *struct{}) (api.Caller, error) {
	c := callerOf(ctx)
	out := api.Caller{Tenant: c.grant.Tenant, Name: c.grant.Name, Roles: []string{}}
	for _, r := range roles {
		if c.grant.Has(r) {
			out.Roles = append(out.Roles, string(r))
		}
	}
	return out, nil
}

// figuresNow returns the metrics of the caller's tenant. It returns all metrics of the server to an operator.
func (s *Server) figuresNow(ctx context.Context, _ *struct{}) (api.Live, error) {
	families, err := s.figures.live.Gather()
	if err != nil {
		return api.Live{}, err
	}
	c := callerOf(ctx)
	out := api.Live{Time: time.Now().UTC(), Metrics: []api.Metric{}}
	for _, f := range families {
		for _, m := range f.Metric {
			labels := map[string]string{}
			for _, l := range m.Label {
				labels[l.GetName()] = l.GetValue()
			}
			if c.grant.Has(Operator) || labels["tenant"] == c.grant.Tenant {
				out.Metrics = append(out.Metrics, metric(f.GetName(), labels, m))
			}
		}
	}
	return out, nil
}

func metric(name string, labels map[string]string, m *dto.Metric) api.Metric {
	out := api.Metric{Name: name, Labels: labels, Value: m.GetCounter().GetValue() + m.GetGauge().GetValue()}
	if h := m.Histogram; h != nil {
		out.Count, out.Sum = h.GetSampleCount(), h.GetSampleSum()
		for _, b := range h.Bucket {
			out.Buckets = append(out.Buckets, api.Bucket{Upper: b.GetUpperBound(), Count: b.GetCumulativeCount()})
		}
	}
	return out
}

// inspect takes as long as a long judgement, so it needs a slot of their semaphore.
func (s *Server) inspect(ctx context.Context, in *bodyOf[api.Texts]) (api.Inspection, error) {
	if s.cfg.Inspect == nil {
		return api.Inspection{}, problem(http.StatusNotFound, api.CodeNotFound, "this server cannot compare texts")
	}
	if len(in.Body.is.A) > maxInspect || len(in.Body.is.B) > maxInspect {
		return api.Inspection{}, at("body", fmt.Sprintf("text: too long (want at most %d bytes)", maxInspect))
	}
	if err := s.semaphore.Acquire(ctx); err != nil {
		return api.Inspection{}, err
	}
	defer s.semaphore.Release()
	return s.cfg.Inspect(ctx, in.Body.is.A, in.Body.is.B)
}
