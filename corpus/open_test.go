package corpus

import (
	"errors"
	"math/rand/v2"
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
	put(t, dir, "d/_SUCCESS", "")
	put(t, dir, "d/a/_committed_17", "{}")
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
		{"a.txt", "one\ntwo\n", Files, Files}, {"a.MD.gz", gz("one\ntwo\n"), Files, Files}, {"a.srt", "1\n", Files, Files}, {"README", "x", Lines, Files}, {"a.log", "one\ntwo\n", Lines, Files},
		{"table.txt", "id,text\n1,x\n", CSV, Files},
		{"a.json", `{"text":"x"}` + "\n{}", JSONL, JSONL}, {"b.json", "{\n \"text\":\"x\"}", JSON, JSON},
		{"c.json", `[{"text":"x"}]`, JSON, JSON}, {"d.json", "", JSON, JSON}, {"d.json.gz", gz("no"), JSON, JSON},
		{"table", "id,text\n1,x\n", CSV, Files},
		{"page", "\n<!DOCTYPE html><p>", HTML, HTML}, {"page.gz", gz("<html>"), HTML, HTML},
		{"crawl", "WARC/1.0\r\n", WARC, WARC}, {"crawl2", gz("WARC/1.1\r\n"), WARC, WARC},
		{"braces.txt", "{not json}", Files, Files},
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
	want := []string{"d/e.bin: a picture, not a text (want --format images)", "d/h.txt:1: document: too long (want at most 4000 bytes)"}
	if !slices.Equal(res.rejects, want) {
		t.Errorf("rejects %q", res.rejects)
	}
}

// A file that vanishes from a directory is skipped on request; a missing named file is an error.
func TestUnreadableFile(t *testing.T) {
	for _, named := range []bool{false, true} {
		dir := t.TempDir()
		a, b := put(t, dir, "a.jsonl", "{\"text\":\"a\"}"), put(t, dir, "b.jsonl", "{\"text\":\"b\"}")
		inputs := []string{dir}
		if named {
			inputs = []string{a, b}
		}
		r, err := Open(inputs, Options{SkipDamaged: true})
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

// TestDamagedFile: what of a file cannot be read is an error, and on request a
// reject, after which the other files are read.
func TestDamagedFile(t *testing.T) {
	lines := strings.Repeat("{\"text\":\"a\"}\n", 20)
	one, two := page("1", "<p>a</p>"), page("2", "<p>b</p>")
	rng := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 1<<10) // so that what is cut off is more than a checksum
	for i := range noise {
		noise[i] = "0123456789abcdef"[rng.IntN(16)]
	}
	long := "{\"text\":\"a\"}\n{\"text\":\"" + string(noise) + "\"}\n"
	for name, c := range map[string]struct {
		file, content string
		opt           Options
		damaged       bool
	}{
		"gzip cut off":           {"a.jsonl.gz", gz(long)[:500], Options{}, true},
		"gzip, no trailer":       {"a.jsonl.gz", gz(lines)[:len(gz(lines))-8], Options{}, true},
		"gzip, a wrong checksum": {"a.jsonl.gz", gz(lines)[:len(gz(lines))-8] + "\x00\x00\x00\x00\x00\x00\x00\x00", Options{}, true},
		"zstd cut off":           {"a.jsonl.zst", zst(long)[:500], Options{}, true},
		"csv in gzip, cut off":   {"a.csv.gz", gz("text\n" + string(noise))[:500], Options{}, true},
		"a file in gzip":         {"a.txt.gz", gz(string(noise))[:500], Options{Format: Files}, true},
		"JSON cut off":           {"a.json", "[{\"text\":\"a\"},{\"te", Options{}, true},
		"WARC cut off":           {"a.warc", one + two[:len(two)-20], Options{}, true},
		"WARC in gzip, cut off":  {"a.warc.gz", gz(one) + gz(two)[:60], Options{}, true},
		"more than is allowed":   {"a.jsonl.gz", gz(lines), Options{MaxDecompressed: 100}, true},
		"a bad record":           {"a.jsonl", lines + "{\n" + lines, Options{}, false},
		"a bad record of WARC":   {"a.warc", one + "dirt\r\n" + two, Options{}, false},
		"no text at all":         {"a.txt", "\x89PNG\r\n", Options{Format: Files}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, c.file, c.content)
			last := put(t, dir, "b.txt", "last")
			c.opt.Extract = tagless
			r, err := Open([]string{dir}, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			res, err := drain(r)
			if (c.damaged && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.file))) || (!c.damaged && (err != nil || len(res.rejects) != 1)) {
				t.Errorf("%v, rejects %q", err, res.rejects)
			}
			if c.damaged == strings.HasSuffix(res.texts(), "last") {
				t.Errorf("texts %.100q", res.texts())
			}
			res = read(t, c.opt, dir, last)
			if len(res.rejects) != 1 || !strings.HasSuffix(res.texts(), "last") {
				t.Errorf("skipped: texts %.100q, rejects %q", res.texts(), res.rejects)
			}
		})
	}
}

// A field that no input has is a mistake, not a setting.
func TestFieldsWithoutEffect(t *testing.T) {
	dir := t.TempDir()
	lines, rows, page := put(t, dir, "a.log", "x\n"), put(t, dir, "b.jsonl", "{}"), put(t, dir, "c.html", "<p>")
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
		if (c.want == "" && err != nil) || (c.want != "" && (!errors.Is(err, ErrNoEffect) || !strings.Contains(err.Error(), c.want))) {
			t.Errorf("%+v: error %v, want %q", c.opt, err, c.want)
		}
	}
}

func TestMissingColumnIsAnError(t *testing.T) {
	for content, want := range map[string]string{
		"id,body\n1,x\n":                     `no column "text" (want one of "id", "body", or the number of a column, from 1)`,
		"text,id,text\na,1,b\n":              Twice("text").Error(),
		"Nr;Preis, netto;K\xf6rper\n":        `no column "text" (want one of "Nr", "Preis, netto", "Körper"`,
		"i\x00d\x00,\x00t\x00\n\x00-N\n\x00": "zero bytes (want --format 'csv charset=utf-16le'",
	} {
		r, err := Open([]string{put(t, t.TempDir(), "a.csv", content)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := drain(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", content, err, want)
		}
	}
}

func TestOptionsThatCannotWork(t *testing.T) {
	path := put(t, t.TempDir(), "a", "x")
	for want, opt := range map[string]Options{
		"unknown format":          {Format: "odt"},
		"negative":                {MaxDocument: -1},
		"cannot be combined with": {TextField: "a", HTMLField: "b"},
		"no extractor":            {Format: HTML},
		"no codec":                {Format: Parquet},
		`HTML field "b": no extr`: {HTMLField: "b"},
	} {
		if _, err := Open([]string{path}, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", opt, err, want)
		}
	}
}
