package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/store/memory"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// TestTracesTellOnlyWhatFailed: the span of a request is named by its route, and fails where the server did.
func TestTracesTellOnlyWhatFailed(t *testing.T) {
	seen := tracetest.NewInMemoryExporter()
	f := start(t, func(c *server.Config) { c.Traces = sdk.NewTracerProvider(sdk.WithSyncer(seen)) })
	for _, test := range []struct {
		method, path, body, want string
	}{
		{"GET", "/v1/articles/secret", "", "GET /v1/articles/{id} Unset"},
		{"POST", "/v1/articles", `{"content": 7}`, "POST /v1/articles Unset"},
		{"GET", "/secret", "", "GET Unset"},
	} {
		seen.Reset()
		f.do(server.Read, test.method, test.path, test.body)
		if all := seen.GetSpans(); len(all) != 1 || all[0].Name+" "+all[0].Status.Code.String() != test.want {
			t.Errorf("%s %s: %v", test.method, test.path, all)
		}
	}
	_ = f.store.Close()
	seen.Reset()
	f.do(server.Submit, "POST", "/v1/articles", `{"nid":"secret","content":"words"}`)
	all := seen.GetSpans()
	if root := all[len(all)-1]; root.Name != "POST /v1/articles" || root.Status.Code.String() != "Error" || strings.Contains(fmt.Sprint(all), "secret") {
		t.Errorf("a store that is closed: %v", all)
	}
}

// BenchmarkTraces measures the cost of spans for a submission if they are not sent.
func BenchmarkTraces(b *testing.B) {
	for _, name := range []string{"off", "on"} {
		b.Run(name, func(b *testing.B) {
			store, err := memory.New(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			cfg := server.Config{
				Store: store, Settings: settings, Hosts: []string{"*"}, Limits: server.Limits{Rate: 1e9, Burst: 1e9},
				Access: &server.Access{Anonymous: &server.Grant{Tenant: "news", Roles: []server.Role{server.Submit}}},
			}
			if name == "on" {
				provider := sdk.NewTracerProvider(sdk.WithBatcher(tracetest.NewNoopExporter()))
				defer provider.Shutdown(context.Background())
				cfg.Traces = provider
			}
			s, err := server.New(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for n := range b.N {
				r := httptest.NewRequest(http.MethodPost, "/v1/articles", strings.NewReader(fmt.Sprintf(`{"content":%q}`, story(n))))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}
