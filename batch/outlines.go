package batch

import (
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

// outlines holds the outlines of texts in order, the first ones in memory. A header, the number of the text and of the
// words, precedes each.
type outlines struct {
	words  *external.Spool
	refs   external.TypedArray[position, external.Ref] // of an outline; 0 if there is none
	chunks []outlineChunk
	row    []uint64
}

// outlineChunk is a run of outlines that is read at once and fits the cache of a core.
type outlineChunk struct {
	first position
	at    external.Ref // of its first header
}

// chunkBytes is the size of a chunk with 24 bytes for each of its texts. It is a variable for tests.
var chunkBytes = 1 << 19

// newOutlines returns outlines with a share of the memory.
func (j *job) newOutlines(thousandths int64) *outlines {
	refs := external.NewTypedArray[position, external.Ref](j.disk, j.memory(10))
	return &outlines{words: external.NewSpool(j.disk, j.memory(thousandths)), refs: refs, chunks: []outlineChunk{{}}}
}

// add adds the outline of a text after those of earlier texts. A text may have none.
func (o *outlines) add(text position, outline []uint64) error {
	if outline == nil {
		return nil
	}
	at, last := external.Ref(o.words.Len()), o.chunks[len(o.chunks)-1]
	if int(at-last.at)+24*int(text-last.first) >= chunkBytes {
		o.chunks = append(o.chunks, outlineChunk{text, at})
	}
	o.row = append(append(o.row[:0], uint64(text)<<32|uint64(len(outline))), outline...)
	if _, err := o.words.Add(asString(bytesOf(o.row))); err != nil {
		return err
	}
	return o.refs.Put(int(text), at+8)
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
	var n [1]uint64
	if _, err := o.words.ReadAt(bytesOf(n[:]), int64(ref-8)); err != nil {
		return nil, err
	}
	b, err := o.words.Read(ref, 8*int(uint32(n[0])))
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8), err
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// outlineReader reads chunks, one after the other. It is for one goroutine.
type outlineReader struct {
	words []uint64
	of    [][]uint64 // by text, from the first of the chunk on
}

// read reads a chunk. It returns the range of texts up to the next chunk. Some have no outline.
func (r *outlineReader) read(o *outlines, chunk int) (positionRange, error) {
	at, end, where := o.chunks[chunk].at, external.Ref(o.words.Len()), positionRange{o.chunks[chunk].first, math.MaxUint32}
	if chunk+1 < len(o.chunks) {
		end, where.to = o.chunks[chunk+1].at, o.chunks[chunk+1].first
	}
	r.words = slices.Grow(r.words[:0], int(end-at)/8)[:int(end-at)/8]
	r.of = r.of[:0]
	if _, err := o.words.ReadAt(bytesOf(r.words), int64(at)); err != nil {
		return where, err
	}
	for w := r.words; len(w) > 0; {
		text, n := position(w[0]>>32), 1+int(uint32(w[0]))
		for where.from+position(len(r.of)) < text {
			r.of = append(r.of, nil)
		}
		r.of, w = append(r.of, w[1:n]), w[n:]
	}
	return where, nil
}

// screening collects the leaders that are found for the texts of a block, and compares all texts with one chunk of outlines
// after the other. So each outline is read once for a block.
type screening struct {
	*verifier
	most int // pairs

	mu    sync.Mutex
	pairs int
	last  position // of the found leaders
	texts []outlinedText
}

// outlinedText is a text with an outline, and the leaders found for it in order. Outlines do not rule out the open ones.
type outlinedText struct {
	position
	outline     []uint64
	found, open []position
	to          collector
}

// take takes over the comparison of a text with found leaders, if the text has an outline and there is room.
func (o *screening) take(t position, found []position, to collector) (taken bool, err error) {
	if o == nil || len(found) == 0 {
		return false, nil
	}
	outline, err := o.outlines.at(t)
	o.mu.Lock()
	defer o.mu.Unlock()
	if outline == nil || o.pairs+len(found) > o.most {
		return false, err
	}
	o.pairs, o.last = o.pairs+len(found), max(o.last, found[len(found)-1])
	o.texts = append(o.texts, outlinedText{position: t, outline: outline, found: slices.Clone(found), to: to})
	return true, nil
}

// chunk compares the texts with one chunk of outlines.
func (o *screening) chunk(s *search, chunk int) error {
	where, err := s.reader.read(o.outlines, chunk)
	if err != nil {
		return err
	}
	for i := range o.texts {
		t := &o.texts[i]
		at, _ := slices.BinarySearch(t.found, where.from)
		for ; at < len(t.found) && t.found[at] < where.to; at++ {
			p := t.found[at]
			var other []uint64
			if n := int(p - where.from); n < len(s.reader.of) {
				other = s.reader.of[n]
			}
			if _, ruled := o.rulings.match(t.position, p); !ruled && other != nil && o.outliner.Unlike(t.outline, other) {
				s.work.Verified++
				s.audit.Refuse(uint32(t.position), uint32(p))
				continue
			}
			o.mu.Lock()
			t.open = append(t.open, p)
			o.mu.Unlock()
		}
	}
	return nil
}

// finish compares the texts with the leaders that outlines do not rule out.
func (o *screening) finish(ctx context.Context, workers int, begin func() *search) error {
	chunks := 0
	for chunks < len(o.outlines.chunks) && o.outlines.chunks[chunks].first <= o.last {
		chunks++
	}
	if err := parallel(ctx, workers, chunks, begin, o.chunk); err != nil {
		return err
	}
	return parallel(ctx, workers, len(o.texts), begin, func(s *search, i int) error {
		s.found = append(s.found[:0], o.texts[i].open...)
		return s.verify(o.texts[i].position, false, o.texts[i].to)
	})
}
