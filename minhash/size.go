package minhash

import "math/bits"

// The sketch of a record bounds the number of distinct shingles: it is at most the upper 32 bits, and at least the lower 32
// bits. The exact number would need a sort of every text.

// bounds returns an upper and a lower bound of the number of distinct hashes. The upper one is the number of hashes. The
// lower one is the number of bits that they set in a map with about 16 bits per hash.
func bounds(hashes []uint64, bitmap []uint64) uint64 {
	width := bitmapWidth(len(hashes))
	bitmap = bitmap[:1<<(width-6)]
	clear(bitmap)
	shift := 64 - width
	least := uint64(0)
	for _, h := range hashes {
		bit := h >> shift
		word := bitmap[bit>>6]
		least += ^(word >> (bit & 63)) & 1
		bitmap[bit>>6] = word | 1<<(bit&63)
	}
	most := min(uint64(len(hashes)), 1<<32-1)
	return most<<32 | least
}

// The map fits the first-level cache, with at most 32 KiB.
const (
	minBitmap = 8
	maxBitmap = 18
)

func bitmapWidth(n int) int {
	return min(max(bits.Len(uint(n))+4, minBitmap), maxBitmap)
}

// sizesAllow reports whether two sets with these bounds can reach Jaccard similarity t. The intersection is at most the
// smaller set, and the union at least the larger. Rounding is monotonic, so no near pair is lost.
func sizesAllow(a, b uint64, t float64) bool {
	return float64(a>>32)/float64(uint32(b)) >= t && float64(b>>32)/float64(uint32(a)) >= t
}
