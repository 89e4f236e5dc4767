package html_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/neardup/neardup/internal/test/shared"
)

// archive reads the files of a tar.zst of the shared data whose name pick
// accepts; .gz files are unpacked.
func archive(t testing.TB, name string, pick func(string) bool) map[string][]byte {
	t.Helper()
	z := shared.Unpacked(t, name)
	files := make(map[string][]byte)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !pick(h.Name) {
			continue
		}
		files[h.Name], err = content(h.Name, r)
		if err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
	}
}

func content(name string, r io.Reader) ([]byte, error) {
	if path.Ext(name) == ".gz" {
		var err error
		r, err = gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
	}
	return io.ReadAll(r)
}

// labelled is one page of the set scrapinghub_aeb.
type labelled struct {
	name, url, gold string
	page            []byte
}

func labelledPages(t testing.TB) []labelled {
	files := archive(t, "html/maintext.tar.zst", func(name string) bool { return strings.Contains(name, "/scrapinghub_aeb/") })
	var truth map[string]struct{ ArticleBody, URL string }
	pages := make(map[string][]byte)
	for name, body := range files {
		switch {
		case path.Base(name) == "ground-truth.json":
			if err := json.Unmarshal(body, &truth); err != nil {
				t.Fatal(err)
			}
		case strings.HasSuffix(name, ".html.gz"):
			pages[strings.TrimSuffix(path.Base(name), ".html.gz")] = body
		}
	}
	var out []labelled
	for name, g := range truth {
		out = append(out, labelled{name, g.URL, g.ArticleBody, pages[name]})
	}
	if len(out) != 181 || len(pages) != 181 {
		t.Fatalf("%d texts for %d pages, want 181", len(out), len(pages))
	}
	return out
}

// capture is one row of the set of snapshots.
type capture struct {
	ID      string  `json:"id"`
	Family  string  `json:"family"`
	Kind    string  `json:"kind"`
	SameAs  string  `json:"same_as"`
	Gold    string  `json:"gold"`
	GoldCov float64 `json:"gold_cov"`
	page    []byte
	gold    string
}

// captures returns the rows whose main text the page holds (gold_cov >= .97).
func captures(t testing.TB) []capture {
	files := archive(t, "html/snapshots.tar.zst", func(string) bool { return true })
	byName := make(map[string][]byte)
	for name, body := range files {
		byName[path.Base(strings.TrimSuffix(name, ".gz"))] = body
	}
	var out []capture
	for line := range strings.Lines(string(byName["index.jsonl"])) {
		var c capture
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.GoldCov < .97 {
			continue
		}
		c.page, c.gold = byName[c.ID+".html"], string(byName[c.Gold])
		if len(c.page) == 0 || c.gold == "" {
			t.Fatalf("%s: page or text is missing", c.ID)
		}
		out = append(out, c)
	}
	return out
}
