// Package span tells OpenTelemetry of the work on one request, in spans below the one that its context has, and puts
// that one's id into log lines. A context without a span that is recorded costs a look.
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

// Start begins a span below that of ctx, for one that has others below it; End ends it.
func Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, noop.Span{}
	}
	return parent.TracerProvider().Tracer(Scope).Start(ctx, name, options...)
}

// End ends a span with what came of it. Of an error it has the cause.
func End(s trace.Span, err error, attributes ...attribute.KeyValue) {
	if s.SetAttributes(attributes...); err != nil {
		s.SetStatus(codes.Error, Cause(err))
	}
	s.End()
}

// Record tells of work that is over, and began at a time.
func Record(ctx context.Context, name string, began time.Time, err error) {
	if trace.SpanFromContext(ctx).IsRecording() {
		_, s := Start(ctx, name, trace.WithTimestamp(began))
		End(s, err)
	}
}

// Cause is what a store says went wrong: the outermost error that begins with the
// words of one it wraps, as "the store takes no writes: no space left on device" does,
// or the innermost. What wraps that names nids, which are the callers' and may hold
// anything.
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

// Log is a handler whose lines have trace_id and span_id of their context.
type Log struct{ slog.Handler }

// Handle adds them to a line.
func (l Log) Handle(ctx context.Context, r slog.Record) error {
	if at := trace.SpanContextFromContext(ctx); at.IsValid() {
		r.AddAttrs(slog.String("trace_id", at.TraceID().String()), slog.String("span_id", at.SpanID().String()))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs keeps doing so.
func (l Log) WithAttrs(attrs []slog.Attr) slog.Handler { return Log{l.Handler.WithAttrs(attrs)} }

// WithGroup keeps doing so.
func (l Log) WithGroup(name string) slog.Handler { return Log{l.Handler.WithGroup(name)} }
