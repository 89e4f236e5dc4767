// Package archive reads source archives for the programs that generate
// embedded data from them.
package archive

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Extract returns the named files of a tar.gz archive. Names are relative to its top folder. A file that is missing or
// empty is an error.
func Extract(archive string, names ...string) (map[string]string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", archive, err)
	}
	files := map[string]string{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", archive, err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		if !slices.Contains(names, name) {
			continue
		}
		body, err := io.ReadAll(t)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", h.Name, err)
		}
		files[name] = string(body)
	}
	for _, name := range names {
		if files[name] == "" {
			return nil, fmt.Errorf("%s has no %s", archive, name)
		}
	}
	return files, nil
}
