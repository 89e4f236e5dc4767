package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/server"
	"github.com/prometheus/client_golang/prometheus"
)

// raw sends bytes as they are and reads one answer.
func (f *fixture) raw(request string) (status int, body string) {
	f.Helper()
	c := f.dial(request)
	defer c.Close()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		f.Fatalf("%.80q: %v", request, err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// dial sends bytes as they are, and nothing more.
func (f *fixture) dial(request string) net.Conn {
	f.Helper()
	c, err := net.Dial("tcp", f.http.Listener.Addr().String())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, request); err != nil {
		f.Fatal(err)
	}
	return c
}

// head returns a request of a tenant up to its body.
func (f *fixture) head(who, line string, headers ...string) string {
	lines := append([]string{line + " HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer " + f.tokens[who], "Content-Type: application/json", "Connection: close"}, headers...)
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// A client that sends bodies slowly or never takes no place. Otherwise two tokens could take all places for
// half a minute with a few bytes.
func TestSlowBodiesKeepNoPlace(t *testing.T) {
	f := start(t, func(c *server.Config) { c.Limits.InFlight, c.Limits.PerClient = 4, 3 })
	for range 3 {
		f.dial(f.head("news submit", "POST /v1/articles", "Content-Length: 1000") + `{"nid":`)
		f.dial(f.head("other submit", "POST /v1/articles", "Transfer-Encoding: chunked") + "5\r\n{\"nid\r\n")
	}
	for range 20 { // the others' requests have arrived by then, or it does not matter
		if r := f.do(server.Read, http.MethodGet, "/v1/stats", ""); r.status != http.StatusOK {
			t.Fatalf("another client gets %d: %s", r.status, r.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A body that does not arrive completely is the sender's fault.
func TestBrokenBodies(t *testing.T) {
	f := start(t)
	long := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"a chunk without length": {f.head("news submit", "POST /v1/articles", "Transfer-Encoding: chunked") + "zz\r\n", 400},
		"a long chunk extension": {f.head("news submit", "POST /v1/articles", "Transfer-Encoding: chunked") + "2;" + long + "\r\n{}\r\n0\r\n\r\n", 400},
		"the same, far behind":   {f.head("news submit", "POST /v1/articles", "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\nzz\r\n", len(long), long), 408},
		"two lengths":            {f.head("news submit", "POST /v1/articles", "Content-Length: 4", "Content-Length: 5") + "{}   ", 400},
		"a negative length":      {f.head("news submit", "POST /v1/articles", "Content-Length: -1"), 400},
		"length and chunks":      {f.head("news submit", "POST /v1/articles", "Content-Length: 5", "Transfer-Encoding: chunked") + "2\r\n{}\r\n0\r\n\r\n", 200},
		"an unknown coding":      {f.head("news submit", "POST /v1/articles", "Transfer-Encoding: gzip, chunked") + "0\r\n\r\n", 501},
		"an unknown expectation": {f.head("news submit", "POST /v1/articles", "Content-Length: 2", "Expect: 200-ok") + "{}", 417},
		"no role, no body read":  {f.head("nobody", "POST /v1/articles", "Content-Length: 1000"), 401},
		"classic, broken":        {f.head("news submit", "POST /docId/getDocId", "Transfer-Encoding: chunked") + "zz\r\n", 400},
	} {
		if status, body := f.raw(c.request); status != c.status {
			t.Errorf("%s: %d, want %d: %.200s", name, status, c.status, body)
		}
	}
}

// What means the same is taken for the same, what means nothing is refused, and
// no answer speaks of the types of the program.
func TestOddRequests(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	f := start(t, func(c *server.Config) { c.Metrics = registry })
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"nid":"a","heat":9223372036854775807}`, 200},
		{`{"nid":"b","heat":9223372036854775808}`, 422},
		{`{"nid":"c","heat":1e400}`, 422},
		{`{"nid":"d","heat":-1e400}`, 422},
		{`{"nid":"e","heat":1e3}`, 422},
		{`{"nid":"f","heat":1.5}`, 422},
		{`{"nid":"g","heat":NaN}`, 400},
		{`{"nid":"h","ttlSeconds":-1}`, 422},
		{`{"nid":"i","ttlSeconds":9223372036854775807}`, 422},
		{`{"nid":"j","publishTime":"9999-12-31T23:59:59Z"}`, 422},
		{`{"nid":"k","NID":"l"}`, 400},
		{`{"nid":"k","n\u0069d":"l"}`, 400},
		{`[]`, 422},
		{`null`, 422},
		{`{} {}`, 400},
		{"\ufeff{}", 400},
		{strings.Repeat("[", 1<<20), 422},
	} {
		r := f.do(server.Submit, http.MethodPost, "/v1/articles", c.body)
		if r.status != c.status {
			t.Errorf("%.60s: %d, want %d: %s", c.body, r.status, c.status, r.body)
		}
		if strings.Contains(r.body, "Go ") || strings.Contains(r.body, "json:") {
			t.Errorf("%.60s: %s", c.body, r.body)
		}
	}
	for _, header := range [][2]string{{"Content-Encoding", "IDENTITY"}, {"Content-Type", "APPLICATION/JSON"}, {"Content-Type", "Application/Json; charset=UTF-8"}} {
		if r := f.send(f.submit(`{}`, header[:]...)); r.status != http.StatusOK {
			t.Errorf("%s: %d %s", header, r.status, r.body)
		}
	}
	for path, status := range map[string]int{
		"/v1//stats": 307, "//": 307, "/v1/../v1/stats": 307, "/v1/%2e%2e/healthz": 404, "/v1/articles/%00": 404, "/v1/articles/%ff": 422,
		"/v1/articles/%zz": 400, "/v1/changes/-1": 422, "/v1/changes/18446744073709551616": 422, "/v1/changes/1e400": 422,
		"/v1/docids?limit=1e400": 422, "/v1/docids?after=1.x": 422, "/V1/stats": 404, "/ui/%2e%2e/%2e%2e/etc/passwd": 404, "/v1/stats;x": 404,
	} {
		if got, body := f.raw(f.head("news read", "GET "+path)); got != status || (strings.Contains(body, "no such route") && got < 400) {
			t.Errorf("%s: %d, want %d: %.200s", path, got, status, body)
		}
	}
	if got, body := f.raw(f.head("news read", "GET /v1/articles")); got != http.StatusMethodNotAllowed || !strings.Contains(body, "this route takes POST") {
		t.Errorf("a method that the route does not take: %d %s", got, body)
	}
	if n := routesCounted(t, registry); n > 8 {
		t.Errorf("%d routes in the metrics: paths that are none count as one", n)
	}
}

func routesCounted(t *testing.T, registry *prometheus.Registry) int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	routes := map[string]bool{}
	for _, family := range families {
		for _, m := range family.Metric {
			for _, l := range m.Label {
				if l.GetName() == "route" {
					routes[l.GetValue()] = true
				}
			}
		}
	}
	return len(routes)
}
