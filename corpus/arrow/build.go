package arrow

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/neardup/neardup/corpus"
)

// version is the version of the messages: V5.
const version = 4

// output writes messages as a stream or as a file. A file ends with the offsets of its messages.
type output struct {
	out     io.Writer
	stream  bool
	own     []corpus.Column
	of      *schema // the schema of the input, which follows own; may be nil
	at      int64
	codec   int8
	zstd    *zstd.Encoder
	dicts   []block
	batches []block
}

// block holds the offset and the lengths of a message.
type block struct {
	at   int64
	head int32
	body int64
}

func (o *output) write(b []byte) error {
	n, err := o.out.Write(b)
	o.at += int64(n)
	return err
}

var zeros [64]byte

func pad(n int) []byte { return zeros[:-n&7] }

// begin writes what precedes the batches.
func (o *output) begin() error {
	if !o.stream {
		if err := o.write([]byte(magic + "\x00\x00")); err != nil {
			return err
		}
	}
	_, err := o.message(kindSchema, o.schema, 0, bytes.NewReader(nil))
	return err
}

// message writes a message. The caller's function builds its header.
func (o *output) message(kind byte, header func(*flatbuffers.Builder) flatbuffers.UOffsetT, size int64, body io.Reader) (block, error) {
	b := flatbuffers.NewBuilder(1024)
	of := header(b)
	b.StartObject(5)
	b.PrependInt64Slot(3, size, 0)
	b.PrependUOffsetTSlot(2, of, 0)
	b.PrependInt16Slot(0, version, 0)
	b.PrependByteSlot(1, kind, 0)
	b.Finish(b.EndObject())
	return o.raw(b.FinishedBytes(), body)
}

// raw writes a message with a header and a body, and returns its block.
func (o *output) raw(head []byte, body io.Reader) (block, error) {
	at := block{at: o.at}
	padding := pad(len(head))
	prefix := binary.LittleEndian.AppendUint32([]byte{255, 255, 255, 255}, uint32(len(head)+len(padding)))
	if err := o.write(slices.Concat(prefix, head, padding)); err != nil {
		return at, err
	}
	at.head = int32(o.at - at.at)
	n, err := io.Copy(o.out, body)
	at.body, o.at = n, o.at+n
	return at, err
}

// schema builds the columns of the output: its own, then those of the input. It copies the schema of the input as one block
// of bytes, so offsets in that schema are relative to the block.
func (o *output) schema(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	var fields []flatbuffers.UOffsetT
	var metadata flatbuffers.UOffsetT
	if o.of != nil {
		b.StartVector(1, len(o.of.Bytes), 8)
		for i := len(o.of.Bytes) - 1; i >= 0; i-- {
			b.PlaceByte(o.of.Bytes[i])
		}
		base := b.Offset()
		b.EndVector(len(o.of.Bytes))
		for _, f := range o.of.fields {
			fields = append(fields, base-f.Pos)
		}
		if at := flatbuffers.UOffsetT(o.of.Offset(schemaMetadata)); at > 0 {
			metadata = base - o.of.Indirect(o.of.Pos+at)
		}
	}
	var own []flatbuffers.UOffsetT
	for _, c := range o.own {
		own = append(own, ownField(b, c))
	}
	fields = append(own, fields...)
	all := vector(b, fields, 4, b.PrependUOffsetT)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, all, 0)
	b.PrependUOffsetTSlot(2, metadata, 0)
	return b.EndObject()
}

// ownField builds a column that does not come from the input.
func ownField(b *flatbuffers.Builder, c corpus.Column) flatbuffers.UOffsetT {
	name := b.CreateString(c.Name)
	children := vector(b, nil, 4, b.PrependUOffsetT)
	b.StartObject(2)
	kind := texts
	switch c.Kind {
	case corpus.Integer:
		kind = integer
		b.PrependInt32Slot(0, 64, 0)
		b.PrependBoolSlot(1, true, false)
	case corpus.Number:
		kind = floating
		b.PrependInt16Slot(0, 2, 0) // double precision
	}
	of := b.EndObject()
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependUOffsetTSlot(3, of, 0)
	b.PrependUOffsetTSlot(5, children, 0)
	b.PrependBoolSlot(1, true, false)
	b.PrependByteSlot(2, byte(kind), 0)
	return b.EndObject()
}

// parts lists the parts of a batch, in order.
type parts struct {
	nodes    [][2]int64
	buffers  []*buffer
	variadic []int64
}

func (p *parts) add(d *data) {
	p.nodes = append(p.nodes, [2]int64{int64(d.rows), int64(d.nulls)})
	if (d.kind != null && d.kind != union && d.kind != runEnds) || d.index {
		valid := have(nil)
		if d.nulls > 0 {
			valid = d.valid
		}
		p.buffers = append(p.buffers, valid)
	}
	if !d.index && (d.kind == binaryView || d.kind == textView) {
		p.variadic = append(p.variadic, int64(len(d.buffers)-1))
	}
	p.buffers = append(p.buffers, d.buffers...)
	for _, c := range d.children {
		p.add(c)
	}
}

// batch writes rows of all columns.
func (o *output) batch(columns []*data, rows int) error {
	var p parts
	for _, d := range columns {
		p.add(d)
	}
	var body []io.Reader
	var places [][2]int64
	var size int64
	for _, b := range p.buffers {
		packed, err := o.pack(b.bytes())
		if err != nil {
			return err
		}
		padding := pad(len(packed))
		body = append(body, bytes.NewReader(packed), bytes.NewReader(padding))
		places = append(places, [2]int64{size, int64(len(packed))})
		size += int64(len(packed) + len(padding))
	}
	at, err := o.message(kindBatch, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		pair := func(of [2]int64) {
			b.PlaceInt64(of[1])
			b.PlaceInt64(of[0])
		}
		nodes, buffers, variadic := vector(b, p.nodes, 16, pair), vector(b, places, 16, pair), vector(b, p.variadic, 8, b.PrependInt64)
		var compression flatbuffers.UOffsetT
		if o.codec != noCodec {
			b.StartObject(2)
			b.PrependInt8Slot(0, o.codec, lz4Frame)
			compression = b.EndObject()
		}
		b.StartObject(5)
		b.PrependInt64Slot(0, int64(rows), 0)
		b.PrependUOffsetTSlot(1, nodes, 0)
		b.PrependUOffsetTSlot(2, buffers, 0)
		b.PrependUOffsetTSlot(3, compression, 0)
		if len(p.variadic) > 0 {
			b.PrependUOffsetTSlot(4, variadic, 0)
		}
		return b.EndObject()
	}, size, io.MultiReader(body...))
	o.batches = append(o.batches, at)
	return err
}

// vector builds a list of elements of size bytes each.
func vector[T any](b *flatbuffers.Builder, all []T, size int, add func(T)) flatbuffers.UOffsetT {
	b.StartVector(size, len(all), min(size, 8))
	for _, one := range slices.Backward(all) {
		add(one)
	}
	return b.EndVector(len(all))
}

// pack compresses a buffer in the same way as the input, and puts the uncompressed length before it.
func (o *output) pack(b []byte) ([]byte, error) {
	if o.codec == noCodec || len(b) == 0 {
		return b, nil
	}
	to := binary.LittleEndian.AppendUint64(nil, uint64(len(b)))
	if o.codec == zstdFrames {
		if o.zstd == nil {
			var err error
			o.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
			if err != nil {
				return nil, err
			}
		}
		return o.zstd.EncodeAll(b, to), nil
	}
	packed := bytes.NewBuffer(to)
	w := lz4.NewWriter(packed)
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err := w.Close()
	return packed.Bytes(), err
}

// copy copies a message of the input, and appends its block to a list.
func (o *output) copy(m message, body io.Reader, list *[]block) error {
	at, err := o.raw(m.Bytes, body)
	*list = append(*list, at)
	return err
}

// end writes the end of a stream, or the footer of a file.
func (o *output) end() error {
	if err := o.write([]byte{255, 255, 255, 255, 0, 0, 0, 0}); err != nil || o.stream {
		return err
	}
	b := flatbuffers.NewBuilder(1024)
	place := func(of block) {
		b.PlaceInt64(of.body)
		b.PlaceInt32(0)
		b.PlaceInt32(of.head)
		b.PlaceInt64(of.at)
	}
	of, dicts, batches := o.schema(b), vector(b, o.dicts, 24, place), vector(b, o.batches, 24, place)
	b.StartObject(5)
	b.PrependUOffsetTSlot(1, of, 0)
	b.PrependUOffsetTSlot(2, dicts, 0)
	b.PrependUOffsetTSlot(3, batches, 0)
	b.PrependInt16Slot(0, version, 0)
	b.Finish(b.EndObject())
	footer := b.FinishedBytes()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return o.write(append(footer, magic...))
}
