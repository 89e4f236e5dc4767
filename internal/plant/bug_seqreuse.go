//go:build plant_seqreuse

package plant

// Bug is the bug that was built in.
const Bug = SeqReuse
