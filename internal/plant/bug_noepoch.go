//go:build plant_noepoch

package plant

// Bug is the bug that was built in.
const Bug = NoEpoch
