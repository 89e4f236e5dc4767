// Package lockfile keeps two processes from doing the same at once.
package lockfile

import "errors"

// ErrLocked says that another process has a lock.
var ErrLocked = errors.New("locked")
