package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// What strangers may send, and what it must get: an answer, never a crash, a
// 5xx or a common docId for texts of nothing.
func TestPoisonInputs(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	tests := []struct {
		name, body string
		status     int
	}{
		{"invalid UTF-8", "{\"content\":\"\xff\xfe\"}", 400},
		{"GB18030", "{\"content\":\"\xba\xa3\xc1\xbf\"}", 400},
		{"lone high surrogate", `{"content":"\ud800"}`, 400},
		{"lone low surrogate", `{"content":"\udc00 x"}`, 400},
		{"surrogates the wrong way round", `{"content":"\udc00\ud800"}`, 400},
		{"a pair of surrogates", `{"content":"\ud83d\ude00"}`, 200},
		{"an escaped backslash before u", `{"content":"\\ud800"}`, 200},
		{"NUL and bidi", `{"content":"a\u0000b\u202ec"}`, 200},
		{"a million combining marks", `{"content":"e` + strings.Repeat("\u0301", 500_000) + `"}`, 200},
		{"JSON a million deep", deep(1_000_000)[:4_000_000], 400},
		{"arrays a million deep", strings.Repeat("[", 1_000_000), 422},
		{"33 deep", deep(33), 422},
		{"a key twice", `{"content":"a","content":"b"}`, 400},
		{"a key in two cases", `{"content":"a","Content":"b"}`, 400},
		{"a key by another fold", `{"windowſeconds":1,"windowSeconds":2}`, 400},
		{"a key by an escape", `{"nid":"a","n\u0069d":"b"}`, 400},
		{"twenty keys, one twice", `{"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1,"a9":1,"a10":1,"a11":1,"a12":1,"a13":1,"a14":1,"a15":1,"a16":1,"a17":1,"A17":1}`, 422},
		{"another case alone", `{"Content":"a"}`, 200},
		{"nothing", ``, 415},
		{"no JSON", `content=a`, 400},
		{"half of JSON", `{"content":"a`, 400},
		{"two values", `{} {}`, 400},
		{"null", `null`, 422},
		{"a number too large", `{"heat":1e400}`, 422},
		{"heat over 64 bits", `{"heat":9223372036854775808}`, 422},
		{"a text over 1 MiB", `{"content":"` + strings.Repeat("x", 1<<20+1) + `"}`, 422},
		{"a text of 1 MiB", `{"content":"` + strings.Repeat("y z ", 1<<18) + `"}`, 200},
		{"a text that grows over 1 MiB", `{"content":"` + strings.Repeat("\ufdfa", 340_000) + `"}`, 422},
		{"a title that grows over its limit", `{"title":"` + strings.Repeat("\ufdfa", 5000) + `"}`, 422},
		{"signs that grow within the limits", `{"content":"` + strings.Repeat("\ufdfa", 300) + `"}`, 200},
		{"a body over 4 MiB", `{"content":"` + strings.Repeat("x", 4<<20) + `"}`, 413},
		{"a nid over 256 bytes", `{"nid":"` + strings.Repeat("x", 257) + `"}`, 422},
		{"a nid of 256 bytes", `{"nid":"` + strings.Repeat("x", 256) + `"}`, 200},
		{"a hostile nid", `{"nid":"../../etc\n\u0000{}<script>","content":"x"}`, 200},
		{"a title over its limit", `{"title":"` + strings.Repeat("x", 16<<10+1) + `"}`, 422},
		{"a hostile url", `{"url":"javascript:alert(1)//\u0000","content":"q"}`, 200},
	}
	f := start(t)
	for _, test := range tests {
		r := f.do(server.Submit, http.MethodPost, "/v1/articles", test.body)
		if r.status != test.status {
			t.Errorf("%s: %d, want %d: %.200s", test.name, r.status, test.status, r.body)
		}
	}
	if r := f.do(server.Submit, http.MethodPost, "/v1/articles", `{"content":"still here"}`); r.status != http.StatusOK {
		t.Errorf("afterwards: %d", r.status)
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A body without a length is read to the limit and no further.
func TestBodyWithoutLength(t *testing.T) {
	f := start(t)
	for _, path := range []string{"/v1/articles", "/docId/getDocId"} {
		r := f.request(http.MethodPost, path, f.tokens["news submit"], "{}")
		r.Body, r.ContentLength, r.GetBody = io.NopCloser(io.LimitReader(endless{}, 100<<20)), -1, nil
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // the server hung up while we were sending: as good
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
}

// A client that sends its whole body before it reads gets the answer, not a
// reset, whatever it is refused for, with a length and without.
func TestRefusedBodyIsRead(t *testing.T) {
	f := start(t, func(c *server.Config) { c.Limits = server.Limits{Rate: .001, Burst: 5} })
	addr := f.http.Listener.Addr().String()
	for n, status := range []int{http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusUnauthorized, http.StatusMisdirectedRequest} {
		for _, path := range []string{"/v1/articles", "/docId/getDocId"} {
			length := 10_000_000
			if n > 0 {
				length = 4_000_000
			}
			for _, framing := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n", length), fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", length)} {
				host, token := "127.0.0.1", f.tokens["news submit"]
				switch status {
				case http.StatusUnauthorized:
					token = "unknown"
				case http.StatusMisdirectedRequest:
					host = "evil.example"
				}
				if status == http.StatusTooManyRequests {
					for f.send(f.submit("{}")).status != status {
					}
				}
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				_ = c.SetDeadline(time.Now().Add(30 * time.Second))
				head := "POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nAuthorization: Bearer " + token + "\r\n"
				_, err = fmt.Fprint(c, head+framing+strings.Repeat(" ", length)+"\r\n0\r\n\r\n")
				resp, err2 := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil || err2 != nil || resp.StatusCode != status {
					t.Errorf("%s, %.20s: sent: %v, read: %v, %+v, not %d", path, framing, err, err2, resp, status)
				}
				_ = c.Close()
			}
		}
	}
}

// Guessing tokens has the rate limit of one address. Clients with a valid token are not affected.
func TestGuessedTokensAreCounted(t *testing.T) {
	f := start(t, func(c *server.Config) { c.Limits = server.Limits{Rate: .001, Burst: 5} })
	statuses := map[int]int{}
	for range 8 {
		resp, err := http.DefaultClient.Do(f.request(http.MethodGet, "/v1/stats", strings.Repeat("guess", 8), ""))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		statuses[resp.StatusCode]++
	}
	if statuses[http.StatusUnauthorized] != 5 || statuses[http.StatusTooManyRequests] != 3 {
		t.Errorf("8 guesses: %v, want 5 x 401 and 3 x 429", statuses)
	}
	if r := f.do(server.Read, http.MethodGet, "/v1/stats", ""); r.status != http.StatusOK {
		t.Errorf("a known token beside them: %d", r.status)
	}
}

// HEAD stores nothing.
func TestHeadDecidesNothing(t *testing.T) {
	f := start(t)
	path := "/docId/getDocId?json=" + url.QueryEscape(`{"nid":"h","content":"a text of some words"}`)
	if r := f.do(server.Submit, http.MethodHead, path, ""); r.status != http.StatusMethodNotAllowed {
		t.Errorf("HEAD: %d", r.status)
	}
	if r := f.do(server.Read, http.MethodGet, "/v1/articles/h", ""); r.status != http.StatusNotFound {
		t.Errorf("after HEAD the article is there: %d", r.status)
	}
}

// Texts of nothing share no docId; equal ones of punctuation may.
func TestTextsOfNothing(t *testing.T) {
	f := start(t)
	seen := map[string]string{}
	for i, text := range []string{"", " ", "\u200b", "!", "。", "？！", "...", "- -"} {
		a, err := f.client("news", server.Submit).Submit(t.Context(), article(fmt.Sprint(i), text), "")
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[a.DocID]; ok || a.Decision.Decision != neardup.New {
			t.Errorf("%q has the docId of %q", text, other)
		}
		seen[a.DocID] = text
	}
}

// A submission into a bucket of thousands is rejected above the bound, with the reason. It is never called
// new by guess. Other submissions work.
func TestHotBucket(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Settings = func(tenant string) docid.Settings {
			s := settings(tenant)
			s.MaxCandidates = 20
			s.ContentMethod = func(uint64, []byte) (neardup.Method, error) { return oneBucket{}, nil }
			return s
		}
	})
	in := f.client("news", server.Submit)
	codes := map[string]int{}
	for n := range 30 {
		_, err := in.Submit(t.Context(), article("", story(n)), "")
		codes[code(err)]++
	}
	if (codes[""] != 20 && codes[""] != 21) || codes["crowded"] != 30-codes[""] {
		t.Errorf("answers %v", codes)
	}
	if a, err := in.Submit(t.Context(), article("", story(0)), ""); err != nil || a.Decision.Decision != neardup.Duplicate {
		t.Errorf("an equal text: %+v, %v", a, err)
	}
}

// oneBucket puts every text under one key and calls none near.
type oneBucket struct{}

func (oneBucket) Spec() neardup.Spec { return neardup.Spec{Method: "onebucket", Version: 1} }
func (oneBucket) Record(_ string, rec *neardup.Record) {
	rec.Reset()
	rec.Index = append(rec.Index, 1)
}
func (oneBucket) Plausible(_, _ uint64) bool                  { return true }
func (oneBucket) Prepare(string) neardup.Prepared             { return oneBucket{} }
func (oneBucket) Bytes() int                                  { return 0 }
func (oneBucket) Compare(_, _ neardup.Prepared) neardup.Match { return neardup.Match{Distance: -1} }

// A panic of the server is reported as such, and not as an error of the store.
func TestPanicIsAnAnswer(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Settings = func(tenant string) docid.Settings {
			s := settings(tenant)
			s.ContentMethod = func(uint64, []byte) (neardup.Method, error) { return broken{}, nil }
			return s
		}
	})
	r := f.do(server.Submit, http.MethodPost, "/v1/articles", `{"content":"a secret text"}`)
	var p api.Problem
	r.decode(t, &p)
	if r.status != http.StatusInternalServerError || p.Code() != api.CodeInternal || strings.Contains(p.Detail, "store takes") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if log := f.log.String(); !strings.Contains(log, "a handler panicked") || strings.Contains(log, "a secret text") {
		t.Errorf("log %s", log)
	}
}

type broken struct{ oneBucket }

func (broken) Record(clean string, _ *neardup.Record) { panic(clean) }

// The log names no text, no nid and no token, whatever happens.
func TestLogHoldsNoText(t *testing.T) {
	f := start(t)
	const marker = "Zebrafinch"
	for _, role := range roles {
		for _, r := range routes(f.server) {
			for _, body := range []string{`{"nid":"Zebrafinch","content":"Zebrafinch"}`, `{"articles":[{"nid":"Zebrafinch","content":"Zebrafinch 2"}]}`, `Zebrafinch`, `{"content":"Zebrafinch","a":{"Zebrafinch":1}}`} {
				if r.method == http.MethodGet || r.method == http.MethodDelete {
					body = ""
				}
				target := strings.NewReplacer("{id}", marker, "{docId}", marker, "{seq}", marker).Replace(r.path)
				f.do(role, r.method, target+"?json=%7B%22content%22%3A%22Zebrafinch%22%7D&title=Zebrafinch", body, "User-Agent", marker, "Idempotency-Key", marker)
			}
		}
	}
	f.send(f.request(http.MethodGet, "/Zebrafinch", "Zebrafinch-Zebrafinch-Zebrafinch", ""))
	f.http.Close() // it waits for what is logged
	log := f.log.String()
	if !strings.Contains(log, `"route":"POST /v1/articles"`) {
		t.Errorf("the log has no requests: %.300s", log)
	}
	for _, secret := range append([]string{marker}, f.tokens["news submit"], f.tokens["news admin"]) {
		if i := strings.Index(log, secret); i >= 0 {
			t.Errorf("the log holds it: %s", log[max(0, i-200):min(len(log), i+100)])
		}
	}
}

// A body with many unknown keys gets a short answer.
func TestUnknownKeysAreToldOnce(t *testing.T) {
	var keys strings.Builder
	for n := range 80_000 {
		fmt.Fprintf(&keys, `"key %d":%d,`, n, n)
	}
	f := start(t)
	for path, body := range map[string]string{
		"/v1/articles":    `{` + keys.String() + `"nid":"a"}`,
		"/v1/batch":       `{"articles":[{` + keys.String() + `"nid":"a"}]}`,
		"/v1/check":       `{` + keys.String() + `"nid":"a"}`,
		"/v1/compare":     `{"a":{` + keys.String() + `"nid":"a"}}`,
		"/docId/getDocId": `{` + keys.String() + `"heat":"hot"}`,
	} {
		role := server.Submit
		if strings.HasPrefix(path, "/v1/c") {
			role = server.Read
		}
		if r := f.do(role, http.MethodPost, path, body); r.status != http.StatusUnprocessableEntity || len(r.body) > 500 {
			t.Errorf("%s: %d, %d bytes: %.300s", path, r.status, len(r.body), r.body)
		}
	}
}
