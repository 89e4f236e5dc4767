//go:build full

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/neardup/neardup"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestHostileCrawl puts every kind of bad page between two good ones. Readable pages are read, the others are
// listed in the rejects, and nothing else is lost.
func TestHostileCrawl(t *testing.T) {
	chinese, _ := sharedPages(t, 0)
	good, last := chinese[0], chinese[1]
	gbk, err := encoding.HTMLEscapeUnsupported(simplifiedchinese.GBK.NewEncoder()).Bytes(metaCharset.ReplaceAll(good.body, []byte(`<meta charset="utf-8">`)))
	if err != nil {
		t.Fatal(err)
	}
	article := "<p>" + strings.Repeat("An article of some length, with words in it. ", 30) + "</p>"
	pages := []capture{
		good,
		{"lying-charset", gbk},
		{"huge", bytes.Repeat([]byte("<p>a page of a hundred megabytes</p>"), 100<<20/36)},
		{"nested", bytes.Repeat([]byte("<div>"), 1_000_000)},
		{"fonts", []byte(strings.Repeat("<font>", 1000) + strings.Repeat("<p>x", 100_000))},
		{"attributes", []byte("<div " + strings.Repeat("a=b ", 1_000_000) + ">" + article + "</div>")},
		{"nul", []byte("<html><body>" + article + "\x00\x00" + article + "</body></html>")},
		{"no-text", []byte("\x00\xff\xfe\x01")},
		{"empty", nil},
		last,
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, p := range pages {
		z.Reset(&b)
		_, _ = z.Write(p.record())
		_ = z.Close()
	}
	z.Reset(&b)
	_, _ = z.Write(good.record())
	_ = z.Close()
	b.Truncate(b.Len() - 200) // and the file ends in the middle of one
	dir := t.TempDir()
	decided, rejects := filepath.Join(dir, "d.jsonl"), filepath.Join(dir, "rejects.jsonl")
	code, _, stderr := command(t, "dedup", "--skip-damaged", put(t, "bad.warc.gz", b.Bytes()), "--decisions", decided, "--rejects", rejects, "--out", filepath.Join(dir, "kept.warc.gz"))
	if code != exitDone {
		t.Fatal(stderr)
	}
	all := decisions(t, decided)
	for _, id := range []string{good.name, last.name} {
		if all[id].Decision != neardup.New {
			t.Errorf("the good page %s: %+v", id, all[id])
		}
	}
	if d := all["lying-charset"]; d.Leader != good.name {
		t.Errorf("the page that lies about its charset: %+v, want a duplicate of %s", d, good.name)
	}
	lines, err := os.ReadFile(rejects)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s\n%s", lines, stderr)
	for _, id := range []string{"huge", "nested", "fonts"} {
		if d, judged := all[id]; judged {
			t.Errorf("%s was judged: %+v", id, d)
		}
	}
	if n := bytes.Count(lines, []byte("\n")); n != 4 { // the fourth is the end of the file
		t.Errorf("%d rejected records, want 4", n)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		if !strings.Contains(line, `"file":`) || !strings.Contains(line, `"line":`) || !strings.Contains(line, `"reason":`) {
			t.Errorf("rejects line %s", line)
		}
	}
}
