package corpus

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/internal/durable"
	"github.com/neardup/neardup/internal/lockfile"
)

const (
	tempMark   = ".tmp-"
	tempRandom = 10 // number of random characters after the mark
	tempLock   = ".lock"
)

// tempName returns a hidden name next to path. A reader of the directory skips hidden names.
func tempName(path string) string {
	dir, base := filepath.Split(filepath.Clean(path))
	return filepath.Join(dir, "."+base+tempMark+strings.ToLower(rand.Text()[:tempRandom]))
}

// claim is the temporary name of a file or directory that will be renamed to its path.
type claim struct {
	path   string
	temp   string // "" if the path is written directly
	unlock func() error
	done   bool
}

// claimTemp returns a temporary name that belongs to this process until unlock. The lock ends with the process. It also
// removes files that killed processes left for the same path. On a file system without locks, the name is not locked and
// nothing is removed.
func claimTemp(path string) claim {
	removeStale(path)
	for {
		temp := tempName(path)
		unlock, err := lockfile.Lock(temp + tempLock)
		switch {
		case err == nil:
			return claim{path, temp, unlock, false}
		case !errors.Is(err, lockfile.ErrLocked): // otherwise another process has locked it, so draw another name
			return claim{path, temp, func() error { return nil }, false}
		}
	}
}

// publish renames the temporary file to its path.
func (c *claim) publish() error {
	if c.temp != "" {
		err := durable.Rename(c.temp, c.path)
		if e, ok := errors.AsType[*os.LinkError](err); ok {
			return fmt.Errorf("rename to %s: %w", c.path, e.Err)
		}
		if err != nil {
			return err
		}
		_ = c.unlock() // the output is published, even if unlocking fails
	}
	c.done = true
	return nil
}

// remove removes the temporary file or directory.
func (c *claim) remove() {
	c.done = true
	if c.temp != "" {
		os.RemoveAll(c.temp)
		_ = c.unlock()
	}
}

// removeStale removes the user's temporary files and directories of path whose process has ended. It ignores those that it
// cannot remove.
func removeStale(path string) {
	dir, base := filepath.Split(filepath.Clean(path))
	entries, _ := os.ReadDir(filepath.Join(dir, "."))
	for _, e := range entries {
		random, ours := strings.CutPrefix(e.Name(), "."+base+tempMark)
		random, isLock := strings.CutSuffix(random, tempLock)
		info, err := e.Info()
		if !ours || !isLock || len(random) != tempRandom || err != nil || !lockfile.Ours(info) {
			continue
		}
		lock := filepath.Join(dir, e.Name())
		if unlock, err := lockfile.Lock(lock); err == nil {
			_ = errors.Join(os.RemoveAll(strings.TrimSuffix(lock, tempLock)), unlock())
		}
	}
}
