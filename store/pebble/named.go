package pebble

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ErrReplaced says that the folder, or its log, was moved, removed or restored
// over while the store was open: answers would be written where nobody looks for
// them, so none is given any more.
var ErrReplaced = errors.New("is not the file any more that answers are written to: it, or its folder, was replaced or removed while the store was open")

// named is a write-ahead log that must still be found by its name when what was
// written is durable: a folder that was moved, removed or restored over is
// written for nobody. It costs a look at the name for each sync, 2 us.
type named struct {
	vfs.File
	name string
	was  fs.FileInfo
}

// watchLog watches a new file, if it is a log.
func watchLog(name string, f vfs.File) (vfs.File, error) {
	if filepath.Ext(name) != ".log" {
		return f, nil
	}
	was, err := os.Stat(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at a new log: %w", err), f.Close())
	}
	return named{f, name, was}, nil
}

func (n named) there() error {
	is, err := os.Stat(n.name)
	switch {
	case err == nil && os.SameFile(n.was, is):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", n.name, ErrReplaced)
	}
	return fmt.Errorf("look for the log: %w", err)
}

// Sync makes what was written durable under the name of the file.
func (n named) Sync() error { return errors.Join(n.File.Sync(), n.there()) }

// SyncData is Sync without the metadata.
func (n named) SyncData() error { return errors.Join(n.File.SyncData(), n.there()) }

// SyncTo is Sync up to an offset.
func (n named) SyncTo(length int64) (bool, error) {
	full, err := n.File.SyncTo(length)
	return full, errors.Join(err, n.there())
}
