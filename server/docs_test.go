package server_test

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/pictures"
	"github.com/neardup/neardup/server"
)

var (
	example = regexp.MustCompile(`(?s)\$ curl -s 127\.0\.0\.1:8080(\S+) [^\n]*?(?:-d '(.*?)'|--data-binary @\S+)\n(\{.*?\})\n(?:\$|` + "```" + `)`)
	anyID   = regexp.MustCompile(`[0-9a-f]{16}-[0-9a-f]{16}`)
)

// The examples of docs/article-pictures.md get the documented answers, except for docIds and the hash of the picture.
func TestExamplesOfPictures(t *testing.T) {
	doc, err := os.ReadFile("../docs/article-pictures.md")
	if err != nil {
		t.Fatal(err)
	}
	f := start(t, pictured)
	rest, n := strings.ReplaceAll(string(doc), "\\\n    ", ""), 0
	for {
		at := example.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		m := example.FindStringSubmatch(rest)
		rest, n = rest[at[7]:], n+1
		body, contentType := m[2], "application/json"
		if body == "" {
			body, contentType = string(pngOf(t, pictures.Draw(1, 200, 160))), "image/png"
		}
		r := f.do(server.Submit, http.MethodPost, m[1], body, "Content-Type", contentType)
		var got, want map[string]any
		json.Unmarshal([]byte(anyID.ReplaceAllString(r.body, "an id")), &got)
		if err := json.Unmarshal([]byte(anyID.ReplaceAllString(m[3], "an id")), &want); err != nil {
			t.Fatalf("%s: %v", m[3], err)
		}
		if m[2] == "" { // another picture
			if a, b := fields(got), fields(want); !slices.Equal(a, b) {
				t.Errorf("%s answers %v, the page has %v", m[1], a, b)
			}
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nanswers %s\nthe page has %s", m[2], r.body, m[3])
		}
	}
	if n != 3 {
		t.Errorf("%d examples", n)
	}
}

func fields(v map[string]any) (names []string) {
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// docs/http-api.md has a curl for each route. A test of the command runs them.
func TestEachRouteHasACurl(t *testing.T) {
	doc, err := os.ReadFile("../docs/http-api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range routes(start(t).server) {
		if route.path == "/v1/images" || (route.path == "/docId/getDocId" && route.method == http.MethodPost) {
			continue // docs/article-pictures.md has the one, and the other is the GET with a body
		}
		how := map[string]string{http.MethodGet: `-sG? '?`, http.MethodPost: `-s `}[route.method]
		if how == "" {
			how = "-s -X " + route.method + " "
		}
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(route.path, `\S+`)
		if !regexp.MustCompile(`(?m)^\$ curl ` + how + `127\.0\.0\.1:8080` + path + `[ ?'\n]`).Match(doc) {
			t.Errorf("no curl for %s %s", route.method, route.path)
		}
	}
}
