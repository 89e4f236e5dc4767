//go:build plant_nochecksum

package plant

// Bug is the bug that was built in.
const Bug = NoChecksum
