package pebble

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ErrReplaced means that the folder or its log was moved, removed or overwritten while the store was open. The store gives
// no more answers, because they would be written to files without a name.
var ErrReplaced = errors.New("the file or its folder was replaced or removed while the store was open")

// watchLog watches a new file if it is a write-ahead log. After each sync it verifies that the log still has its name.
// Otherwise the folder was moved, removed or overwritten, and the writes would be lost. The check takes 2 us per sync.
func watchLog(name string, f vfs.File) (vfs.File, error) {
	if filepath.Ext(name) != ".log" {
		return f, nil
	}
	was, err := os.Stat(name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("stat a new write-ahead log: %w", err), f.Close())
	}
	return syncs{f, func(sync func() error) error { return errors.Join(sync(), found(name, was)) }}, nil
}

// found returns nil if a name still refers to the same file.
func found(name string, was fs.FileInfo) error {
	is, err := os.Stat(name)
	switch {
	case err == nil && os.SameFile(was, is):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", name, ErrReplaced)
	}
	return fmt.Errorf("stat the write-ahead log: %w", err)
}
