package minhash

import "math/bits"

// Outline marks the shingles of a text in a bitmap of 4 to 16 bits a shingle. It takes a sixteenth of the view, and rules out
// most pairs. The first word bounds the number of distinct shingles as a sketch does. The others, a power of two, are the bitmap.
type Outline []uint64

// newOutline makes the outline of a text from the hashes of its shingles, in any order and with repeats.
func newOutline(hashes []uint64) Outline {
	words := max(4, 1<<bits.Len(uint(len(hashes)/16)))
	o := make(Outline, 1+words)
	for _, h := range hashes {
		o[1+h>>6&uint64(words-1)] |= 1 << (h & 63)
	}
	for _, w := range o[1:] {
		o[0] += uint64(bits.OnesCount64(w))
	}
	o[0] |= min(uint64(len(hashes)), 1<<32-1) << 32
	return o
}

// Unlike reports whether two outlines show that the Jaccard similarity of the sets is below the threshold. A bit that differs
// stands for a shingle that only one of the texts has.
func (m *Method) Unlike(a, b Outline) bool {
	if !sizesAllow(a[0], b[0], m.cfg.Threshold) {
		return a[0]|b[0] != 0
	}
	most := int(float64(a[0]>>32+b[0]>>32)*(1-m.cfg.Threshold)/(1+m.cfg.Threshold)) + 1 // of a near pair; 1 for rounding
	apart, x, y := 0, a[1:], b[1:]
	if len(x) > len(y) {
		x, y = y, x
	}
	for i := 0; i < len(x); i += 4 {
		own, other := x[i:i+4:i+4], y[i:i+4:i+4]
		w0, w1, w2, w3 := other[0], other[1], other[2], other[3]
		for at := i + len(x); at < len(y); at += len(x) {
			other = y[at : at+4 : at+4]
			w0, w1, w2, w3 = w0|other[0], w1|other[1], w2|other[2], w3|other[3]
		}
		apart += bits.OnesCount64(own[0]^w0) + bits.OnesCount64(own[1]^w1) + bits.OnesCount64(own[2]^w2) + bits.OnesCount64(own[3]^w3)
		if apart > most {
			return true
		}
	}
	return false
}
