package storetest

import (
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/image"
)

// In the model, pictures of one motif are the same. photo draws pictures in this way: those of one motif differ in few
// bits, those of two motifs in many.
const (
	motifs  = 8
	spoiled = 15 // at most this number of bits differ within a motif
)

// motifOf returns the motif of a picture.
func motifOf(h image.Hash) int {
	for n := range motifs {
		if photo(n).Hash.Distance(h) <= spoiled {
			return n
		}
	}
	return -1
}

// counted returns the pictures that are not flat, without repetitions.
func counted(ps []docid.Picture) (hashes []image.Hash) {
	seen := map[image.Hash]bool{}
	for _, p := range ps {
		if p.Quality >= 50 && !seen[p.Hash] {
			seen[p.Hash] = true
			hashes = append(hashes, p.Hash)
		}
	}
	return hashes
}

// name adds the pictures that lead to a docId.
func (g *modelGroup) name(pictures []image.Hash) {
	for _, h := range pictures {
		g.names[h] = true
	}
}

// uncommon removes the pictures that more than a share of the docIds have, if they are more than five.
func (m *Model) uncommon(pictures []image.Hash) (some []image.Hash) {
	for _, h := range pictures {
		n := 0
		for _, g := range m.living {
			if g.names[h] {
				n++
			}
		}
		if n <= 5 || float64(n) <= m.Common*float64(len(m.living)) {
			some = append(some, h)
		}
	}
	return some
}

// pairs returns the number of pictures that two articles have in common, and the number of those that count.
func pairs(a, b []image.Hash) (same, of int) {
	var mine, theirs [motifs]int
	for _, h := range a {
		mine[motifOf(h)]++
	}
	for _, h := range b {
		theirs[motifOf(h)]++
	}
	for n := range motifs {
		same += min(mine[n], theirs[n])
	}
	return same, max(len(a), len(b))
}

func confirms(same, of int) bool { return same > 0 && 2*same >= of }

func contradict(a, b []image.Hash) bool {
	same, _ := pairs(a, b)
	return same == 0 && len(a) > 1 && len(b) > 1
}

// pictures draws up to three pictures of a few motifs. Some are modified or flat.
func (t *Texts) pictures() (ps []docid.Picture) {
	for range t.R.IntN(4) {
		var spoil []int
		if t.R.IntN(3) == 0 {
			for range t.R.IntN(spoiled + 1) {
				spoil = append(spoil, t.R.IntN(image.Bits))
			}
		}
		p := photo(t.R.IntN(motifs)*t.R.IntN(2), spoil...)
		if t.R.IntN(6) == 0 {
			p.Quality = 49
		}
		ps = append(ps, p)
	}
	return ps
}
