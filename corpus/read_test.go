package corpus

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/neardup/neardup"
)

func TestJSONL(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		name, line string
		want       neardup.Document // ID "" means synthesised
		reject     string
	}{
		{name: "plain", line: `{"id":"a","text":"hello"}`, want: neardup.Document{ID: "a", Text: "hello"}},
		{name: "white space", line: " { \"id\" : \"a\" ,\t\"text\" : \"x\" } ", want: neardup.Document{ID: "a", Text: "x"}},
		{name: "id a number", line: `{"id":17,"text":"x"}`, want: neardup.Document{ID: "17", Text: "x"}},
		{name: "id a large number", line: `{"id":12345678901234567890,"text":"x"}`, want: neardup.Document{ID: "12345678901234567890", Text: "x"}},
		{name: "id null", line: `{"id":null,"text":"x"}`, want: neardup.Document{Text: "x"}},
		{name: "no id", line: `{"text":"x"}`, want: neardup.Document{Text: "x"}},
		{name: "id an object", line: `{"id":{},"text":"x"}`, reject: `field "id": an object (want a string; name a field in it, for example "id.content")`},
		{name: "id a path", line: `{"id":"../a\u0000\n{}","text":"x"}`, want: neardup.Document{ID: "../a\x00\n{}", Text: "x"}},
		{name: "all fields", line: `{"url":"u","time":"1970-01-02","title":"t","text":"x","id":"i","more":[{"text":"no"}]}`,
			want: neardup.Document{ID: "i", Text: "x", Title: "t", URL: "u", Time: 86400e9}},
		{name: "empty text", line: `{"text":""}`, want: neardup.Document{}},
		{name: "no text", line: `{"id":"a"}`, reject: `no field "text"; it has "id"`},
		{name: "no text, others nested", line: `{"id":1,"doc":{"content":"c","by":{"who":"w"}},"n":2}`, reject: `no field "text"; it has "id", "doc.content", "doc.by.who", "n"`},
		{name: "text an object", line: `{"text":{"content":"c"}}`, reject: `field "text": an object (want a string; name a field in it, for example "text.content")`},
		{name: "text null", line: `{"text":null}`, want: neardup.Document{}},
		{name: "text a number", line: `{"text":5}`, reject: `field "text": a number (want a string)`},
		{name: "text a list", line: `{"text":["a"]}`, reject: `field "text": an array (want a string)`},
		{name: "title a number", line: `{"title":5,"text":"x"}`, want: neardup.Document{Text: "x"}},
		{name: "escapes", line: `{"text":"\"\\\/\b\f\n\r\t\u4e2d\ud83d\ude00"}`, want: neardup.Document{Text: "\"\\/\b\f\n\r\t中😀"}},
		{name: "escaped key", line: `{"te\u0078t":"x"}`, want: neardup.Document{Text: "x"}},
		{name: "lone high surrogate", line: `{"text":"a\ud83db"}`, want: neardup.Document{Text: "a\uFFFDb"}},
		{name: "lone low surrogate", line: `{"text":"\ude00\ud83d"}`, want: neardup.Document{Text: "\uFFFD\uFFFD"}},
		{name: "high surrogate and a letter", line: `{"text":"\ud83d\u0041"}`, want: neardup.Document{Text: "\uFFFDA"}},
		{name: "bad escape", line: `{"text":"\x"}`, reject: `JSON: invalid escape "\\x"`},
		{name: "bad hex", line: `{"text":"\u12g4"}`, reject: `JSON: invalid \u escape`},
		{name: "sign is no hex", line: `{"text":"\u+123"}`, reject: `JSON: invalid \u escape`},
		{name: "backslashes before the quote", line: `{"skip":"a\\\\","text":"b\\\""}`, want: neardup.Document{Text: `b\"`}},
		{name: "invalid UTF-8", line: "{\"text\":\"a\xff\xfeb\"}", want: neardup.Document{Text: "a\uFFFDb"}},
		{name: "NUL", line: "{\"text\":\"a\x00b\"}", want: neardup.Document{Text: "a\x00b"}},
		{name: "duplicate key, the last counts", line: `{"id":"i","text":"a","text":"b","id":null}`, want: neardup.Document{Text: "b"}},
		{name: "keys differ by case", line: `{"Text":"a","TEXT":"b","text":"c"}`, want: neardup.Document{Text: "c"}},
		{name: "depth at the limit", line: `{"text":"x","d":` + deep(127) + `}`, want: neardup.Document{Text: "x"}},
		{name: "too deep", line: `{"text":"x","d":` + deep(128) + `}`, reject: "JSON: nested too deep (want at most 128 levels)"},
		{name: "a million deep", line: `{"d":` + strings.Repeat(`{"d":`, 1e6), reject: "JSON: nested too deep (want at most 128 levels)"},
		{name: "cut", line: `{"text":"x`, reject: "JSON: truncated"},
		{name: "cut after a key", line: `{"text"`, reject: "JSON: truncated"},
		{name: "not an object", line: `["text"]`, reject: `not a JSON object: it begins with "[\"text\"]"`},
		{name: "more", line: `{"text":"x"} {}`, reject: "text after the JSON object at byte 14"},
		{name: "no comma", line: `{"a":1 "text":"x"}`, reject: "no comma or bracket after a value at byte 8"},
		{name: "comma at the end", line: `{"text":"x",}`, reject: "no key in quotes at byte 13"},
		{name: "bad literal", line: `{"a":nul,"text":"x"}`, reject: "no value at byte 6"},
		{name: "bad number", line: `{"a":01,"text":"x"}`, reject: "invalid number at byte 6"},
		{name: "numbers", line: `{"a":[-0.5e+3,0,1E9,-1],"text":"x"}`, want: neardup.Document{Text: "x"}},
		{name: "mismatched brackets", line: `{"a":[1},"text":"x"}`, reject: "no comma or bracket after a value at byte 8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := put(t, t.TempDir(), "in.jsonl", c.line+"\n")
			res := read(t, Options{}, path)
			if c.reject != "" {
				if got := strings.Join(res.rejects, "\n"); got != path+":1: "+c.reject {
					t.Fatalf("rejected with %q, want %q", got, c.reject)
				}
				return
			}
			if len(res.docs) != 1 {
				t.Fatalf("no document; rejects %q", res.rejects)
			}
			if c.want.ID == "" {
				c.want.ID = path + ":1"
			}
			if !reflect.DeepEqual(res.docs[0], c.want) {
				t.Fatalf("got %+v\nwant %+v", res.docs[0], c.want)
			}
		})
	}
}

func TestJSONLNamedFields(t *testing.T) {
	path := put(t, t.TempDir(), "in", `{"u":"http://a","body":"<title>T</title><p>x</p>","ts":1700000000,"id":"no"}`)
	res := read(t, Options{Format: JSONL, IDField: "u", URLField: "u", HTMLField: "body", TimeField: "ts", Extract: tagless}, path)
	want := neardup.Document{ID: "http://a", URL: "http://a", Title: "T", Text: "Tx", Time: 1700000000e9}
	if len(res.docs) != 1 || !reflect.DeepEqual(res.docs[0], want) {
		t.Fatalf("got %+v, rejects %q", res.docs, res.rejects)
	}
	res = read(t, Options{TimeField: "u", TextField: "body"}, path)
	if len(res.rejects) != 1 || !strings.Contains(res.rejects[0], `invalid time "http://a"`) {
		t.Fatalf("a time asked for that is none: %q", res.rejects)
	}
}

// wide returns ASCII as little-endian UTF-16.
func wide(s string) string { return strings.Join(strings.Split(s, ""), "\x00") + "\x00" }

// Each row has a file and its records as text@line.
func TestFraming(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, c := range []struct {
		name, file, content string
		opt                 Options
		want, rejects       string
	}{
		{name: "lines", file: "a", content: "a\nb\n", want: "a@1 b@2"},
		{name: "no end at the last line", file: "a", content: "a\nb", want: "a@1 b@2"},
		{name: "CRLF", file: "a", content: "a\r\nb\r\n", want: "a@1 b@2"},
		{name: "blank lines", file: "a", content: "\n\na\n\r\n\nb\n\n", want: "a@3 b@6"},
		{name: "empty file", file: "a", content: ""},
		{name: "UTF-8 mark", file: "a", content: "\xef\xbb\xbfa\nb", want: "a@1 b@2"},
		{name: "UTF-16 little", file: "a", content: "\xff\xfea\x00\n\x00-N", want: "a@1 中@2"},
		{name: "UTF-16 without a mark", file: "a", content: "a\x00\n\x00-N", opt: Options{Form: Form{Charset: "UTF-16LE"}}, want: "a@1 中@2"},
		{name: "UTF-16 without a mark, and not declared", file: "a", content: wide("an English line of words\nand another one\n"),
			want: "an English line of words@1 and another one@2"},
		{name: "UTF-16 without a mark, a table", file: "a.csv", content: wide("id,text\r\n1,an English line of words\r\n"),
			want: "an English line of words@2"},
		{name: "zeros of no charset", file: "a", content: strings.Repeat("a\x00\x00\x00b", 20), rejects: "not a text: control characters"},
		{name: "UTF-16 big without a mark", file: "a", content: "\x00a\x00\nN-", opt: Options{Form: Form{Charset: "utf-16be"}}, want: "a@1 中@2"},
		{name: "UTF-16 big", file: "a", content: "\xfe\xff\x00a\x00\nN-", want: "a@1 中@2"},
		{name: "NUL", file: "a", content: "a\x00b\n", want: "a\x00b@1"},
		{name: "a long line in the middle", file: "a", content: "a\n" + long + "\nb\n", opt: Options{MaxDocument: 1000},
			want: "a@1 b@3", rejects: "2: document: too long (want at most 1000 bytes)"},
		{name: "a long line at the end", file: "a", content: "a\n" + long, opt: Options{MaxDocument: 1000},
			want: "a@1", rejects: "2: document: too long (want at most 1000 bytes)"},
		{name: "a line at the limit", file: "a", content: long[:1000] + "\r\nb\n", opt: Options{MaxDocument: 1000}, want: long[:1000] + "@1 b@2"},
		{name: "gzip", file: "a", content: gz("a\nb\n"), want: "a@1 b@2"},
		{name: "gzip members", file: "a.gz", content: gz("a\nb", "c\nd\n", "e"), want: "a@1 bc@2 d@3 e@4"},
		{name: "gzip and zeros", file: "a.gz", content: gz("a") + "\x00\x00\x00", want: "a@1"},
		{name: "gzip and dirt", file: "a.gz", content: gz("a\n") + "dirt", want: "a@1", rejects: "2: not a gzip member"},
		{name: "gzip cut", file: "a.gz", content: gz("a\n")[:24], want: "a@1", rejects: "2: the file is truncated or damaged"},
		{name: "zstd frames", file: "a", content: zst("a\nb", "c\n"), want: "a@1 bc@2"},
		{name: "zstd cut", file: "a", content: zst(strings.Repeat("abc\n", 4))[:12], rejects: "1: the file is truncated or damaged"},
		{name: "ARC", file: "a", content: "filedesc://a.arc 0.0.0.0 20100101000000 text/plain 75\n", rejects: "ARC archives are not supported (convert the file to WARC first)"},
		{name: "ARC, compressed", file: "a.arc.gz", content: gz("filedesc://a.arc 0.0.0.0 20100101000000 text/plain 75\n"), rejects: "ARC archives are not supported (convert the file to WARC first)"},
		{name: "bzip2", file: "a", content: "BZh91AY", rejects: "bzip2 is not supported (decompress the file first)"},
		{name: "tsv", file: "a.tsv", content: "id\ttext\n1\ta\n2\t\"b\n", want: "a@2 \"b@3"},
		{name: "tsv by number", file: "a.tsv", content: "2026\ta\n2026\tb\tc\nx\n", opt: Options{TextField: "2"}, want: "a@1 b@2",
			rejects: "3: too few cells in the row: 1"},
		{name: "csv, too few cells", file: "a.csv", content: "id,text\n1\n2,b\n", want: "b@3", rejects: "2: cells in the row: 1 (want 2, as in the header)"},
		{name: "csv, a text without its quotes", file: "a.csv", content: "id,text\n1,a, b\n2,c\n", want: "c@3",
			rejects: "2: cells in the row: 3 (want 2, as in the header; a text with ',' needs quotes)"},
		{name: "csv", file: "a.csv", content: "id,text\r\n1,a\r\n2,\"b,\"\"c\"\"\nd\"\r\n3,e", want: "a@2 b,\"c\"\nd@3 e@5"},
		{name: "csv, quoted last field without end", file: "a.csv", content: "text\n\"a\"", want: "a@2"},
		{name: "csv, empty fields", file: "a.csv", content: "id,text,title\n1,,\n2,\"\",\n", want: "@2 @3"},
		{name: "csv, quote inside a plain field", file: "a.csv", content: "id,text\n1,5\" disk\n2,b\n", want: "5\" disk@2 b@3"},
		{name: "csv, stray quote", file: "a.csv", content: "id,text\n1,\"a\" b\n2,c\n", want: "c@3",
			rejects: "2: a quote ends before the field (want a comma after it)"},
		{name: "csv, quote without end", file: "a.csv", content: "id,text\n1,\"a\n2,b\n3,c\n", want: "b@3 c@4",
			rejects: "2: quoted field: not closed"},
		{name: "csv, quote without end, long", file: "a.csv", content: "id,text\n1,\"a\n2," + long[:900] + "\n3," + long[:900], opt: Options{MaxDocument: 1000},
			want: long[:900] + "@3 " + long[:900] + "@4", rejects: "2: quoted field: too long, or not closed (want at most 1000 bytes)"},
		{name: "csv, long row", file: "a.csv", content: "id,text\n1," + long + "\n2,b\n", opt: Options{MaxDocument: 1000},
			want: "b@3", rejects: "2: document: too long (want at most 1000 bytes)"},
		{name: "csv in GBK", file: "a.csv", content: "id,text\n1,\xd6\xd0\xb9\xfa\xc8\xcb\xc3\xf1\xb4\xf3\xbb\xe1\xcc\xc3\xd4\xda\xb1\xb1\xbe\xa9\xa3\xac\xbd\xf1\xcc\xec\xb5\xc4\xcc\xec\xc6\xf8\xba\xdc\xba\xc3\xa3\xac\xce\xd2\xc3\xc7\xd2\xbb\xc6\xf0\xc8\xa5\xb9\xab\xd4\xb0\xc9\xa2\xb2\xbd\xb0\xc9\xa1\xa3\xd5\xe2\xca\xc7\xd2\xbb\xb8\xf6\xb9\xd8\xd3\xda\xbb\xfa\xc6\xf7\xd1\xa7\xcf\xb0\xb5\xc4\xce\xc4\xd5\xc2\xa3\xac\xd7\xf7\xd5\xdf\xca\xc7\xd2\xbb\xce\xbb\xc0\xcf\xca\xa6\xa1\xa3\n", want: "中国人民大会堂在北京，今天的天气很好，我们一起去公园散步吧。这是一个关于机器学习的文章，作者是一位老师。@2"},
		{name: "jsonl and a bad line", file: "a.jsonl", content: "{\"text\":\"a\"}\n{\n{\"text\":\"b\"}", want: "a@1 b@3", rejects: "2: JSON: truncated"},
		{name: "bomb", file: "a.gz", content: gz(strings.Repeat("a\n", 5000)), opt: Options{MaxDecompressed: 4},
			want: "a@1 a@2", rejects: "3: decompressed data: too large (want at most 4 bytes)"},
		{name: "bomb in one line", file: "a.zst", content: zst(strings.Repeat("a", 1<<20)), opt: Options{MaxDecompressed: 1 << 19},
			rejects: "1: decompressed data: too large (want at most 524288 bytes)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := put(t, t.TempDir(), c.file, c.content)
			res := read(t, c.opt, path)
			var got []string
			for i, it := range res.items {
				got = append(got, fmt.Sprintf("%s@%d", res.docs[i].Text, it.Line))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got  %.300q\nwant %.300q", strings.Join(got, " "), c.want)
			}
			rejects := strings.ReplaceAll(strings.Join(res.rejects, " "), path+":", "")
			if strings.TrimSpace(rejects) != c.rejects {
				t.Errorf("rejects %q\nwant    %q", rejects, c.rejects)
			}
		})
	}
}

// The ratio of a file bounds what is read of it, also where its size is not known.
func TestBombByRatio(t *testing.T) {
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Repeat([]byte("a"), 1<<20)
	for range freeDecompressed>>20 + 1 {
		if _, err := z.Write(long); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := put(t, t.TempDir(), "a.txt.zst", packed.String())
	for _, test := range []struct {
		name, path string
		opt        Options
		bomb       bool
	}{
		{"a file", path, Options{}, true},
		{"standard input", Stdin, Options{Stdin: bytes.NewReader(packed.Bytes())}, true},
		{"a file, with a limit", path, Options{MaxDecompressed: 1 << 30}, false},
	} {
		test.opt.Format = Lines
		said := strings.Join(read(t, test.opt, test.path).rejects, " ")
		if got := strings.Contains(said, "decompressed data: too large"); got != test.bomb {
			t.Errorf("%s: %.200s", test.name, said)
		}
	}
}

func TestStandardInput(t *testing.T) {
	in := strings.Repeat("{\"text\":\"a\"}\n", 40000)
	r, err := Open([]string{"-"}, Options{Stdin: iotest.HalfReader(strings.NewReader(in)), SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, total := r.Progress(); total != -1 {
		t.Errorf("total %d of standard input", total)
	}
	first, err := drain(r)
	if err != nil {
		t.Fatal(err)
	}
	if first.docs[0].ID != "-:1" {
		t.Errorf("id %q", first.docs[0].ID)
	}
	again, err := r.Again()
	if err != nil {
		t.Fatal(err)
	}
	second, err := drain(again)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.docs) != 40000 || len(second.docs) != 40000 {
		t.Fatalf("%d and %d documents", len(first.docs), len(second.docs))
	}
	r, _ = Open([]string{"-"}, Options{Stdin: strings.NewReader("a\nb\n")})
	if _, err := r.Again(); err == nil {
		t.Error("standard input without a copy was read again")
	}
}

func TestAgainNamesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	a, b := put(t, dir, "a.jsonl", "{\"text\":\"a\"}\n"), put(t, dir, "b.jsonl", "{\"text\":\"b\"}\n")
	r, err := Open([]string{a, b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Again(); err != nil {
		t.Fatal(err)
	}
	f, _ := os.OpenFile(b, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString("{\"text\":\"c\"}\n")
	f.Close()
	if res, err := drain(r); err != nil || res.texts() != "a|b" {
		t.Errorf("a file that grew: %q, %v; only what it held when opened is read", res.texts(), err)
	}
	if _, err := r.Again(); err == nil || !strings.Contains(err.Error(), b) {
		t.Errorf("error %v does not name %s", err, b)
	}
}

// TestCutGzip: a gzip file that ends anywhere before its end is damaged, in its header
// too, and never an empty one.
func TestCutGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(`{"text":"a"}`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.jsonl.gz", "a.csv.gz", "a.txt.gz", "a.json.gz"} {
		for n := 3; n < packed.Len(); n++ {
			r, err := Open([]string{put(t, dir, name, packed.String()[:n])}, Options{})
			if err == nil {
				for err == nil {
					_, err = r.Next()
				}
				r.Close()
			}
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
		}
	}
}
