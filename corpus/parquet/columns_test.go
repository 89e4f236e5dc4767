package parquet_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/neardup/neardup/corpus"
)

// TestEmptyRowGroups reads and copies files that pyarrow wrote from tables without a row.
// pandas, polars and DuckDB write such files also.
func TestEmptyRowGroups(t *testing.T) {
	for name, rows := range map[string]int{
		"no-group":        0,
		"empty-group":     0,
		"empty-group-lz4": 0,
		"empty-between":   2, // a row, an empty group, a row
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, corpus.Options{}, filepath.Join("testdata", name+".parquet"))
			out := filepath.Join(t.TempDir(), "out.parquet")
			w, err := corpus.NewWriter(out, r)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for it, err := range r.Items() {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if err := w.Write(it); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(); err != nil || n != rows {
				t.Fatalf("%d rows read, %v; want %d", n, err, rows)
			}
			copied, err := pq.ReadFile[struct{ ID, Text string }](out)
			if err != nil || len(copied) != rows {
				t.Errorf("%d rows copied, %v; want %d", len(copied), err, rows)
			}
		})
	}
}

// TestTwoColumnsOfOneName wants an error, because a guess would compare the wrong texts.
func TestTwoColumnsOfOneName(t *testing.T) {
	r := open(t, corpus.Options{}, filepath.Join("testdata", "twice.parquet"))
	if it, err := r.Next(); !errors.Is(err, corpus.ErrField) || !strings.Contains(err.Error(), "with a unique name") {
		t.Errorf("%+v, %v", it, err)
	}
}

// TestLists joins the texts of the elements of a list, as for JSON.
func TestLists(t *testing.T) {
	for field, want := range map[string]string{
		"messages[].content": "Hi!\n¶\nHello|||one",
		"tags[]":             "x\n¶\ny|z||",
	} {
		r := open(t, corpus.Options{TextField: field}, filepath.Join("testdata", "chat.parquet"))
		var got []string
		for doc, err := range r.Documents() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, doc.Text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	for _, field := range []string{"messages", "messages.content", "tags", "id[]", "messages[]"} {
		r := open(t, corpus.Options{TextField: field}, filepath.Join("testdata", "chat.parquet"))
		if _, err := r.Next(); !errors.Is(err, corpus.ErrField) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
