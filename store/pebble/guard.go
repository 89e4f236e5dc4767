package pebble

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS is a file system whose failed folder syncs stop the engine like other fatal errors. Pebble would panic and end
// the process. After such a failure the names in the folder are unknown. So writes must stop, but reads can continue.
type guardFS struct {
	vfs.FS
	log *logger
}

// Unwrap returns the wrapped file system.
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

// Sync makes the names in a folder durable. If that fails, it ends the goroutine.
func (d guardDir) Sync() error {
	if err := d.File.Sync(); err != nil {
		d.log.Fatalf("sync folder: %v", err)
	}
	return nil
}
