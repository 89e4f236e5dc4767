//go:build !plant_nofsync && !plant_ackbeforecommit && !plant_checktheninsert && !plant_lockperband && !plant_seqreuse && !plant_nochecksum && !plant_idembycontent && !plant_unkeyedseed && !plant_noepoch

package plant

// Bug is the bug that was built in; none.
const Bug = ""
