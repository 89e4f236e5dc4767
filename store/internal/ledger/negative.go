package ledger

import "sync/atomic"

// recentSlots is the number of slots of an index: 64 KiB, enough for thousands of changes.
const recentSlots = 1 << 13

// negativeCache finds keys that no change has posted since another, without reading the levels. For each group of keys
// with the same low bits it records the last change that posted one. A judgement is checked against few later
// changes, so this decides nearly all its keys. One goroutine writes, any number read.
type negativeCache struct {
	from  uint64 // only later changes are recorded
	slots atomic.Pointer[[recentSlots]atomic.Uint64]
}

// post records that seq, the last change, posts keys.
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

// none reports whether certainly no change after since has posted a key.
func (r *negativeCache) none(key, since uint64) bool {
	slots := r.slots.Load()
	return since >= r.from && (slots == nil || slots[key%recentSlots].Load() <= since)
}
