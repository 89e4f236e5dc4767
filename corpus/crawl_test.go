package corpus_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/text/html"
)

// webPage is one of the shared pages as a server could have sent it.
type webPage struct {
	name string
	body []byte
	gbk  bool
}

// sharedPages unpacks the labelled pages. Chinese ones in UTF-8 come a second
// time in GBK without a word of it.
func sharedPages(tb testing.TB) []webPage {
	tb.Helper()
	z := shared.Unpacked(tb, "html/maintext.tar.zst")
	var pages []webPage
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if err == io.EOF {
			return pages
		}
		if err != nil {
			tb.Fatal(err)
		}
		name := strings.TrimSuffix(h.Name, ".gz")
		if filepath.Ext(name) != ".html" || strings.HasSuffix(name, "expected.html") {
			continue
		}
		var r io.Reader = in
		if name != h.Name {
			r, err = gzip.NewReader(in)
			if err != nil {
				tb.Fatal(err)
			}
		}
		body, err := io.ReadAll(r)
		if err != nil {
			tb.Fatal(err)
		}
		pages = append(pages, webPage{name: h.Name, body: body})
		if gbk := inGBK(h.Name, body); gbk != nil {
			pages = append(pages, webPage{name: h.Name + "#gbk", body: gbk, gbk: true})
		}
	}
}

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]*charset[^>]*>`)

// inGBK re-encodes a Chinese page and removes its charset declaration. It returns nil if it cannot.
func inGBK(name string, body []byte) []byte {
	if !strings.Contains(name, "gne_zh") {
		return nil
	}
	body = metaCharset.ReplaceAll(body, nil)
	gbk, err := encoding.HTMLEscapeUnsupported(simplifiedchinese.GBK.NewEncoder()).Bytes(body)
	if err != nil {
		return nil
	}
	return gbk
}

// archive makes a WARC.gz of pages, every third body chunked and every fifth
// compressed, with the other records of a crawl between them.
func archive(tb testing.TB, pages []webPage) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "crawl.warc.gz")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	member := func(kind string, n int, block []byte) {
		z.Reset(f)
		fmt.Fprintf(z, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%s-%d>\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n"+
			"WARC-Target-URI: http://example.com/%d\r\nContent-Length: %d\r\n\r\n", kind, kind, n, n, len(block))
		z.Write(block)
		io.WriteString(z, "\r\n\r\n")
		z.Close()
	}
	member("warcinfo", 0, []byte("software: test\r\n"))
	for i, p := range pages {
		member("request", i, []byte("GET / HTTP/1.1\r\n\r\n"))
		head, body := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", p.body
		if i%5 == 0 {
			var b bytes.Buffer
			c := gzip.NewWriter(&b)
			c.Write(body)
			c.Close()
			head, body = head+"Content-Encoding: gzip\r\n", b.Bytes()
		}
		if i%3 == 0 {
			half := len(body) / 2
			body = fmt.Appendf(nil, "%x\r\n%s\r\n%X\r\n%s\r\n0\r\n\r\n", half, body[:half], len(body)-half, body[half:])
			head += "Transfer-Encoding: chunked\r\n"
		}
		member("response", i, append([]byte(head+"\r\n"), body...))
	}
	return path
}

func TestCrawl(t *testing.T) {
	pages := sharedPages(t)
	var texts []string // what the extractor is given, to compare
	opt := corpus.Options{Extract: func(page []byte, charset, url string) (corpus.Page, error) {
		texts = append(texts, string(page))
		return corpus.Page{Text: "x"}, nil
	}}
	docs := readCrawl(t, archive(t, pages), opt)
	if len(docs) != len(pages) {
		t.Fatalf("%d documents of %d pages", len(docs), len(pages))
	}
	for i, p := range pages {
		if texts[i] != string(p.body) {
			t.Fatalf("page %s changed on its way", p.name)
		}
		if want := fmt.Sprintf("urn:x:response-%d", i); docs[i].ID != want || docs[i].URL != fmt.Sprintf("http://example.com/%d", i) {
			t.Fatalf("id %s, URL %s, want id %s", docs[i].ID, docs[i].URL, want)
		}
	}
}

// A page in undeclared GBK has the text of the same page in UTF-8.
func TestCrawlInGBK(t *testing.T) {
	var pages []webPage
	for _, p := range sharedPages(t) {
		if p.gbk {
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 {
		t.Fatal("no Chinese pages")
	}
	docs := readCrawl(t, archive(t, pages), corpus.Options{Extract: extract})
	if len(docs) != len(pages) {
		t.Fatalf("%d documents of %d pages", len(docs), len(pages))
	}
	for i, p := range pages {
		utf8, err := simplifiedchinese.GBK.NewDecoder().Bytes(p.body)
		if err != nil {
			t.Fatal(err)
		}
		want, err := html.Extract(utf8, "utf-8", docs[i].URL)
		if err != nil {
			t.Fatal(err)
		}
		if docs[i].Text != want.Text {
			t.Errorf("%s: got %.60q, want %.60q", p.name, docs[i].Text, want.Text)
		}
	}
	t.Logf("%d pages in GBK", len(pages))
}

func extract(page []byte, charset, url string) (corpus.Page, error) {
	p, err := html.Extract(page, charset, url)
	return corpus.Page{Title: p.Title, Text: p.Text, Canonical: p.Canonical}, err
}

func readCrawl(t *testing.T, path string, opt corpus.Options) []neardup.Document {
	t.Helper()
	r, err := corpus.Open([]string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var docs []neardup.Document
	for doc, err := range r.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, *doc)
	}
	return docs
}
