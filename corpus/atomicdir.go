package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/internal/durable"
)

// AtomicDir is a directory of files that appears under its name whole, with Commit
// or CommitAll, or not at all. One goroutine at a time.
type AtomicDir struct {
	claim
	root *os.Root // nothing is written outside of it
}

// CreateDir starts a directory, under another name until it is committed. One that
// exists must be empty.
func CreateDir(path string) (*AtomicDir, error) {
	entries, err := os.ReadDir(path)
	switch {
	case path == Stdin:
		return nil, errors.New("standard output cannot hold files (want --out DIR/ or FILE.jsonl, or --decisions -)")
	case err == nil && len(entries) > 0:
		return nil, fmt.Errorf("%s: not empty (want a new or empty directory)", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	d := &AtomicDir{claim: claimTemp(path)}
	if err := os.Mkdir(d.temp, 0o777); err != nil {
		return nil, errors.Join(cannotCreate(path, err), d.unlock())
	}
	d.root, err = os.OpenRoot(d.temp)
	if err != nil {
		os.Remove(d.temp)
		return nil, errors.Join(err, d.unlock())
	}
	return d, nil
}

// makeRoom makes the directories above a file.
func (d *AtomicDir) makeRoom(rel string) error {
	if !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: outside of the directory %s", rel, d.path)
	}
	if dir := filepath.Dir(rel); dir != "." {
		return d.root.MkdirAll(dir, 0o777)
	}
	return nil
}

// Create starts a file in the directory, compressed by its extension. Commit it before the directory.
func (d *AtomicDir) Create(rel string) (*AtomicFile, error) {
	if err := d.makeRoom(rel); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return (&AtomicFile{claim: claim{path: filepath.Join(d.path, rel)}, file: f}).begin()
}

// Commit makes the directory appear, whole and on disk.
func (d *AtomicDir) Commit() error { return CommitAll(d) }

// prepare makes the entries of every directory durable.
func (d *AtomicDir) prepare() error {
	if d.done {
		return errEnded
	}
	return filepath.WalkDir(d.temp, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return durable.SyncDir(path)
	})
}

func (d *AtomicDir) publish() error {
	os.Remove(d.path)     // an empty directory makes room
	err := d.root.Close() // some systems do not rename a directory that is open
	return errors.Join(err, d.claim.publish())
}

// Abort implements Output.
func (d *AtomicDir) Abort() {
	if d.done {
		return
	}
	d.root.Close()
	d.remove()
}
