package reference

import (
	"encoding/binary"
	"math"
)

// Row is the record of a document in an index, without its id, its text and its keys.
type Row struct {
	Text, ID       uint64 // offsets of the text and the id; documents with equal texts may share one
	TextLen, IDLen uint32
	Sketch         uint64
	Time           int64
	// Leader is the document that this one is a duplicate or a variant of.
	Leader     uint32
	Distance   int32 // -1 if the method has no distance
	Similarity float64
	Kind       Kind
	Basis      uint8 // index in the Bases of the index
	Route      uint8 // index in its Routes, of the method that the text was sent to
	Removed    bool
	Blank      bool // the document has no text
}

// Kind is the decision on a document.
type Kind uint8

// New, Variant and Unsure are leaders; the last two also name a similar leader. The other kinds are duplicates
// of their leader.
const (
	New Kind = iota
	Variant
	Unsure
	Near
	Equal
)

// Leads reports whether other documents are compared with this one.
func (r *Row) Leads() bool { return !r.Removed && r.Kind < Near }

// rowBytes is the size of a row. Rows do not cross blocks.
const rowBytes = 64

func (r *Row) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, r.Text)
	b = binary.LittleEndian.AppendUint64(b, r.ID)
	b = binary.LittleEndian.AppendUint64(b, r.Sketch)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Time))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(r.Similarity))
	b = binary.LittleEndian.AppendUint32(b, r.TextLen)
	b = binary.LittleEndian.AppendUint32(b, r.IDLen)
	b = binary.LittleEndian.AppendUint32(b, r.Leader)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.Distance))
	var flags byte
	if r.Removed {
		flags |= 1
	}
	if r.Blank {
		flags |= 2
	}
	return append(b, byte(r.Kind), r.Basis, r.Route, flags, 0, 0, 0, 0)
}

func readRow(b []byte) Row {
	return Row{
		Text: binary.LittleEndian.Uint64(b), ID: binary.LittleEndian.Uint64(b[8:]), Sketch: binary.LittleEndian.Uint64(b[16:]),
		Time:       int64(binary.LittleEndian.Uint64(b[24:])),
		Similarity: math.Float64frombits(binary.LittleEndian.Uint64(b[32:])),
		TextLen:    binary.LittleEndian.Uint32(b[40:]), IDLen: binary.LittleEndian.Uint32(b[44:]), Leader: binary.LittleEndian.Uint32(b[48:]),
		Distance: int32(binary.LittleEndian.Uint32(b[52:])),
		Kind:     Kind(b[56]), Basis: b[57], Route: b[58], Removed: b[59]&1 != 0, Blank: b[59]&2 != 0,
	}
}

// Posting is a document under a key.
type Posting struct {
	Key uint64
	Doc uint32
	// Role is the role of the document under the key, in two bits that the engine defines.
	Role uint8
}

const (
	postingBytes = 12
	// MaxDocuments is the largest number of documents in an index.
	MaxDocuments = 1 << 30
)

func (p Posting) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, p.Key)
	return binary.LittleEndian.AppendUint32(b, p.Doc<<2|uint32(p.Role))
}

func readPosting(b []byte) Posting {
	doc := binary.LittleEndian.Uint32(b[8:])
	return Posting{binary.LittleEndian.Uint64(b), doc >> 2, uint8(doc & 3)}
}
