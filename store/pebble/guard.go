package pebble

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS is a file system under which a failed sync of a folder stops the
// engine like any other fatal error. Pebble would panic, and end the process
// with it; nobody knows afterwards which file names the folder holds, so
// writing must stop, but reading need not.
type guardFS struct {
	vfs.FS
	log *logger
}

// Unwrap returns the file system below.
func (g guardFS) Unwrap() vfs.FS { return g.FS }

// OpenDir opens a folder.
func (g guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return guardDir{f, g.log}, nil
}

type guardDir struct {
	vfs.File
	log *logger
}

// Sync makes the names in a folder durable, or does not return.
func (d guardDir) Sync() error {
	if err := d.File.Sync(); err != nil {
		d.log.Fatalf("sync folder: %v", err)
	}
	return nil
}
