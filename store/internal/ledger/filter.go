package ledger

import "sync"

// filter is a Bloom filter of 12 bits a key, in blocks of one cache line. Its false-positive rate is 1 in 200.
type filter []uint64

func newFilter(n int) filter { return make(filter, 8*((12*n+511)/512+1)) }

// block returns the block of a key and seven times nine bits, which select bits in it.
func (f filter) block(key uint64) (*[8]uint64, uint64) {
	h := key * 0xff51afd7ed558ccd
	h ^= h >> 33
	at := 8 * int((h>>32)*uint64(len(f)/8)>>32)
	return (*[8]uint64)(f[at:]), (h ^ key) * 0xc4ceb9fe1a85ec53
}

func (f filter) add(key uint64) {
	block, h := f.block(key)
	for range 7 {
		block[h>>61] |= 1 << (h >> 55 & 63)
		h <<= 9
	}
}

func (f filter) has(key uint64) bool {
	block, h := f.block(key)
	for range 7 {
		if block[h>>61]&(1<<(h>>55&63)) == 0 {
			return false
		}
		h <<= 9
	}
	return true
}

// bloom is a Bloom filter that grows (18 bits a key on average). Most submissions carry a new nid and new keys, and
// need no row look-up. Any number of goroutines add and query.
type bloom struct {
	mu      sync.RWMutex
	filters []filter // each as large as all earlier ones together
	room    int      // keys that the last filter still takes
	all     int
}

// add adds keys. It must be called before their rows are readable.
func (k *bloom) add(keys ...uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range keys {
		if k.room == 0 {
			k.room = max(k.all, 1024)
			k.filters = append(k.filters, newFilter(k.room))
		}
		k.room--
		k.all++
		k.filters[len(k.filters)-1].add(key)
	}
}

// has reports whether a key may have been added.
func (k *bloom) has(key uint64) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for i := range k.filters {
		if k.filters[len(k.filters)-1-i].has(key) {
			return true
		}
	}
	return false
}

// len returns how many keys were added.
func (k *bloom) len() int {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.all
}

func (k *bloom) bytes() (n int) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, f := range k.filters {
		n += 8 * len(f)
	}
	return n
}
