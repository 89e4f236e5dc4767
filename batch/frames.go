package batch

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
)

var errFrame = errors.New("batch: the log of the earlier run cannot be read")

// frameWriter encodes the progress of a run.
type frameWriter struct{ b []byte }

func (w *frameWriter) uint(v uint64)  { w.b = binary.AppendUvarint(w.b, v) }
func (w *frameWriter) fixed(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

func (w *frameWriter) bool(v bool) {
	w.b = append(w.b, 0)
	if v {
		w.b[len(w.b)-1] = 1
	}
}

func (w *frameWriter) string(s string) {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

// keys writes a list of keys. A nil list differs from an empty one.
func (w *frameWriter) keys(keys []uint64) {
	if keys == nil {
		w.uint(0)
		return
	}
	w.uint(uint64(len(keys)) + 1)
	for _, k := range keys {
		w.fixed(k)
	}
}

// Kinds of an item.
const (
	itemRejected = iota
	itemCopied
	itemBlank
	itemRead     // a new text
	itemRecorded // a new text with its record
)

// scanned writes the outcome of an item.
func (w *frameWriter) scanned(it *scanned) {
	kind := byte(itemRead)
	switch {
	case it.err != nil:
		one := rejection(it.err)
		w.b = append(w.b, itemRejected)
		w.string(one.File)
		w.uint(uint64(one.Line))
		w.string(one.Reason)
		return
	case it.copied:
		kind = itemCopied
	case it.blank:
		kind = itemBlank
	case it.recorded:
		kind = itemRecorded
	}
	w.b = append(append(w.b, kind), it.digest[:]...)
	w.string(it.doc.ID)
	w.fixed(uint64(it.doc.Time))
	w.keys(it.ranks)
	if it.copied {
		w.uint(uint64(it.no))
		return
	}
	w.string(it.clean)
	if kind == itemRecorded {
		w.fixed(it.rec.Sketch)
		w.keys(it.rec.Index)
		w.keys(it.rec.Probe)
	}
}

// state writes the decision on a text.
func (w *frameWriter) state(s *state) {
	w.b = append(w.b, byte(s.grade))
	if s.grade == none {
		return
	}
	w.b = append(w.b, s.basis)
	w.uint(uint64(s.leader))
	w.fixed(uint64(s.distance))
	w.fixed(math.Float64bits(s.similarity))
	w.fixed(math.Float64bits(s.closeness))
}

// frameReader decodes what frameWriter wrote. bad is set if the frame is damaged.
type frameReader struct {
	b   []byte
	bad bool
}

func (r *frameReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *frameReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *frameReader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *frameReader) fixed() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *frameReader) string() string { return string(r.take(r.uint())) }

func (r *frameReader) keys() []uint64 {
	n := r.uint()
	if n == 0 {
		return nil
	}
	b := r.take((n - 1) * 8)
	keys := make([]uint64, len(b)/8)
	for i := range keys {
		keys[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return keys
}

// scanned reads the outcome of an item. Its clean text refers to the frame.
func (r *frameReader) scanned() (it scanned) {
	kind := r.byte()
	if kind == itemRejected {
		it.err = &corpus.RejectError{File: r.string(), Line: int64(r.uint()), Reason: r.string()}
		return it
	}
	it.known, it.copied, it.blank = true, kind == itemCopied, kind == itemBlank
	copy(it.digest[:], r.take(uint64(len(it.digest))))
	it.doc = neardup.Document{ID: r.string(), Time: int64(r.fixed())}
	it.ranks = r.keys()
	if it.copied {
		it.no = textNo(r.uint())
		return it
	}
	it.clean = asString(r.take(r.uint()))
	it.recorded = kind == itemRecorded
	if it.recorded {
		it.rec = neardup.Record{Sketch: r.fixed(), Index: r.keys(), Probe: r.keys()}
	}
	return it
}

// state reads the decision on a text.
func (r *frameReader) state(s *state, bases []uint8) {
	s.grade = grade(r.byte())
	if s.grade == none {
		return
	}
	basis := int(r.byte())
	r.bad = r.bad || basis >= len(bases)
	if r.bad {
		return
	}
	s.basis = bases[basis]
	s.leader, s.distance = position(r.uint()), int32(r.fixed())
	s.similarity, s.closeness = math.Float64frombits(r.fixed()), math.Float64frombits(r.fixed())
}

// end returns an error if the frame is damaged or has bytes left.
func (r *frameReader) end() error {
	if r.bad || len(r.b) > 0 {
		return errFrame
	}
	return nil
}
