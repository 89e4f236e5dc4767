package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// TestNames: requests may name id and text as the classic interface does, nid and content, at any depth and in any case;
// answers name them id and text. A wrong name gets a hint.
func TestNames(t *testing.T) {
	f := start(t)
	for _, test := range []struct {
		method, path, body, says string
		status                   int
	}{
		{"POST", "/v1/articles", `{"id":"a","text":"` + story(1) + `"}`, `"id":"a","decision":"new"`, 200},
		{"POST", "/v1/articles", `{"nid":"a","content":"` + story(1) + `"}`, `"replayed":true`, 200},
		{"POST", "/v1/articles", `{"NID":"a","Text":"` + story(1) + `"}`, `"replayed":true`, 200},
		{"POST", "/v1/batch", `{"articles":[{"nid":"b","text":"` + story(1) + `"},{"id":"c","content":"` + story(2) + `"}]}`, `"id":"b","decision":"duplicate","leader":"a"`, 200},
		{"POST", "/v1/compare", `{"a":{"content":"x y z"},"b":{"text":"x y z"}}`, `"relation":"duplicate"`, 200},
		{"PATCH", "/v1/articles/a", `{"content":"` + story(1) + ` once more"}`, `"id":"a","change":"update"`, 200},
		{"GET", "/v1/articles/a", "", `"article":{"id":"a"`, 200},
		{"GET", "/v1/log", "", `"id":"a"`, 200},
		{"POST", "/v1/articles", `{"nid":"a","id":"a"}`, "an object has a key twice (nid is the same as id", 400},
		{"POST", "/v1/articles", `{"id":"d","txt":"x"}`, "there is no such field; did you mean \\\"text\\\"?", 422},
		{"POST", "/v1/articles", `{"nid":"d","titel":"x"}`, "did you mean \\\"title\\\"?", 422},
		{"POST", "/v1/articles", `{"body":"x"}`, "the names here are id, url, title, text, ", 422},
		{"POST", "/v1/batch", `{"articles":[{"publishtimes":"x"}]}`, "did you mean \\\"publishTime\\\"?", 422},
		{"POST", "/v1/batch", `{"article":[]}`, "did you mean \\\"articles\\\"?", 422},
		{"GET", "/v1/near?txt=x", "", "there is no such parameter; did you mean \\\"text\\\"?", 422},
		{"GET", "/v1/find?q=x", "", "there is no such parameter; the names here are url, title", 422},
		{"GET", "/v1/stats?q=x", "", "there is no such parameter; there is none here", 422},
	} {
		if r := f.do(server.Admin, test.method, test.path, test.body); r.status != test.status || !strings.Contains(r.body, test.says) {
			t.Errorf("%s %s %.60s\n%d %s\nwant %d and %s", test.method, test.path, test.body, r.status, r.body, test.status, test.says)
		}
	}
	g := must[api.Groups](t)(f.client("news", server.Read).DocIDs(t.Context(), 1, "", 10))
	for _, one := range g.Groups {
		if r := f.do(server.Read, http.MethodGet, "/v1/docids/"+one.DocID, ""); strings.Contains(r.body, `"nid":`) || strings.Contains(r.body, `"content":`) {
			t.Errorf("%s", r.body)
		}
	}
}
