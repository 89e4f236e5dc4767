package image

import (
	"encoding/hex"
	"fmt"
	"math/bits"
)

// Bits is the length of a Hash.
const Bits = 256

// Hash is a PDQ hash. The bit of row r and column c of the frequencies is i = 16*r + c. It is bit i%64 of word i/64.
type Hash [4]uint64

// ParseHash reads the 64 hexadecimal digits that String prints.
func ParseHash(s string) (Hash, error) {
	var h Hash
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != Bits/8 {
		return h, fmt.Errorf("hash %.80q: invalid (want 64 hexadecimal digits)", s)
	}
	for i, c := range b {
		at := Bits/8 - 1 - i
		h[at/8] |= uint64(c) << (at % 8 * 8)
	}
	return h, nil
}

// String returns the hash in the usual exchange format: 64 hexadecimal digits, the highest bit first.
func (h Hash) String() string {
	return fmt.Sprintf("%016x%016x%016x%016x", h[3], h[2], h[1], h[0])
}

// Distance returns the number of bits in which two hashes differ.
func (h Hash) Distance(o Hash) int {
	return bits.OnesCount64(h[0]^o[0]) + bits.OnesCount64(h[1]^o[1]) + bits.OnesCount64(h[2]^o[2]) + bits.OnesCount64(h[3]^o[3])
}
