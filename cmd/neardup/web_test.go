//go:build full

package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/test/shared"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// capture is a page as a crawler saw it.
type capture struct {
	name string
	body []byte
}

var metaCharset = regexp.MustCompile(`(?i)<meta[^>]*charset[^>]*>`)

// sharedPages returns the Chinese ones of the shared pages, in UTF-8, and a
// number of the others.
func sharedPages(t *testing.T, others int) (chinese, rest []capture) {
	t.Helper()
	z := shared.Unpacked(t, "html/maintext.tar.zst")
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if err == io.EOF {
			return chinese, rest
		}
		if err != nil {
			t.Fatal(err)
		}
		isChinese := strings.Contains(h.Name, "gne_zh")
		if (!isChinese && len(rest) == others) || !strings.HasSuffix(strings.TrimSuffix(h.Name, ".gz"), ".html") || strings.HasSuffix(h.Name, "expected.html") {
			continue
		}
		var r io.Reader = in
		if strings.HasSuffix(h.Name, ".gz") {
			r, err = gzip.NewReader(in)
			if err != nil {
				t.Fatal(err)
			}
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		c := capture{strings.TrimLeft(strings.ReplaceAll(strings.TrimSuffix(h.Name, ".gz"), "/", "_"), "._"), body}
		if isChinese {
			chinese = append(chinese, c)
		} else {
			rest = append(rest, c)
		}
	}
}

// recoded returns a page in another charset without a declaration. Characters that the charset lacks become
// numeric references, as browsers send them.
func (c capture) recoded(t *testing.T, charset string, e encoding.Encoding) capture {
	t.Helper()
	body, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).Bytes(metaCharset.ReplaceAll(c.body, nil))
	if err != nil {
		t.Fatal(err)
	}
	return capture{c.name + "#" + charset, body}
}

// redressed returns a page with other boilerplate around the same main text.
func (c capture) redressed() capture {
	body := bytes.Replace(c.body, []byte("</body>"), []byte(`<footer><a href="/a">About us</a> <a href="/b">Imprint</a> rendered in 17 ms</footer></body>`), 1)
	body = bytes.Replace(body, []byte("</head>"), []byte(`<script>var visit = 4711;</script></head>`), 1)
	return capture{c.name + "#again", append([]byte("<!-- cached 2026-11-21 -->\n"), body...)}
}

// record returns a WARC response record.
func (c capture) record() []byte {
	block := append([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), c.body...)
	head := fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <%s>\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n"+
		"WARC-Target-URI: http://example.com/%s\r\nContent-Length: %d\r\n\r\n", c.name, c.name, len(block))
	return append(append([]byte(head), block...), "\r\n\r\n"...)
}

// crawl writes a WARC.gz, a gzip member a record.
func crawl(t *testing.T, name string, pages []capture) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, p := range pages {
		z.Reset(&b)
		_, _ = z.Write(p.record())
		_ = z.Close()
	}
	return put(t, name, b.Bytes())
}

func put(t *testing.T, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// command runs neardup and returns its exit code and output.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// decisions reads a decisions file, by id.
func decisions(t *testing.T, file string) map[string]neardup.Decision {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]neardup.Decision{}
	for in := bufio.NewScanner(f); in.Scan(); {
		var d neardup.Decision
		if err := json.Unmarshal(in.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		all[d.ID] = d
	}
	return all
}

// TestCrawl runs a crawl through one command. It has undeclared pages in GBK and Big5, and pages that were
// captured twice.
func TestCrawl(t *testing.T) {
	chinese, rest := sharedPages(t, 40)
	var pages []capture
	pages = append(append(pages, chinese...), rest...)
	for i, c := range pages[:len(chinese)+len(rest)] {
		again := c.redressed()
		switch {
		case i < len(chinese) && i%3 == 0:
			again = c.recoded(t, "gbk", simplifiedchinese.GBK)
		case i < len(chinese) && i%3 == 1:
			again = c.recoded(t, "big5", traditionalchinese.Big5)
		}
		pages = append(pages, again)
	}
	copies := len(pages) / 2
	dir := t.TempDir()
	out, decided := filepath.Join(dir, "kept.warc.gz"), filepath.Join(dir, "d.jsonl")
	code, _, stderr := command(t, "dedup", crawl(t, "crawl.warc.gz", pages), "--out", out, "--decisions", decided)
	if code != exitDone {
		t.Fatal(stderr)
	}
	all := decisions(t, decided)
	if len(all) != len(pages) {
		t.Fatalf("%d decisions on %d pages:\n%s", len(all), len(pages), stderr)
	}
	missed, kept := 0, 0
	for _, p := range pages {
		d := all[p.name]
		if d.Decision == neardup.New {
			kept++
		}
		first, _, isCopy := strings.Cut(p.name, "#")
		leader := all[first]
		if isCopy && (d.Decision != neardup.Duplicate || (d.Leader != first && d.Leader != leader.Leader)) {
			t.Logf("%s is %s of %q, %s %.3f", p.name, d.Decision, d.Leader, d.Method, d.Similarity)
			missed++
		}
	}
	t.Logf("%d pages, %d copies, %d kept, %d copies missed\n%s", len(pages), copies, kept, missed, stderr)
	if missed*20 > copies {
		t.Errorf("%d of %d copies were not recognised", missed, copies)
	}
	if code, _, stderr := command(t, "dedup", out, "--decisions", decided); code != exitDone || len(decisions(t, decided)) != kept {
		t.Errorf("%d pages in %s, want %d: %s", len(decisions(t, decided)), out, kept, stderr)
	}
}

// TestPagesInFilesAndFields reads the same pages as files of a folder and as a field of JSONL.
func TestPagesInFilesAndFields(t *testing.T) {
	chinese, _ := sharedPages(t, 0)
	dir, lines := t.TempDir(), bytes.Buffer{}
	for _, c := range chinese[:20] {
		again := c.redressed()
		for _, p := range []capture{c, again} {
			name := strings.ReplaceAll(strings.TrimSuffix(p.name, ".html"), "#", "-") + ".html"
			if err := os.WriteFile(filepath.Join(dir, name), p.body, 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(map[string]string{"id": p.name, "page": string(p.body)})
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(b, '\n'))
		}
	}
	for _, args := range [][]string{
		{dir, "--format", "html"},
		{put(t, "pages.jsonl", lines.Bytes()), "--html-field", "page"},
	} {
		code, stdout, stderr := command(t, append([]string{"dedup", "--json"}, args...)...)
		var sum struct{ Documents, Kept, Rejected int }
		if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != exitDone {
			t.Fatal(err, stderr)
		}
		if sum.Documents != 40 || sum.Kept > 20 || sum.Rejected > 0 {
			t.Errorf("%v: %+v, want 20 kept of 40", args[1:], sum)
		}
	}
}
