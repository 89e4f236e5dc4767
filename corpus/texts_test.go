package corpus

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A text of several fields consists of those that a record has, in the named order, in every format with
// fields. A sign that cleaning keeps separates them.
func TestTextOfSeveralFields(t *testing.T) {
	want := []string{"head\n¶\nbody", "only body", "only head", "b\n¶\nc with, a comma"}
	for name, content := range map[string]string{
		"a.jsonl": `{"body":"body","head":"head","text":"no"}` + "\n" + `{"body":"only body"}` + "\n" + `{"head":"only head","body":null}` + "\n" +
			`{"id":"x"}` + "\n" + `{"head":"b","body":"c with, a comma"}` + "\n" + `{"head":"b","body":7}`,
		"a.json":   `[{"body":"body","head":"head"},{"body":"only body","head":""},{"head":"only head"},{"id":null},{"head":"b","body":"c with, a comma"}]`,
		"a.csv":    "head,text,body\nhead,no,body\n,no,only body\nonly head,,\nb,,\"c with, a comma\"\n",
		"a.tsv":    "body\thead\nbody\thead\nonly body\t\n\tonly head\nc with, a comma\tb\n",
		"semi.csv": "id;head;body\n1;head;body\n2;;only body\n3;only head;\n4;b;c with, a comma\n",
	} {
		res := read(t, Options{TextField: "head,body"}, put(t, t.TempDir(), name, content))
		if got := strings.Split(res.texts(), "|"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q", name, got)
		}
		rejects := strings.Join(res.rejects, " ")
		for _, part := range map[string][]string{"a.jsonl": {`no field "head" or "body"`, `field "body": a number`}, "a.json": {`no field "head" or "body"`}}[name] {
			if !strings.Contains(rejects, part) {
				t.Errorf("%s: rejects %q, want %q", name, rejects, part)
			}
		}
	}
	numbers := read(t, Options{TextField: "3,1"}, put(t, t.TempDir(), "b.csv", "head,7,body\n"))
	if numbers.texts() != "body\n¶\nhead" {
		t.Errorf("by numbers: %q", numbers.texts())
	}
	titled := read(t, Options{TextField: "title,body", Compare: TitleAndText}, put(t, t.TempDir(), "c.jsonl", `{"title":"t","body":"b"}`))
	if titled.texts() != "t\nt\n¶\nb" || titled.docs[0].Title != "t" {
		t.Errorf("a title that is part of the text: %+v", titled.docs)
	}
}

// A name with dots leads into objects; one of a key that has the dots itself is
// found too, and the last of the two counts. So does the last of duplicate objects.
func TestNestedFields(t *testing.T) {
	opt := Options{TextField: "doc.content,doc.notes.0", IDField: "meta.id", TitleField: "doc.head"}
	res := read(t, opt, put(t, t.TempDir(), "a.jsonl", strings.Join([]string{
		`{"meta":{"id":7},"doc":{"content":"a","more":{"content":"no"},"head":"h","notes":{"0":"n"}},"content":"no"}`,
		`{"doc.content":"b","meta":{"id":"i"}}`,
		`{"doc":{"cont\u0065nt":"c","content":"again"},"doc.content":"later"}`,
		`{"doc":{"content":{"deep":"x"}}}`,
		`{"doc":[{"content":"in a list"}]}`,
		`{"doc":{"x":{"content":"no"},"content":"d"}}`,
		`{"doc":{"content":"no","head":"no"},"doc":{"content":"e"}}`,
		`{"doc":{"content":"no"},"doc":7}`,
	}, "\n")))
	if got := res.texts(); got != "a\n¶\nn|b|later|d|e" {
		t.Errorf("texts %q", got)
	}
	if res.docs[0].ID != "7" || res.docs[0].Title != "h" || res.docs[1].ID != "i" {
		t.Errorf("%+v", res.docs)
	}
	rejects := strings.Join(res.rejects, "\n")
	for _, want := range []string{`field "doc.content": an object`, `no field "doc.content" or "doc.notes.0"; it has the list "doc"`} {
		if !strings.Contains(rejects, want) {
			t.Errorf("rejects %q, want %q", rejects, want)
		}
	}
}

// Brackets lead into lists, and the texts of their elements are joined.
func TestLists(t *testing.T) {
	chat := `{"id":"a","messages":[{"role":"user","content":"Hi\u0021"},{"role":"none"},{"role":"assistant","content":"Hello"},{"content":null}]}`
	for _, c := range []struct{ field, line, want, reject string }{
		{"messages[].content", chat, "Hi!\n¶\nHello", ""},
		{"doc.m[].parts[].text", `{"doc":{"m":[{"parts":[{"text":"a"},{"text":"b"}]},{"parts":[]},{"parts":[{"text":"c"}]}]}}`, "a\n¶\nb\n¶\nc", ""},
		{"tags[]", `{"tags":["a","b"],"text":"no"}`, "a\n¶\nb", ""},
		{"m[].x.y", `{"m":[{"x":{"y":"a"}},{"x":{"y":"b"}}]}`, "a\n¶\nb", ""},
		{"m[].t", `{"m":[{"t":"old"}],"m":[{"t":"new"}]}`, "new", ""},
		{"m[].t", `{"m":[{"t":[1]}]}`, "", `field "m[].t": an array`},
		{"m[].t", `{"m":[]}`, "", `no field "m[].t"`},
		{"text", chat, "", `it has "id", "messages[].role", "messages[].content"; [] joins the texts of a list`},
		{"text", `{"id":1,"meta":{"tags":["a"]},"m":[{"c":"x"}]}`, "", `it has "id", "meta.tags[]", "m[].c"; [] joins`},
	} {
		res := read(t, Options{TextField: c.field}, put(t, t.TempDir(), "a.jsonl", c.line))
		if res.texts() != c.want || !strings.Contains(strings.Join(res.rejects, ""), c.reject) {
			t.Errorf("%s of %s: %q, rejects %q", c.field, c.line, res.texts(), res.rejects)
		}
	}
	r, err := Open([]string{put(t, t.TempDir(), "a.jsonl", chat)}, Options{TextField: "messages[].content"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.CanReplace(); !errors.Is(err, ErrReplace) {
		t.Errorf("a text of a list is replaced: %v", err)
	}
}

// Each of several fields that nothing has is named.
func TestTextFieldsMissing(t *testing.T) {
	r, err := Open([]string{put(t, t.TempDir(), "a.jsonl", `{"head":"x"}`)}, Options{TextField: "head,bdoy"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := drain(r); err != nil || !slices.Equal(r.Unmet(), []string{"bdoy"}) || r.Names() != `it has "head"` {
		t.Errorf("unmet %q of %s, %v", r.Unmet(), r.Names(), err)
	}
	table, err := Open([]string{put(t, t.TempDir(), "a.csv", "head,body\nx,y\n")}, Options{TextField: "head,bdoy"})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if _, err := drain(table); !errors.Is(err, ErrField) || !strings.Contains(err.Error(), `"bdoy"`) {
		t.Errorf("a column that is missing: %v", err)
	}
	for _, field := range []string{"a,", ",a", "a,a", "a,b,c,d,e"} {
		if _, err := Open([]string{"."}, Options{TextField: field}); err == nil || !strings.Contains(err.Error(), "text field") {
			t.Errorf("%q: %v", field, err)
		}
	}
}

// The fields of a table or an object besides the document.
func TestCellsAndExtra(t *testing.T) {
	for name, content := range map[string]string{
		"a.csv":   "text, heat ,media,list\nx,7,\"a, b\",\"[1, \"\"[\"\"]\"\n",
		"a.jsonl": `{"text":"x","media":"a, b","heat":7,"list":[1, "["],"none":[1],"more":{"heat":8},"heat":9,"media":"no","media":"a, b"}`,
	} {
		r, err := Open([]string{put(t, t.TempDir(), name, content)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		it, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		dec := r.NewDecoder()
		extra := func(names ...string) (all []string) {
			for _, value := range dec.Extra(it, names...) {
				all = append(all, "")
				if value != nil {
					all[len(all)-1] = *value
				}
			}
			return all
		}
		if got := extra("heat", "media", "none"); !slices.Equal(got, []string{map[string]string{"a.csv": "7", "a.jsonl": "9"}[name], "a, b", map[string]string{"a.jsonl": "[1]"}[name]}) {
			t.Errorf("%s: %q", name, got)
		}
		if got := extra("list")[0]; got != `[1, "["]` {
			t.Errorf("%s: list %q", name, got)
		}
		names, cells, ok := dec.Cells(it)
		if table := name == "a.csv"; ok != table || (table && (!slices.Equal(names, []string{"text", " heat ", "media", "list"}) || !slices.Equal(cells, []string{"x", "7", "a, b", `[1, "["]`}))) {
			t.Errorf("%s: %q %q", name, names, cells)
		}
	}
}
