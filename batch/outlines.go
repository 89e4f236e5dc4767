package batch

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// outliner is a Method that rules out most pairs by small outlines of their texts. Two texts with unlike outlines are
// neither near nor variants. Some texts have a nil outline; a text with an outline has no Template.
type outliner interface {
	RecordOutline(clean string, rec *neardup.Record) []uint64
	Outline(view neardup.Prepared) []uint64
	Unlike(a, b []uint64) bool
}

// outlines holds the outlines of texts in order, the first ones in memory. A header precedes each: the text and the number
// of words. Searches read them in chunks.
type outlines struct {
	words  *external.Spool
	refs   external.TypedArray[position, outlineRef] // by text, up to the last with an outline
	texts  int
	chunks []outlineStart
	row    []uint64
}

// outlineRef is the offset of an outline, in words, above its length in 24 bits. It is 0 without an outline.
type outlineRef uint64

const mostOutline = 1<<24 - 1

// outlineStart is the first text of a chunk and the offset of its header.
type outlineStart struct {
	text position
	at   external.Ref
}

// A chunk of outlines is read at once. It fits the cache of a core.
const (
	outlineChunk = 1 << 18 // bytes
	outlineSpan  = 1 << 12 // texts
)

// newOutlines returns outlines with a share of the memory.
func (j *job) newOutlines(thousandths int64) *outlines {
	return &outlines{words: external.NewSpool(j.disk, j.memory(thousandths)), refs: external.NewTypedArray[position, outlineRef](j.disk, j.memory(10))}
}

// add adds the outline of the next text.
func (o *outlines) add(outline []uint64) error {
	text := o.texts
	o.texts++
	if outline == nil || len(outline) > mostOutline {
		return nil
	}
	at := external.Ref(o.words.Len())
	if n := len(o.chunks); n == 0 || at-o.chunks[n-1].at >= outlineChunk || text-int(o.chunks[n-1].text) >= outlineSpan {
		o.chunks = append(o.chunks, outlineStart{position(text), at})
	}
	o.row = append(append(o.row[:0], uint64(text)<<32|uint64(len(outline))), outline...)
	if _, err := o.words.Add(asString(bytesOf(o.row))); err != nil {
		return err
	}
	return o.refs.Put(text, outlineRef(at/8+1)<<24|outlineRef(len(outline)))
}

// at returns the outline of a text, or nil.
func (o *outlines) at(p position) ([]uint64, error) {
	if int(p) >= o.refs.Len() {
		return nil, nil
	}
	ref, err := o.refs.Get(p)
	if err != nil || ref == 0 {
		return nil, err
	}
	b, err := o.words.Read(external.Ref(ref>>24)*8, 8*int(ref&mostOutline))
	return wordsOf(b), err
}

// outlineReader reads chunks, one after the other. It is for one goroutine.
type outlineReader struct {
	words []uint64
	first position
	of    [][]uint64 // by text, from first on
}

// read reads a chunk. It returns the range of texts up to the next chunk. Some have no outline.
func (r *outlineReader) read(o *outlines, chunk int) (positionRange, error) {
	at, where := o.chunks[chunk].at, positionRange{o.chunks[chunk].text, math.MaxUint32}
	end := external.Ref(o.words.Len())
	if chunk+1 < len(o.chunks) {
		end, where.to = o.chunks[chunk+1].at, o.chunks[chunk+1].text
	}
	r.words = slices.Grow(r.words[:0], int(end-at)/8)[:int(end-at)/8]
	if err := o.words.Fill(bytesOf(r.words), at); err != nil {
		return where, err
	}
	r.first, r.of = where.from, r.of[:0]
	for w := r.words; len(w) > 0; {
		text, n := position(w[0]>>32), 1+int(uint32(w[0]))
		for r.first+position(len(r.of)) < text {
			r.of = append(r.of, nil)
		}
		r.of = append(r.of, w[1:n])
		w = w[n:]
	}
	if chunk == 0 {
		where.from = 0
	}
	return where, nil
}

// at returns the outline of a text if the chunk has one, or nil.
func (r *outlineReader) at(p position) []uint64 {
	if i := p - r.first; p >= r.first && int(i) < len(r.of) {
		return r.of[i]
	}
	return nil
}

// screening collects the leaders that are found for the texts of a block, and rules out most by their outlines. It compares
// the texts with one chunk after the other, so a chunk is read once for a block.
type screening struct {
	*verifier
	most int // pairs

	mu    sync.Mutex
	pairs int
	later []int // texts of the block for the next round
	texts []outlinedText
	open  []openPair
}

// outlinedText is a text with an outline, and the leaders found for it, in order.
type outlinedText struct {
	position
	outline []uint64
	found   []position
	to      collector
}

// openPair is a pair that outlines do not rule out: the index of an outlinedText, and a leader.
type openPair struct {
	text   uint32
	leader position
}

// postpone reports whether the memory for pairs is used up. If so, text i of the block is searched in the next round.
func (o *screening) postpone(i int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pairs < o.most {
		return false
	}
	o.later = append(o.later, i)
	return true
}

// take takes over the comparison of a text with found leaders if the text has an outline.
func (o *screening) take(t position, found []position, to collector) (taken bool, err error) {
	if o == nil || len(found) == 0 {
		return false, nil
	}
	outline, err := o.outlines.at(t)
	if err != nil || outline == nil {
		return false, err
	}
	found = slices.Clone(found)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pairs += len(found)
	o.texts = append(o.texts, outlinedText{t, outline, found, to})
	return true, nil
}

// chunk compares the texts with one chunk of outlines.
func (o *screening) chunk(s *search, chunk int) error {
	where, err := s.reader.read(o.outlines, chunk)
	if err != nil {
		return err
	}
	var open []openPair
	for i, t := range o.texts {
		at, _ := slices.BinarySearch(t.found, where.from)
		for ; at < len(t.found) && t.found[at] < where.to; at++ {
			p := t.found[at]
			other := s.reader.at(p)
			_, ruled := o.rulings.match(t.position, p)
			if other == nil || ruled || !o.outliner.Unlike(t.outline, other) {
				open = append(open, openPair{uint32(i), p})
				continue
			}
			s.work.Verified++
			s.audit.Refuse(uint32(t.position), uint32(p))
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = append(o.open, open...)
	return nil
}

// finish ends a round: it compares the texts with the leaders that outlines do not rule out. It returns the texts of the
// next round.
func (o *screening) finish(ctx context.Context, workers int, begin func() *search) ([]int, error) {
	chunks := min(1, len(o.texts)) // the first one stands for the texts before it
	for _, t := range o.texts {
		last := t.found[len(t.found)-1]
		for chunks < len(o.outlines.chunks) && o.outlines.chunks[chunks].text <= last {
			chunks++
		}
	}
	if err := parallel(ctx, workers, chunks, begin, o.chunk); err != nil {
		return nil, err
	}
	slices.SortFunc(o.open, func(a, b openPair) int { return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.leader, b.leader)) })
	starts := make([]int, len(o.texts)+1)
	for _, p := range o.open {
		starts[p.text+1]++
	}
	for i := range o.texts {
		starts[i+1] += starts[i]
	}
	err := parallel(ctx, workers, len(o.texts), begin, func(s *search, i int) error {
		s.found = s.found[:0]
		for _, p := range o.open[starts[i]:starts[i+1]] {
			s.found = append(s.found, p.leader)
		}
		return s.verify(o.texts[i].position, false, o.texts[i].to)
	})
	later := o.later
	o.pairs, o.later, o.texts, o.open = 0, nil, nil, o.open[:0]
	return later, err
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

func wordsOf(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}
