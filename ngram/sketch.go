package ngram

// Parts of a sketch: the length in the high bits, and 48 other bits.
const (
	lengthShift = 48
	longest     = 1<<16 - 1
	bitmap      = 1<<lengthShift - 1
)

// bitOf maps a hash to one of the 48 bits by its high half.
func bitOf(hash uint64) uint64 { return 1 << ((hash >> 32) * lengthShift >> 32) }

// The 48 bits hold counts of runes by class, modulo 8: 16 classes of 3 bits.
const (
	classBits = 3
	lowBits   = 0o1111111111111111 // the lowest bit of each class
	highBits  = lowBits << 2
	evenBits  = 0o0707070707070707
)

// letterClasses distributes the English letters and the blank evenly over the classes.
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

// differing returns a lower bound of the sum of the differences between the counts of a and b over all classes. Each count
// is known modulo 8, so the difference is at least the distance on a circle of 8.
func differing(a, b uint64) int {
	// Subtract within each class.
	d := ((a | highBits) - (b &^ highBits)) ^ ((a ^ ^b) & highBits)
	// Where v >= 4, take 8-v, which is the complement of 3 bits plus 1.
	back := d & highBits
	d = (d ^ (back<<1 - back>>2)) + back>>2
	// Add up the 16 numbers, which are at most 4, in pairs, fours and so on.
	d = d&evenBits + d>>classBits&evenBits
	d = d&0o0077007700770077 + d>>(2*classBits)&0o0077007700770077
	d *= 1 + 1<<12 + 1<<24 + 1<<36
	return int(d >> 36 & 0o7777)
}
