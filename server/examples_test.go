package server_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/test/pictures"
	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
)

var update = flag.Bool("update", false, "write examples.json")

// exampleSteps lists the requests of examples.json in their order. DOCID is the docId of article 17.
var exampleSteps = []struct{ id, method, path, body string }{
	{"", "POST", "/v1/articles", `{"id":"17","url":"http://a.example/fox","title":"A fox","text":"The quick brown fox jumps over the lazy dog, and no dog minds."}`},
	{"submit", "POST", "/v1/articles", `{"id":"18","text":"The quick brown fox jumps over the lazy dog - and no dog minds!"}`},
	{"submitBatch", "POST", "/v1/batch", `{"articles":[{"id":"19","text":"Rain is expected in the north."},{"id":"~5"}]}`},
	{"revise", "PATCH", "/v1/articles/18", `{"heat":7}`},
	{"check", "POST", "/v1/check", `{"text":"Rain is expected in the north!"}`},
	{"near", "POST", "/v1/near", `{"text":"The quick brown fox jumps over a lazy dog.","top":1}`},
	{"nearText", "GET", "/v1/near?text=The+quick+brown+fox+jumps+over+a+lazy+dog.&top=1", ""},
	{"compare", "POST", "/v1/compare", `{"a":{"text":"The ferry leaves at nine."},"b":{"text":"The ferry leaves at ten."}}`},
	{"inspect", "POST", "/v1/inspect", `{"a":"The ferry leaves at nine.","b":"The ferry leaves at ten."}`},
	{"article", "GET", "/v1/articles/17", ""},
	{"docids", "GET", "/v1/docids?limit=1", ""},
	{"docid", "GET", "/v1/docids/DOCID?limit=1", ""},
	{"find", "GET", "/v1/find?title=A+fox", ""},
	{"evidence", "GET", "/v1/changes/2", ""},
	{"stats", "GET", "/v1/stats", ""},
	{"me", "GET", "/v1/me", ""},
	{"live", "GET", "/v1/live", ""},
	{"", "POST", "/v1/articles", `{"id":"20","text":"The harbour master said that the ferry would leave the old pier at nine in the evening."}`},
	{"", "POST", "/v1/articles", `{"id":"21","text":"The harbour master said that the ferry will leave from the pier at about nine that evening, he thought."}`},
	{"unsure", "GET", "/v1/unsure", ""},
	{"rule", "POST", "/v1/rulings", `{"a":"17","b":"19","link":"cannot","why":"other events"}`},
	{"rulings", "GET", "/v1/rulings", ""},
	{"correct", "POST", "/v1/articles/18/correct", `{"with":"19","why":"the same event"}`},
	{"log", "GET", "/v1/log?limit=2", ""},
	{"backup", "POST", "/v1/backup", `{"name":"monday"}`},
	{"classicGet", "GET", "/docId/getDocId?json=%7B%22nid%22%3A%2222%22%2C%22title%22%3A%22A+fox%22%7D", ""},
	{"classicPost", "POST", "/docId/getDocId", `{"nid":"23","title":"A fox"}`},
	{"image", "POST", "/v1/images", ""},
	{"deleteArticle", "DELETE", "/v1/articles/18", ""},
	{"endDocid", "DELETE", "/v1/docids/DOCID", ""},
}

// inspection is an answer of the command to POST /v1/inspect, shortened.
var inspection = api.Inspection{
	Measured: api.Measured{
		Runes: [2]int{25, 24}, Scales: []api.Scale{{Name: "jaccard of auto:3", Similarity: .76}}, Hamming: 12,
		Verdict: neardup.Match{Similarity: .02, Basis: "probability by the evidence of the words"},
	},
	Fingerprints: [2]string{"5b2f0c6d9e81a734", "5b2f0d6d9ec1a734"},
	Keywords:     [2][]api.Keyword{{{Word: "ferry", Weight: 5}}, {{Word: "ferry", Weight: 5}}},
}

// Each answer of the document has an example: what the server answers now, with the same fields and types.
func TestExamplesOfAnswers(t *testing.T) {
	f := start(t, pictured, func(c *server.Config) {
		c.Snapshot = func(context.Context, string) error { return nil }
		c.Inspect = func(context.Context, string, string) (api.Inspection, error) { return inspection, nil }
	})
	real, docID := map[string]json.RawMessage{}, ""
	for _, step := range exampleSteps {
		role, headers := server.Admin, []string(nil)
		if step.id == "backup" {
			role = server.Operator
		}
		if step.id == "image" {
			step.body, headers = string(pngOf(t, pictures.Draw(1, 200, 160))), []string{"Content-Type", "image/png"}
		}
		r := f.do(role, step.method, strings.ReplaceAll(step.path, "DOCID", docID), step.body, headers...)
		if r.status != http.StatusOK {
			t.Fatalf("%s %s: %d %s", step.method, step.path, r.status, r.body)
		}
		if docID == "" {
			docID = anyID.FindString(r.body)
		}
		if step.id == "live" { // the first of many
			var live api.Live
			r.decode(t, &live)
			live.Metrics = live.Metrics[:1]
			b, err := json.Marshal(live)
			if err != nil {
				t.Fatal(err)
			}
			r.body = string(b)
		}
		if step.id != "" {
			real[step.id] = json.RawMessage(r.body)
		}
	}
	if *update {
		out, err := json.MarshalIndent(real, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		out = anyID.ReplaceAll(out, []byte("1bfe3d897e414e0e-970db008a65fe511"))
		out = regexp.MustCompile(`"20\d\d-[^"]*Z"`).ReplaceAll(out, []byte(`"2026-01-02T03:04:05Z"`))
		if err := os.WriteFile("examples.json", append(out, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("wrote examples.json")
	}
	var doc any
	f.send(f.request(http.MethodGet, "/openapi.json", "", "")).decode(t, &doc)
	for _, route := range routes(f.server) {
		id, answer := route.op.OperationID, route.op.Responses["200"].Content["application/json"]
		example, ok := answer.Example.(json.RawMessage)
		if !ok || real[id] == nil {
			t.Errorf("%s: no example, or no request for it", id)
			continue
		}
		var has, want any
		if json.Unmarshal(example, &has) != nil || json.Unmarshal(real[id], &want) != nil || !slices.Equal(shape("", has), shape("", want)) {
			t.Errorf("%s: the example has %v\nthe server answers %v", id, shape("", has), shape("", want))
		}
		if answer.Schema.Ref != "" {
			conforms(t, doc, resolve(doc, answer.Schema.Ref), has, id)
		}
	}
}

// shape lists the paths in a value of JSON with their types.
func shape(at string, v any) (paths []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			paths = append(paths, shape(at+"."+name, v[name])...)
		}
	case []any:
		for i, item := range v {
			paths = append(paths, shape(fmt.Sprint(at, "[", i, "]"), item)...)
		}
	}
	return append(paths, fmt.Sprint(at, " ", reflect.TypeOf(v)))
}
