//go:build plant_nofsync

package plant

// Bug is the bug that was built in.
const Bug = NoFsync
