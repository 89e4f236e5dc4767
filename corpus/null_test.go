package corpus_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/arrow"
	"github.com/neardup/neardup/corpus/parquet"
)

var codecs = []corpus.Codec{parquet.Codec{}, arrow.Codec{}}

// convert writes the records of files as a table.
func convert(t *testing.T, to string, from ...string) string {
	t.Helper()
	r, err := corpus.Open(from, corpus.Options{Codecs: codecs})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := corpus.CreateAtomic(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	table, err := corpus.NewTable(f, corpus.TableStyle{}, codecs)
	if err == nil {
		err = table.Suits(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	dec := r.NewDecoder()
	for it, err := range r.Items() {
		if err == nil {
			err = table.Item(it, dec)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(table.Close(), f.Commit()); err != nil {
		t.Fatal(err)
	}
	return to
}

// Inputs of several formats give every row to one table, in the columns of the first.
func TestMixedInputs(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	jsonl, table := put("a.jsonl", `{"id":"1","text":"a","s":"x"}`+"\n"), put("b.csv", "ID,Text \n2,b\n")
	rows := convert(t, filepath.Join(dir, "c.parquet"), put("c.jsonl", `{"id":"3","text":"c"}`+"\n"))
	batches := convert(t, filepath.Join(dir, "d.arrow"), put("d.jsonl", `{"id":"4","text":null}`+"\n"+`{"id":"5","text":"e"}`+"\n"))
	want := `{"id":"1","text":"a","s":"x"}` + "\n"
	for _, row := range []string{`"2","text":"b"`, `"3","text":"c"`, `"4","text":null`, `"5","text":"e"`} {
		want += `{"id":` + row + `,"s":null}` + "\n"
	}
	for _, out := range []string{"o.parquet", "o.arrow"} {
		all := convert(t, filepath.Join(dir, out), jsonl, table, rows, batches)
		if got, err := os.ReadFile(convert(t, filepath.Join(dir, out+".jsonl"), all)); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", out, err, got, want)
		}
	}
}

// A null, or a field that an object lacks, is null in every format that has nulls, and an empty text stays one.
func TestNullStaysNull(t *testing.T) {
	const lines = `{"id":"1","text":null,"n":null,"note":"a"}` + "\n" + `{"id":"2","text":"","n":2,"note":""}` + "\n" + `{"id":"3","text":"c"}` + "\n"
	const want = `{"id":"1","note":"a","text":null,"n":null}` + "\n" + `{"id":"2","note":"","text":"","n":2}` + "\n" + `{"id":"3","note":null,"text":"c","n":null}` + "\n"
	dir := t.TempDir()
	from := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(from, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"b.parquet", "c.arrow", "d.parquet", "e.jsonl"} {
		from = convert(t, filepath.Join(dir, to), from)
	}
	got, err := os.ReadFile(from)
	if err != nil || string(got) != want {
		t.Errorf("got %s\nwant %s (%v)", got, want, err)
	}
}
