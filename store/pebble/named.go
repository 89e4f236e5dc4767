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

// watchLog watches a new file, if it is a write-ahead log: that must still be found by its
// name when what was written is durable. A folder that was moved, removed or restored over is
// written for nobody. It costs a look at the name for each sync, 2 us.
func watchLog(name string, f vfs.File) (vfs.File, error) {
	if filepath.Ext(name) != ".log" {
		return f, nil
	}
	was, err := os.Stat(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at a new log: %w", err), f.Close())
	}
	return syncs{f, func(sync func() error) error { return errors.Join(sync(), found(name, was)) }}, nil
}

// found returns nil where a file is still the one that has its name.
func found(name string, was fs.FileInfo) error {
	is, err := os.Stat(name)
	switch {
	case err == nil && os.SameFile(was, is):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", name, ErrReplaced)
	}
	return fmt.Errorf("look for the log: %w", err)
}
