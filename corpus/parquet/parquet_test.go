package parquet_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/parquet"
)

type meta struct {
	URL  string   `parquet:"url"`
	Tags []string `parquet:"tags,list"`
}

type row struct {
	ID    int64     `parquet:"id"`
	Text  *string   `parquet:"text,optional,zstd"`
	Title string    `parquet:"title,dict"`
	Time  time.Time `parquet:"time,timestamp(microsecond)"`
	Meta  meta      `parquet:"meta"`
}

func text(s string) *string { return &s }

// sample makes rows, every seventh without a text.
func sample(n int) []row {
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{ID: int64(i), Text: text(fmt.Sprintf("text %d 中 %s", i, strings.Repeat("x", i%300))), Title: fmt.Sprint("t", i%3),
			Time: time.Unix(int64(i), 5000).UTC(), Meta: meta{URL: fmt.Sprint("http://a/", i), Tags: []string{"a", "b"}[:i%3%2]}}
		if i%7 == 3 {
			rows[i].Text = nil
		}
	}
	return rows
}

func write(tb testing.TB, rows []row, options ...pq.WriterOption) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "in.parquet")
	if err := pq.WriteFile(path, rows, options...); err != nil {
		tb.Fatal(err)
	}
	return path
}

func open(tb testing.TB, opt corpus.Options, path string) *corpus.Reader {
	tb.Helper()
	opt.Codecs, opt.SkipDamaged = []corpus.Codec{parquet.Codec{}}, true
	r, err := corpus.Open([]string{path}, opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

func TestRead(t *testing.T) {
	rows := sample(1000)
	r := open(t, corpus.Options{URLField: "meta.url"}, write(t, rows, pq.MaxRowsPerRowGroup(137), pq.PageBufferSize(500)))
	d := r.NewDecoder()
	var held []corpus.Item
	for {
		it, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, it)
	}
	if len(held) != len(rows) {
		t.Fatalf("%d rows, want %d", len(held), len(rows))
	}
	for i, it := range held {
		var doc neardup.Document
		err := d.Decode(it, &doc)
		null := "" // is not text, and the row is kept
		want := neardup.Document{ID: fmt.Sprint(i), Text: *cmp.Or(rows[i].Text, &null), Title: rows[i].Title,
			URL: rows[i].Meta.URL, Time: rows[i].Time.UnixNano()}
		if err != nil || !reflect.DeepEqual(doc, want) {
			t.Fatalf("got %+v, %v\nwant %+v", doc, err, want)
		}
	}
	if done, total := r.Progress(); done != total {
		t.Errorf("read %d of %d bytes", done, total)
	}
}

// Kept rows have every column, wanted or not, the schema and the metadata.
// Further columns, of a group too, come with the documents, as they are written in JSON.
func TestFurtherColumns(t *testing.T) {
	rows := sample(100)
	r := open(t, corpus.Options{Fields: []string{"meta.url", "id", "time", "title"}}, write(t, rows))
	i := 0
	for doc, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"meta.url": rows[i].Meta.URL, "id": fmt.Sprint(i), "time": rows[i].Time.Format(time.RFC3339Nano), "title": rows[i].Title}
		if !reflect.DeepEqual(doc.Fields, want) {
			t.Fatalf("row %d has %v, want %v", i, doc.Fields, want)
		}
		i++
	}
	if i != len(rows) {
		t.Errorf("%d rows, want %d", i, len(rows))
	}
}

func TestWrite(t *testing.T) {
	rows := sample(5000)
	in := write(t, rows, pq.MaxRowsPerRowGroup(1100), pq.KeyValueMetadata("k", "v"), pq.Compression(&pq.Snappy))
	for name, keep := range map[string]func(i int) bool{
		"all": func(int) bool { return true }, "some": func(i int) bool { return i%3 != 1 },
		"few": func(i int) bool { return i%1700 == 5 }, "none": func(int) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, corpus.Options{}, in)
			out := filepath.Join(t.TempDir(), "out.parquet")
			w, err := corpus.NewWriter(out, r)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			want := []row{}
			for i := range rows {
				it, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				if !keep(i) {
					continue
				}
				want = append(want, rows[i])
				if err := w.Write(it); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			got, err := pq.ReadFile[row](out)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(plain(got)) != fmt.Sprint(plain(want)) {
				t.Fatalf("%d rows, want %d, or they differ", len(got), len(want))
			}
			same(t, in, out)
		})
	}
}

// A reader whose items only a writer gets yields rows without values, unless it needs them to choose rows.
func TestOnly(t *testing.T) {
	rows := sample(500)
	in := write(t, rows)
	for _, test := range []struct {
		opt  corpus.Options
		bare bool
	}{{corpus.Options{}, true}, {corpus.Options{Part: corpus.Part{Sample: .5}}, false}, {corpus.Options{SkipDamaged: true}, false}} {
		test.opt.Codecs = []corpus.Codec{parquet.Codec{}}
		r, err := corpus.Open([]string{in}, test.opt)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		out := filepath.Join(t.TempDir(), "out.parquet")
		w, err := corpus.NewWriter(out, r)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		w.Only(r)
		want, size := []row{}, 0
		for it, err := range r.Items() {
			if err != nil {
				t.Fatal(err)
			}
			size += len(it.Raw)
			if it.Line%3 == 0 {
				want = append(want, rows[it.Line-1])
				err = w.Write(it)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		got, err := pq.ReadFile[row](out)
		if err != nil || fmt.Sprint(plain(got)) != fmt.Sprint(plain(want)) {
			t.Errorf("%+v: %d rows, want %d, or they differ, %v", test.opt.Part, len(got), len(want), err)
		}
		if (size < 10000) != test.bare {
			t.Errorf("%+v: %d bytes of items", test.opt.Part, size)
		}
	}
}

// plain makes rows comparable as text.
func plain(rows []row) []string {
	var all []string
	for _, r := range rows {
		s := "null"
		if r.Text != nil {
			s = *r.Text
		}
		all = append(all, fmt.Sprint(r.ID, s, r.Title, r.Time.UTC(), r.Meta))
	}
	return all
}

func same(t *testing.T, in, out string) {
	t.Helper()
	var files [2]*pq.File
	for i, path := range []string{in, out} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[i], err = pq.OpenFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
	}
	if !pq.EqualNodes(files[0].Schema(), files[1].Schema()) {
		t.Errorf("schema %s\nwant %s", files[1].Schema(), files[0].Schema())
	}
	if v, _ := files[1].Lookup("k"); v != "v" {
		t.Errorf("metadata k=%q", v)
	}
	want := files[0].Metadata().RowGroups[0].Columns
	for _, g := range files[1].Metadata().RowGroups {
		for i, c := range g.Columns {
			if c.MetaData.Codec != want[i].MetaData.Codec {
				t.Errorf("column %d is compressed by %s, want %s", i, c.MetaData.Codec, want[i].MetaData.Codec)
			}
		}
	}
}

func TestFieldErrors(t *testing.T) {
	path := write(t, sample(3))
	for want, opt := range map[string]corpus.Options{
		`no column "body"; the columns are "id", "text"`:   {TextField: "body"},
		`no column "meta.tags.list.element": it is a list`: {TextField: "meta.tags.list.element"},
		`no column "meta.tags": it is a list`:              {TextField: "meta.tags"},
		`no column "meta": it is a struct`:                 {TextField: "meta"},
		`no column "meta.none"; the columns are "id"`:      {TextField: "meta.none"},
		`no column of text "id": it holds INT`:             {TextField: "id"},
	} {
		_, err := open(t, opt, path).Next()
		if !errors.Is(err, corpus.ErrField) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A damaged file is a reject or yields rows; it never panics.
func TestDamaged(t *testing.T) {
	path := write(t, sample(300), pq.MaxRowsPerRowGroup(100))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(good); n += 97 {
		cutAt := append([]byte{}, good[:n]...)
		flipped := append([]byte{}, good...)
		flipped[n] ^= 0x55
		for _, b := range [][]byte{cutAt, flipped} {
			drain(t, b)
		}
	}
}

func drain(tb testing.TB, content []byte) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "x.parquet")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		tb.Fatal(err)
	}
	r := open(tb, corpus.Options{}, path)
	d := r.NewDecoder()
	for rejects := 0; ; {
		it, err := r.Next()
		var doc neardup.Document
		if err == nil {
			err = d.Decode(it, &doc)
		}
		var bad *corpus.RejectError
		switch {
		case err == io.EOF, errors.Is(err, corpus.ErrField):
			return
		case errors.As(err, &bad):
			rejects++
			if rejects > 1000 {
				tb.Fatal("rejects without end")
			}
		case err != nil:
			tb.Fatal(err)
		}
	}
}

func ExampleCodec() {
	_, err := corpus.Open([]string{"*.parquet"}, corpus.Options{Codecs: []corpus.Codec{parquet.Codec{}}})
	fmt.Println(err)
	// Output: no file matches "*.parquet"
}

func BenchmarkRead(b *testing.B) {
	rows := sample(20000)
	for i := range rows {
		rows[i].Text = text(strings.Repeat(fmt.Sprint("some words ", i), 100))
	}
	path := write(b, rows)
	for b.Loop() {
		r := open(b, corpus.Options{}, path)
		d := r.NewDecoder()
		var n int64
		for {
			it, err := r.Next()
			if err == io.EOF {
				break
			}
			var doc neardup.Document
			if err == nil {
				err = d.Decode(it, &doc)
			}
			if err != nil {
				b.Fatal(err)
			}
			n += int64(len(it.Raw))
		}
		b.SetBytes(n)
	}
}

// What the codec creates has the rows of what it opened.
func ExampleCodec_Create() {
	var codec corpus.Codec = parquet.Codec{}
	empty := codec.Create(io.Discard, "out.parquet")
	fmt.Println(codec.Format(), empty != nil)
	// Output: parquet true
}

// A text of several columns consists of those that a row has.
func TestTextOfSeveralColumns(t *testing.T) {
	rows := sample(20)
	r := open(t, corpus.Options{TextField: "title,text,meta.url"}, write(t, rows))
	d := r.NewDecoder()
	for i := range rows {
		it, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		var doc neardup.Document
		want := rows[i].Title + "\n¶\n"
		if rows[i].Text != nil {
			want += *rows[i].Text + "\n¶\n"
		}
		if err := d.Decode(it, &doc); err != nil || doc.Text != want+rows[i].Meta.URL {
			t.Fatalf("row %d: %q, %v", i, doc.Text, err)
		}
	}
	path := write(t, rows)
	for field, want := range map[string]string{"text,nothing": "nothing", "text,id": "id"} {
		r := open(t, corpus.Options{TextField: field}, path)
		if _, err := r.Next(); !errors.Is(err, corpus.ErrField) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// legacy is a type of a file that an older writer made: it has no logical type.
type legacy struct {
	pq.Type
	converted deprecated.ConvertedType
}

func (l legacy) LogicalType() *format.LogicalType         { return nil }
func (l legacy) ConvertedType() *deprecated.ConvertedType { return &l.converted }

// TestTimes: a column of times has the right value in each unit and from each generation of writers.
func TestTimes(t *testing.T) {
	moment := time.Date(2001, 2, 3, 4, 5, 6, 789000000, time.UTC)
	day := time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		node pq.Node
		v    pq.Value
		want time.Time
	}{
		"milliseconds":        {pq.Timestamp(pq.Millisecond), pq.Int64Value(moment.UnixMilli()), moment},
		"microseconds":        {pq.Timestamp(pq.Microsecond), pq.Int64Value(moment.UnixMicro()), moment},
		"nanoseconds":         {pq.Timestamp(pq.Nanosecond), pq.Int64Value(moment.UnixNano()), moment},
		"date":                {pq.Date(), pq.Int32Value(int32(day.Unix() / 86400)), day},
		"legacy milliseconds": {pq.Leaf(legacy{pq.Int64Type, deprecated.TimestampMillis}), pq.Int64Value(moment.UnixMilli()), moment},
		"legacy microseconds": {pq.Leaf(legacy{pq.Int64Type, deprecated.TimestampMicros}), pq.Int64Value(moment.UnixMicro()), moment},
		"before 1970":         {pq.Leaf(legacy{pq.Int64Type, deprecated.TimestampMicros}), pq.Int64Value(-1), time.Unix(0, -1000)},
	} {
		path := filepath.Join(t.TempDir(), "in.parquet")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := pq.NewWriter(f, pq.NewSchema("row", pq.Group{"text": pq.String(), "time": c.node}))
		_, err = w.WriteRows([]pq.Row{{pq.ByteArrayValue([]byte("a text")).Level(0, 0, 0), c.v.Level(0, 0, 1)}})
		if err := errors.Join(err, w.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		r := open(t, corpus.Options{}, path)
		it, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		var doc neardup.Document
		if err := r.NewDecoder().Decode(it, &doc); err != nil || doc.Time != c.want.UnixNano() {
			t.Errorf("%s: %s, %v; want %s", name, time.Unix(0, doc.Time).UTC(), err, c.want)
		}
	}
}

// TestBomb: a few bytes may represent very many. The claimed size of a page is bounded before it is unpacked,
// and so is the output of a file.
func TestBomb(t *testing.T) {
	whole := func(opt corpus.Options, path string) (rows int, reasons string) {
		r := open(t, opt, path)
		for {
			_, err := r.Next()
			var bad *corpus.RejectError
			switch {
			case err == nil:
				rows++
			case errors.As(err, &bad):
				reasons += bad.Reason
			case err == io.EOF:
				return rows, reasons
			default:
				t.Fatal(err)
			}
		}
	}
	path := write(t, sample(1000))
	if n, why := whole(corpus.Options{}, path); n != 1000 || why != "" {
		t.Errorf("%d rows, %s", n, why)
	}
	if n, why := whole(corpus.Options{MaxDecompressed: 5000}, path); n < 5 || n > 500 || why != "decompressed data: too large (want at most 5000 bytes)" {
		t.Errorf("within 5000 bytes %d rows, %s", n, why)
	}
	for what, claim := range map[string]func(*format.PageHeader){
		"values": func(h *format.PageHeader) { h.DataPageHeader.V.NumValues = 1<<31 - 1 },
		"bytes":  func(h *format.PageHeader) { h.UncompressedPageSize = 1<<31 - 1 },
	} {
		n, why := whole(corpus.Options{}, claiming(t, claim))
		if n > 0 || !strings.Contains(why, "damaged Parquet: page of ") {
			t.Errorf("a page of very many %s: %d rows, %s", what, n, why)
		}
	}
}

// claiming writes a file of one text whose page claims something.
func claiming(t *testing.T, claim func(*format.PageHeader)) string {
	t.Helper()
	type one struct {
		Text string `parquet:"text"`
	}
	var b bytes.Buffer
	if err := pq.Write(&b, []one{{"a text"}}, pq.DataPageVersion(1)); err != nil {
		t.Fatal(err)
	}
	f, err := pq.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	meta := *f.Metadata()
	m := &meta.RowGroups[0].Columns[0].MetaData
	page := bytes.NewReader(b.Bytes()[m.DataPageOffset:])
	var h format.PageHeader
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(page)).Decode(&h); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, h.CompressedPageSize)
	if _, err := io.ReadFull(page, body); err != nil {
		t.Fatal(err)
	}
	claim(&h)
	head, err := thrift.Marshal(new(thrift.CompactProtocol), &h)
	if err != nil {
		t.Fatal(err)
	}
	out := slices.Concat([]byte("PAR1"), head, body)
	m.DataPageOffset, m.TotalCompressedSize = 4, int64(len(head)+len(body))
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	out = append(binary.LittleEndian.AppendUint32(append(out, footer...), uint32(len(footer))), "PAR1"...)
	path := filepath.Join(t.TempDir(), "claims.parquet")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
