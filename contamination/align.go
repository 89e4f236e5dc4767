package contamination

import "slices"

// inserted is the cost of a unit that the passage has and the item lacks, in units of token.Unit/256. It is half the weight
// of a common word.
const inserted = 128

// mostDrift limits, in units, how far a passage may drift apart from its item.
const mostDrift = 256

// aligner finds the best window of a document for an item. It reuses its buffers.
type aligner struct {
	scores [2][]int32
	moves  []uint8
	pairs  []pairing
}

// pairing is a unit of an item and its partner in the document.
type pairing struct{ item, doc int32 }

const (
	stop uint8 = iota
	match
	skipItem
	skipDoc
)

// align aligns an item with the units of a document. The item would span the units [from, to) of the document. align
// returns the pairs of the heaviest common subsequence, in order, where each unit of the document between two pairs reduces
// the weight. O(len(item) * (to-from+drift)).
func (a *aligner) align(item []unit, weights []uint16, doc []unit, from, to int) []pairing {
	drift := min(8+len(item)/4, mostDrift)
	base, width := from-drift, to-from+2*drift+1
	for i := range a.scores {
		a.scores[i] = slices.Grow(a.scores[i][:0], width)[:width]
		clear(a.scores[i])
	}
	size := (len(item) + 1) * width
	a.moves = slices.Grow(a.moves[:0], size)[:size]
	clear(a.moves[:width])
	best, bestI, bestK := int32(0), 0, 0
	for i := 1; i <= len(item); i++ {
		last, row, moves := a.scores[(i-1)&1], a.scores[i&1], a.moves[i*width:(i+1)*width]
		for k := range width {
			score, move := int32(0), stop
			j := i - 1 + base + k // index of the unit that would be the partner
			if j >= 0 && j < len(doc) && doc[j].hash == item[i-1].hash {
				score, move = last[k]+int32(weights[i-1]), match
			}
			if k+1 < width && last[k+1] > score {
				score, move = last[k+1], skipItem
			}
			if k > 0 && row[k-1]-inserted > score {
				score, move = row[k-1]-inserted, skipDoc
			}
			row[k], moves[k] = score, move
			if score > best {
				best, bestI, bestK = score, i, k
			}
		}
	}
	a.pairs = a.pairs[:0]
	for i, k := bestI, bestK; i > 0; {
		switch a.moves[i*width+k] {
		case match:
			a.pairs = append(a.pairs, pairing{int32(i - 1), int32(i - 1 + base + k)})
			i--
		case skipItem:
			i, k = i-1, k+1
		case skipDoc:
			k--
		default:
			i = 0
		}
	}
	slices.Reverse(a.pairs)
	return a.pairs
}
