package ledger

import (
	"sync"

	"github.com/zeebo/xxh3"
)

// known says which nids certainly no article has, some 18 bits each: nearly all that are submitted. One goroutine adds, any
// number asks.
type known struct {
	mu      sync.RWMutex
	filters []filter // each for as many as all before it
	room    int      // in the last
	all     int
}

// add notes that an article has a nid, before anybody can read its row.
func (k *known) add(nid string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.room == 0 {
		k.room = max(k.all, 1024)
		k.filters = append(k.filters, newFilter(k.room))
	}
	k.room--
	k.all++
	k.filters[len(k.filters)-1].add(xxh3.HashString(nid))
}

// has reports whether an article may have a nid.
func (k *known) has(nid string) bool {
	h := xxh3.HashString(nid)
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, f := range k.filters {
		if f.has(h) {
			return true
		}
	}
	return false
}

func (k *known) bytes() (n int) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, f := range k.filters {
		n += 8 * len(f)
	}
	return n
}
