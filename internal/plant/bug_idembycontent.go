//go:build plant_idembycontent

package plant

// Bug is the bug that was built in.
const Bug = IdemByContent
