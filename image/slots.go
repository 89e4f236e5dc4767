package image

import "math/bits"

// MaxDistance is the largest distance of a search, and the usual one for PDQ.
const MaxDistance = 31

// Hashes are cut into 16 slots of 16 bits for the search. If at most 31 bits differ, at most one of them differs in some
// slot. So two hashes within the distance are found by a slot and all its neighbours.
const (
	slots    = 16
	slotBits = Bits / slots
	slotKeys = 1 << slotBits
)

func (h Hash) slot(i int) uint16 { return uint16(h[i/4] >> (i % 4 * slotBits)) }

// radius returns how many bits may differ in slot i if two hashes are found by it, or -1 if the slot is not used. The
// radii, each plus 1, add up to distance + 1. So a pair that no slot finds differs in more bits than the distance.
func radius(i, distance int) int { return (distance+slots-i)/slots - 1 }

// flips returns the values whose combination with the key of a slot gives all keys within its radius.
func flips(i, distance int) []uint16 {
	return allFlips[:[]int{0, 1, 1 + slotBits}[radius(i, distance)+1]]
}

var allFlips = func() [1 + slotBits]uint16 {
	all := [1 + slotBits]uint16{}
	for i := range slotBits {
		all[i+1] = 1 << i
	}
	return all
}()

// firstMeet reports whether two hashes are within the distance, and slot is the first slot that finds the pair.
func firstMeet(a, b *Hash, slot, distance int) bool {
	d := bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1])
	if d > distance { // the most frequent case
		return false
	}
	if d+bits.OnesCount64(a[2]^b[2])+bits.OnesCount64(a[3]^b[3]) > distance {
		return false
	}
	for i := range slot {
		if bits.OnesCount16(a.slot(i)^b.slot(i)) <= radius(i, distance) {
			return false
		}
	}
	return true
}
