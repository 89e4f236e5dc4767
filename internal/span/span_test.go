package span

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// TestOff: without a span in the context nothing is made, and a log line is as it was.
func TestOff(t *testing.T) {
	ctx, began := t.Context(), time.Now()
	if n := testing.AllocsPerRun(100, func() {
		in, s := Start(ctx, "decide")
		Record(in, "judge", began, nil)
		End(s, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var b strings.Builder
	slog.New(Handler{slog.NewTextHandler(&b, nil)}).InfoContext(ctx, "words")
	if strings.Contains(b.String(), "trace") {
		t.Error(b.String())
	}
}

// TestOn checks the parent, the start and the error of spans. An error is recorded by its cause.
func TestOn(t *testing.T) {
	seen := tracetest.NewInMemoryExporter()
	ctx, root := sdk.NewTracerProvider(sdk.WithSyncer(seen)).Tracer(Scope).Start(t.Context(), "request")
	in, decide := Start(ctx, "decide")
	began := time.Now().Add(-time.Hour)
	Record(in, "judge", began, fmt.Errorf("article %q: %w", "secret", errors.New("damaged")))
	End(decide, nil)
	End(root, nil)
	all := seen.GetSpans()
	if len(all) != 3 || all[0].Parent.SpanID() != all[1].SpanContext.SpanID() || all[1].Parent.SpanID() != all[2].SpanContext.SpanID() {
		t.Fatalf("%v", all)
	}
	if s := all[0]; !s.StartTime.Equal(began) || s.Status.Description != "damaged" {
		t.Errorf("%v", s)
	}
	var b strings.Builder
	slog.New(Handler{slog.NewTextHandler(&b, nil)}).With("a", 1).WithGroup("g").InfoContext(in, "words")
	if want := "a=1 g.trace_id=" + all[1].SpanContext.TraceID().String() + " g.span_id=" + all[1].SpanContext.SpanID().String(); !strings.Contains(b.String(), want) {
		t.Errorf("%s has no %s", b.String(), want)
	}
	Record(context.WithoutCancel(t.Context()), "judge", began, nil)
	if n := len(seen.GetSpans()); n != 3 {
		t.Errorf("%d spans", n)
	}
}
