package ledger

import "sync/atomic"

// recentSlots is the number of slots of a negativeCache. They take 64 KiB, which is enough for thousands of changes.
const recentSlots = 1 << 13

// negativeCache detects, without reading the levels, that no change after a given one has posted a key. For each group of
// keys with the same low bits, it records the last change that posted one of them. A judgement is checked against few later
// changes, so this answers nearly all its keys. One goroutine writes, and any number of goroutines read.
type negativeCache struct {
	from  uint64 // only changes after it are recorded
	slots atomic.Pointer[[recentSlots]atomic.Uint64]
}

// post records that change seq posts keys. seq must be the last change.
func (r *negativeCache) post(seq uint64, keys []uint64) {
	slots := r.slots.Load()
	if slots == nil {
		slots = new([recentSlots]atomic.Uint64)
		r.slots.Store(slots)
	}
	for _, k := range keys {
		slots[k%recentSlots].Store(seq)
	}
}

// none returns true only if no change after since has posted a key.
func (r *negativeCache) none(key, since uint64) bool {
	slots := r.slots.Load()
	return since >= r.from && (slots == nil || slots[key%recentSlots].Load() <= since)
}
