// Package listed implements the list that completes a snapshot: the files of a folder with their checksums.
package listed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// List names the files of a snapshot. It is written last, and a folder without one is not a snapshot.
type List struct {
	Folder string `json:"folder"`
	Files  []File `json:"files"`
}

// File is one file of the folder.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Read reads a list, or returns why it is invalid.
func Read(r io.Reader) (l List, err error) {
	b, err := io.ReadAll(io.LimitReader(r, 64<<20))
	if err != nil {
		return l, err
	}
	if json.Unmarshal(b, &l) != nil || len(l.Files) == 0 || !fs.ValidPath(l.Folder) {
		return l, errors.New("it lists no files")
	}
	for _, f := range l.Files {
		if !filepath.IsLocal(f.Name) || !fs.ValidPath(f.Name) {
			return l, fmt.Errorf("it lists %q", f.Name)
		}
	}
	return l, nil
}

// Sum returns the name, size and checksum of a file.
func Sum(name string, r io.Reader) (File, error) {
	return Copy(name, io.Discard, r)
}

// Copy copies a file and returns its name, size and checksum.
func Copy(name string, to io.Writer, from io.Reader) (File, error) {
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(sum, to), from) // sum first, because a file of Pebble may change the bytes it writes
	return File{name, size, hex.EncodeToString(sum.Sum(nil))}, err
}
