//go:build plant_lockperband

package plant

// Bug is the bug that was built in.
const Bug = LockPerBand
