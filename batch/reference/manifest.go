package reference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/zeebo/xxh3"
)

const (
	// ManifestName is the name of the file that marks a folder as an index.
	ManifestName = "MANIFEST"
	// version must be raised when the format of the files changes.
	version = 1
)

// ErrNone is wrapped by the error about a folder without an index.
var ErrNone = errors.New("no index")

// Header describes how the documents of an index were decided. It never changes.
type Header struct {
	// Spec is the method with all parameters that its keys and decisions depend on.
	Spec string `json:"spec"`
	// Normalize is the cleaning of the texts.
	Normalize string `json:"normalize"`
	// Settings is stored for the caller, such as the flags that made the method.
	Settings map[string]string `json:"settings,omitempty"`
}

// Like returns nil if documents decided according to o can be decided against those of h. Otherwise its error
// wraps [neardup.ErrUnlike] and names the difference.
func (h Header) Like(o Header) error {
	if h.Spec != o.Spec {
		a, b := strings.Fields(h.Spec), strings.Fields(o.Spec)
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				return fmt.Errorf("%w: the index was made with %s, this run uses %s (%q against %q)", neardup.ErrUnlike, a[i], b[i], h.Spec, o.Spec)
			}
		}
		return fmt.Errorf("%w: the index was made with %q, this run uses %q", neardup.ErrUnlike, h.Spec, o.Spec)
	}
	if h.Normalize != o.Normalize {
		return fmt.Errorf("%w: the texts of the index were normalised by %q, those of this run by %q", neardup.ErrUnlike, h.Normalize, o.Normalize)
	}
	return nil
}

type manifest struct {
	Format  string      `json:"format"` // "neardup index"
	Version int         `json:"version"`
	Header  Header      `json:"header"`
	Parts   []partEntry `json:"parts"`
	Bases   [][2]string `json:"bases,omitempty"`  // methods and bases of duplicates
	Routes  []string    `json:"routes,omitempty"` // methods of new documents
	// Removed documents are still stored; Digest covers all other decisions.
	Removed uint32 `json:"removed"`
	Digest  string `json:"digest"`
	Next    int    `json:"next"` // number of the next file
}

type partEntry struct {
	Documents uint32    `json:"documents"`
	Rows      fileEntry `json:"rows"`
	IDs       fileEntry `json:"ids"`
	Texts     fileEntry `json:"texts"`
	Keys      fileEntry `json:"keys"`
}

type fileEntry struct {
	Name string `json:"name"`
	Sum  uint64 `json:"sum"` // checksum of its table
}

const formatName = "neardup index"

func (m *manifest) files() map[string]bool {
	names := map[string]bool{ManifestName: true, lockName: true}
	for _, p := range m.Parts {
		for _, f := range []fileEntry{p.Rows, p.IDs, p.Texts, p.Keys} {
			names[f.Name] = true
		}
	}
	return names
}

// readManifest reads the manifest, which is a line of JSON and its checksum. It returns both.
func readManifest(folder fs.FS, name string) (m manifest, asOf string, err error) {
	b, err := fs.ReadFile(folder, ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return m, "", fmt.Errorf("%s: %w", name, ErrNone)
	}
	if err != nil {
		return m, "", fmt.Errorf("%s: %w", name, err)
	}
	damaged := func(what string) error { return fmt.Errorf("%w: file %s: %s", ErrDamaged, ManifestName, what) }
	line, sum, _ := bytes.Cut(b, []byte("\n"))
	if string(sum) != checksum(line) {
		return m, "", damaged("wrong checksum")
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return m, "", damaged(err.Error())
	}
	if m.Format != formatName {
		return m, "", damaged("not the manifest of an index")
	}
	if m.Version != version {
		return m, "", fmt.Errorf("%s: index of version %d (want %d)", name, m.Version, version)
	}
	return m, strings.TrimSuffix(string(sum), "\n"), nil
}

func checksum(line []byte) string { return strconv.FormatUint(xxh3.Hash(line), 16) + "\n" }

// output returns the manifest as a file that replaces the current manifest when it is committed.
func (m *manifest) output(dir string) (corpus.Output, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	out, err := corpus.CreateAtomic(filepath.Join(dir, ManifestName))
	if err != nil {
		return nil, err
	}
	_, err = out.Write(append(append(line, '\n'), checksum(line)...))
	return out, err
}
