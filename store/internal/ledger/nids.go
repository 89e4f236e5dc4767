package ledger

import (
	"sync"

	"github.com/zeebo/xxh3"
)

// nidFilter is a Bloom filter of nids, with 18 bits each. Most submissions have a new nid, so they need no row lookup. One
// goroutine adds, and any number of goroutines query.
type nidFilter struct {
	mu      sync.RWMutex
	filters []filter // each filter is as large as all earlier ones together
	room    int      // number of nids that still fit the last filter
	all     int
}

// add adds the nid of an article. It must be called before the article's row is readable.
func (k *nidFilter) add(nid string) {
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
func (k *nidFilter) has(nid string) bool {
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

func (k *nidFilter) bytes() (n int) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, f := range k.filters {
		n += 8 * len(f)
	}
	return n
}
