package made

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// eachPage calls fn for the main text of each news page of the archive in a language, in the order of their names.
func eachPage(archive, language string, fn func(n int, id, family, body string) error) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := zstd.NewReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	pages := map[string]string{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := addPages(pages, h.Name, language, t); err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
	}
	var ids []string
	for id := range pages {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for n, id := range ids {
		if err := fn(n, id, "", pages[id]); err != nil {
			return err
		}
	}
	return nil
}

// addPages adds the texts of a file in the archive: one text, or several as JSON.
func addPages(pages map[string]string, name, language string, r io.Reader) error {
	folder, base := path.Split(name)
	switch {
	case language == "en" && path.Base(folder) == "text" && strings.HasSuffix(base, ".txt"):
		body, err := io.ReadAll(r)
		pages[strings.TrimSuffix(base, ".txt")] = string(body)
		return err
	case language == "en" && base == "ground-truth.json":
		var all map[string]struct{ ArticleBody string }
		if err := json.NewDecoder(r).Decode(&all); err != nil {
			return err
		}
		for id, page := range all {
			pages[id[:12]] = page.ArticleBody
		}
	case language == "zh" && base == "result.txt":
		body, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		for i, part := range strings.Split(string(body), ">>>>>>>>>>>>>\n") {
			var page struct{ Title, Content string }
			if json.NewDecoder(strings.NewReader(part)).Decode(&page) == nil && page.Content != "" {
				pages[fmt.Sprintf("zh-%03d", i)] = page.Title + "\n" + page.Content
			}
		}
	}
	return nil
}
