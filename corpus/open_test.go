package corpus

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put(t, dir, "d/b.txt", "b")
	put(t, dir, "d/a/z.txt", "z")
	put(t, dir, "d/.hidden", "h")
	put(t, dir, "d/.git/x.txt", "h")
	put(t, dir, "e.txt", "e")
	put(t, dir, "odd*name.txt", "o")
	if err := os.Symlink("..", "d/a/loop"); err != nil {
		t.Skip(err)
	}
	os.Symlink("../e.txt", "d/link.txt")
	for _, c := range []struct {
		inputs []string
		want   string
	}{
		{[]string{"d"}, "d/a/z.txt d/b.txt d/link.txt"},
		{[]string{"./d/", "e.txt", "d/b.txt"}, "d/a/z.txt d/b.txt d/link.txt"}, // the link leads to e.txt,
		{[]string{"e.txt", "d"}, "e.txt d/a/z.txt d/b.txt"},
		{[]string{"d/*.txt"}, "d/b.txt d/link.txt"},
		{[]string{"odd*name.txt"}, "odd*name.txt"},
	} {
		r, err := Open(c.inputs, Options{})
		if err != nil {
			t.Fatalf("%q: %v", c.inputs, err)
		}
		if got := filepath.ToSlash(strings.Join(r.Inputs(), " ")); got != c.want {
			t.Errorf("%q: got %s, want %s", c.inputs, got, c.want)
		}
	}
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]string{
		"none.txt": "no such file", "n*.txt": "no file matches", "empty": "no input files", "-": "not given",
		"/dev/zero": "not a regular file (a device)",
	} {
		if _, err := Open([]string{input}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", input, err, want)
		}
	}
}

func TestAutoFormat(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, content string
		alone, among  Format
	}{
		{"a.jsonl", "", JSONL, JSONL}, {"a.NDJSON.gz", "", JSONL, JSONL}, {"a.csv.zst", "", CSV, CSV},
		{"a.tsv", "", TSV, TSV}, {"a.htm", "", HTML, HTML}, {"a.warc.gz", "", WARC, WARC},
		{"a.txt", "one\ntwo\n", Lines, Files}, {"README", "x", Lines, Files},
		{"a.json", `{"text":"x"}` + "\n{}", JSONL, JSONL}, {"b.json", "{\n \"text\":\"x\"}", JSON, JSON},
		{"c.json", `[{"text":"x"}]`, JSON, JSON}, {"d.json", "", JSON, JSON}, {"d.json.gz", gz("no"), JSON, JSON},
		{"table", "id,text\n1,x\n", CSV, Files},
		{"page", "\n<!DOCTYPE html><p>", HTML, HTML}, {"page.gz", gz("<html>"), HTML, HTML},
		{"crawl", "WARC/1.0\r\n", WARC, WARC}, {"crawl2", gz("WARC/1.1\r\n"), WARC, WARC},
		{"braces.txt", "{not json}", Lines, Files},
	} {
		path := put(t, dir, c.name, c.content)
		opt := Options{Extract: tagless}
		alone, err := Open([]string{path}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := alone.Format(); got != c.alone {
			t.Errorf("%s alone is %s, want %s", c.name, got, c.alone)
		}
		other := put(t, dir, "other.txt", "x")
		among, err := Open([]string{path, other}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := among.inputs[0].format; got != c.among {
			t.Errorf("%s among others is %s, want %s", c.name, got, c.among)
		}
	}
}

func TestFilesAreDocuments(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put(t, dir, "d/a.txt", "first\nfile\n")
	put(t, dir, "d/b.html", "<title>T</title><p>page</p>")
	put(t, dir, "d/c.txt.gz", gz("packed"))
	put(t, dir, "d/e.bin", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x40\x08\x06\x00\x00\x00\x01\x02\x03")
	put(t, dir, "d/f.txt", "")
	put(t, dir, "d/g.txt", "\xff\xfeh\x00i\x00")
	put(t, dir, "d/h.txt", strings.Repeat("x", 5000))
	res := read(t, Options{Extract: tagless, MaxDocument: 4000}, "d")
	if got, want := res.texts(), "first\nfile\n|Tpage|packed||hi"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if res.docs[1].Title != "T" || res.docs[0].ID != "d/a.txt" {
		t.Errorf("documents %+v", res.docs[:2])
	}
	want := []string{"d/e.bin: an image is not read", "d/h.txt:1: longer than the limit of 4000 bytes a document"}
	if !slices.Equal(res.rejects, want) {
		t.Errorf("rejects %q", res.rejects)
	}
}

// What vanishes from a directory is a reject; what was named is an error.
func TestUnreadableFile(t *testing.T) {
	for _, named := range []bool{false, true} {
		dir := t.TempDir()
		a, b := put(t, dir, "a.jsonl", "{\"text\":\"a\"}"), put(t, dir, "b.jsonl", "{\"text\":\"b\"}")
		inputs := []string{dir}
		if named {
			inputs = []string{a, b}
		}
		r, err := Open(inputs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(a)
		res, err := drain(r)
		switch {
		case named && (err == nil || !strings.Contains(err.Error(), a)):
			t.Errorf("named: error %v", err)
		case !named && (err != nil || res.texts() != "b" || len(res.rejects) != 1):
			t.Errorf("%q, rejects %q, %v", res.texts(), res.rejects, err)
		}
	}
}

// A field that no input has is a mistake, not a setting.
func TestFieldsWithoutEffect(t *testing.T) {
	dir := t.TempDir()
	lines, rows, page := put(t, dir, "a.txt", "x\n"), put(t, dir, "b.jsonl", "{}"), put(t, dir, "c.html", "<p>")
	for _, c := range []struct {
		opt    Options
		inputs []string
		want   string // "" for no error
	}{
		{Options{TextField: "body"}, []string{lines}, `the text field "body" of format lines`},
		{Options{TimeField: "date"}, []string{page}, `the time field "date" of format html`},
		{Options{TextField: "body"}, []string{lines, rows}, ""},
		{Options{Format: WARC, URLField: "u"}, []string{lines}, `the url field "u" of format warc`},
		{Options{Format: WARC, IDField: "WARC-Target-URI"}, []string{lines}, ""},
	} {
		c.opt.Extract = tagless
		_, err := Open(c.inputs, c.opt)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrNoEffect) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.opt, err, c.want)
		}
	}
}

func TestMissingColumnIsAnError(t *testing.T) {
	path := put(t, t.TempDir(), "a.csv", "id,body\n1,x\n")
	r, err := Open([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drain(r); err == nil || !strings.Contains(err.Error(), `no column "text"; the header has ["id" "body"]`) {
		t.Errorf("error %v", err)
	}
}

func TestOptionsThatCannotWork(t *testing.T) {
	path := put(t, t.TempDir(), "a", "x")
	for want, opt := range map[string]Options{
		"unknown format":          {Format: "docx"},
		"negative":                {MaxDocument: -1},
		"choose one":              {TextField: "a", HTMLField: "b"},
		"no extractor":            {Format: HTML},
		"no codec":                {Format: Parquet},
		`HTML field "b": no extr`: {HTMLField: "b"},
	} {
		if _, err := Open([]string{path}, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", opt, err, want)
		}
	}
}
