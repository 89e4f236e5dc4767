package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/internal/durable"
)

// AtomicDir is a directory of files. It appears whole with Commit or CommitAll, or not at all. It is for one goroutine at a
// time.
type AtomicDir struct {
	claim
	root *os.Root // prevents writes outside of the directory
}

// CreateDir starts a directory, which has a temporary name until it is committed. If the directory exists, it must be
// empty.
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

// makeRoom makes the parent directories of a file.
func (d *AtomicDir) makeRoom(rel string) error {
	if !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: outside the directory %s", rel, d.path)
	}
	if dir := filepath.Dir(rel); dir != "." {
		return d.root.MkdirAll(dir, 0o777)
	}
	return nil
}

// Create starts a file in the directory. Its extension selects the compression. Commit the file before the directory.
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

// Commit makes the directory appear, with its contents on disk.
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
	os.Remove(d.path)     // removes an empty directory of that name
	err := d.root.Close() // some systems cannot rename an open directory
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
