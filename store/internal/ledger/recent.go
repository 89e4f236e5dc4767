package ledger

import "sync/atomic"

// recentSlots is how many last changes are remembered of an index: 64 KiB, enough for thousands of changes.
const recentSlots = 1 << 13

// recent says which keys no change has posted since another, without a look at the levels: of each group of keys, those
// with the same last bits, it knows the last change that posted one. A judgement is held to the few changes
// after it, so of nearly all its keys that is enough. One goroutine writes, any number read.
type recent struct {
	from  uint64 // only later changes are known
	slots atomic.Pointer[[recentSlots]atomic.Uint64]
}

// post notes that a change, the last of all, posts keys.
func (r *recent) post(seq uint64, keys []uint64) {
	slots := r.slots.Load()
	if slots == nil {
		slots = new([recentSlots]atomic.Uint64)
		r.slots.Store(slots)
	}
	for _, k := range keys {
		slots[k%recentSlots].Store(seq)
	}
}

// none reports that certainly no change after one has posted a key.
func (r *recent) none(key, since uint64) bool {
	slots := r.slots.Load()
	return since >= r.from && (slots == nil || slots[key%recentSlots].Load() <= since)
}
