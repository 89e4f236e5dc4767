package corpus

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup"
)

// tagless extracts a page with a predictable result.
func tagless(page []byte, charset, _ string) (Page, error) {
	s, err := decodeFile(page, charset)
	if err != nil {
		return Page{}, err
	}
	var p Page
	if _, rest, ok := strings.Cut(s, "<title>"); ok {
		p.Title, _, _ = strings.Cut(rest, "</title>")
	}
	var b strings.Builder
	for part := range strings.SplitSeq(s, "<") {
		if _, after, ok := strings.Cut(part, ">"); ok {
			b.WriteString(after)
		}
	}
	p.Text = strings.TrimSpace(b.String())
	return p, nil
}

// put writes a file below dir and returns its path.
func put(tb testing.TB, dir, name, content string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}

// result holds everything that a reading yields.
type result struct {
	items   []Item
	docs    []neardup.Document
	rejects []string // "line: reason"
}

func (r result) texts() string {
	var all []string
	for _, d := range r.docs {
		all = append(all, d.Text)
	}
	return strings.Join(all, "|")
}

// drain reads everything; only a fatal error is returned.
func drain(r *Reader) (result, error) {
	var res result
	d := r.NewDecoder()
	for it, err := range r.Items() {
		var doc neardup.Document
		if err == nil {
			err = d.Decode(it, &doc)
		}
		switch bad := Rejected(err); {
		case bad != nil:
			res.rejects = append(res.rejects, bad.Error())
		case err != nil:
			return res, err
		default:
			res.items = append(res.items, it)
			res.docs = append(res.docs, doc)
		}
	}
	return res, nil
}

// read reads the inputs to their end.
func read(tb testing.TB, opt Options, inputs ...string) result {
	tb.Helper()
	opt.SkipDamaged = true
	r, err := Open(inputs, opt)
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	res, err := drain(r)
	if err != nil {
		tb.Fatal(err)
	}
	return res
}

func gz(parts ...string) string {
	var b bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, p)
		z.Close()
	}
	return b.String()
}

func zst(parts ...string) string {
	var b bytes.Buffer
	for _, p := range parts {
		z, _ := zstd.NewWriter(&b)
		io.WriteString(z, p)
		z.Close()
	}
	return b.String()
}
