package arrow_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	ar "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/arrow"
)

var mem = memory.DefaultAllocator

// columns are one of each type, by its name, and how its values are written in JSON. %[1]d is the
// number of the row; every seventh is null where nulls is set.
var columns = []struct {
	name  string
	of    ar.DataType
	value string
	nulls bool
}{
	{"id", ar.PrimitiveTypes.Int64, `%d`, false},
	{"text", ar.BinaryTypes.String, `"a text of number %d 中"`, true},
	{"large", ar.BinaryTypes.LargeString, `"a text of number %d 中"`, true},
	{"view", ar.BinaryTypes.StringView, `"a text of number %d 中"`, true},
	{"short", ar.BinaryTypes.StringView, `"%d"`, true},
	{"encoded", &ar.DictionaryType{IndexType: ar.PrimitiveTypes.Int8, ValueType: ar.BinaryTypes.String}, `"a text of number %d 中"`, true},
	{"runs", ar.RunEndEncodedOf(ar.PrimitiveTypes.Int32, ar.BinaryTypes.String), `"a run"`, true},
	{"shortruns", ar.RunEndEncodedOf(ar.PrimitiveTypes.Int16, ar.BinaryTypes.String), `"run %d"`, false},
	{"bool", ar.FixedWidthTypes.Boolean, `true`, true},
	{"float", ar.PrimitiveTypes.Float64, `%d.5`, true},
	{"decimal", &ar.Decimal128Type{Precision: 10, Scale: 2}, `"%d.25"`, true},
	{"fixed", &ar.FixedSizeBinaryType{ByteWidth: 4}, `"YWJjZA=="`, true},
	{"none", ar.Null, `null`, false},
	{"time", &ar.TimestampType{Unit: ar.Microsecond, TimeZone: "Europe/Berlin"}, `"2026-11-24T01:02:03.%06dZ"`, true},
	{"date", ar.FixedWidthTypes.Date32, `"2026-11-24"`, true},
	{"list", ar.ListOf(ar.BinaryTypes.String), `["a","b%d",null]`, true},
	{"largelist", ar.LargeListOf(ar.PrimitiveTypes.Int16), `[%d,2]`, true},
	{"listview", ar.ListViewOf(ar.BinaryTypes.StringView), `["a","a longer text %d"]`, true},
	{"pair", ar.FixedSizeListOf(2, ar.PrimitiveTypes.Int8), `[1,2]`, true},
	{"map", ar.MapOf(ar.BinaryTypes.String, ar.PrimitiveTypes.Int32), `[{"key":"k","value":%d}]`, true},
	{"meta", ar.StructOf(ar.Field{Name: "url", Type: ar.BinaryTypes.String, Nullable: true}, ar.Field{Name: "n", Type: ar.PrimitiveTypes.Uint8, Nullable: true}),
		`{"url":"http://a/%d","n":5}`, true},
	{"sparse", ar.SparseUnionOf([]ar.Field{{Name: "i", Type: ar.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: ar.BinaryTypes.String, Nullable: true}}, []ar.UnionTypeCode{0, 1}), `[0,%d]`, false},
	{"dense", ar.DenseUnionOf([]ar.Field{{Name: "i", Type: ar.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: ar.BinaryTypes.String, Nullable: true}}, []ar.UnionTypeCode{3, 5}), `[5,"s%d"]`, false},
}

func schema() *ar.Schema {
	var fields []ar.Field
	for _, c := range columns {
		fields = append(fields, ar.Field{Name: c.name, Type: c.of, Nullable: true})
	}
	meta := ar.NewMetadata([]string{"k"}, []string{"v"})
	return ar.NewSchema(fields, &meta)
}

const rows, perBatch = 50, 17

// batch returns the rows from one to another.
func batch(tb testing.TB, from, to int) ar.RecordBatch {
	tb.Helper()
	var all []ar.Array
	for _, c := range columns {
		var b strings.Builder
		for i := from; i < to; i++ {
			value := c.value
			if strings.Contains(value, "%") {
				value = fmt.Sprintf(value, i)
			}
			if c.nulls && i%7 == 3 {
				value = "null"
			}
			fmt.Fprintf(&b, "%s,", value)
		}
		a, _, err := array.FromJSON(mem, c.of, strings.NewReader("["+strings.TrimSuffix(b.String(), ",")+"]"))
		if err != nil {
			tb.Fatal(c.name, err)
		}
		all = append(all, a)
	}
	return array.NewRecordBatch(schema(), all, int64(to-from))
}

// contents returns the sample as a file or a stream.
func contents(tb testing.TB, stream bool, opts ...ipc.Option) []byte {
	tb.Helper()
	var b bytes.Buffer
	opts = append(opts, ipc.WithSchema(schema()))
	var w interface {
		Write(ar.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&b, opts...)
	if !stream {
		w, _ = ipc.NewFileWriter(&b, opts...)
	}
	encoded := batch(tb, 0, rows).Column(5) // a file has one dictionary
	for from := 0; from < rows; from += perBatch {
		to := min(from+perBatch, rows)
		of := batch(tb, from, to)
		of, err := of.SetColumn(5, array.NewSlice(encoded, int64(from), int64(to)))
		if err == nil {
			err = w.Write(of)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func file(tb testing.TB, name string, content []byte) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func open(tb testing.TB, opt corpus.Options, paths ...string) *corpus.Reader {
	tb.Helper()
	opt.Codecs = []corpus.Codec{arrow.Codec{}}
	r, err := corpus.Open(paths, opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

// lines returns the rows as JSON, from either of the two formats.
func lines(tb testing.TB, content []byte) (all []string, s *ar.Schema) {
	tb.Helper()
	read := func() (ar.RecordBatch, error) { return nil, io.EOF }
	if bytes.HasPrefix(content, ipc.Magic) {
		f, err := ipc.NewFileReader(bytes.NewReader(content))
		if err != nil {
			tb.Fatal(err)
		}
		s, read = f.Schema(), f.Read
	} else if len(content) > 0 {
		r, err := ipc.NewReader(bytes.NewReader(content))
		if err != nil {
			tb.Fatal(err)
		}
		s, read = r.Schema(), r.Read
	}
	for {
		b, err := read()
		if errors.Is(err, io.EOF) {
			return all, s
		}
		if err != nil {
			tb.Fatal(err)
		}
		for i := range int(b.NumRows()) {
			one, err := b.NewSlice(int64(i), int64(i+1)).MarshalJSON()
			if err != nil {
				tb.Fatal(err)
			}
			all = append(all, string(one))
		}
	}
}

// Each type becomes the text, or a further field, as it would be read.
func TestTypes(t *testing.T) {
	fields := []string{"id", "bool", "float", "decimal", "fixed", "none", "time", "date", "meta.url", "meta.n", "shortruns", "short", "runs"}
	path := file(t, "in.arrow", contents(t, false))
	for _, name := range []string{"text", "large", "view", "encoded"} {
		i := 0
		for doc, err := range open(t, corpus.Options{TextField: name, Fields: fields}, path).Documents() {
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"id": fmt.Sprint(i), "bool": "true", "float": fmt.Sprintf("%d.5", i), "decimal": fmt.Sprintf("%d.25", i), "fixed": "abcd",
				"time": strings.TrimRight(fmt.Sprintf("2026-11-24T01:02:03.%06d", i), "0.") + "Z", "date": "2026-11-24",
				"meta.url": fmt.Sprintf("http://a/%d", i), "meta.n": "5", "shortruns": fmt.Sprintf("run %d", i), "short": fmt.Sprint(i), "runs": "a run"}
			text := fmt.Sprintf("a text of number %d 中", i)
			if i%7 == 3 {
				text, want = "", map[string]string{"id": fmt.Sprint(i), "shortruns": want["shortruns"]}
			}
			if doc.ID != fmt.Sprint(i) || doc.Text != text || fmt.Sprint(doc.Fields) != fmt.Sprint(want) {
				t.Fatalf("%s: %s %q\n%v\nwant %q\n%v", name, doc.ID, doc.Text, doc.Fields, text, want)
			}
			i++
		}
		if i != rows {
			t.Errorf("%s: %d rows", name, i)
		}
	}
}

// Kept rows have every column of every type, the metadata, and the format of the input.
func TestWrite(t *testing.T) {
	for name, content := range map[string][]byte{
		"in.arrow": contents(t, false), "in.arrows": contents(t, true), "stream.arrow": contents(t, true),
		"zstd.feather": contents(t, false, ipc.WithZstd()), "lz4.ipc": contents(t, true, ipc.WithLZ4()),
	} {
		in := file(t, name, content)
		want, s := lines(t, content)
		for how, keep := range map[string]func(i int) bool{
			"all": func(int) bool { return true }, "some": func(i int) bool { return i%3 != 1 },
			"runs": func(i int) bool { return i/4%2 == 0 }, "few": func(i int) bool { return i%30 == 5 }, "none": func(int) bool { return false },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out"+filepath.Ext(name))
				kept := write(t, open(t, corpus.Options{}, in), out, keep)
				got, of := lines(t, kept)
				var left []string
				for i := range want {
					if keep(i) {
						left = append(left, want[i])
					}
				}
				if strings.Join(got, "\n") != strings.Join(left, "\n") {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(left, "\n"))
				}
				if !of.Equal(s) || !of.Metadata().Equal(s.Metadata()) {
					t.Errorf("schema %s\nwant %s", of, s)
				}
				if bytes.HasPrefix(kept, ipc.Magic) != bytes.HasPrefix(content, ipc.Magic) {
					t.Error("a file became a stream, or a stream a file")
				}
				if how == "some" && len(kept) > len(content) { // with the same compression, and without the removed rows
					t.Errorf("%d bytes of %d", len(kept), len(content))
				}
			})
		}
	}
}

// write writes the kept rows.
func write(t *testing.T, r *corpus.Reader, out string, keep func(i int) bool) []byte {
	t.Helper()
	w, err := corpus.NewWriter(out, r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.Only(r)
	i := 0
	for it, err := range r.Items() {
		if err == nil && keep(i) {
			err = w.Write(it)
		}
		if err != nil {
			t.Fatal(err)
		}
		i++
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Standard input is read from a copy, also by Again, as a file or a stream.
func TestStandardInput(t *testing.T) {
	for _, spool := range []string{"", t.TempDir()} {
		for _, stream := range []bool{false, true} {
			in := contents(t, stream)
			r := open(t, corpus.Options{Stdin: bytes.NewReader(in), SpoolDir: spool}, "-")
			got := write(t, r, filepath.Join(t.TempDir(), "out.arrows"), func(i int) bool { return i == 20 })
			if all, _ := lines(t, got); len(all) != 1 || !strings.Contains(all[0], "number 20") || bytes.HasPrefix(got, ipc.Magic) {
				t.Errorf("stream %t: %q", stream, all)
			}
			again, err := r.Again()
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range again.Documents() {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if err := again.Close(); err != nil || n != rows {
				t.Errorf("%d rows again, %v", n, err)
			}
		}
	}
}

// The error about an unsuitable field describes the column.
func TestFieldErrors(t *testing.T) {
	path := file(t, "in.arrow", contents(t, false))
	for want, opt := range map[string]corpus.Options{
		`no column "body"; the columns are "id", "text", "large"`: {TextField: "body"},
		`no column "meta.tags"; the columns`:                      {URLField: "meta.tags"},
		`no column "list": it is a list`:                          {TextField: "list"},
		`no column "meta": it is a struct`:                        {TextField: "meta"},
		`no column of text "id": it holds int`:                    {TextField: "text,id"},
	} {
		_, err := open(t, opt, path).Next()
		if !errors.Is(err, corpus.ErrField) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := open(t, corpus.Options{}, "testdata/twice.arrow").Next(); !errors.Is(err, corpus.ErrField) || !strings.Contains(err.Error(), "with a unique name") {
		t.Errorf("two columns of one name: %v", err)
	}
}

func ExampleCodec() {
	_, err := corpus.Open([]string{"*.arrow"}, corpus.Options{Codecs: []corpus.Codec{arrow.Codec{}}})
	fmt.Println(err)
	// Output: no file matches "*.arrow"
}

// What the codec creates has the rows of what it opened.
func ExampleCodec_Create() {
	var codec corpus.Codec = arrow.Codec{}
	empty := codec.Create(io.Discard, "out.arrow")
	fmt.Println(codec.Format(), empty.Close())
	// Output: arrow <nil>
}

// drain reads and copies all that can be read of a file, and returns the first error.
func drain(tb testing.TB, content []byte, opt corpus.Options) error {
	tb.Helper()
	opt.Format, opt.SpoolDir, opt.Stdin = corpus.Arrow, tb.TempDir(), bytes.NewReader(content)
	r := open(tb, opt, "-")
	dec := r.NewDecoder()
	defer r.Close()
	w := arrow.Codec{}.Create(io.Discard, "-", corpus.Column{Name: "own"})
	from := w.From(bytes.NewReader(content), int64(len(content)))
	for {
		it, err := r.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			w.Close()
			return err
		}
		var doc neardup.Document
		if err := dec.Decode(it, &doc); err != nil {
			return err
		}
		if from == nil && it.Line%3 > 0 && it.Line < 1000 {
			if err := w.Copy(it.Line-1, "x"); err != nil {
				return err
			}
		}
	}
}

// Own columns hold texts, integers, numbers and nulls, before those of a file and alone.
func TestOwnColumns(t *testing.T) {
	own := []corpus.Column{{Name: "t"}, {Name: "i", Kind: corpus.Integer}, {Name: "n", Kind: corpus.Number}}
	for _, from := range []bool{false, true} {
		var b bytes.Buffer
		w := arrow.Codec{}.Create(&b, "out.arrow", own...)
		in := bomb(t, "of a file", 2)
		var err error
		if from {
			err = w.From(bytes.NewReader(in), int64(len(in)))
		}
		for i, row := range [][]any{{"a", int64(-7), 2.5}, {nil, nil, nil}} {
			if from {
				err = errors.Join(err, w.Copy(int64(i), row...))
			} else {
				err = errors.Join(err, w.Write(row...))
			}
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		of := ""
		if from {
			of = `,"text":"of a file"`
		}
		want := []string{`[{"i":-7,"n":2.5,"t":"a"` + of + "}\n]", `[{"i":null,"n":null,"t":null` + of + "}\n]"}
		if all, _ := lines(t, b.Bytes()); !slices.Equal(all, want) {
			t.Errorf("from a file %v: got %q, want %q", from, all, want)
		}
	}
}

// BenchmarkRead reads two of three columns that are compressed, by this package and by the
// official module, which unpacks all of them.
func BenchmarkRead(b *testing.B) {
	s := ar.NewSchema([]ar.Field{{Name: "id", Type: ar.PrimitiveTypes.Int64}, {Name: "text", Type: ar.BinaryTypes.String}, {Name: "more", Type: ar.BinaryTypes.String}}, nil)
	of := array.NewRecordBuilder(mem, s)
	const rows = 20000
	for i := range rows {
		of.Field(0).(*array.Int64Builder).Append(int64(i))
		of.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("a text of number %d, and of the number %d", i, i*7919))
		of.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("%0500d", i*104729))
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(s), ipc.WithZstd())
	if err := errors.Join(w.Write(of.NewRecordBatch()), w.Close()); err != nil {
		b.Fatal(err)
	}
	in := out.Bytes()
	fields := corpus.Fields{ID: corpus.Field{Name: "id"}, Text: corpus.Field{Name: "text", Required: true}}
	b.Run("neardup", func(b *testing.B) {
		for range b.N {
			r, err := arrow.Codec{}.Open(bytes.NewReader(in), int64(len(in)), fields)
			if err != nil {
				b.Fatal(err)
			}
			var row []byte
			n := 0
			for ; err == nil; n++ {
				row, err = r.Next(row[:0])
			}
			if err := errors.Join(r.Close(), err); n != rows+1 || !errors.Is(err, io.EOF) {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("arrow-go", func(b *testing.B) {
		for range b.N {
			r, err := ipc.NewReader(bytes.NewReader(in))
			if err != nil {
				b.Fatal(err)
			}
			var row []byte
			for r.Next() {
				ids, texts := r.RecordBatch().Column(0).(*array.Int64), r.RecordBatch().Column(1).(*array.String)
				for i := range rows {
					row = corpus.AppendCell(strconv.AppendInt(row[:0], ids.Value(i), 10), texts.Value(i))
				}
			}
			if err := r.Err(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestListsInJSONL compares lists of each kind with the library's JSON.
func TestListsInJSONL(t *testing.T) {
	content := contents(t, true)
	want, _ := lines(t, content)
	got := strings.Split(string(write(t, open(t, corpus.Options{}, file(t, "in.arrows", content)), filepath.Join(t.TempDir(), "out.jsonl"), func(int) bool { return true })), "\n")
	for i := range want {
		var of []map[string]any
		var is map[string]any
		if err := errors.Join(json.Unmarshal([]byte(want[i]), &of), json.Unmarshal([]byte(got[i]), &is)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"list", "largelist", "listview", "pair", "map"} {
			if !reflect.DeepEqual(is[name], of[0][name]) {
				t.Errorf("row %d: %s is %v, want %v", i, name, is[name], of[0][name])
			}
		}
	}
}
