package corpus_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/corpus"
)

// A record without id or text is read by nid or content, in every format with fields. The proper name wins, in any
// order of the fields, and a named field has no alias.
func TestAliases(t *testing.T) {
	alias := corpus.Fields{Text: corpus.Field{Name: "text", Alias: "content"}}
	if got := alias.Among([]corpus.Column{{Name: "content"}, {Name: "text.html"}}); got.Text.Name != "text" {
		t.Errorf("a column in a struct: %+v", got.Text)
	}
	ofNames := func(t *testing.T, file, names string, opt corpus.Options) string {
		path := filepath.Join(t.TempDir(), file)
		f, err := corpus.CreateAtomic(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		var columns []corpus.Column
		var row []any
		for _, name := range strings.Split(names, " ") {
			columns, row = append(columns, corpus.Column{Name: name}), append(row, "a "+strings.ToLower(name))
		}
		table, err := corpus.NewTable(f, corpus.TableStyle{}, codecs, columns...)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := table.Row(row...); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		opt.Codecs = codecs
		r, err := corpus.Open([]string{path}, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		said := ""
		for doc, err := range r.Documents() {
			if err != nil {
				return "error " + strings.ReplaceAll(err.Error(), path, "FILE")
			}
			said = strings.ReplaceAll(doc.ID, path, "FILE") + ", " + doc.Text
		}
		return said
	}
	for _, file := range []string{"a.jsonl", "a.csv", "a.tsv", "a.parquet", "a.arrow", "a.xlsx"} {
		for _, c := range []struct {
			names, want string
			opt         corpus.Options
		}{
			{names: "nid content", want: "a nid, a content"},
			{names: "content nid text", want: "a nid, a text"},
			{names: "text content id nid", want: "a id, a text"},
			{names: "content nid text id", want: "a id, a text"},
			{names: "nid text", want: "a nid, a text", opt: corpus.Options{TextField: "text"}},
			{names: "nid content", want: "error", opt: corpus.Options{TextField: "text"}},
			{names: "nid text", want: "error", opt: corpus.Options{IDField: "id"}},
			{names: "nid content", want: "a content, a nid", opt: corpus.Options{IDField: "content", TextField: "nid"}},
			{names: "id content", want: "error", opt: corpus.Options{TitleField: "content"}},
		} {
			if c.want == "error" && file == "a.jsonl" && c.opt.IDField != "" {
				c.want = "FILE:2, a text" // Unmet reports it
			}
			if got := ofNames(t, file, c.names, c.opt); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s with %s, %+v: got %q, want %q", file, c.names, c.opt, got, c.want)
			}
		}
		if file != "a.jsonl" && file != "a.parquet" && file != "a.arrow" {
			if got := ofNames(t, file, "NID Content", corpus.Options{}); got != "a nid, a content" {
				t.Errorf("%s in another case: got %q", file, got)
			}
		}
	}
}
