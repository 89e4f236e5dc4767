package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/neardup/neardup/server"
)

type classic struct{ FilterReason, DocID, FilterStatus, Status string }

const (
	firstArticle  = `{"url":"http://www.simhash.com","title":"计算机应用与软件","content":"海量网络文本去重系统实验测试，这是一段测试文本的内容。","category":"0","media":"test1","imageCount":"4"}`
	secondArticle = `{"url":"http://www.simhash1.com","title":"计算机应用和软件2","content":"海量网络文本去重系统实验检测，这是一段相似的测试文本的内容。","category":"0","media":"test2","imageCount":"3"}`
)

func query(article string) string { return "/docId/getDocId?json=" + url.QueryEscape(article) }

// The two requests of the article that describes the system, in every way
// they can be sent.
func TestClassicExample(t *testing.T) {
	send := map[string]func(f *fixture, article string) reply{
		"GET": func(f *fixture, a string) reply { return f.do(server.Submit, http.MethodGet, query(a), "") },
		"POST, query": func(f *fixture, a string) reply {
			return f.do(server.Submit, http.MethodPost, query(a), "", "Content-Type", "application/x-www-form-urlencoded")
		},
		"POST, form": func(f *fixture, a string) reply {
			return f.do(server.Submit, http.MethodPost, "/docId/getDocId", "json="+url.QueryEscape(a), "Content-Type", "application/x-www-form-urlencoded")
		},
		"POST, body": func(f *fixture, a string) reply { return f.do(server.Submit, http.MethodPost, "/docId/getDocId", a) },
	}
	for name, send := range send {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			var first, second classic
			r := send(f, firstArticle)
			r.decode(t, &first)
			if want := (classic{"docId_filter good news", first.DocID, "good", "success"}); first != want {
				t.Errorf("first: %+v, want %+v", first, want)
			}
			if !regexp.MustCompile(`^[0-9a-f]{16}-[0-9a-f]{16}$`).MatchString(first.DocID) {
				t.Errorf("docId %q", first.DocID)
			}
			if keys := regexp.MustCompile(`"(\w+)":`).FindAllString(r.body, -1); strings.Join(keys, "") != `"filterReason":"docId":"filterStatus":"status":` {
				t.Errorf("fields %v", keys)
			}
			if r.header.Get("Neardup-Seq") != "1" {
				t.Errorf("seq %q", r.header.Get("Neardup-Seq"))
			}
			send(f, secondArticle).decode(t, &second)
			if want := (classic{"docId_filter duplicate content", first.DocID, "duplicate", "success"}); second != want {
				t.Errorf("second: %+v, want %+v", second, want)
			}
		})
	}
}

func TestClassicStages(t *testing.T) {
	f := start(t)
	steps := []struct{ article, reason string }{
		{`{"url":"http://a.example/1","title":"First title","content":"` + story(1) + `"}`, "good news"},
		{`{"url":"HTTP://A.EXAMPLE/1#top","title":"Another","content":"` + story(2) + `"}`, "duplicate url"},
		{`{"url":"http://b.example/2","title":"first  TITLE"}`, "duplicate title"},
		{`{"url":"http://c.example/3","title":"Third","content":"` + story(1) + ` and more"}`, "duplicate content"},
		{`{"url":"http://d.example/4","title":"First title","content":"` + story(3) + `"}`, "good news"}, // the contents contradict
		{`{"url":"http://b.example/2"}`, "duplicate url"},                                                // of a duplicate
		{`{"content":"。。。"}`, "good news"},
		{`{"content":"！"}`, "good news"}, // nothing to judge by
	}
	for i, s := range steps {
		var got classic
		f.do(server.Submit, http.MethodPost, "/docId/getDocId", s.article).decode(t, &got)
		if got.FilterReason != "docId_filter "+s.reason || got.Status != "success" {
			t.Errorf("step %d: %+v, want %s", i, got, s.reason)
		}
	}
}

func TestClassicFields(t *testing.T) {
	tests := []struct {
		article string
		status  int
		reason  string
	}{
		{`{"nid":"a1","content":"x","heat":"12","imageCount":4,"publishTime":"2026-11-21 10:00:00","unknown":{"a":[1]}}`, 200, "good news"},
		{`{"nid":"a2","content":"y","heat":7,"publishTime":1795000000}`, 200, "good news"},
		{`{"nid":"a3","content":null,"publishTime":"1795000000000"}`, 200, "good news"},
		{`{"nid":"a4","heat":"hot"}`, 422, "json.heat: is not an integer"},
		{`{"nid":"a5","publishTime":"yesterday"}`, 422, "json.publishTime: is not a time"},
		{`{"nid":"a6","content":{"deep":1}}`, 400, "json: a field is neither a string nor a number"},
		{`{"nid":"a7","Content":"one","content":"two"}`, 400, "json: an object has a key twice (nid is the same as id, content the same as text)"},
		{`["nid"]`, 400, "json: not an object (want one with string fields)"},
		{`{`, 400, "json: invalid JSON near byte 1"},
		{`{"nid":"` + strings.Repeat("x", 257) + `"}`, 422, "json.id: is longer than 256 bytes"},
		{`{"nid":"~1"}`, 422, `json.id: begins with "~", which is reserved`},
	}
	f := start(t)
	for _, test := range tests {
		var got classic
		r := f.do(server.Submit, http.MethodPost, "/docId/getDocId", test.article)
		r.decode(t, &got)
		if r.status != test.status || got.FilterReason != "docId_filter "+test.reason {
			t.Errorf("%.60s: %d %+v, want %d %s", test.article, r.status, got, test.status, test.reason)
		}
		if ok := test.status == 200; (got.Status == "success") != ok || (got.DocID != "") != ok {
			t.Errorf("%.60s: %+v", test.article, got)
		}
	}
	for _, path := range []string{"/docId/getDocId", query("{}") + "&" + query("{}")[len("/docId/getDocId?"):], "/docId/getDocId?json=%zz"} {
		if r := f.do(server.Submit, http.MethodGet, path, ""); r.status != http.StatusBadRequest {
			t.Errorf("%s: %d", path, r.status)
		}
	}
}

func TestClassicLongGet(t *testing.T) {
	f := start(t)
	long := func(n int) string { return `{"content":"` + strings.Repeat("x", n) + `"}` }
	if r := f.do(server.Submit, http.MethodGet, query(long(200<<10)), ""); r.status != http.StatusOK {
		t.Errorf("200 KiB: %d %s", r.status, r.body)
	}
	if r := f.do(server.Submit, http.MethodGet, query(long(260<<10)), ""); r.status != http.StatusRequestURITooLong && r.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("260 KiB: %d %s", r.status, r.body)
	}
	if r := f.do(server.Submit, http.MethodPost, "/docId/getDocId", long(900<<10)); r.status != http.StatusOK {
		t.Errorf("900 KiB posted: %d %s", r.status, r.body)
	}
	if r := f.do(server.Read, http.MethodGet, "/v1/find?url="+strings.Repeat("x", 17<<10), ""); r.status != http.StatusRequestURITooLong {
		t.Errorf("long GET of another route: %d", r.status)
	}
}

// A GET that writes must not be something that any web page can send.
func TestClassicRefusesOtherSites(t *testing.T) {
	f := start(t, open)
	tests := []struct {
		headers []string
		status  int
	}{
		{nil, 200},
		{[]string{"Sec-Fetch-Site", "none"}, 200},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},
		{[]string{"Origin", f.http.URL}, 200},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
	}
	for _, test := range tests {
		for method, body := range map[string]string{http.MethodGet: "", http.MethodPost: `{"content":"x"}`} {
			path := query(`{"content":"x"}`)
			if method == http.MethodPost {
				path = "/docId/getDocId"
			}
			r := f.send(f.request(method, path, "", body, test.headers...))
			if r.status != test.status {
				t.Errorf("%s with %v: %d, want %d", method, test.headers, r.status, test.status)
			}
			if !json.Valid([]byte(r.body)) {
				t.Errorf("%s with %v: %q", method, test.headers, r.body)
			}
		}
	}
}

// Over HTTP/2, which counts headers in its own way, the limits are the same.
func TestClassicLongGetHTTP2(t *testing.T) {
	f := start(t)
	h := httptest.NewUnstartedServer(nil)
	h.Config = server.NewHTTP(f.server, slogDiscard())
	h.EnableHTTP2 = true
	h.StartTLS()
	defer h.Close()
	for size, status := range map[int]int{200 << 10: http.StatusOK, 260 << 10: http.StatusRequestURITooLong} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+query(`{"content":"`+strings.Repeat("x", size)+`"}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+f.tokens["news submit"])
		resp, err := h.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.ProtoMajor != 2 || resp.StatusCode != status {
			t.Errorf("%d KiB: %s %d, want %d", size>>10, resp.Proto, resp.StatusCode, status)
		}
	}
}
