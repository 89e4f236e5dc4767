package minhash

import "math/bits"

// The 64 bits of a record's sketch bound the number of distinct shingles: at
// most the upper 32 bits, at least the lower 32. Counting them exactly would
// take a sort of every text.

// bounds returns two bounds of the number of distinct hashes. The upper one is the number of hashes. The lower
// one is the number of bits they set in a map of about 16 bits a hash.
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

// The map stays in the first cache: 32 KiB at most.
const (
	minBitmap = 8
	maxBitmap = 18
)

func bitmapWidth(n int) int {
	return min(max(bits.Len(uint(n))+4, minBitmap), maxBitmap)
}

// sizesAllow reports whether two sets with these bounds can reach Jaccard
// similarity t. The intersection is no larger than either set and the union no
// smaller; division rounds all quotients alike, so none that is near is lost.
func sizesAllow(a, b uint64, t float64) bool {
	return float64(a>>32)/float64(uint32(b)) >= t && float64(b>>32)/float64(uint32(a)) >= t
}
