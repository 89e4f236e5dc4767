package ledger

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// knownRows remembers which rows may be there, so that what is new, as most nids
// and idempotency keys are, costs no look at the disk. A row that was written
// is always known; of those that were not, one in 2^38/n is taken for one that
// was. Rows that were deleted stay known until the store is opened again. Only
// the writer uses it. 5 to 8 bytes a row.
type knownRows struct {
	seed   uint64 // secret, so that nobody can choose rows that collide; lasts as long as an image
	shards [1 << shardBits]prints
}

// prints is an open-addressing hash table of 32-bit fingerprints, 0 for an
// empty slot. There are many small ones so that none takes long to grow.
type prints struct {
	slots []uint32
	used  int
}

func newKnownRows(seed uint64) *knownRows { return &knownRows{seed: seed} }

// drawSeed draws the seed of fingerprints.
func drawSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])
}

func (k *knownRows) add(key []byte) {
	p, print := k.find(key)
	p.add(print)
}

func (k *knownRows) has(key []byte) bool {
	p, print := k.find(key)
	return len(p.slots) > 0 && p.slots[p.slot(print)] != 0
}

func (k *knownRows) find(key []byte) (*prints, uint32) {
	h := xxh3.HashSeed(key, k.seed)
	return &k.shards[h>>(64-shardBits)], max(uint32(h), 1)
}

func (p *prints) add(print uint32) {
	if 5*(p.used+1) > 4*len(p.slots) {
		p.grow(max(minSlots, len(p.slots)+len(p.slots)/2))
	}
	if i := p.slot(print); p.slots[i] == 0 {
		p.slots[i] = print
		p.used++
	}
}

// grow makes room for so many slots.
func (p *prints) grow(n int) {
	old := p.slots
	p.slots = make([]uint32, n)
	for _, o := range old {
		if o != 0 {
			p.slots[p.slot(o)] = o
		}
	}
}

// reserve makes room for n fingerprints more, and some to come.
func (p *prints) reserve(n int) {
	if n = (p.used + n + 1) * 3 / 2; n > len(p.slots) {
		p.grow(max(minSlots, n))
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
