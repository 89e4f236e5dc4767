package corpus

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup"
)

// frame runs the framing and the decoding of one format over bytes that never
// touch a disk.
func frame(tb testing.TB, format Format, content []byte, opt Options) (items []Item, docs []neardup.Document, rejects int) {
	tb.Helper()
	opt.Format, opt.SkipDamaged = format, true
	opt.Extract = tagless
	opt, err := opt.withDefaults()
	if err != nil {
		tb.Fatal(err)
	}
	in := &input{path: "fuzz", size: int64(len(content)), raw: bytes.NewReader(content), format: format}
	r := &Reader{opt: opt, fields: opt.fields(), inputs: []*input{in}, total: in.size}
	d := r.NewDecoder()
	for {
		it, err := r.Next()
		if err == io.EOF {
			return items, docs, rejects
		}
		var doc neardup.Document
		if err == nil {
			items = append(items, it)
			err = d.Decode(it, &doc)
			if err == nil {
				docs = append(docs, doc)
				continue
			}
		}
		if _, ok := err.(*RejectError); !ok {
			return items, docs, rejects
		}
		rejects++
		if rejects > len(content)+1 {
			tb.Fatalf("more rejects than bytes: %d", rejects)
		}
	}
}

// What both accept, both read alike: encoding/json takes the last of duplicate
// keys and any case, so those are left out.
func FuzzJSONL(f *testing.F) {
	for _, s := range []string{`{"text":"a"}`, `{"id":1,"text":"\ud83d\ude00\u00e9"}`, `{"text":"\ud800"}`, `{"a":[{},[1,-0.5e3]],"text":""}`, `{"text":"x",}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n\r") || len(line) == 0 {
			return
		}
		d := (&Reader{fields: Fields{Text: Field{Name: "text", Required: true}}}).NewDecoder()
		it := Item{File: "f", Line: 1, Raw: line, in: &input{format: JSONL}}
		var doc neardup.Document
		err := d.Decode(it, &doc)
		if err == nil && !utf8.ValidString(doc.Text) {
			t.Fatalf("%q gave invalid UTF-8 %q", line, doc.Text)
		}
		if strings.Count(strings.ToLower(string(line)), "text") != 1 || (bytes.ContainsRune(line, '\\') && bytes.Contains(line, []byte(`\u00`))) {
			return
		}
		var want struct {
			Text *string `json:"text"`
		}
		if json.Unmarshal(line, &want) != nil || want.Text == nil || !utf8.Valid(line) || !bytes.Contains(line, []byte(`"text"`)) {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v, but encoding/json reads %q", line, err, *want.Text)
		}
		if doc.Text != *want.Text {
			t.Fatalf("%q: got %q, encoding/json %q", line, doc.Text, *want.Text)
		}
	})
}

// Rows that encoding/csv reads are read alike.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n", "\"a\"\"b\",\"c\nd\"\r\ne,f", "\"a\n", "a\"b,c\n", "\"a\" b\nc\n", ",,\n\"\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		opt := Options{TextField: "1", MaxDocument: 1 << 20}
		items, _, rejects := frame(t, CSV, content, opt)
		var lines int64
		for _, it := range items {
			if it.Line <= lines {
				t.Fatalf("line %d after line %d", it.Line, lines)
			}
			lines = it.Line
		}
		ref := csv.NewReader(bytes.NewReader(content))
		ref.FieldsPerRecord = -1
		want, err := ref.ReadAll()
		// encoding/csv drops every carriage return before a line feed, and
		// takes one at the end of the file off.
		if err != nil || bytes.ContainsAny(content, "\r") || rejects > 0 || bytes.HasPrefix(content, []byte("\xef\xbb\xbf")) ||
			bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) || isCompressed(content) {
			return
		}
		if len(items) != len(want) {
			t.Fatalf("%q: %d rows, encoding/csv %d", content, len(items), len(want))
		}
		for i, it := range items {
			var got []string
			for _, c := range it.in.dialect.split(nil, it.Raw) {
				got = append(got, string(c))
			}
			if strings.Join(got, "\x00|") != strings.Join(want[i], "\x00|") {
				t.Fatalf("row %d of %q: got %q, encoding/csv %q", i, content, got, want[i])
			}
		}
	})
}

// isCompressed reports whether the stream is taken for something else.
func isCompressed(b []byte) bool {
	s := &stream{Reader: bytes.NewReader(b)}
	none := new(atomic.Int64)
	in := &input{raw: bytes.NewReader(b), size: int64(len(b))}
	s, err := in.open(0, none)
	if err != nil {
		return true
	}
	defer s.Close()
	got, err := io.ReadAll(s)
	return err != nil || !bytes.Equal(got, b)
}

func FuzzTSV(f *testing.F) {
	f.Add([]byte("id\ttext\n1\ta\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		frame(t, TSV, content, Options{TextField: "2"})
	})
}

// The joined lines equal the input without its blank lines.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nb\r\n"), uint16(10))
	f.Add([]byte(gz("a\nb")), uint16(0))
	f.Fuzz(func(t *testing.T, content []byte, limit uint16) {
		items, docs, rejects := frame(t, Lines, content, Options{MaxDocument: int64(limit)})
		for _, doc := range docs {
			if !utf8.ValidString(doc.Text) {
				t.Fatalf("invalid UTF-8 %q", doc.Text)
			}
		}
		if rejects > 0 || isCompressed(content) || (len(content) > 0 && (content[0] >= 0xef)) {
			return
		}
		var got, want []byte
		for _, it := range items {
			got = append(got, it.Raw...)
		}
		for line := range bytes.Lines(content) {
			if len(trimEnd(line)) > 0 {
				want = append(want, line...)
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func FuzzWARC(f *testing.F) {
	one := page("1", "<p>one</p>")
	f.Add([]byte(one + one))
	f.Add([]byte(gz(one, one)))
	f.Add([]byte(one[:60] + one))
	f.Add([]byte(response("1", "200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip", "5\r\nabcde\r\n0\r\n\r\n")))
	f.Fuzz(func(t *testing.T, content []byte) {
		frame(t, WARC, content, Options{MaxDocument: 1 << 20})
	})
}

func FuzzTime(f *testing.F) {
	f.Add("2006-01-02")
	f.Add("-1e17")
	f.Fuzz(func(t *testing.T, s string) { ParseTime(s) })
}
