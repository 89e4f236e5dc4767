package parquet_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/parquet"
)

// TestTables: a table has its own columns before those of a corpus, for each format of the corpus and of the
// table.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	rows := sample(3)
	for name, content := range map[string]string{
		"a.csv":   "id,text,p\nx,=1,2\ny,\n",
		"b.csv":   "u,v\n",
		"a.jsonl": `{"n":7,"text":"one","meta":{"url":"u"}}` + "\n" + `{"text":5}` + "\n",
		"a.json":  "[{\"n\": [1,\n2], \"text\":\"two\"}]",
		"a.log":   "a line\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := write(t, rows)
	for _, c := range []struct {
		in, out string
		opt     corpus.Options
		want    string
	}{
		{"a.csv", "csv", corpus.Options{}, "n,x,id,text,p\n1,,x,'=1,2\n2,0.5000,y,,\n"},
		{"a.csv", "tsv", corpus.Options{}, "n\tx\tid\ttext\tp\n1\t\tx\t'=1\t2\n2\t0.5000\ty\t\t\n"},
		{"a.csv", "jsonl", corpus.Options{}, `{"n":1,"id":"x","text":"=1","p":"2"}` + "\n" + `{"n":2,"x":0.5,"id":"y","text":"","p":""}` + "\n"},
		{"a.csv", "parquet", corpus.Options{}, "n=1 x=<null> id=x text==1 p=2\nn=2 x=0.5 id=y text= p=\n"},
		{"b.csv", "csv", corpus.Options{TextField: "2"}, "n,x,1,2\n1,,u,v\n"},
		{"a.jsonl", "jsonl", corpus.Options{}, `{"n":1,"text":"one","meta":{"url":"u"}}` + "\n"},
		{"a.json", "jsonl", corpus.Options{}, `{"n":1,"text":"two"}` + "\n"},
		{"a.jsonl", "csv", corpus.Options{}, "n,x,text,meta.url\n1,,one,u\n"},
		{"a.log", "parquet", corpus.Options{}, "n=1 x=<null> id=a.log:1 title= url= text=a line\n"},
		{file, "parquet", corpus.Options{}, strings.ReplaceAll(values(t, file), "\n", "")},
	} {
		t.Run(filepath.Ext(c.in)+" to "+c.out, func(t *testing.T) {
			in := c.in
			if in != file {
				t.Chdir(dir)
			}
			out := filepath.Join(t.TempDir(), "out."+c.out)
			lost := tabulate(t, open(t, c.opt, in), out)
			if want := c.in == "a.jsonl" && c.out == "csv"; slices.Equal(lost, []string{"n"}) != want { // n is the table's own
				t.Errorf("no column has %q", lost)
			}
			got := ""
			if c.out == "parquet" {
				got = values(t, out)
			} else if b, err := os.ReadFile(out); err == nil {
				got = string(b)
			}
			if in == file { // all columns of the rows, after the two
				for i := range rows {
					got = strings.Replace(got, []string{"n=1 x=<null> ", "n=2 x=0.5 ", "n=3 x=<null> "}[i], "", 1)
				}
				got = strings.ReplaceAll(got, "\n", "")
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// tabulate writes the records of r with two columns before them, and returns the fields that no column has.
func tabulate(t *testing.T, r *corpus.Reader, out string) []string {
	t.Helper()
	f, err := corpus.CreateAtomic(out)
	if err != nil {
		t.Fatal(err)
	}
	table, err := corpus.NewTable(f, corpus.TableStyle{}, []corpus.Codec{parquet.Codec{}}, corpus.Column{Name: "n", Kind: corpus.Integer}, corpus.Column{Name: "x", Kind: corpus.Number})
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Suits(r); err != nil {
		t.Fatal(err)
	}
	dec := r.NewDecoder()
	for n := int64(1); ; n++ {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = table.Item(it, dec, n, []any{nil, .5}[(n+1)%2])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(table.Close(), f.Commit()); err != nil {
		t.Fatal(err)
	}
	return table.Lost()
}

// values returns the rows of a file of Parquet with the names of their columns.
func values(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	file, err := pq.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	columns := file.Schema().Columns()
	for _, g := range file.RowGroups() {
		rows := g.Rows()
		defer rows.Close()
		buf := make([]pq.Row, 10)
		n, err := rows.ReadRows(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		for _, row := range buf[:n] {
			var cells []string
			for _, v := range row {
				cells = append(cells, fmt.Sprintf("%s=%v", strings.Join(columns[v.Column()], "."), v))
			}
			fmt.Fprintln(&b, strings.Join(cells, " "))
		}
	}
	return b.String()
}

// TestTableRows: rows without records, an empty table, and what cannot be one.
func TestTableRows(t *testing.T) {
	columns := []corpus.Column{{Name: "a"}, {Name: "n", Kind: corpus.Integer}}
	for _, c := range []struct {
		name, full, empty string
		style             corpus.TableStyle
	}{
		{"o.csv", "\ufeffa;n\n=x;3\n", "\ufeffa;n\n", corpus.TableStyle{BOM: true, Raw: true, Comma: ';'}},
		{"o.jsonl", `{"a":"=x","n":3}` + "\n", "", corpus.TableStyle{}},
		{"o.parquet", "a==x n=3\n", "", corpus.TableStyle{}},
	} {
		for _, want := range []string{c.full, c.empty} {
			path := filepath.Join(t.TempDir(), c.name)
			f, err := corpus.CreateAtomic(path)
			if err != nil {
				t.Fatal(err)
			}
			table, err := corpus.NewTable(f, c.style, []corpus.Codec{parquet.Codec{}}, columns...)
			if err == nil && want == c.full {
				err = table.Row("=x", int64(3))
			}
			if err := errors.Join(err, table.Close(), f.Commit()); err != nil {
				t.Fatal(err)
			}
			got := ""
			if corpus.FormatOf(path) == corpus.Parquet {
				got = values(t, path)
			} else if b, err := os.ReadFile(path); err == nil {
				got = string(b)
			}
			if got != want {
				t.Errorf("%s: %q, want %q", c.name, got, want)
			}
		}
	}
	if !slices.Contains(corpus.TableFormats(), corpus.JSONL) {
		t.Error("JSONL is no table")
	}
	for name, want := range map[string]string{"o.txt": "another format", "o.parquet.gz": "not compressed as a whole"} {
		f, err := corpus.CreateAtomic(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		if _, err := corpus.NewTable(f, corpus.TableStyle{}, []corpus.Codec{parquet.Codec{}}, columns...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestListsInOtherFormats: a list is a list in JSONL, and JSON in a cell of another table.
func TestListsInOtherFormats(t *testing.T) {
	type message struct {
		Role string `parquet:"role"`
		N    *int32 `parquet:"n,optional"`
	}
	type chat struct {
		Text string `parquet:"text"`
		Meta struct {
			Tags []string `parquet:"tags,list"`
		} `parquet:"meta"`
		Messages []message          `parquet:"messages,list"`
		Bare     []float64          `parquet:"bare"`
		Scores   map[string]float64 `parquet:"scores"`
		Last     int32              `parquet:"last"`
	}
	one := int32(1)
	rows := []chat{
		{Text: "a", Messages: []message{{"u", &one}, {"\"", nil}}, Bare: []float64{.5, 2}, Scores: map[string]float64{"x": 1.5}, Last: 7},
		{Text: "b", Last: 8},
	}
	rows[0].Meta.Tags = []string{"x", "y"}
	path := filepath.Join(t.TempDir(), "chat.parquet")
	if err := pq.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{
		"a.jsonl": `{"n":1,"text":"a","meta.tags":["x","y"],"messages":[{"role":"u","n":1},{"role":"\"","n":null}],"bare":[0.5,2],"scores":[{"key":"x","value":1.5}],"last":7}
{"n":2,"x":0.5,"text":"b","meta.tags":[],"messages":[],"bare":[],"scores":[],"last":8}
`,
		"a.csv": `n,x,text,meta.tags,messages,bare,scores,last
1,,a,"[""x"",""y""]","[{""role"":""u"",""n"":1},{""role"":""\"""",""n"":null}]","[0.5,2]","[{""key"":""x"",""value"":1.5}]",7
2,0.5000,b,[],[],[],[],8
`,
	} {
		file := filepath.Join(t.TempDir(), out)
		if lost := tabulate(t, open(t, corpus.Options{}, path), file); len(lost) > 0 {
			t.Errorf("no column has %q", lost)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", out, err, got, want)
		}
	}
}
