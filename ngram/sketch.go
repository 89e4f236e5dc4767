package ngram

// Parts of a sketch: a length in the high bits, 48 bits below.
const (
	lengthShift = 48
	longest     = 1<<16 - 1
	bitmap      = 1<<lengthShift - 1
)

// bitOf maps a hash, by its high half, to one of the 48 bits.
func bitOf(hash uint64) uint64 { return 1 << ((hash >> 32) * lengthShift >> 32) }

// Counts of runes by class, modulo 8, in the 48 bits: 16 classes of 3 bits.
const (
	classBits = 3
	lowBits   = 0o1111111111111111 // the lowest bit of each class
	highBits  = lowBits << 2
	evenBits  = 0o0707070707070707
)

// letterClasses shares the letters of English and the blank out evenly.
const letterClasses = "" +
	//abcdefghijklmnopqrstuvwxyz
	"1fcb2de34faad56ef789cbeffb"

func classOf(r rune) uint {
	switch {
	case r == ' ':
		return 0
	case r|0x20 >= 'a' && r|0x20 <= 'z':
		c := letterClasses[r|0x20-'a']
		if c >= 'a' {
			return uint(c-'a') + 10
		}
		return uint(c - '0')
	}
	return uint(uint32(r) * 0x9e3779b1 >> 28)
}

func sketchRunes(runes []rune) uint64 {
	var counts [16]uint64
	for _, r := range runes {
		counts[classOf(r)]++
	}
	sketch := uint64(min(len(runes), longest)) << lengthShift
	for class, n := range counts {
		sketch |= n & 7 << (class * classBits)
	}
	return sketch
}

// differing returns a lower bound of the sum over all classes of the difference between the counts of a and b.
// Each count is known modulo 8, so the difference is at least the distance on a circle of 8.
func differing(a, b uint64) int {
	// Subtraction in each class by itself.
	d := ((a | highBits) - (b &^ highBits)) ^ ((a ^ ^b) & highBits)
	// 8-v where v >= 4: the complement of 3 bits, and 1.
	back := d & highBits
	d = (d ^ (back<<1 - back>>2)) + back>>2
	// Sum the 16 numbers of at most 4 in pairs, fours and all.
	d = d&evenBits + d>>classBits&evenBits
	d = d&0o0077007700770077 + d>>(2*classBits)&0o0077007700770077
	d *= 1 + 1<<12 + 1<<24 + 1<<36
	return int(d >> 36 & 0o7777)
}
