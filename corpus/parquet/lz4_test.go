package parquet_test

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
)

// Pages of LZ4 that hardly shrink, in both versions, with and without a
// dictionary: every row is read and can be copied.
func TestLZ4(t *testing.T) {
	type packed struct {
		ID    int64   `parquet:"id,lz4"`
		Text  *string `parquet:"text,optional,lz4"`
		Title string  `parquet:"title,dict,lz4"`
	}
	for _, version := range []int{1, 2} {
		for _, n := range []int{1, 49, 50, 1000} {
			rows := make([]packed, n)
			x := uint64(1)
			for i := range rows {
				x = x*6364136223846793005 + 1442695040888963407
				rows[i] = packed{int64(i), text(fmt.Sprintf("%x %x text", x, x*x)), fmt.Sprint("t", i%5)}
				if i%9 == 4 {
					rows[i].Text = nil
				}
			}
			in := filepath.Join(t.TempDir(), "in.parquet")
			if err := pq.WriteFile(in, rows, pq.DataPageVersion(version), pq.MaxRowsPerRowGroup(300), pq.KeyValueMetadata("k", "v")); err != nil {
				t.Fatal(err)
			}
			r := open(t, corpus.Options{}, in)
			out := filepath.Join(t.TempDir(), "out.parquet")
			w, err := corpus.NewWriter(out, r)
			if err != nil {
				t.Fatal(err)
			}
			d := r.NewDecoder()
			for i := range rows {
				it, err := r.Next()
				if err != nil {
					t.Fatalf("version %d, row %d of %d: %v", version, i, n, err)
				}
				var doc neardup.Document
				err = d.Decode(it, &doc)
				if err != nil || doc.Text != *cmp.Or(rows[i].Text, text("")) || doc.Title != rows[i].Title {
					t.Fatalf("version %d, row %d of %d: %+v, %v", version, i, n, doc, err)
				}
				if err := w.Write(it); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := r.Next(); err != io.EOF {
				t.Fatalf("after the last row: %v", err)
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			same(t, in, out)
			if n == 50 && version == 1 {
				damageLZ4(t, in)
			}
		}
	}
}

// damageLZ4 flips bytes. Reading must end, with an error or with other rows.
func damageLZ4(t *testing.T, path string) {
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 4; n < len(good); n += 61 {
		bad := append([]byte{}, good...)
		bad[n] ^= 0x55
		drain(t, bad)
	}
}
