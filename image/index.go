package image

import "sync"

// Index finds the hashes near one, exactly, while others are added: 200 bytes a
// hash. The zero value is empty. Safe for concurrent use.
type Index struct {
	mu     sync.RWMutex
	hashes []Hash
	tables [slots][][]uint32 // by key, the places of hashes
}

// Found is a hash of an Index near another.
type Found struct{ Place, Distance int }

// Add adds a hash and returns its place: how many were added before.
func (x *Index) Add(h Hash) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	place := len(x.hashes)
	x.hashes = append(x.hashes, h)
	for i := range x.tables {
		if x.tables[i] == nil {
			x.tables[i] = make([][]uint32, slotKeys)
		}
		bucket := &x.tables[i][h.slot(i)]
		*bucket = append(*bucket, uint32(place))
	}
	return place
}

// Near returns the hashes within a distance of at most MaxDistance, in no
// particular order.
func (x *Index) Near(h Hash, distance int) ([]Found, error) {
	if err := checkDistance(distance); err != nil {
		return nil, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	var found []Found
	for i, table := range x.tables {
		if table == nil || radius(i, distance) < 0 {
			break
		}
		for _, flip := range flips(i, distance) {
			for _, place := range table[h.slot(i)^flip] {
				if other := &x.hashes[place]; meet(&h, other, i, distance) {
					found = append(found, Found{int(place), h.Distance(*other)})
				}
			}
		}
	}
	return found, nil
}
