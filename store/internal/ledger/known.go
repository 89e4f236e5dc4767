package ledger

import "hash/maphash"

// knownRows remembers which rows may be there, so that what is new, as most nids
// and idempotency keys are, costs no look at the disk. A row that was written
// is always known; of those that were not, one in 2^38/n is taken for one that
// was. Rows that were deleted stay known until the store is opened again. Only
// the writer uses it. 5 to 8 bytes a row.
type knownRows struct {
	seed   maphash.Seed // secret, so that nobody can choose rows that collide
	shards [1 << shardBits]prints
}

// prints is an open-addressing hash table of 32-bit fingerprints, 0 for an
// empty slot. There are many small ones so that none takes long to grow.
type prints struct {
	slots []uint32
	used  int
}

func newKnownRows() *knownRows { return &knownRows{seed: maphash.MakeSeed()} }

func (k *knownRows) add(key []byte) {
	p, print := k.find(key)
	p.add(print)
}

func (k *knownRows) has(key []byte) bool {
	p, print := k.find(key)
	return len(p.slots) > 0 && p.slots[p.slot(print)] != 0
}

func (k *knownRows) find(key []byte) (*prints, uint32) {
	h := maphash.Bytes(k.seed, key)
	return &k.shards[h>>(64-shardBits)], max(uint32(h), 1)
}

func (p *prints) add(print uint32) {
	if 5*(p.used+1) > 4*len(p.slots) {
		old := p.slots
		p.slots = make([]uint32, max(minSlots, len(old)+len(old)/2))
		for _, o := range old {
			if o != 0 {
				p.slots[p.slot(o)] = o
			}
		}
	}
	if i := p.slot(print); p.slots[i] == 0 {
		p.slots[i] = print
		p.used++
	}
}

// slot finds the place of a fingerprint: where it is or where it would go.
func (p *prints) slot(print uint32) int {
	i := int(uint64(print) * uint64(len(p.slots)) >> 32)
	for p.slots[i] != 0 && p.slots[i] != print {
		if i++; i == len(p.slots) {
			i = 0
		}
	}
	return i
}

func (k *knownRows) bytes() int {
	n := 0
	for i := range k.shards {
		n += 4 * len(k.shards[i].slots)
	}
	return n
}
