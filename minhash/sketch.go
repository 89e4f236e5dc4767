package minhash

import (
	"math/bits"

	"github.com/neardup/neardup/feature"
)

// empty is the value of a slot before the first shingle.
const empty = 1<<64 - 1

// sketch fills slots from the hashes of shingles by Fast Similarity Sketching (Dahlgaard, Knudsen, Thorup 2017, arXiv
// 1704.04370, section 3). Each slot of two sets is equal with probability J, for sets of any size.
//
// In a round each hash goes to one slot with one value, and the slot keeps the smallest. The first round uses the hash
// itself, split by a multiplication. A text with many shingles needs only this round. While a slot is empty, another round
// follows with new hashes, and filled slots stay unchanged. After a fixed number of rounds, all hashes go to each empty
// slot in turn. (The paper has as many rounds as slots. A sixth of them is also correct, and cheapest for texts of 5 to 20
// shingles.)
//
// Repeated hashes change nothing. O(len(hashes) + slots log slots).
func sketch(slots, hashes []uint64) {
	for i := range slots {
		slots[i] = empty
	}
	if len(hashes) == 0 {
		return
	}
	t := uint64(len(slots))
	for _, h := range hashes {
		i, value := bits.Mul64(h, t)
		slots[i] = min(slots[i], value>>roundBits)
	}
	first := firstEmpty(slots, 0) // filled slots stay unchanged
	for round := uint64(1); round <= t/6 && first < len(slots); round++ {
		scatter(slots, hashes, round)
		first = firstEmpty(slots, first)
	}
	for ; first < len(slots); first = firstEmpty(slots, first) {
		slots[first] = least(hashes, t+uint64(first))
	}
}

// The value of a slot has the round above 48 bits of the hash, so the value of an earlier round is always smaller.
const roundBits = 16

// scatter runs another round.
func scatter(slots, hashes []uint64, round uint64) {
	t, m := uint64(len(slots)), multiplier(round)
	for _, h := range hashes {
		i, value := bits.Mul64(h*m, t)
		slots[i] = min(slots[i], round<<(64-roundBits)|value>>roundBits)
	}
}

// least returns the value of a slot to which all hashes go.
func least(hashes []uint64, round uint64) uint64 {
	v, m := uint64(empty), multiplier(round)
	for _, h := range hashes {
		v = min(v, h*m)
	}
	return round<<(64-roundBits) | v>>roundBits
}

// firstEmpty returns the first empty slot at or after from.
func firstEmpty(slots []uint64, from int) int {
	for from < len(slots) && slots[from] != empty {
		from++
	}
	return from
}

// multiplier gives every round its own hashes. These are the first ones times an odd number, because the first ones are
// good in all bits.
func multiplier(round uint64) uint64 { return feature.Mix(round) | 1 }

// appendKeys appends a key for every band, which is a hash of the band's slots and number.
func appendKeys(keys, slots []uint64, rows int) []uint64 {
	for band := uint64(1); len(slots) >= rows; band++ {
		key := feature.Mix(band)
		for _, slot := range slots[:rows] {
			key = feature.Mix(key ^ slot)
		}
		keys = append(keys, key)
		slots = slots[rows:]
	}
	return keys
}
