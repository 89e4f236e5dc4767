package corpus_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/arrow"
	"github.com/neardup/neardup/corpus/parquet"
)

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
		r, err := corpus.Open([]string{from}, corpus.Options{Codecs: []corpus.Codec{parquet.Codec{}, arrow.Codec{}}})
		if err != nil {
			t.Fatal(err)
		}
		from = filepath.Join(dir, to)
		f, err := corpus.CreateAtomic(from)
		if err != nil {
			t.Fatal(err)
		}
		table, err := corpus.NewTable(f, corpus.TableStyle{}, []corpus.Codec{parquet.Codec{}, arrow.Codec{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Suits(r); err != nil {
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
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	got, err := os.ReadFile(from)
	if err != nil || string(got) != want {
		t.Errorf("got %s\nwant %s (%v)", got, want, err)
	}
}
