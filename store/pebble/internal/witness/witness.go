// Package witness records, outside the files of a database, what these files must contain. It records the names of the
// files, the number of their synced bytes, and the last change of each index. It also records checksums of the files that
// determine the state of the database: its manifest and write-ahead log. With a truncated or damaged manifest, a database
// would take an older state for the current one, and delete files that it does not know. So the witness is checked first,
// and a folder that contains less is not opened.
//
// A claim is only made about bytes that were synced before. A claim is durably removed before its file is. So the claims
// are true after a crash at any time.
//
// There are two generations of claims, which are replaced in turn by a rename. Between them, a small record has the lengths
// of log and manifest. It is written after each sync and before any answer. It is not synced, so writing it takes a
// microsecond. After a power failure it is either true or invalid.
package witness

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// prefix starts the names of the witness's own files.
const prefix = "witness"

// claim records what a file must contain.
type claim struct {
	Bytes int64 `json:"bytes"`
	// Sum is the CRC-32C of all these bytes for summed files. For other files, it is that of the last tailLen bytes, which
	// identify a file of the database.
	Sum uint32 `json:"crc32c"`
}

const tailLen = 64

// Witness watches the files of one folder. It is safe for concurrent use.
type Witness struct {
	fs  vfs.FS
	dir string

	sealing    sync.Mutex // serializes seals
	generation uint64

	mu     sync.Mutex
	sealed map[string]claim // the claims of the newest generation
	files  map[string]claim
	heads  func() []ledger.Head
	dirty  bool
	closed bool
	live   *live

	// Problems lists the defects that Open found and that do not prevent use.
	Problems []ledger.Problem
}

// Open reads the witness of a folder and checks the folder against it. It writes nothing. It returns ErrCorrupt with the
// name of a file that contains less than was claimed, or of the damaged witness. It accepts a folder that never had a
// witness.
func Open(fs vfs.FS, dir string) (*Witness, error) {
	w := &Witness{fs: fs, dir: dir, files: map[string]claim{}, heads: func() []ledger.Head { return nil }}
	old, tip, err := w.read()
	if err != nil || old == nil {
		return w, err
	}
	w.generation, w.files, w.sealed = old.Generation, old.Files, old.Files
	w.heads = func() []ledger.Head { return old.Heads }
	if err := w.markers(); err != nil {
		return w, err
	}
	other, err := w.written()
	switch {
	case other:
		w.files = map[string]claim{}
	case err == nil:
		err = w.prove(tip)
	}
	if err != nil { // the witness itself may be damaged
		return w, errors.Join(err, corrupt(w.Problems))
	}
	strays, err := w.foreign()
	if err == nil && old.Closed && !other {
		var left []string
		left, err = w.strays()
		strays = append(strays, left...)
	}
	slices.Sort(strays)
	for _, name := range slices.Compact(strays) {
		w.Problems = append(w.Problems, ledger.Problem{File: name, What: notOurs})
	}
	return w, err
}

const notOurs = "the store did not write it"

// ownName matches the names that the engine and the witness give to files.
var ownName = regexp.MustCompile(`^(LOCK|` + prefix + `(-0|-1|\.live|\.new)|[0-9]{6,}\.(sst|log|blob)|(MANIFEST|OPTIONS)-[0-9]{6,}(\.dbtmp)?` +
	`|(temporary|CURRENT)\.[0-9]{6,}\.dbtmp|marker\.(manifest|format-version)\.[0-9]{6,}\..+|[0-9]{6,}-[0-9]{3}\.log|REMOTE-OBJ-CATALOG-[0-9]+)$`)

// foreign returns the files and folders whose names neither the engine nor the witness uses. A crash leaves
// none of them.
func (w *Witness) foreign() ([]string, error) {
	all, err := w.fs.List(w.dir)
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	var found []string
	for _, name := range all {
		info, err := w.fs.Stat(w.path(name))
		if err != nil {
			return nil, fmt.Errorf("stat %s: %w", name, err)
		}
		if _, claimed := w.files[name]; !claimed && (info.IsDir() || !ownName.MatchString(name)) {
			found = append(found, name)
		}
	}
	return found, nil
}

// markers returns an error if a marker names a missing manifest. The engine trusts the marker with the highest
// number, and would not find its manifest.
func (w *Witness) markers() error {
	all, err := w.fs.List(w.dir)
	if err != nil {
		return fmt.Errorf("list folder: %w", err)
	}
	for _, name := range all {
		rest, is := strings.CutPrefix(name, "marker.manifest.")
		_, manifest, _ := strings.Cut(rest, ".")
		if _, claimed := w.files[name]; is && !claimed && !slices.Contains(all, manifest) {
			return fmt.Errorf("%w: file %s: %s, and it names a manifest that does not exist (move the file out of the folder)", docid.ErrCorrupt, name, notOurs)
		}
	}
	return nil
}

// strays returns the files without a claim. A clean end leaves none, but a crash or a disk failure may. The next start
// claims or removes them.
func (w *Witness) strays() ([]string, error) {
	names, err := w.names()
	return slices.DeleteFunc(names, func(name string) bool { _, ok := w.files[name]; return ok }), err
}

// names returns the names of the files to claim.
func (w *Witness) names() ([]string, error) {
	all, err := w.fs.List(w.dir)
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	var names []string
	for _, name := range all {
		if !watches(name) {
			continue
		}
		info, err := w.fs.Stat(w.path(name))
		if err != nil {
			return nil, fmt.Errorf("claim %s: %w", name, err)
		}
		if !info.IsDir() { // the engine makes no folders
			names = append(names, name)
		}
	}
	return names, nil
}

// written reports whether a program without a witness has written to the folder since. Its manifest is then newer than all
// claims. In that case only the heads are checked, because the files have changed.
func (w *Witness) written() (bool, error) {
	there, err := pebble.Peek(w.dir, w.fs)
	if err != nil || !there.Exists || len(w.files) == 0 {
		return false, err
	}
	_, now, _ := numbered(w.fs.PathBase(there.ManifestFilename))
	newest := uint64(0)
	for name := range w.files {
		if kind, number, ok := numbered(name); ok && kind == manifestPrefix {
			newest = max(newest, number)
		}
	}
	return now > newest, nil
}

// Heads returns the last recorded change of each index.
func (w *Witness) Heads() []ledger.Head {
	w.mu.Lock()
	heads := w.heads
	w.mu.Unlock()
	return heads()
}

// Tell sets the function that returns the heads for each new generation.
func (w *Witness) Tell(heads func() []ledger.Head) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heads, w.dirty = heads, true
}

// Begin claims the current state of the folder and starts to watch it. After that, only FS may write to the
// folder.
func (w *Witness) Begin() error {
	if err := w.take(); err != nil {
		return err
	}
	if err := w.seal(true); err != nil {
		return err
	}
	l, err := openLive(w.fs, w.path(liveName))
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live = l
	return nil
}

// Make writes the first witness of an unwatched folder, such as a copy.
func Make(fs vfs.FS, dir string, heads []ledger.Head) error {
	w := &Witness{fs: fs, dir: dir, files: map[string]claim{}, heads: func() []ledger.Head { return heads }, closed: true}
	return errors.Join(w.take(), w.seal(true), w.seal(true))
}

// take claims every file of the folder in its current state. It first syncs files without an earlier claim, because after a
// crash they may only be in the page cache.
func (w *Witness) take() error {
	names, err := w.names()
	if err != nil {
		return err
	}
	files := map[string]claim{}
	for _, name := range names {
		if c, ok := w.files[name]; ok && !summed(name) {
			files[name] = c
			continue
		}
		c, err := w.measure(name)
		if err != nil {
			return fmt.Errorf("claim %s: %w", name, err)
		}
		files[name] = c
	}
	w.files = files
	return nil
}

func (w *Witness) measure(name string) (c claim, err error) {
	f, err := w.fs.Open(w.path(name))
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Sync(); err != nil {
		return c, err
	}
	info, err := f.Stat()
	if err != nil {
		return c, err
	}
	c.Bytes = info.Size()
	c.Sum, err = sumOf(f, name, c.Bytes)
	return c, err
}

// Seal writes a generation if anything has changed.
func (w *Witness) Seal() error {
	w.mu.Lock()
	dirty := w.dirty
	w.mu.Unlock()
	if !dirty {
		return nil
	}
	return w.seal(false)
}

// Close writes the last claims twice, so that both generations have them.
func (w *Witness) Close() error {
	w.mu.Lock()
	strays, err := w.strays()
	w.closed = len(strays) == 0 && err == nil
	w.mu.Unlock()
	return errors.Join(w.seal(true), w.seal(true), w.Abandon())
}

// Abandon stops watching without further claims.
func (w *Witness) Abandon() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.live == nil {
		return nil
	}
	l := w.live
	w.live = nil
	return l.file.Close()
}

// forget durably removes the claims about files that are to be removed.
func (w *Witness) forget(names ...string) error {
	w.sealing.Lock()
	w.mu.Lock()
	known := false
	for _, name := range names {
		delete(w.files, name)
		_, was := w.sealed[name]
		known = known || was
	}
	w.mu.Unlock()
	w.sealing.Unlock()
	if !known {
		return nil
	}
	if err := w.seal(true); err != nil {
		return fmt.Errorf("record in the witness that %s is removed: %w", strings.Join(names, ", "), err)
	}
	return nil
}

// synced claims what a sync has made durable, before any answer.
func (w *Witness) synced(name string, c claim) error {
	w.mu.Lock()
	w.files[name], w.dirty = c, true
	_, known := w.sealed[name]
	if !summed(name) || known {
		defer w.mu.Unlock()
		if w.live == nil || !known {
			return nil
		}
		return w.live.claim(name, c)
	}
	w.mu.Unlock()
	return w.seal(false)
}

func (w *Witness) path(name string) string { return w.fs.PathJoin(w.dir, name) }

// watches reports whether a file of the folder is claimed. Locks and the files of the witness are not.
func watches(name string) bool {
	return name != "LOCK" && !strings.HasPrefix(name, prefix)
}

// summed reports whether all bytes of a file are summed, because the file decides the state.
func summed(name string) bool {
	return strings.HasPrefix(name, manifestPrefix) || strings.HasSuffix(name, logSuffix) || strings.HasPrefix(name, "OPTIONS-")
}

// grows reports whether a file may be longer than at its last sync.
func grows(name string) bool {
	_, _, ok := numbered(name)
	return ok
}

const (
	manifestPrefix = "MANIFEST-"
	logSuffix      = ".log"
)

func missing(err error) bool { return errors.Is(err, os.ErrNotExist) }
