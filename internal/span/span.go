// Package span records the work on a request as OpenTelemetry spans, and adds the id of the context's span to
// log lines. A context without a recorded span costs only a check.
package span

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Scope names the program in its spans.
const Scope = "github.com/neardup/neardup"

// Start begins a child of the span in ctx. The returned context holds the child. End ends it.
func Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, noop.Span{}
	}
	return parent.TracerProvider().Tracer(Scope).Start(ctx, name, options...)
}

// End ends a span and records attributes and the cause of an error.
func End(s trace.Span, err error, attributes ...attribute.KeyValue) {
	s.SetAttributes(attributes...)
	if err != nil {
		s.SetStatus(codes.Error, Cause(err))
	}
	s.End()
}

// Record records finished work that began at a given time.
func Record(ctx context.Context, name string, began time.Time, err error) {
	if trace.SpanFromContext(ctx).IsRecording() {
		_, s := Start(ctx, name, trace.WithTimestamp(began))
		End(s, err)
	}
}

// Cause returns the message of a store's error. It takes the outermost error whose message begins with that of an error it
// wraps, such as "the store takes no writes: no space left on device". If there is none, it takes the innermost. Errors
// outside of it contain nids, which callers choose freely.
func Cause(err error) string {
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			inner := e.Unwrap()
			if inner == nil || strings.HasPrefix(err.Error(), inner.Error()) {
				return err.Error()
			}
			err = inner
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			if len(all) == 0 || strings.HasPrefix(err.Error(), all[0].Error()) {
				return err.Error()
			}
			err = all[len(all)-1]
		default:
			return err.Error()
		}
	}
}

// Handler is a handler that adds trace_id and span_id of the context to log lines.
type Handler struct{ slog.Handler }

// Handle adds the ids to a line.
func (l Handler) Handle(ctx context.Context, r slog.Record) error {
	if at := trace.SpanContextFromContext(ctx); at.IsValid() {
		r.AddAttrs(slog.String("trace_id", at.TraceID().String()), slog.String("span_id", at.SpanID().String()))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler that also adds the ids.
func (l Handler) WithAttrs(a []slog.Attr) slog.Handler { return Handler{l.Handler.WithAttrs(a)} }

// WithGroup returns a handler that also adds the ids.
func (l Handler) WithGroup(name string) slog.Handler { return Handler{l.Handler.WithGroup(name)} }
