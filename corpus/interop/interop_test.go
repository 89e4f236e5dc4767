package interop_test

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/interop"
	"github.com/neardup/neardup/corpus/parquet"
)

var codecs = []corpus.Codec{parquet.Codec{}}

// inputs are files of documents. Documents with REMOVE are removed, and every x is a span.
var inputs = []struct{ name, lines string }{
	{"b.jsonl", `{"id":"b0","text":"keep 中x"}` + "\n" + `{"id":"b1","text":""}` + "\n" + `{"id":"b2","text":"REMOVE"}` + "\n"},
	{"a/a.jsonl.gz", `{"id":"a0","text":"REMOVE x"}` + "\n" + `{"id":"a1","text":"x"}` + "\n" + `{"id":"a2","text":"REMOVE <&>"}` + "\n"},
	{"c.jsonl", ""},
	{"d.jsonl", `{"id":"d0","text":"REMOVE"}` + "\n"},
}

func open(t *testing.T) *corpus.Reader {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "documents", "older", "documents") // names begin after the last
	for _, in := range inputs {
		path := filepath.Join(dir, in.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := corpus.CreateAtomic(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(in.lines)); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	r, err := corpus.Open([]string{dir}, corpus.Options{Format: corpus.JSONL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// write passes all documents to a writer.
func write(t *testing.T, r *corpus.Reader, w interop.Writer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	dec := r.NewDecoder()
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		var doc neardup.Document
		if err == nil {
			err = dec.Decode(it, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		d := interop.Document{File: it.File, ID: doc.ID, Runes: utf8.RuneCountInString(doc.Text), Removed: strings.Contains(doc.Text, "REMOVE")}
		if before, _, found := strings.Cut(doc.Text, "x"); found {
			at := utf8.RuneCountInString(before)
			d.Spans = append(d.Spans, interop.Span{Start: at, End: at + 1, Score: .5})
		}
		if err := w.Add(&d); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), corpus.CommitAll(w)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var from io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		from, err = gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A line for each document, in a file for each input, the places in runes.
func TestDolma(t *testing.T) {
	r, dir := open(t), filepath.Join(t.TempDir(), "found")
	w, err := interop.NewDolma(dir, "test", r)
	write(t, r, w, err)
	line := func(id, spans, removed string) string {
		return `{"id":"` + id + `","attributes":{"found__test__removed":[` + removed + `],"found__test__spans":[` + spans + "]}}\n"
	}
	for name, want := range map[string]string{
		"a/a.jsonl.gz": line("a0", "[7,8,0.5]", "[0,8,1]") + line("a1", "[0,1,0.5]", "") + line("a2", "", "[0,10,1]"),
		"b.jsonl":      line("b0", "[6,7,0.5]", "") + line("b1", "", "") + line("b2", "", "[0,6,1]"),
		"c.jsonl":      "",
		"d.jsonl":      line("d0", "", "[0,6,1]"),
	} {
		if got := read(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
}

// The n-th file in the order of the names has the numbers of its documents that go,
// those without a text not counted.
func TestDatatrove(t *testing.T) {
	r, dir := open(t), filepath.Join(t.TempDir(), "removed")
	w, err := interop.NewDatatrove(dir, r)
	write(t, r, w, err)
	for name, want := range map[string][]uint32{"000000.remove": {0, 2}, "000001.remove": {1}, "000002.remove": nil, "000003.remove": {0}} {
		var got []uint32
		for b := []byte(read(t, filepath.Join(dir, name))); len(b) > 0; b = b[4:] {
			got = append(got, binary.LittleEndian.Uint32(b))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s holds %d, want %d", name, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	for name, want := range map[string]string{
		"ids.jsonl": `{"id":"a0"}` + "\n" + `{"id":"a2"}` + "\n" + `{"id":"b2"}` + "\n" + `{"id":"d0"}` + "\n",
		"ids.csv":   "id\na0\na2\nb2\nd0\n",
	} {
		r, path := open(t), filepath.Join(t.TempDir(), name)
		w, err := interop.NewIDs(path, codecs)
		write(t, r, w, err)
		if got := read(t, path); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	r, path := open(t), filepath.Join(t.TempDir(), "ids.parquet")
	w, err := interop.NewIDs(path, codecs)
	write(t, r, w, err)
	if got := read(t, path); !strings.HasPrefix(got, "PAR1") || !strings.HasSuffix(got, "PAR1") {
		t.Error("ids.parquet is no Parquet")
	}
}

// An uncommitted output leaves no files, and an impossible one is refused before any work.
func TestNothingIsLeft(t *testing.T) {
	r, dir := open(t), t.TempDir()
	w, err := interop.NewDolma(filepath.Join(dir, "out"), "test", r)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(&interop.Document{File: r.Inputs()[0]}); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(&interop.Document{File: "elsewhere"}); err == nil {
		t.Error("a document of no input was taken")
	}
	w.Abort()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := interop.NewDatatrove(dir, r); err == nil || !strings.Contains(err.Error(), "new or empty") {
		t.Errorf("a folder that holds something: %v", err)
	}
	csv := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(csv, []byte("id,text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := corpus.Open([]string{csv}, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if _, err := interop.NewDolma(filepath.Join(dir, "out"), "test", table); err == nil || !strings.Contains(err.Error(), "JSONL") {
		t.Errorf("attributes of a table: %v", err)
	}
}
