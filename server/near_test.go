package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

// TestNear: over HTTP both forms of the route name the docIds that a comparison of every pair ranks first.
func TestNear(t *testing.T) {
	f := start(t, func(c *server.Config) {
		c.Settings = func(string) docid.Settings {
			s := settings("")
			s.Identity = func(spec string) (docid.Identity, error) { return docid.Identity{Spec: spec, Seed: 7}, nil }
			return s
		}
	})
	c := f.client("news", server.Admin)
	var contents []string
	for n := range 8 {
		words := strings.Fields(story(1))
		for i := range n * 3 {
			words[i*2%len(words)] = fmt.Sprint("changed", n, i)
		}
		contents = append(contents, strings.Join(words, " "))
		must[api.Answer](t)(c.Submit(t.Context(), article(fmt.Sprint(n), contents[n]), ""))
	}
	must[api.Answer](t)(c.Submit(t.Context(), article("other", story(2)), ""))
	for n, content := range contents {
		got := must[api.Neighbors](t)(c.Near(t.Context(), article("", content), 3))
		var byGet api.Neighbors
		f.do(server.Read, http.MethodGet, "/v1/near?top=3&text="+url.QueryEscape(content), "").decode(t, &byGet)
		if got.Seq != 9 || !reflect.DeepEqual(byGet, got) || len(got.Neighbors) < min(3, 8-n) {
			t.Errorf("text %d: %+v, by GET %+v", n, got, byGet)
		}
		similarities := map[string]float64{}
		for m, other := range contents {
			compared := must[api.Comparison](t)(c.Compare(t.Context(), api.Pair{A: api.Article{Content: content}, B: api.Article{Content: other}}))
			similarities[fmt.Sprint(m)] = compared.Content.Similarity
		}
		for i, one := range got.Neighbors {
			if one.Similarity != similarities[one.ID] || (i > 0 && one.Similarity > got.Neighbors[i-1].Similarity) {
				t.Errorf("text %d: %+v, compared %v", n, got.Neighbors, similarities)
			}
		}
		if slices.ContainsFunc(got.Neighbors, func(n docid.Neighbor) bool { return n.ID == "other" }) {
			t.Errorf("text %d: %+v", n, got.Neighbors)
		}
	}
	if stats := must[api.Stats](t)(c.Stats(t.Context())); stats.Seq != 9 {
		t.Errorf("near stored something: %+v", stats)
	}
	got := must[api.Neighbors](t)(c.Near(t.Context(), article("", contents[0]), 0))
	if first := got.Neighbors[0]; first.ID != "0" || first.Relation != neardup.Same || first.Similarity != 1 {
		t.Errorf("the text itself: %+v", first)
	}
}

func TestNearIsRefused(t *testing.T) {
	f := start(t)
	for _, test := range []struct {
		method, path, body, says string
		status                   int
	}{
		{"GET", "/v1/near", "", "query.text", 422},
		{"GET", "/v1/near?text=a&top=0", "", "query.top", 422},
		{"GET", "/v1/near?text=a&limit=3", "", "query.limit", 422},
		{"POST", "/v1/near", `{"content":"a","top":101}`, "body.top", 422},
		{"POST", "/v1/near", `{"content":"` + strings.Repeat("a", 1<<20+1) + `"}`, "is longer than 1048576 bytes", 422},
		{"POST", "/v1/near", `{"content":"a"}`, `"neighbors":[]`, 200},
	} {
		if r := f.do(server.Read, test.method, test.path, test.body); r.status != test.status || !strings.Contains(r.body, test.says) {
			t.Errorf("%s %s: %d %s", test.method, test.path, r.status, r.body)
		}
	}
	if r := f.do(server.Submit, http.MethodGet, "/v1/near?text=a", ""); r.status != 403 {
		t.Errorf("without the role read: %d", r.status)
	}
}
