package corpus_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
)

// Replace writes the record that was read, with another text.
func TestReplace(t *testing.T) {
	tests := []struct {
		name, in, text, want string
		opt                  corpus.Options
	}{
		{"jsonl", `{"n": 1, "text" : "a\u00e9\n", "z":[{"text":"x"}]}` + "\n", "<é>\n\"", `{"n": 1, "text" : "<é>\n\"", "z":[{"text":"x"}]}` + "\n", corpus.Options{}},
		{"jsonl", ` {"id":"b","doc":{"a":"","b":"old"}}`, "", ` {"id":"b","doc":{"a":"","b":""}}`, corpus.Options{TextField: "doc.b"}},
		{"jsonl", `{"text":"both"}`, "new", `{"text":"new"}`, corpus.Options{IDField: "text", TextField: "text"}},
		{"json", `[{"text":"old"}]`, "new", "[\n{\"text\":\"new\"}\n]\n", corpus.Options{}},
		{"csv", "id,text\r\n1,\"o,ld\"\r\n", "n\"ew\nline", "id,text\r\n1,\"n\"\"ew\nline\"\r\n", corpus.Options{}},
		{"tsv", "text\tid\nold\t1\n", "new", "text\tid\nnew\t1\n", corpus.Options{}},
		{"lines", "old\r\n", "new", "new\r\n", corpus.Options{Format: corpus.Lines}},
		{"files", "old", "new", "new", corpus.Options{Format: corpus.Files}},
	}
	for _, test := range tests {
		in := filepath.Join(t.TempDir(), "in."+test.name)
		out := filepath.Join(t.TempDir(), "out."+test.name)
		if err := os.WriteFile(in, []byte(test.in), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := corpus.Open([]string{in}, test.opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.CanReplace(); err != nil {
			t.Fatal(err)
		}
		w, err := corpus.NewWriter(out, r)
		if err != nil {
			t.Fatal(err)
		}
		it, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		var doc neardup.Document
		dec := r.NewDecoder()
		if err := dec.Decode(it, &doc); err != nil {
			t.Fatal(err)
		}
		it, err = dec.Replace(it, test.text)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(it), w.Commit(), r.Close()); err != nil {
			t.Fatal(err)
		}
		if test.name == "files" {
			out = filepath.Join(out, in)
		}
		if got, err := os.ReadFile(out); string(got) != test.want {
			t.Errorf("%s: %q, %v, want %q", test.in, got, err, test.want)
		}
	}
}

func TestReplaceRefuses(t *testing.T) {
	open := func(format corpus.Format, text string, opt corpus.Options) *corpus.Reader {
		in := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		opt.Format = format
		r, err := corpus.Open([]string{in}, opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	for _, r := range []*corpus.Reader{
		open(corpus.HTML, "<p>page", corpus.Options{Extract: func([]byte, string, string) (corpus.Page, error) { return corpus.Page{}, nil }}),
		open(corpus.JSONL, `{"a":"","b":""}`, corpus.Options{TextField: "a,b"}),
		open(corpus.JSONL, `{"title":"","text":""}`, corpus.Options{Compare: corpus.TitleAndText}),
	} {
		if err := r.CanReplace(); !errors.Is(err, corpus.ErrReplace) {
			t.Errorf("%v, want ErrReplace", err)
		}
	}
	r := open(corpus.Lines, "one\ntwo\n", corpus.Options{})
	it, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.NewDecoder().Replace(it, "two\nlines"); !errors.Is(err, corpus.ErrReplace) || !strings.Contains(err.Error(), "in:1") {
		t.Errorf("two lines for one: %v", err)
	}
}
