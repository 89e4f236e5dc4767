package corpus

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding/simplifiedchinese"
	"pgregory.net/rapid"
)

// copyAll writes the items that keep accepts and commits.
func copyAll(tb testing.TB, opt Options, out string, keep func(n int) bool, inputs ...string) {
	tb.Helper()
	r, err := Open(inputs, opt)
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	w, err := NewWriter(out, r)
	if err != nil {
		tb.Fatal(err)
	}
	defer w.Abort()
	for n := 0; ; n++ {
		it, err := r.Next()
		if err == io.EOF {
			break
		}
		var bad *RejectError
		if errors.As(err, &bad) {
			continue
		}
		if err == nil && keep(n) {
			err = w.Write(it)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		tb.Fatal(err)
	}
}

func all(int) bool { return true }

func slurp(tb testing.TB, path string) string {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

func TestWriterKeepsBytes(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a.jsonl", "{\"text\" : \"a\"}\r\n{}\n{\"text\":\"b\"}", "{\"text\" : \"a\"}\r\n{}\n{\"text\":\"b\"}"},
		{"a.csv", "id,\"text\"\r\n1,\"a\nb\"\r\n2,c\n", "id,\"text\"\r\n1,\"a\nb\"\r\n2,c\n"},
		{"a.tsv", "id\ttext\n1\ta", "id\ttext\n1\ta"},
		{"a", "x\n\ny\n", "x\ny\n"},
		{"empty.csv", "id,text\n", "id,text\n"},
		{"excel.csv", "\xef\xbb\xbfid;text\r\n1;ä\r\n", "\xef\xbb\xbfid;text\r\n1;ä\r\n"},
		{"excel.tsv", "\xef\xbb\xbfsep=\t\nid\ttext\n", "\xef\xbb\xbfsep=\t\nid\ttext\n"},
	} {
		dir := t.TempDir()
		in, out := put(t, dir, c.name, c.in), filepath.Join(dir, "out")
		copyAll(t, Options{}, out, all, in)
		if got := slurp(t, out); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if got := streamed(t, in); got != c.want {
			t.Errorf("%s: to a stream: got %q, want %q", c.name, got, c.want)
		}
	}
}

// streamed copies all items of an input to memory.
func streamed(t *testing.T, in string) string {
	t.Helper()
	r, err := Open([]string{in}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	w, err := NewWriterTo(&b, r)
	if err != nil {
		t.Fatal(err)
	}
	for it, err := range r.Items() {
		if err := errors.Join(err, w.Write(it)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Between several inputs a missing line end is added, and only one header is written.
func TestWriterJoinsInputs(t *testing.T) {
	dir := t.TempDir()
	a, b := put(t, dir, "a.csv", "id,text\n1,a"), put(t, dir, "b.csv", "id,text\r\n2,b")
	out := filepath.Join(dir, "out.csv.gz")
	copyAll(t, Options{}, out, all, a, b)
	if got := read(t, Options{}, out); got.texts() != "a|b" {
		t.Errorf("got %q, rejects %q", got.texts(), got.rejects)
	}
	c := put(t, dir, "c.csv", "text,id\nc,3\n")
	r, _ := Open([]string{a, c}, Options{})
	w, err := NewWriter(filepath.Join(dir, "mixed.csv"), r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for {
		var it Item
		it, err = r.Next()
		if err != nil {
			break
		}
		err = w.Write(it)
		if err != nil {
			break
		}
	}
	if err == io.EOF || !strings.Contains(err.Error(), "c.csv: its header differs") {
		t.Errorf("error %v", err)
	}
}

// One output has one charset, whatever the inputs have: a row of ASCII fits into all.
func TestWriterMixesNoCharsets(t *testing.T) {
	const german = "id,text\n1,Der B\xfcrgermeister er\xf6ffnete die neue Br\xfccke \xfcber den Flu\xdf\n"
	const ascii = "id,text\n3,c\n"
	chinese, err := simplifiedchinese.GBK.NewEncoder().String(
		"id,text\n2,气象台今天上午发布暴雨红色预警预计未来三小时内城区降雨量将达到一百毫米以上\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, a, b string
		opt        Options
		want       string // "" is no error
	}{
		{"windows-1252 and GBK", german, chinese, Options{}, "b.csv in gb18030: one output cannot have two charsets"},
		{"GBK and UTF-8", chinese, "id,text\n1,Brücke\n", Options{}, "b.csv in utf-8"},
		{"GBK and ASCII", chinese, ascii, Options{}, ""},
		{"ASCII and GBK", ascii, chinese, Options{}, ""},
		{"UTF-8 and UTF-16", "id,text\n1,Brücke\n", "\xff\xfe" + wide("id,text\n1,") + "-N\n\x00", Options{}, ""},
		{"named", german, "id,text\n2,Fl\xfc\xdfe\n", Options{Form: Form{Charset: "windows-1252"}}, ""},
	} {
		dir := t.TempDir()
		r, err := Open([]string{put(t, dir, "a.csv", c.a), put(t, dir, "b.csv", c.b)}, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewWriter(filepath.Join(dir, "out.csv"), r)
		if err != nil {
			t.Fatal(err)
		}
		var it Item
		for err == nil {
			it, err = r.Next()
			if err == nil {
				err = w.Write(it)
			}
		}
		w.Abort()
		if (c.want == "" && err != io.EOF) || (c.want != "" && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	dir := t.TempDir()
	a, b, html := put(t, dir, "a.jsonl", "{}"), put(t, dir, "b.csv", "text\n"), put(t, dir, "d/c.html", "<p>")
	linked := filepath.Join(dir, "linked.jsonl")
	if err := os.Link(a, linked); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		out, want string
		in        []string
	}{
		{a, "is an input", []string{a}},
		{filepath.Join(dir, "d", "..", "a.jsonl"), "is an input", []string{a}},
		{linked, "is an input", []string{a}},
		{filepath.Join(dir, "out"), "several formats", []string{a, b}},
		{filepath.Join(dir, "none", "out"), "no such folder", []string{a}},
		{dir, "new or empty", []string{a}},
		{filepath.Join(dir, "d"), "new or empty", []string{html}},
		{"-", "cannot hold files (want --out DIR/ or FILE.jsonl, or --decisions -)", []string{html}},
	} {
		r, err := Open(c.in, Options{Extract: tagless})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewWriterTo(io.Discard, r); c.out == "-" && !errors.Is(err, ErrName) {
			t.Errorf("%v to a stream: error %v", c.in, err)
		}
		if _, err := NewWriter(c.out, r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v to %s: error %v, want %q", c.in, c.out, err, c.want)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestWriterCopiesFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	packed := gz("b")
	put(t, dir, "in/a.txt", "a\r\n")
	put(t, dir, "in/sub/b.html.gz", packed)
	put(t, dir, "in/sub/c.txt", "c")
	keep := func(n int) bool { return n != 2 }
	copyAll(t, Options{Extract: tagless}, "out", keep, "in")
	if got := tree(t, "out"); !slices.Equal(got, []string{"a.txt", "sub/b.html.gz"}) {
		t.Errorf("files %q", got)
	}
	if slurp(t, "out/sub/b.html.gz") != packed || slurp(t, "out/a.txt") != "a\r\n" {
		t.Error("the bytes differ")
	}
	copyAll(t, Options{Extract: tagless}, "out2", all, "in/sub", "../"+filepath.Base(dir)+"/in/a.txt")
	if got := tree(t, "out2"); !slices.Equal(got, []string{filepath.Base(dir) + "/in/a.txt", "in/sub/b.html.gz", "in/sub/c.txt"}) {
		t.Errorf("files %q", got)
	}
	left, _ := filepath.Glob(".*")
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func tree(tb testing.TB, root string) []string {
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return names
}

func TestAtomicFile(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, "out", "before")
	f, err := CreateAtomic(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteJSON(map[string]string{"a": "<\u2028>"}); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if err := f.Commit(); err == nil {
		t.Error("committed after an abort")
	}
	if got := slurp(t, path); got != "before" {
		t.Errorf("aborted, yet %q", got)
	}
	f, _ = CreateAtomic(path)
	f.WriteJSON(map[string]string{"a": "<b>"})
	if got := slurp(t, path); got != "before" {
		t.Errorf("not committed, yet %q", got)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if got := slurp(t, path); got != "{\"a\":\"<b>\"}\n" {
		t.Errorf("committed %q", got)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestAtomicFileIsCompressedByName(t *testing.T) {
	for _, name := range []string{"a.gz", "a.zst"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := CreateAtomic(path)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "a\nb\n")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := read(t, Options{}, path).texts(); got != "a|b" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAtomicFileReplacesNoDevice(t *testing.T) {
	f, err := CreateAtomic(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "x")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s is a file now (%v)", os.DevNull, err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorReachesCommit(t *testing.T) {
	f := NewStream(fullDisk{})
	io.WriteString(f, strings.Repeat("x", 1<<20))
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v", err)
	}
}

// Whatever the bytes: what is kept is a subsequence of the lines, and when all
// are kept, the input without its blank lines.
func TestWriterProperty(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOf(rapid.StringMatching(`[ -~\x00中"\\]{0,20}\r?`)).Draw(rt, "lines")
		packed := rapid.Bool().Draw(rt, "gzip")
		content := strings.Join(lines, "\n")
		want := ""
		for line := range strings.Lines(content) {
			if strings.TrimRight(line, "\r\n") != "" {
				want += line
			}
		}
		name := "in"
		if packed {
			content = gz(content)
		}
		in, out := put(t, dir, name, content), filepath.Join(dir, "out")
		copyAll(t, Options{Format: Lines}, out, all, in)
		if got := slurp(t, out); got != want {
			rt.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestWarcWriterMakesMembers(t *testing.T) {
	dir := t.TempDir()
	in := put(t, dir, "a.warc", page("1", "<p>one</p>")+page("2", "<p>two</p>")+page("3", "<p>three</p>"))
	out := filepath.Join(dir, "out.warc.gz")
	opt := Options{Extract: tagless}
	copyAll(t, opt, out, func(n int) bool { return n != 1 }, in)
	if got := read(t, opt, out); got.texts() != "one|three" {
		t.Errorf("%q, rejects %q", got.texts(), got.rejects)
	}
	z, err := gzip.NewReader(strings.NewReader(slurp(t, out)))
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false)
	first, err := io.ReadAll(z)
	if err != nil || string(first) != page("1", "<p>one</p>") {
		t.Errorf("first member %q, %v", first, err)
	}
}

// TestNameDecides: an output with a name of another format that no Table has is refused before anything is read. A name without a
// format is accepted.
func TestNameDecides(t *testing.T) {
	if err := errors.Join(CheckName("any.xlsx"), CheckName("-", JSONL), CheckName("c.parquet", JSONL, Parquet)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		in, content, out string
		refused          bool
	}{
		{"a.jsonl", `{"text":"a"}`, "k.jsonl", false}, {"a.jsonl", `{"text":"a"}`, "k.ndjson.gz", false},
		{"a.jsonl", `{"text":"a"}`, "k.json", false}, {"a.jsonl", `{"text":"a"}`, "k", false}, {"a.jsonl", `{"text":"a"}`, "k.txt", false},
		{"a.jsonl", `{"text":"a"}`, "k.csv", false}, {"a.jsonl", `{"text":"a"}`, "k.CSV.zst", false},
		{"a.jsonl", `{"text":"a"}`, "k.ods", true}, {"a.jsonl", `{"text":"a"}`, "k.html", true},
		{"a.json", `[{"text":"a"}]`, "k.jsonl", false}, {"a.json", `[{"text":"a"}]`, "k.json", false},
		{"a.csv", "text\na\n", "k.csv", false}, {"a.csv", "text\na\n", "k.json", true}, {"a.csv", "text\na\n", "k.tsv", false},
		{"a.log", "a\nb\n", "k.txt", false}, {"a.log", "a\nb\n", "k.warc", true},
	} {
		dir := t.TempDir()
		r, err := Open([]string{put(t, dir, c.in, c.content)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		w, err := NewWriter(filepath.Join(dir, c.out), r)
		if errors.Is(err, ErrName) != c.refused || (!c.refused && err != nil) {
			t.Errorf("%s to %s: %v", c.in, c.out, err)
		}
		if err == nil {
			w.Abort()
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
			t.Errorf("%s to %s: %v are left, %v", c.in, c.out, names, err)
		}
	}
}

// TestFlush: a reader of the stream gets what was written before a Flush.
func TestFlush(t *testing.T) {
	var out bytes.Buffer
	f := NewStream(&out)
	_, err := f.Write([]byte("a line\n"))
	if before := out.Len(); err != nil || before != 0 {
		t.Fatalf("%d bytes before it, %v", before, err)
	}
	if err := f.Flush(); err != nil || out.String() != "a line\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// A file without kept records fails like any other.
func TestEmptyFileThatCannotBeWritten(t *testing.T) {
	in := t.TempDir()
	put(t, in, "a.csv", "id,text\n1,x\n")
	r, err := Open([]string{in}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w, err := NewWriter(filepath.Join(t.TempDir(), "out")+"/", r)
	if err != nil {
		t.Fatal(err)
	}
	s := w.Output.(*folderSink)
	defer s.Abort()
	if err := s.advance(); err != nil {
		t.Fatal(err)
	}
	if err := s.file.Output.(*AtomicFile).file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.end(); err == nil {
		t.Error("no error")
	}
}
