package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/server"
)

// The document that the server serves: OpenAPI 3.1, every route with its role,
// every reference leading somewhere, every schema of a kind that JSON Schema
// knows.
func TestOpenAPI(t *testing.T) {
	f := start(t)
	r := f.send(f.request(http.MethodGet, "/openapi.json", "", ""))
	var doc map[string]any
	r.decode(t, &doc)
	if v, _ := doc["openapi"].(string); !strings.HasPrefix(v, "3.1.") {
		t.Errorf("openapi %q", v)
	}
	if servers, _ := doc["servers"].([]any); len(servers) != 1 {
		t.Errorf("servers %v", doc["servers"])
	}
	paths := doc["paths"].(map[string]any)
	for path, item := range paths {
		for method, op := range item.(map[string]any) {
			body, has := op.(map[string]any)["requestBody"]
			if said, _ := json.Marshal(body); has && strings.Contains(string(said), "application/json") && !exampled(doc, body) {
				t.Errorf("%s %s: a body without examples", method, path)
			}
		}
	}
	for _, want := range []string{
		"get /docId/getDocId", "post /docId/getDocId", "post /v1/articles", "patch /v1/articles/{id}", "get /v1/articles/{id}",
		"delete /v1/articles/{id}", "post /v1/batch", "post /v1/check", "post /v1/compare", "get /v1/near", "post /v1/near", "get /v1/docids", "get /v1/docids/{docId}",
		"delete /v1/docids/{docId}", "get /v1/find", "get /v1/changes/{seq}", "get /v1/stats", "get /v1/log", "post /v1/backup",
	} {
		method, path, _ := strings.Cut(want, " ")
		item, _ := paths[path].(map[string]any)
		if _, ok := item[method]; !ok {
			t.Errorf("%s is missing", want)
		}
	}
	ids := map[string]bool{}
	for _, route := range routes(f.server) {
		if ids[route.op.OperationID] || route.op.Summary == "" {
			t.Errorf("%s %s: operationId %q, summary %q", route.method, route.path, route.op.OperationID, route.op.Summary)
		}
		ids[route.op.OperationID] = true
		for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(route.path, -1) {
			found := false
			for _, p := range route.op.Parameters {
				found = found || (p.Name == name[1] && p.In == "path" && p.Required)
			}
			if !found {
				t.Errorf("%s %s: parameter %s is not described", route.method, route.path, name[1])
			}
		}
		if route.op.Responses["200"] == nil {
			t.Errorf("%s %s: no answer", route.method, route.path)
		}
		role := route.role()
		if !slices.Contains(roles, role) {
			t.Errorf("%s %s: role %q", route.method, route.path, role)
		}
	}
	walk(t, doc, doc, "#")
}

// exampled reports whether something in a node, or in what it refers to, has examples.
func exampled(doc, node any) bool {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			return exampled(doc, resolve(doc, ref))
		}
		for k, v := range n {
			if k == "examples" || exampled(doc, v) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(n, func(v any) bool { return exampled(doc, v) })
	}
	return false
}

// walk checks references and types everywhere.
func walk(t *testing.T, doc, node any, at string) {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok && resolve(doc, ref) == nil {
			t.Errorf("%s: %s leads nowhere", at, ref)
		}
		if kind, ok := n["type"]; ok && strings.Contains(at, "schema") && !strings.HasSuffix(at, "properties") {
			var kinds []any
			kinds, ok = kind.([]any)
			if !ok {
				kinds = []any{kind}
			}
			for _, k := range kinds {
				if !strings.Contains(" string integer number boolean array object null ", fmt.Sprintf(" %v ", k)) {
					t.Errorf("%s: type %v", at, k)
				}
			}
		}
		for k, v := range n {
			walk(t, doc, v, at+"/"+k)
		}
	case []any:
		for i, v := range n {
			walk(t, doc, v, fmt.Sprintf("%s/%d", at, i))
		}
	}
}

func resolve(doc any, ref string) any {
	node := doc
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		m, _ := node.(map[string]any)
		node = m[part]
	}
	return node
}

// Answers match the document: every field is documented, and every required field is present.
func TestAnswersMatchTheirSchemas(t *testing.T) {
	f := start(t)
	var doc map[string]any
	f.send(f.request(http.MethodGet, "/openapi.json", "", "")).decode(t, &doc)
	first := f.do(server.Submit, http.MethodPost, "/v1/articles", `{"nid":"a","url":"http://a.example","title":"T","content":"`+story(1)+`"}`)
	var answer struct{ DocID string }
	first.decode(t, &answer)
	for _, test := range []struct{ schema, method, path, body string }{
		{"Answer", "POST", "/v1/articles", `{"nid":"b","content":"` + story(1) + ` more"}`},
		{"BatchAnswer", "POST", "/v1/batch", `{"articles":[{"nid":"c"},{"nid":"~"}]}`},
		{"Answer", "POST", "/v1/check", `{"content":"` + story(1) + `"}`},
		{"Comparison", "POST", "/v1/compare", `{"a":{"title":"x"},"b":{"title":"x"}}`},
		{"Neighbors", "POST", "/v1/near", `{"content":"` + story(1) + `"}`},
		{"Neighbors", "GET", "/v1/near?text=word", ""},
		{"MemberAnswer", "GET", "/v1/articles/b", ""},
		{"Group", "GET", "/v1/docids/" + answer.DocID, ""},
		{"Groups", "GET", "/v1/docids", ""},
		{"Found", "GET", "/v1/find?title=t", ""},
		{"Stats", "GET", "/v1/stats", ""},
		{"Log", "GET", "/v1/log", ""},
		{"Change", "PATCH", "/v1/articles/b", `{"heat":4}`},
		{"ErrorModel", "POST", "/v1/batch", `{}`},
	} {
		r := f.do(server.Admin, test.method, test.path, test.body)
		var v any
		r.decode(t, &v)
		conforms(t, doc, resolve(doc, "#/components/schemas/"+test.schema), v, test.schema)
	}
}

// conforms checks required and known fields and the types of values.
func conforms(t *testing.T, doc, schema, v any, at string) {
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s: no schema", at)
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		conforms(t, doc, resolve(doc, ref), v, at)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				t.Errorf("%s: %s is missing", at, name)
			}
		}
		for name, field := range v {
			if rest, ok := s["additionalProperties"].(map[string]any); ok {
				conforms(t, doc, rest, field, at+"."+name)
				continue
			}
			if properties[name] == nil {
				t.Errorf("%s: %s is not described", at, name)
				continue
			}
			conforms(t, doc, properties[name], field, at+"."+name)
		}
	case []any:
		for i, item := range v {
			conforms(t, doc, s["items"], item, fmt.Sprintf("%s[%d]", at, i))
		}
	default:
		want, _ := json.Marshal(s["type"])
		have := map[bool]string{true: "null"}[v == nil]
		switch v.(type) {
		case string:
			have = "string"
		case bool:
			have = "boolean"
		case float64:
			have = "number"
			if strings.Contains(string(want), "integer") {
				have = "integer"
			}
		}
		if !strings.Contains(string(want), have) {
			t.Errorf("%s: %s, described as %s", at, have, want)
		}
	}
}
