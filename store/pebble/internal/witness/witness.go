// Package witness remembers, outside a database's own files, what those must
// hold: which files there are, how many bytes of each are on disk, checksums
// of those that decide what the database believes (its manifest, its
// write-ahead log), and how far each index had come. A database that finds
// its manifest cut short or damaged takes an older state for the present one,
// and deletes what it does not know; so the witness is asked first, and a
// folder that holds less is not opened.
//
// Every claim is about bytes that were synced before it was made, and a file
// is forgotten, durably, before it is removed. So a crash at any moment leaves
// claims that are true.
//
// Two generations lie side by side, replaced in turn by a rename. Between them
// a small record, written after each sync and before anybody is answered, says
// how long log and manifest are; it is not synced itself, so it costs a
// microsecond, and what a power cut leaves of it is true or not valid.
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

// prefix of the witness's own files.
const prefix = "witness"

// claim is what must be there of a file.
type claim struct {
	Bytes int64 `json:"bytes"`
	// Sum is the CRC-32C of those bytes where they are summed, else of the
	// last tailLen of them: by its end the database knows a file.
	Sum uint32 `json:"crc32c"`
}

const tailLen = 64

// Witness watches the files of one folder. Safe for concurrent use.
type Witness struct {
	fs  vfs.FS
	dir string

	sealing    sync.Mutex // one seal at a time
	generation uint64

	mu     sync.Mutex
	sealed map[string]claim // what the newest generation says
	files  map[string]claim
	heads  func() []ledger.Head
	dirty  bool
	closed bool
	live   *live

	// Problems are what Open found wrong and the folder can do without.
	Problems []ledger.Problem
}

// Open reads the witness of a folder and holds the folder to it. Nothing is
// written. ErrCorrupt names the file that holds less, or the damaged witness;
// a folder that never had a witness is taken as it is.
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
	if err != nil { // it may be the witness's own damage
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

// foreign returns the files and folders whose names neither the engine nor the witness gives.
// A crash leaves none of them.
func (w *Witness) foreign() ([]string, error) {
	all, err := w.fs.List(w.dir)
	if err != nil {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	var found []string
	for _, name := range all {
		info, err := w.fs.Stat(w.path(name))
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", name, err)
		}
		if _, claimed := w.files[name]; !claimed && (info.IsDir() || !ownName.MatchString(name)) {
			found = append(found, name)
		}
	}
	return found, nil
}

// markers returns an error about a marker that names a manifest which is not there. The engine
// believes the marker with the highest number, and would not find its manifest.
func (w *Witness) markers() error {
	all, err := w.fs.List(w.dir)
	if err != nil {
		return fmt.Errorf("list folder: %w", err)
	}
	for _, name := range all {
		rest, is := strings.CutPrefix(name, "marker.manifest.")
		_, manifest, _ := strings.Cut(rest, ".")
		if _, claimed := w.files[name]; is && !claimed && !slices.Contains(all, manifest) {
			return fmt.Errorf("%w: file %s: %s, and it names a manifest that is not there; move it away", docid.ErrCorrupt, name, notOurs)
		}
	}
	return nil
}

// strays are the files that nobody claims: none after an orderly end, but a crash may leave
// some, or a disk that failed. The next start takes or removes them.
func (w *Witness) strays() ([]string, error) {
	names, err := w.names()
	return slices.DeleteFunc(names, func(name string) bool { _, ok := w.files[name]; return ok }), err
}

// names are those of the files that are claimed.
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
		if !info.IsDir() { // somebody else's: the engine makes none
			names = append(names, name)
		}
	}
	return names, nil
}

// written says whether a program without a witness has written the folder
// since: its manifest is then younger than all that is claimed. The files are
// others then, and the heads alone are held to.
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

// Heads are how far the indexes had come.
func (w *Witness) Heads() []ledger.Head {
	w.mu.Lock()
	heads := w.heads
	w.mu.Unlock()
	return heads()
}

// Tell has the heads asked for from now on, whenever a generation is written.
func (w *Witness) Tell(heads func() []ledger.Head) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heads, w.dirty = heads, true
}

// Begin takes the folder as it is for what must be there from now on, and
// begins to watch. Only FS may write to the folder afterwards.
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

// Make writes the first witness of a folder that nobody watches, a copy.
func Make(fs vfs.FS, dir string, heads []ledger.Head) error {
	w := &Witness{fs: fs, dir: dir, files: map[string]claim{}, heads: func() []ledger.Head { return heads }, closed: true}
	return errors.Join(w.take(), w.seal(true), w.seal(true))
}

// take claims every file of the folder as it lies there. What no earlier
// witness claims is synced first: a crash may have left it to the page cache.
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

// Seal writes a generation if there is something new to say.
func (w *Witness) Seal() error {
	w.mu.Lock()
	dirty := w.dirty
	w.mu.Unlock()
	if !dirty {
		return nil
	}
	return w.seal(false)
}

// Close writes the last claims, twice, so that each generation has them.
func (w *Witness) Close() error {
	w.mu.Lock()
	strays, err := w.strays()
	w.closed = len(strays) == 0 && err == nil
	w.mu.Unlock()
	return errors.Join(w.seal(true), w.seal(true), w.Abandon())
}

// Abandon stops watching and claims nothing more.
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

// forget takes a file out of what must be there, durably, before it goes.
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
		return fmt.Errorf("witness that %s goes: %w", strings.Join(names, ", "), err)
	}
	return nil
}

// synced claims what a sync has made durable, before anybody is answered.
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

// watches says whether a name in the folder is claimed: all but locks and the
// witness itself.
func watches(name string) bool {
	return name != "LOCK" && !strings.HasPrefix(name, prefix)
}

// summed says which files are read whole: those that say what is true.
func summed(name string) bool {
	return strings.HasPrefix(name, manifestPrefix) || strings.HasSuffix(name, logSuffix) || strings.HasPrefix(name, "OPTIONS-")
}

// grows says which files may be longer than the last sync made them.
func grows(name string) bool {
	_, _, ok := numbered(name)
	return ok
}

const (
	manifestPrefix = "MANIFEST-"
	logSuffix      = ".log"
)

func missing(err error) bool { return errors.Is(err, os.ErrNotExist) }
