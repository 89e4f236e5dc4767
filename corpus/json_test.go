package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Each row has a JSON file and its records as text@line.
func TestJSON(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, c := range []struct{ name, file, content, want, rejects string }{
		{"array", "a.json", `[{"text":"a"},{"text":"b"}]`, "a@1 b@1", ""},
		{"pretty", "a.json", "[\n  {\n    \"text\": \"a\"\n  },\n  {\n    \"text\": \"b ] } \\\" {\"\n  }\n]\n", "a@2 b ] } \" {@5", ""},
		{"known by content", "a", "\n [ {\"text\":\"a\"} ]", "a@2", ""},
		{"with a mark", "a", "\xef\xbb\xbf[{\"text\":\"a\"}]", "a@1", ""},
		{"one object", "a.json", "{\n\"text\": \"a\"\n}\n", "a@1", ""},
		{"objects one after another", "a", "{\n\"text\": \"a\"\n}\n{\"text\": \"b\"}{\n\"text\":\"c\"}", "a@1 b@4 c@4", ""},
		{"an object a line is JSONL", "a", "{\"text\":\"a\"}\n{\"text\":\"b\"}\n", "a@1 b@2", ""},
		{"empty array", "a", "[]", "", ""},
		{"an array that is named JSONL", "a.jsonl", "[\n{\"text\":\"a\"},\n{\"text\":\"b\"}]", "a@2 b@3", ""},
		{"spread objects that are named JSONL", "a.ndjson", "{\n  \"text\": \"a\"\n}\n{\n  \"text\": \"b\"\n}\n", "a@1 b@4", ""},
		{"JSONL whose first line is cut", "a.jsonl", "{\"text\":\"a\n{\"text\":\"b\"}\n", "b@2", "1: JSON: truncated"},
		{"JSONL whose first line is no object", "a.jsonl", "[1]\n{\"text\":\"b\"}\n", "b@2", "1: not a JSON object: it begins with \"[1]\""},
		{"no array of objects", "a.json", `[1,"x",{"text":"a"},[{"text":"b"}],null]`, "a@1",
			`1: not a JSON object: it begins with "1" 1: not a JSON object: it begins with "\"x\"" 1: not a JSON object: it begins with "[{\"text\":\"b\"}]" 1: not a JSON object: it begins with "null"`},
		{"a bad element", "a.json", "[{\"text\":\"a\"},\n{\"text\":5},\n{\"text\":\"b\"}]", "a@1 b@3", `2: field "text": a number (want a string)`},
		{"cut", "a.json", "[{\"text\":\"a\"},\n{\"text\":\"b\"", "a@1", "2: the file is truncated or damaged"},
		{"no end of the array", "a.json", "[{\"text\":\"a\"}", "a@1", "1: the file is truncated or damaged"},
		{"more after the array", "a.json", "[{\"text\":\"a\"}] {}", "a@1", "1: data after the end of the JSON array"},
		{"stray bracket", "a.json", "[}{\"text\":\"a\"}]", "", "1: unexpected bracket (want a JSON value)"},
		{"no JSON", "a.json", "text\n", "", "1: not a JSON object"},
		{"long", "a.json", "[{\"text\":\"" + long + "\"},\n{\"text\":\"b\"}]", "b@2", "1: document: too long (want at most 1000 bytes)"},
		{"long by its lines", "a.json", "[{\"text\":\"a\"" + strings.Repeat("\n", 2000) + "},\n{\"text\":\"b\"}]", "b@2002", "1: document: too long (want at most 1000 bytes)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := put(t, t.TempDir(), c.file, c.content)
			res := read(t, Options{MaxDocument: 1000}, path)
			var got []string
			for i, it := range res.items {
				got = append(got, fmt.Sprintf("%s@%d", res.docs[i].Text, it.Line))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got  %.300q\nwant %.300q", strings.Join(got, " "), c.want)
			}
			if rejects := strings.ReplaceAll(strings.Join(res.rejects, " "), path+":", ""); strings.TrimSpace(rejects) != c.rejects {
				t.Errorf("rejects %q\nwant    %q", rejects, c.rejects)
			}
		})
	}
}

// Kept items of JSON are written as JSON: an array of the unchanged elements.
func TestWriterKeepsJSON(t *testing.T) {
	for in, want := range map[string]string{
		"[ {\"text\" : \"a\"},\n{\"text\":\"b\"} ]": "[\n{\"text\" : \"a\"},\n{\"text\":\"b\"}\n]\n",
		"{\n\"text\":\"a\"\n}":                      "[\n{\n\"text\":\"a\"\n}\n]\n",
		"[]":                                        "[]\n",
	} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out.json")
		copyAll(t, Options{}, out, all, put(t, dir, "in.json", in))
		if got := slurp(t, out); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// The elements of every valid array equal those of encoding/json.
func FuzzJSONArray(f *testing.F) {
	for _, s := range []string{`[{"text":"a"}]`, `[1, [2,{"a":"]"}],"\"]",null , {"b":[]}]`, `[{}]x`, `[`, `[{"a":"\\"},{"b":1}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		items, _, _ := frame(t, JSON, content, Options{})
		var want []json.RawMessage
		if !bytes.HasPrefix(content, []byte("[")) || json.Unmarshal(content, &want) != nil || isCompressed(content) {
			return
		}
		if len(items) != len(want) {
			t.Fatalf("%q: %d elements, encoding/json %d", content, len(items), len(want))
		}
		for i, it := range items {
			if !bytes.Equal(it.Raw, want[i]) {
				t.Fatalf("element %d of %q: %q, encoding/json %q", i, content, it.Raw, want[i])
			}
		}
	})
}

// Of a record of JSON an alias counts if it has a string, or an id's number, and the record lacks the name.
func TestAliasesOfJSON(t *testing.T) {
	for _, c := range []struct{ line, id, text, reject string }{
		{`{"nid":7,"content":"a"}`, "7", "a", ""},
		{`{"nid":"n","id":3,"content":"no","text":"b"}`, "3", "b", ""},
		{`{"text":"b","content":"no","id":"i","nid":"n"}`, "i", "b", ""},
		{`{"content":{"html":"no"},"text":"c","nid":{}}`, "", "c", ""},
		{`{"text":null,"content":"no"}`, "", "", ""},
		{`{"content":"no","content":"last"}`, "", "last", ""},
		{`{"content":null}`, "", "", ""},
		{`{"content":["d"]}`, "", "", `no field "text"`},
		{`{"m":{"content":"no"}}`, "", "", `no field "text"`},
		{`{"content":"no","text":7}`, "", "", `field "text": a number`},
	} {
		res := read(t, Options{}, put(t, t.TempDir(), "a.jsonl", c.line))
		switch rejects := strings.Join(res.rejects, " "); {
		case c.reject != "" && !strings.Contains(rejects, c.reject):
			t.Errorf("%s: rejects %q, want %q", c.line, rejects, c.reject)
		case c.reject == "" && (len(res.docs) != 1 || res.docs[0].Text != c.text || (c.id != "" && res.docs[0].ID != c.id)):
			t.Errorf("%s: %+v %q", c.line, res.docs, rejects)
		}
	}
}
