// Package plant names bugs that can be built into the docId service to show
// that its tests catch them: each by its build tag, plant_ and the name. A
// release has none of the tags, Bug is then the empty constant, and the
// compiler drops every planted branch.
package plant

// The bugs, as scripts/plant.sh builds them.
const (
	NoFsync         = "nofsync"         // answers before the disk has it
	AckBeforeCommit = "ackbeforecommit" // answers before the batch is written
	CheckThenInsert = "checktheninsert" // commits without the guard
	LockPerBand     = "lockperband"     // guards one key of a probe only
	SeqReuse        = "seqreuse"        // counts on from the last leader after a restart
	NoChecksum      = "nochecksum"      // believes every value
	IdemByContent   = "idembycontent"   // takes equal content for the same request
	UnkeyedSeed     = "unkeyedseed"     // every index has the same seed
	NoEpoch         = "noepoch"         // serves a copy as if it were the original
)
