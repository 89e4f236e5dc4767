package corpus

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"github.com/neardup/neardup"
)

// record makes a WARC record.
func record(kind, id, more, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%s>\r\nWARC-Date: 1970-01-02T00:00:00Z\r\n"+
		"WARC-Target-URI: http://a/%s\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, id, id, more, len(block), block)
}

// response makes a response record.
func response(id, head, body string) string {
	return record("response", id, "Content-Type: application/http; msgtype=response\r\n", "HTTP/1.1 "+head+"\r\n\r\n"+body)
}

func page(id, body string) string { return response(id, "200 OK\r\nContent-Type: text/html", body) }

func squeezed(wrap func(io.Writer) io.WriteCloser, s string) string {
	var b bytes.Buffer
	w := wrap(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func TestWARC(t *testing.T) {
	one, two := page("1", "<p>one</p>"), page("2", "<p>two</p>")
	html := "200 OK\r\ncontent-type: text/html; charset=utf-8\r\n"
	zlibbed := squeezed(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, "<p>z</p>")
	deflated := squeezed(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f }, "<p>z</p>")
	brotlied := squeezed(func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }, "<p>z</p>")
	broken := []byte(gz(page("x", strings.Repeat("<p>some text</p>", 50))))
	copy(broken[40:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	for _, c := range []struct{ name, content, want, rejects string }{
		{"two", one + two, "one|two", ""},
		{"gzip, one member", gz(one + two), "one|two", ""},
		{"gzip, a member each", gz(one, two), "one|two", ""},
		{"zstd", zst(one + two), "one|two", ""},
		{"version 1.1", strings.ReplaceAll(one, "WARC/1.0", "WARC/1.1"), "one", ""},
		{"line feeds only in the header", strings.ReplaceAll(record("conversion", "1", "", "x"), "\r\n", "\n"), "x", ""},
		{"other types", record("warcinfo", "0", "", "software: x") + record("request", "r", "", "GET / HTTP/1.1\r\n\r\n") + one +
			record("metadata", "m", "", "a: b") + record("revisit", "v", "", "HTTP/1.1 200 OK\r\n\r\n"), "one", ""},
		{"conversion", record("conversion", "1", "Content-Type: text/plain\r\n", "plain\ntext"), "plain\ntext", ""},
		{"resource", record("resource", "1", "Content-Type: text/html\r\n", "<p>x</p>") + record("resource", "2", "Content-Type: image/png\r\n", "x"), "x", ""},
		{"no success", response("1", "404 Not Found\r\nContent-Type: text/html", "<p>no</p>") + response("2", "301 Moved\r\n", "") + one, "one", ""},
		{"an image", response("1", "200 OK\r\nContent-Type: image/png", "\x89PNG") + one, "one", ""},
		{"plain text", response("1", "200 OK\r\nContent-Type: text/plain; charset=gbk", "\xd6\xd0\xb9\xfa"), "中国", ""},
		{"no content type", response("1", "200 OK", "<!doctype html><p>x</p>") + response("2", "200 OK", "<x"), "x|<x", ""},
		{"chunked", response("1", html+"Transfer-Encoding: chunked", "5;x=y\r\n<p>ab\r\n6\r\nc</p>\n\r\n0\r\n\r\n"), "abc", ""},
		{"said to be chunked", response("1", html+"Transfer-Encoding: chunked", "<p>x</p>"), "x", ""},
		{"chunks cut off", response("1", html+"Transfer-Encoding: chunked", "5\r\n<p>ab\r\nff\r\nc</p>"), "abc", ""},
		{"gzip body", response("1", html+"Content-Encoding: gzip", gz("<p>z</p>")), "z", ""},
		{"said to be gzip", response("1", html+"Content-Encoding: gzip", "<p>z</p>"), "z", ""},
		{"chunked gzip", response("1", html+"Content-Encoding: x-gzip\r\nTransfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(gz("<p>z</p>")), gz("<p>z</p>"))), "z", ""},
		{"deflate, zlib", response("1", html+"Content-Encoding: deflate", zlibbed), "z", ""},
		{"deflate, raw", response("1", html+"Content-Encoding: deflate", deflated), "z", ""},
		{"brotli", response("1", html+"Content-Encoding: br", brotlied), "z", ""},
		{"zstd body", response("1", html+"Content-Encoding: zstd", zst("<p>z</p>")), "z", ""},
		{"two codings", response("1", html+"Content-Encoding: br, gzip", gz(brotlied)), "z", ""},
		{"unknown coding", response("1", html+"Content-Encoding: sdch", "x") + one, "one", `1: unsupported content coding "sdch"`},
		{"body bomb", response("1", html+"Content-Encoding: gzip", gz(strings.Repeat("a", 1<<16))) + one, "one", "1: decompressed data: too large (want at most 20000 bytes)"},
		{"large record", page("1", strings.Repeat("a", 30000)) + one, "one", "1: document: too long (want at most 20000 bytes)"},
		{"no HTTP header", record("response", "1", "", "<p>x</p>") + one, "one", "1: response record: no HTTP header"},
		{"length too short", strings.Replace(page("1", "<p>one</p>"), "<p>one</p>", "<p>one</p>xx", 1) + two, "one|two", "2: not a WARC/1.0 or WARC/1.1 record"},
		{"a length that overflows with the header's", strings.Replace(one, "Content-Length: ", "Content-Length: 9223372036854775807\r\nX-Length: ", 1) + two, "two", "1: WARC record: no valid Content-Length"},
		{"half a record", one + two[:len(two)-20], "one", "2: the record is truncated"},
		{"half a record before others", two[:len(two)-20] + one + one, "one|one", "1: the record is truncated"},
		{"half a record in a member of its own", gz(two[:len(two)-20], one, two), "one|two", "1: the record is truncated"},
		{"half of a record of another type", record("request", "r", "", strings.Repeat("x", 300))[:250] + one + two, "one|two", "1: the record is truncated"},
		{"half a header", one + two[:40], "one", "2: the record is truncated"},
		{"half a gzip member", gz(one) + gz(two)[:60], "one", "2: the record is truncated"},
		{"dirt between", one + "dirt\r\nmore dirt\r\n" + two, "one|two", "2: not a WARC/1.0 or WARC/1.1 record"},
		{"no length", strings.Replace(one, "Content-Length: ", "X-Length: ", 1) + two, "two", "1: WARC record: no valid Content-Length"},
		{"negative length", strings.Replace(one, "Content-Length: ", "Content-Length: -", 1) + two, "two", "1: WARC record: no valid Content-Length"},
		{"damaged member in the middle", gz(one) + string(broken) + gz(two), "one|two", "2: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := put(t, t.TempDir(), "a.warc", c.content)
			res := read(t, Options{Extract: tagless, MaxDocument: 20000}, path)
			if res.texts() != c.want {
				t.Errorf("got %q, want %q", res.texts(), c.want)
			}
			rejects := strings.ReplaceAll(strings.Join(res.rejects, " "), path+":", "")
			if rejects != c.rejects && (c.rejects != "2: " || !strings.HasPrefix(rejects, c.rejects) || len(res.rejects) != 1) {
				t.Errorf("rejects %q, want %q", rejects, c.rejects)
			}
		})
	}
}

func TestWARCDocument(t *testing.T) {
	path := put(t, t.TempDir(), "a.warc", page("1", "<title>T</title><p>one</p>"))
	got := read(t, Options{Extract: tagless}, path).docs
	want := neardup.Document{ID: "urn:x:1", URL: "http://a/1", Title: "T", Text: "Tone", Time: 86400e9}
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Cut anywhere, an archive yields whole documents only, and at most one reject
// more than nothing.
func TestWARCCutAnywhere(t *testing.T) {
	whole := page("1", "<p>one</p>") + page("2", "<p>two</p>")
	for _, content := range []string{whole, gz(page("1", "<p>one</p>"), page("2", "<p>two</p>"))} {
		dir := t.TempDir()
		for n := range len(content) {
			res := read(t, Options{Format: WARC, Extract: tagless}, put(t, dir, "a.warc", content[:n]))
			if !strings.HasPrefix("one|two", res.texts()) || len(res.rejects) > 1 {
				t.Fatalf("cut at %d: %q, rejects %q", n, res.texts(), res.rejects)
			}
		}
	}
}

// The id may be any field of the record's header.
func TestWARCID(t *testing.T) {
	in := put(t, t.TempDir(), "a.warc", page("1", "<p>one</p>"))
	for field, want := range map[string]string{"": "urn:x:1", "url": "http://a/1", "WARC-Target-URI": "http://a/1", "warc-date": "1970-01-02T00:00:00Z"} {
		res := read(t, Options{IDField: field, Extract: tagless}, in)
		if len(res.docs) != 1 || res.docs[0].ID != want {
			t.Errorf("--id-field %q: %+v, rejects %q", field, res.docs, res.rejects)
		}
	}
	if res := read(t, Options{IDField: "nid", Extract: tagless}, in); len(res.rejects) != 1 || !strings.Contains(res.rejects[0], `no field "nid"`) {
		t.Errorf("a field that is not there: %+v, rejects %q", res.docs, res.rejects)
	}
}

// Kept records stay under their warcinfo record, which is written once.
func TestWriterKeepsWarcinfo(t *testing.T) {
	dir := t.TempDir()
	info := func(s string) string { return record("warcinfo", s, "", "software: "+s) }
	a := put(t, dir, "a.warc.gz", gz(info("A"), page("1", "<p>a</p>"), page("2", "<p>b</p>"), info("B"), page("3", "<p>c</p>"), page("4", "<p>d</p>")))
	b := put(t, dir, "b.warc", page("5", "<p>e</p>"))
	out := filepath.Join(dir, "out.warc.gz")
	copyAll(t, Options{Extract: tagless}, out, func(n int) bool { return n != 2 }, a)
	want := info("A") + page("1", "<p>a</p>") + page("2", "<p>b</p>") + info("B") + page("4", "<p>d</p>")
	r, err := gzip.NewReader(strings.NewReader(slurp(t, out)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != want {
		t.Errorf("got %q, %v\nwant %q", got, err, want)
	}
	copyAll(t, Options{Extract: tagless}, out, all, b)
	if got := read(t, Options{Extract: tagless}, out).texts(); got != "e" {
		t.Errorf("without a warcinfo: %q", got)
	}
}
