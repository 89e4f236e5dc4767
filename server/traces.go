package server

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/span"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// root begins the span of a request. Its parent is the span in the header traceparent, if any.
func (s *Server) root(r *http.Request) (context.Context, trace.Span) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	return s.cfg.Traces.Tracer(span.Scope).Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
}

// answered ends the span of a request. It records the pattern of the route, but not the path, which may name nids.
func answered(root trace.Span, r *http.Request, status int) {
	if !root.IsRecording() {
		return
	}
	root.SetName(cmp.Or(r.Pattern, r.Method))
	if status >= http.StatusInternalServerError {
		root.SetStatus(codes.Error, http.StatusText(status))
	}
	span.End(root, nil, attribute.String("http.request.method", r.Method), attribute.String("http.route", r.Pattern), attribute.Int("http.response.status_code", status))
}

// decided ends the span of a submission.
func decided(s trace.Span, tenant string, a docid.Answer, err error) {
	if s.IsRecording() {
		span.End(s, err, attribute.String("tenant", tenant), attribute.String("decision", string(a.Decision.Decision)), attribute.String("stage", string(a.Stage)),
			attribute.Int64("seq", int64(a.Seq)), attribute.Int("candidates", a.Candidates), attribute.Int("compared", a.Compared), attribute.Int("rounds", a.Rounds))
	}
}

// observerOf returns a function that records a span for each page sent to a sink, and logs why a sink is unreachable.
func (s *Server) observerOf(tenant, sink string) func(began time.Time, changes int, err error) {
	tracer := s.cfg.Traces.Tracer(span.Scope)
	return func(began time.Time, changes int, err error) {
		ctx, fed := tracer.Start(context.Background(), "sink", trace.WithTimestamp(began))
		if err != nil {
			s.log.WarnContext(ctx, "a sink is unreachable", "tenant", tenant, "sink", sink, "cause", span.Cause(err))
		}
		span.End(fed, err, attribute.String("tenant", tenant), attribute.String("sink", sink), attribute.Int("changes", changes))
	}
}
