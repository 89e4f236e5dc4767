//go:build plant_unkeyedseed

package plant

// Bug is the bug that was built in.
const Bug = UnkeyedSeed
