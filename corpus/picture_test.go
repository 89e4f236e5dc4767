package corpus_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
)

// seen reads inputs as pictures, of which the text is their bytes: "id: text" or
// what is wrong with them.
func seen(t *testing.T, opt corpus.Options, inputs ...string) (lines []string) {
	t.Helper()
	opt.Format = corpus.Images
	opt.Extract = func([]byte, string, string) (corpus.Page, error) { return corpus.Page{}, nil }
	opt.Picture = func(data []byte) (string, error) {
		if bytes.Contains(data, []byte("broken")) {
			return "", errors.New("no picture")
		}
		return string(data), nil
	}
	r, err := corpus.Open(inputs, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dec := r.NewDecoder()
	for {
		it, err := r.Next()
		var doc neardup.Document
		if err == nil {
			err = dec.Decode(it, &doc)
		}
		var reject *corpus.RejectError
		switch {
		case errors.As(err, &reject):
			lines = append(lines, filepath.Base(reject.File)+": "+reject.Reason)
		case err != nil:
			return lines
		default:
			lines = append(lines, fmt.Sprintf("%s: %q", filepath.Base(doc.ID), doc.Text))
		}
	}
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	const png, jpeg, gif = "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "GIF89a"
	b64 := base64.StdEncoding.EncodeToString
	warc := func(kind, body string) string {
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <%s>\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, kind, len(body), body)
	}
	files := map[string]string{
		"pictures/a.png": png, "pictures/b.jpg": jpeg, "pictures/c.gif": gif, "pictures/d.csv": "broken", "pictures/e.pdf": "%PDF-1.4",
		"pictures/more/f.jpg": jpeg + strings.Repeat("x", 400),
		"list.jsonl": strings.Join([]string{
			`{"id":"path","image":"pictures/a.png"}`, `{"id":"base64","image":"` + b64([]byte(jpeg)) + `"}`,
			`{"id":"escaped","image":"\/9j\/4A=="}`, `{"id":"url","image":"data:image/gif;base64,` + b64([]byte(gif)) + `"}`,
			`{"id":"made","image":"pdq:00"}`, `{"id":"none","image":null}`, `{"id":"missing"}`, `{"id":"gone","image":"x.png"}`,
			`{"id":"folder","image":"pictures"}`, `{"id":"long","image":"pictures/more/f.jpg"}`, `{"id":"plain","image":"data:,x"}`,
		}, "\n"),
		"list.csv":  "id,photo\none,pictures/a.png\n",
		"some.warc": warc("text/html", "<p>no picture") + warc("image/png", png),
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		input, field string
		want         []string
	}{
		{"pictures", "", []string{
			`a.png: "\x89PNG\r\n\x1a\n"`, `b.jpg: "\xff\xd8\xff\xe0"`, `c.gif: "GIF89a"`, "d.csv: no picture",
			"e.pdf: PDF is not supported (want --text-command 'pdftotext {} -')", "f.jpg: document: too long (want at most 300 bytes)",
		}},
		{"list.jsonl", "", []string{
			`path: "\x89PNG\r\n\x1a\n"`, `base64: "\xff\xd8\xff\xe0"`, `escaped: "\xff\xd8\xff\xe0"`, `url: "GIF89a"`, `made: "pdq:00"`, `none: ""`,
			`list.jsonl: no field "image"; it has "id"`, "list.jsonl: DIR/x.png: not a readable file", "list.jsonl: DIR/pictures: not a readable file",
			"list.jsonl: DIR/pictures/more/f.jpg: too large (want at most 300 bytes)", "list.jsonl: data URL: not base64",
		}},
		{"list.csv", "photo", []string{`one: "\x89PNG\r\n\x1a\n"`}},
		{"some.warc", "", []string{`png: "\x89PNG\r\n\x1a\n"`}},
	} {
		got := seen(t, corpus.Options{MaxDocument: 300, TextField: test.field}, filepath.Join(dir, test.input))
		for i := range max(len(got), len(test.want)) {
			if i >= len(got) || i >= len(test.want) || strings.ReplaceAll(got[i], dir, "DIR") != test.want[i] {
				t.Fatalf("%s, %d: got\n%s\nwant\n%s", test.input, i, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		}
	}
	for _, bad := range []corpus.Options{{TextField: "a,b"}, {HTMLField: "page"}, {Compare: corpus.TitleAndText}, {}} {
		bad.Format = corpus.Images
		if bad.TextField+bad.HTMLField+string(bad.Compare) != "" {
			bad.Picture = func([]byte) (string, error) { return "", nil }
		}
		if r, err := corpus.Open([]string{filepath.Join(dir, "list.jsonl")}, bad); err == nil {
			r.Close()
			t.Errorf("%+v is taken", bad)
		}
	}
}

// A picture has its pixels as a field, unless its record has one of that name. Other requested fields are empty.
func TestPixels(t *testing.T) {
	dir := t.TempDir()
	list, file := filepath.Join(dir, "list.jsonl"), filepath.Join(dir, "a.png")
	for path, content := range map[string]string{
		list: `{"image":"a.png"}` + "\n" + `{"image":"a.png","pixels":7}` + "\n" + `{"image":""}`, file: "\x89PNG four",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		input, field, want string
	}{{list, "pixels", "[9 7 ]"}, {file, "pixels", "[9]"}, {file, "bytes", `option without effect: the field "bytes" of format images`}} {
		opt := corpus.Options{
			Format: corpus.Images, Fields: []string{c.field}, Pixels: func(text string) int { return len(text) },
			Extract: func([]byte, string, string) (corpus.Page, error) { return corpus.Page{}, nil },
			Picture: func(data []byte) (string, error) { return string(data), nil },
		}
		r, err := corpus.Open([]string{c.input}, opt)
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%s of %s: %v, want %s", c.field, filepath.Base(c.input), err, c.want)
			}
			continue
		}
		var got []string
		dec := r.NewDecoder()
		for it, err := range r.Items() {
			var doc neardup.Document
			if err == nil {
				err = dec.Decode(it, &doc)
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, doc.Fields[c.field])
		}
		if fmt.Sprint(got) != c.want || len(r.Unmet()) > 0 {
			t.Errorf("%s of %s: %v, want %s; not met: %v", c.field, filepath.Base(c.input), got, c.want, r.Unmet())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
