//go:build plant_ackbeforecommit

package plant

// Bug is the bug that was built in.
const Bug = AckBeforeCommit
