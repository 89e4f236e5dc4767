package witness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
	"github.com/zeebo/xxh3"
)

// version is the version of the witness format. A newer one is rejected.
const version = 1

// sealed is one generation: a line of JSON and a line with its checksum.
type sealed struct {
	Version    int              `json:"witness"`
	Generation uint64           `json:"generation"`
	Files      map[string]claim `json:"files"`
	Heads      []ledger.Head    `json:"heads"`
	Closed     bool             `json:"closed,omitempty"` // the folder has no other files
}

// slots are the names of the two generations.
var slots = [2]string{prefix + "-0", prefix + "-1"}

// seal writes the next generation. It first makes the claimed names durable. If lasting is set, the generation
// is durable when seal returns.
func (w *Witness) seal(lasting bool) error {
	w.sealing.Lock()
	defer w.sealing.Unlock()
	heads := w.Heads()
	slices.SortFunc(heads, func(a, b ledger.Head) int { return strings.Compare(a.Tenant, b.Tenant) })
	w.mu.Lock()
	next := sealed{version, w.generation + 1, maps.Clone(w.files), heads, w.closed}
	w.dirty = false
	w.mu.Unlock()
	if err := w.write(next, lasting); err != nil {
		w.mu.Lock()
		w.dirty = true
		w.mu.Unlock()
		return fmt.Errorf("write witness: %w", err)
	}
	w.mu.Lock()
	w.generation, w.sealed = next.Generation, next.Files
	w.mu.Unlock()
	return nil
}

func (w *Witness) write(s sealed, lasting bool) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	line = fmt.Appendf(line, "%016x\n", xxh3.Hash(line))
	dir, err := w.fs.OpenDir(w.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return err
	}
	fresh := w.path(prefix + ".new")
	if err := writeFile(w.fs, fresh, line); err != nil {
		return err
	}
	if err := w.fs.Rename(fresh, w.path(slots[s.Generation%2])); err != nil || !lasting {
		return err
	}
	return dir.Sync()
}

func writeFile(fs vfs.FS, path string, content []byte) error {
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// read returns the newest valid generation, or nil if there never was one, and the newest record between
// generations. It reports damage of the record or the other generation as problems.
func (w *Witness) read() (newest *sealed, last tip, err error) {
	bad := func(name string, wrong error) {
		w.Problems = append(w.Problems, ledger.Problem{File: name, What: wrong.Error()})
	}
	for _, name := range slots {
		s, err := readSlot(w.fs, w.path(name))
		switch {
		case missing(err):
		case errors.Is(err, docid.ErrNewerFormat):
			return nil, tip{}, err
		case err != nil:
			bad(name, err)
		case newest == nil || s.Generation > newest.Generation:
			newest = s
		}
	}
	last, there, wrong := readLive(w.fs, w.path(liveName))
	if newest == nil && len(w.Problems) == 0 && there {
		for _, name := range slots {
			bad(name, errMissing)
		}
	}
	if newest == nil {
		return nil, tip{}, corrupt(w.Problems)
	}
	if other := slots[(newest.Generation+1)%2]; newest.Generation > 1 && len(w.Problems) == 0 {
		if _, err := w.fs.Stat(w.path(other)); missing(err) {
			bad(other, errMissing)
		}
	}
	if wrong != nil {
		bad(liveName, wrong)
	}
	return newest, last, nil
}

var (
	errMissing = errors.New("missing")
	errSum     = errors.New("wrong checksum")
)

// corrupt returns the problems of an unusable witness as an error.
func corrupt(ps []ledger.Problem) error {
	var errs []error
	for _, p := range ps {
		errs = append(errs, fmt.Errorf("%w: witness %s: %s", docid.ErrCorrupt, p.File, p.What))
	}
	return errors.Join(errs...)
}

func readSlot(fs vfs.FS, path string) (*sealed, error) {
	content, err := readFile(fs, path)
	if err != nil {
		return nil, err
	}
	line, sum, _ := strings.Cut(string(content), "\n")
	if sum != fmt.Sprintf("%016x\n", xxh3.HashString(line+"\n")) {
		return nil, errSum
	}
	var s sealed
	if err := json.Unmarshal([]byte(line), &s); err != nil {
		return nil, err
	}
	if s.Version > version {
		return nil, fmt.Errorf("%w: witness of unknown version %d", docid.ErrNewerFormat, s.Version)
	}
	return &s, nil
}

func readFile(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(f)
	return content, errors.Join(err, f.Close())
}

// prove checks the folder against the claims.
func (w *Witness) prove(t tip) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(w.files)) {
		for _, c := range append(t.of(name), w.files[name]) {
			if err := w.proveFile(name, c); err != nil {
				errs = append(errs, err)
				break
			}
		}
	}
	return errors.Join(errs...)
}

func (w *Witness) proveFile(name string, c claim) error {
	f, err := w.fs.Open(w.path(name))
	if missing(err) {
		return fmt.Errorf("%w: file %s: missing (want %d bytes, as in the witness)", docid.ErrCorrupt, name, c.Bytes)
	}
	if err != nil {
		return fmt.Errorf("check %s: %w", name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("check %s: %w", name, err)
	case info.Size() < c.Bytes:
		return fmt.Errorf("%w: file %s: truncated to %d bytes (want %d, as in the witness)", docid.ErrCorrupt, name, info.Size(), c.Bytes)
	case info.Size() > c.Bytes && !grows(name): // the engine reads some files from their end, so they must not be longer
		return fmt.Errorf("%w: file %s: %d bytes (want %d, as in the witness)", docid.ErrCorrupt, name, info.Size(), c.Bytes)
	}
	sum, err := sumOf(f, name, c.Bytes)
	if err != nil {
		return fmt.Errorf("check %s: %w", name, err)
	}
	if sum != c.Sum {
		return fmt.Errorf("%w: file %s: its %d bytes are not those that were written", docid.ErrCorrupt, name, c.Bytes)
	}
	return nil
}
