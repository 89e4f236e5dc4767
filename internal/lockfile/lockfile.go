// Package lockfile prevents two processes from doing the same work at once.
package lockfile

import "errors"

// ErrLocked reports that another process holds a lock.
var ErrLocked = errors.New("locked")
