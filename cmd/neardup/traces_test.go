//go:build full

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/store/pebble"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// received holds the spans that a collector received.
type received struct {
	mu       sync.Mutex
	header   http.Header
	path     string
	resource []*common.KeyValue
	spans    []*otlp.Span
}

// collects starts a collector.
func collects(t *testing.T) (*received, string) {
	t.Helper()
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10") // ms
	r := &received{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		var all otlp.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &all)
		}
		if err != nil {
			t.Errorf("a body that is none: %v", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.header, r.path = in.Header, in.URL.Path
		for _, of := range all.ResourceSpans {
			r.resource = of.Resource.Attributes
			for _, scope := range of.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(s.Close)
	return r, s.URL
}

// find waits for a span, which comes after those below it.
func (r *received) find(t *testing.T, is func(*otlp.Span) bool) *otlp.Span {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		r.mu.Lock()
		all := slices.Clone(r.spans)
		r.mu.Unlock()
		if i := slices.IndexFunc(all, is); i >= 0 {
			return all[i]
		}
	}
	t.Fatal("the span does not come")
	return nil
}

// tree writes a span with those below it, as they began; "!" after one that failed.
func (r *received) tree(of *otlp.Span) string {
	r.mu.Lock()
	below := slices.DeleteFunc(slices.Clone(r.spans), func(s *otlp.Span) bool { return !bytes.Equal(s.ParentSpanId, of.SpanId) })
	r.mu.Unlock()
	slices.SortStableFunc(below, func(a, b *otlp.Span) int { return cmp.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano) })
	text := of.Name
	if of.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR {
		text += "!"
	}
	if len(below) == 0 {
		return text
	}
	var all []string
	for _, s := range below {
		all = append(all, r.tree(s))
	}
	return text + "(" + strings.Join(all, " ") + ")"
}

// said formats attributes as name=value.
func said(all []*common.KeyValue) string {
	var b strings.Builder
	for _, kv := range all {
		if v, is := kv.Value.Value.(*common.AnyValue_IntValue); is {
			fmt.Fprintf(&b, "%s=%d ", kv.Key, v.IntValue)
		} else {
			fmt.Fprintf(&b, "%s=%s ", kv.Key, kv.Value.GetStringValue())
		}
	}
	return b.String()
}

// submits sends an article below a span of the caller, and returns that of the server.
func (r *received) submits(t *testing.T, url, trace, nid, text string) *otlp.Span {
	t.Helper()
	body, err := json.Marshal(map[string]string{"nid": nid, "content": text})
	fatal(t, err)
	in, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/articles", bytes.NewReader(body))
	fatal(t, err)
	in.Header.Set("Content-Type", "application/json")
	in.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	resp, err := http.DefaultClient.Do(in)
	fatal(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	return r.find(t, func(s *otlp.Span) bool {
		return hex.EncodeToString(s.TraceId) == trace && hex.EncodeToString(s.ParentSpanId) == "00f067aa0ba902b7"
	})
}

const (
	traceNew       = "4bf92f3577b34da6a3ce929d0e0e4736"
	traceDuplicate = "4bf92f3577b34da6a3ce929d0e0e4737"
)

// TestTraces: the command sends the spans of a submission to a collector, below that of the
// caller; nothing in them is of the article, and the log names them.
func TestTraces(t *testing.T) {
	r, collector := collects(t)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=a%20b, x-other=c")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment=test")
	var stderr syncBuffer
	url := "http://" + servingTo(t, &stderr, "--traces", collector+"/", "--log-level", "debug")
	awaitReady(t, nil, url)
	for _, submitted := range [][2]string{{traceNew, "decision=new"}, {traceDuplicate, "decision=duplicate"}} {
		trace, want := submitted[0], submitted[1]
		got := r.submits(t, url, trace, "nid-"+trace, storetest.Base(1))
		if tree := r.tree(got); tree != "POST /v1/articles(decide(look-up judge apply append))" {
			t.Errorf("%s: %s", want, tree)
		}
		decide := r.find(t, func(s *otlp.Span) bool { return bytes.Equal(s.ParentSpanId, got.SpanId) })
		if a := said(decide.Attributes); !strings.Contains(a, want+" ") || !strings.Contains(a, "tenant=default ") {
			t.Errorf("%s: %s", want, a)
		}
		if a := said(got.Attributes); a != "http.request.method=POST http.route=POST /v1/articles http.response.status_code=200 " {
			t.Errorf("%s: %s", want, a)
		}
		if line := fmt.Sprintf(`"trace_id":"%s","span_id":"%x"`, trace, got.SpanId); !strings.Contains(stderr.String(), line) {
			t.Errorf("no line of the log has %s", line)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := said(r.resource); !strings.Contains(a, "service.name=neardup ") || !strings.Contains(a, "deployment=test ") {
		t.Errorf("the resource is %s", a)
	}
	if r.path != "/v1/traces" || r.header.Get("Content-Type") != "application/x-protobuf" || r.header.Get("X-Tenant") != "a b" || r.header.Get("X-Other") != "c" {
		t.Errorf("sent to %s with %v", r.path, r.header)
	}
	for _, s := range r.spans {
		if text := s.String(); strings.Contains(text, "nid-") {
			t.Errorf("a span names an article: %s", text)
		}
	}
}

// An awaySink fails until the test ends that.
type awaySink struct {
	at   uint64
	back chan struct{}
}

func (s *awaySink) Cursor(context.Context, string) (uint64, error) { return s.at, nil }
func (s *awaySink) Close() error                                   { return nil }
func (s *awaySink) Apply(_ context.Context, _ string, ds []docid.Delivery) error {
	select {
	case <-s.back:
		s.at = ds[len(ds)-1].Seq
		return nil
	default:
		return fmt.Errorf("row of %q: %w", ds[0].NID, errors.New("the database is away"))
	}
}

// TestTracesOfALogAndASink: a server that shares a log appends, and then applies; a sink has spans of its own, with
// the cause where it fails.
func TestTracesOfALogAndASink(t *testing.T) {
	r, collector := collects(t)
	var lines syncBuffer
	tel := telemetry{logLevel: "info", traces: collector}
	fatal(t, tel.openLog(&lines))
	provider, stop, err := tel.traced(t.Context())
	fatal(t, err)
	defer stop()
	store, err := pebble.Open(t.Context(), filepath.Join(t.TempDir(), "store"), pebble.Options{Log: storetest.Begin(t, storetest.NewLog())})
	fatal(t, err)
	defer store.Close()
	sink := &awaySink{back: make(chan struct{})}
	s, err := server.New(t.Context(), server.Config{
		Store: store, Settings: func(string) docid.Settings { return storetest.Settings() }, Hosts: []string{"127.0.0.1"},
		Access: &server.Access{Anonymous: &server.Grant{Tenant: "news", Roles: []server.Role{server.Submit}}},
		Sinks:  map[string]docid.Sink{"map": sink}, Telemetry: server.Telemetry{Log: tel.log, Traces: provider},
	})
	fatal(t, err)
	listener := httptest.NewServer(s)
	defer listener.Close()
	running, end := context.WithCancel(t.Context())
	var ran sync.WaitGroup
	ran.Go(func() { s.Run(running) })
	defer ran.Wait()
	defer end()

	got := r.submits(t, listener.URL, traceNew, "nid-1", storetest.Base(1))
	if tree := r.tree(got); tree != "POST /v1/articles(decide(look-up judge append apply))" {
		t.Errorf("a new article: %s", tree)
	}
	failed := r.find(t, func(s *otlp.Span) bool { return s.Name == "sink" })
	if tree, a := r.tree(failed), said(failed.Attributes); tree != "sink!" || a != "tenant=news sink=map changes=0 " || failed.Status.Message != "the database is away" {
		t.Errorf("a sink that fails: %s, %s, %q", tree, a, failed.Status.Message)
	}
	if want := fmt.Sprintf(`"cause":"the database is away","trace_id":"%x"`, failed.TraceId); !strings.Contains(lines.String(), want) {
		t.Errorf("no line of the log has %s: %s", want, lines.String())
	}
	close(sink.back)
	fed := r.find(t, func(s *otlp.Span) bool {
		return s.Name == "sink" && s.Status.GetCode() != otlp.Status_STATUS_CODE_ERROR
	})
	if a := said(fed.Attributes); a != "tenant=news sink=map changes=1 " {
		t.Errorf("a sink that is back: %s", a)
	}
}

// TestDeadCollector checks that every article is answered while a collector stays silent, rejects spans or is
// absent. Spans that exceed the queue are lost, and the log reports that once.
func TestDeadCollector(t *testing.T) {
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "16")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8")
	hung, asked := make(chan struct{}), make(chan struct{}, 1000)
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-hung
	}))
	defer silent.Close()
	defer close(hung)
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		asked <- struct{}{}
	}))
	defer refuses.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, test := range map[string]struct {
		url, cause string
		asked      int
	}{
		"silent": {silent.URL, "context canceled", 1}, "refuses": {refuses.URL, "status 503", 2}, "gone": {gone.URL, "connection refused", 0},
	} {
		var stderr syncBuffer
		t.Run(name, func(t *testing.T) {
			url := "http://" + servingTo(t, &stderr, "--traces", test.url)
			awaitReady(t, nil, url)
			for i := range 50 {
				resp, err := http.Post(url+"/v1/articles", "application/json", strings.NewReader(fmt.Sprintf(`{"content":%q}`, storetest.Base(i))))
				fatal(t, err)
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Fatalf("article %d: status %d", i, resp.StatusCode)
				}
			}
			for range test.asked {
				<-asked
			}
		})
		if n := strings.Count(stderr.String(), "spans are lost"); n != 1 || !strings.Contains(stderr.String(), test.cause) {
			t.Errorf("%s: the log says so %d times: %s", name, n, stderr.String())
		}
	}
}

// TestTracesURL checks that traces are off by default, and that the flag overrides the environment.
func TestTracesURL(t *testing.T) {
	for _, test := range []struct {
		flag, env, want string
		fails           bool
	}{
		{"", "", "", false},
		{"http://a:4318", "", "http://a:4318/v1/traces", false},
		{"https://a/otlp/", "", "https://a/otlp/v1/traces", false},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://b:4318", "http://b:4318/v1/traces", false},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://b:4318,OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c/spans", "http://c/spans", false},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://b:4318,OTEL_SDK_DISABLED=true", "", false},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://b:4318,OTEL_TRACES_EXPORTER=none", "", false},
		{"http://a:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c/spans", "http://a:4318/v1/traces", false},
		{"off", "OTEL_EXPORTER_OTLP_ENDPOINT=http://b:4318", "", false},
		{"a:4318", "", "", true},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=grpc://b:4317", "", true},
	} {
		t.Run(test.flag+" "+test.env, func(t *testing.T) {
			for pair := range strings.SplitSeq(test.env, ",") {
				if name, value, is := strings.Cut(pair, "="); is {
					t.Setenv(name, value)
				}
			}
			got, err := tracesURL(test.flag)
			if got != test.want || errors.Is(err, errUsage) != test.fails {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
			if tel := (telemetry{traces: test.flag}); test.want == "" && !test.fails {
				if provider, stop, err := tel.traced(t.Context()); provider != nil || err != nil {
					t.Errorf("it is on: %v, %v", provider, err)
				} else {
					stop()
				}
			}
		})
	}
	for header, fails := range map[string]bool{"": false, "a=b%20c,d=": false, "a": true, "=b": true, "a=%zz": true} {
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", header)
		if _, err := tracesHeader(); errors.Is(err, errUsage) != fails {
			t.Errorf("headers %q: %v", header, err)
		}
	}
}
