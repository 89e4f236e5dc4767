// Package resume keeps the progress of a run in a folder, so that a killed run continues from there.
//
// A folder holds one append-only log of frames for each stage, and a manifest. The manifest holds the facts that the
// results depend on, and the valid length and checksum of each log. It is replaced only after the logs are on disk.
package resume

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/neardup/neardup/internal/durable"
	"github.com/neardup/neardup/internal/lockfile"
	"github.com/zeebo/xxh3"
)

// The errors about a folder wrap one of these.
var (
	// ErrLocked means that another process uses the folder.
	ErrLocked = errors.New("another run is using the folder")
	// ErrUnlike means that the folder belongs to a run with other facts.
	ErrUnlike = errors.New("the folder belongs to another run")
	// ErrDamaged means that files of the folder are damaged.
	ErrDamaged = errors.New("the files of the run are damaged (want an empty folder)")
	// ErrFinished means that the run has finished.
	ErrFinished = errors.New("the run has already finished")
)

// Fact is a setting or an input that results depend on.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

const (
	manifestName = "RUN"
	lockName     = "lock"
	suffix       = ".log"
	format       = "neardup run 2"
)

// manifest records the valid parts of the files of a folder.
type manifest struct {
	Format string            `json:"format"`
	Facts  []Fact            `json:"facts"`
	Logs   map[string]extent `json:"logs"`
	// Finished is the digest that the index has after the run, if the run adds to one.
	Finished string `json:"finished,omitempty"`
}

// extent is the valid length of a log, and the checksum of its last frame, which covers all frames before it.
type extent struct {
	Bytes int64  `json:"bytes"`
	Sum   uint64 `json:"sum"`
}

// Folder stores the progress of a run. Its methods are for one goroutine at a time.
type Folder struct {
	Every    time.Duration // a kill loses about this much work; Open sets a few seconds
	dir      string
	facts    []Fact
	unlock   func() error
	manifest manifest
	open     []*Journal
}

// Open opens the folder for a run with these facts; [Folder.Begin] may add to them. It creates the folder if
// needed, but not its parent.
func Open(dir string, facts ...Fact) (*Folder, error) {
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if n := e.Name(); n != manifestName && n != manifestName+".new" && n != lockName && filepath.Ext(n) != suffix {
			return nil, fmt.Errorf("%s: has the file %s (want an empty folder, or one of an earlier run)", dir, n)
		}
	}
	unlock, err := lockfile.Lock(filepath.Join(dir, lockName))
	if errors.Is(err, lockfile.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, facts: facts, unlock: unlock, Every: 5 * time.Second}
	if err := f.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// read reads the manifest, which is a line of JSON and its checksum. Without a manifest the folder counts as empty.
func (f *Folder) read() error {
	b, err := os.ReadFile(filepath.Join(f.dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	line, sum, _ := bytes.Cut(b, []byte("\n"))
	if string(sum) != checksum(line) {
		return f.damaged(manifestName, "wrong checksum")
	}
	if err := json.Unmarshal(line, &f.manifest); err != nil {
		return f.damaged(manifestName, err.Error())
	}
	if f.manifest.Format != format {
		return fmt.Errorf("%s: %w: files of format %q (want %q)", f.dir, ErrUnlike, f.manifest.Format, format)
	}
	return nil
}

func checksum(line []byte) string { return strconv.FormatUint(xxh3.Hash(line), 16) + "\n" }

func (f *Folder) damaged(file, what string) error {
	return fmt.Errorf("%w: %s: %s", ErrDamaged, filepath.Join(f.dir, file), what)
}

// write replaces the manifest.
func (f *Folder) write() error {
	line, err := json.Marshal(f.manifest)
	if err != nil {
		return err
	}
	path := filepath.Join(f.dir, manifestName)
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = file.Write(append(append(line, '\n'), checksum(line)...))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return durable.Rename(path+".new", path)
}

// Begin begins a run, or continues one with the same facts. The facts are those of Open and more. index is the current
// digest of the index that the run adds to, or "". ErrFinished means that the run has already changed the index.
func (f *Folder) Begin(index string, more ...Fact) error {
	facts := slices.Concat(f.facts, more)
	if f.manifest.Format == "" {
		f.manifest = manifest{Format: format, Facts: facts, Logs: map[string]extent{}}
		return f.write()
	}
	if was := f.manifest.Finished; was != "" && was == index {
		return fmt.Errorf("%s: %w", f.dir, ErrFinished)
	}
	values := map[string]string{}
	for _, one := range facts {
		values[one.Name] = one.Value
	}
	for _, was := range f.manifest.Facts {
		now, there := values[was.Name]
		delete(values, was.Name)
		switch {
		case !there:
			return fmt.Errorf("%s: %w: that run had %s %s", f.dir, ErrUnlike, was.Name, was.Value)
		case now != was.Value:
			return fmt.Errorf("%s: %w: %s was %s and is now %s", f.dir, ErrUnlike, was.Name, was.Value, now)
		}
	}
	for _, one := range facts {
		if _, left := values[one.Name]; left {
			return fmt.Errorf("%s: %w: that run did not have %s %s", f.dir, ErrUnlike, one.Name, one.Value)
		}
	}
	return nil
}

// Finishing records the digest that the index will have after the commit. After the commit only Remove is left to do.
func (f *Folder) Finishing(index string) error {
	f.manifest.Finished = index
	return f.write()
}

// Remove removes the progress of the run, and unlocks the folder.
func (f *Folder) Remove() error {
	errs := []error{f.closeLogs()}
	entries, err := os.ReadDir(f.dir)
	names := []string{manifestName} // the manifest first, because without it the other files are ignored
	for _, e := range entries {
		if e.Name() != manifestName && e.Name() != lockName {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, err, f.Close())...)
}

func (f *Folder) closeLogs() error {
	var errs []error
	for _, l := range f.open {
		errs = append(errs, l.file.Close())
	}
	f.open = nil
	return errors.Join(errs...)
}

// Close unlocks the folder and keeps the progress. A second call does nothing.
func (f *Folder) Close() error {
	err := f.closeLogs()
	if f.unlock != nil {
		err = errors.Join(err, f.unlock())
		f.unlock = nil
	}
	return err
}
