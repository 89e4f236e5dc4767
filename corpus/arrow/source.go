package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// magic is at both ends of a file. In a file, a stream follows the first magic.
const magic = "ARROW1"

// The kinds of messages.
const (
	kindSchema, kindDictionary, kindBatch = 1, 2, 3
	maxHead                               = 64 << 20
)

// message is a message of a stream or a file.
type message struct {
	table
	header  table
	kind    byte
	at      int64 // offset of its body
	size    int64 // length of its body
	written int   // bytes already written before Bytes
}

// source yields the record batches of a file or a stream.
type source struct {
	*schema
	file   io.ReaderAt
	end    int64 // end of what may be read
	limit  int   // limit of the bytes that a batch holds
	stream bool
	at     int64   // offset of the next message of a stream
	blocks []int64 // offsets of the remaining messages of a file
	dicts  map[int64][]*data
	// onDictionary is called with each dictionary; may be nil.
	onDictionary func(message) error
	zstd         *zstd.Decoder
	err          error // the first error of loading a buffer
}

func open(file io.ReaderAt, size int64) (*source, error) {
	s := &source{file: file, end: size, limit: int(min(maxBatch, max(freeBatch, maxRatio*size))), dicts: map[int64][]*data{}}
	head := make([]byte, len(magic))
	n, _ := file.ReadAt(head, 0)
	s.stream = string(head[:n]) != magic
	if !s.stream {
		return s, s.footer()
	}
	m, err := s.message()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && m.kind != kindSchema {
		err = fmt.Errorf("first message: kind %d (want a schema)", m.kind)
	}
	if err == nil {
		s.schema, err = parseSchema(m.header)
	}
	return s, err
}

// footer reads the end of a file, which holds the offsets of all messages.
func (s *source) footer() error {
	var tail [4 + len(magic)]byte
	if _, err := s.file.ReadAt(tail[:], s.end-int64(len(tail))); err != nil || string(tail[4:]) != magic {
		return io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > maxHead || n+int64(len(tail)) > s.end || n < 8 {
		return fmt.Errorf("footer of %d bytes: invalid size", n)
	}
	b := make([]byte, n)
	s.end -= int64(len(tail)) + n
	if _, err := s.file.ReadAt(b, s.end); err != nil {
		return err
	}
	t := rootOf(b)
	of, ok := t.table(footerSchema)
	if !ok {
		return errors.New("the footer has no schema")
	}
	var err error
	s.schema, err = parseSchema(of)
	if err != nil {
		return err
	}
	for _, slot := range []flatbuffers.VOffsetT{footerDictionaries, footerBatches} {
		at, n, err := t.vector(slot, 24)
		if err != nil {
			return err
		}
		for i := range n {
			s.blocks = append(s.blocks, t.GetInt64(at+flatbuffers.UOffsetT(24*i)))
		}
	}
	return nil
}

// message reads the next message, or returns io.EOF after the last. A stream may end without an end mark.
func (s *source) message() (m message, err error) {
	if !s.stream {
		if len(s.blocks) == 0 {
			return m, io.EOF
		}
		s.at, s.blocks = s.blocks[0], s.blocks[1:]
	}
	if s.at == s.end {
		return m, io.EOF
	}
	var head [8]byte
	if err := s.read(head[:4], s.at); err != nil {
		return m, err
	}
	m.written = 4
	if binary.LittleEndian.Uint32(head[:]) == 1<<32-1 { // written since 2019
		m.written = 8
		if err := s.read(head[:], s.at); err != nil {
			return m, err
		}
	}
	n := int64(binary.LittleEndian.Uint32(head[m.written-4:]))
	if n == 0 {
		return m, io.EOF
	}
	if n < 8 || n > maxHead {
		return m, fmt.Errorf("message at %d: invalid size of %d bytes", s.at, n)
	}
	b := make([]byte, n)
	if err := s.read(b, s.at+int64(m.written)); err != nil {
		return m, err
	}
	m.table = rootOf(b)
	m.kind, m.at, m.size = m.GetByteSlot(messageKind, 0), s.at+int64(m.written)+n, m.GetInt64Slot(messageBody, 0)
	m.header, _ = m.table.table(messageHeader)
	if m.size < 0 || m.header.Bytes == nil {
		return m, fmt.Errorf("message at %d: no header, or an invalid body of %d bytes", s.at, m.size)
	}
	if m.size > s.end-m.at {
		return m, io.ErrUnexpectedEOF
	}
	s.at = m.at + m.size
	return m, nil
}

// read fills b, or returns an error.
func (s *source) read(b []byte, at int64) error {
	if at < 0 || int64(len(b)) > s.end-at {
		return io.ErrUnexpectedEOF
	}
	_, err := s.file.ReadAt(b, at)
	return err
}

// next returns the next batch.
func (s *source) next() (*batch, error) {
	for {
		m, err := s.message()
		if err != nil {
			return nil, err
		}
		switch m.kind {
		case kindDictionary:
			if err := s.dictionary(m); err != nil {
				return nil, err
			}
		case kindBatch:
			b := &batch{src: s, message: m, table: m.header}
			return b, b.parse(s.fields, false)
		default:
			return nil, fmt.Errorf("message of kind %d: unexpected (want a record batch or a dictionary)", m.kind)
		}
	}
}

// dictionary stores a dictionary, or appends an addition to it.
func (s *source) dictionary(m message) error {
	if s.onDictionary != nil {
		if err := s.onDictionary(m); err != nil {
			return err
		}
	}
	id := m.header.GetInt64Slot(dictionaryBatchID, 0)
	of, ok := m.header.table(dictionaryBatchData)
	f := s.byID[id]
	if !ok || f == nil {
		return fmt.Errorf("dictionary %d: no column uses it", id)
	}
	b := &batch{src: s, message: m, table: of}
	if err := b.parse([]*field{f}, true); err != nil {
		return err
	}
	if m.header.GetBoolSlot(dictionaryMore, false) {
		s.dicts[id] = append(s.dicts[id], b.columns[0])
	} else {
		s.dicts[id] = b.columns
	}
	return nil
}

// batch holds some rows of all columns. It reads a buffer when it is first used.
type batch struct {
	table
	src     *source
	message message
	rows    int
	columns []*data
	codec   int8 // noCodec, lz4Frame or zstdFrames
	loaded  int  // total size of the whole buffers loaded so far
	open    []*buffer
	inOpen  int // total size of the windows of large buffers
	// The parts that are not parsed yet.
	node, buffer, variadic     flatbuffers.UOffsetT
	nodes, buffers, variadices int
}

const noCodec, lz4Frame, zstdFrames = -1, 0, 1

// data holds some rows of a column.
type data struct {
	*field
	index    bool // the values are indexes of a dictionary
	rows     int
	nulls    int
	valid    *buffer // nil if there is no bitmap
	buffers  []*buffer
	children []*data
}

// buffer is a range of the body. Its bytes are read on first use.
type buffer struct {
	of   *batch
	at   int64 // offset in the body
	size int64
	b    []byte
	from int // where b starts in the buffer, if it is a window
	done bool
}

func (b *batch) parse(fields []*field, values bool) (err error) {
	rows := b.GetInt64Slot(batchLength, 0)
	if rows < 0 || rows > maxRows {
		return errBatch
	}
	b.rows, b.codec = int(rows), noCodec
	if c, ok := b.table.table(batchCompression); ok {
		b.codec = c.GetInt8Slot(first, 0)
		if b.codec != lz4Frame && b.codec != zstdFrames {
			return fmt.Errorf("compression %d: unknown (want LZ4 or Zstandard)", b.codec)
		}
	}
	b.node, b.nodes, err = b.vector(batchNodes, 16)
	if err == nil {
		b.buffer, b.buffers, err = b.vector(batchBuffers, 16)
	}
	if err == nil {
		b.variadic, b.variadices, err = b.vector(batchVariadic, 8)
	}
	for _, f := range fields {
		if err == nil {
			var d *data
			d, err = b.data(f, values)
			b.columns = append(b.columns, d)
		}
	}
	for _, d := range b.columns {
		if err == nil && d.rows != b.rows {
			err = fmt.Errorf("column %q: %d rows (want %d, as in its batch)", d.name, d.rows, b.rows)
		}
	}
	return err
}

// data takes the buffers of a column. If values is set, they are those of its dictionary.
func (b *batch) data(f *field, values bool) (*data, error) {
	b.nodes--
	if b.nodes < 0 {
		return nil, errors.New("record batch: too few columns")
	}
	rows, nulls := b.GetInt64(b.node), b.GetInt64(b.node+8)
	b.node += 16
	if rows < 0 || rows > 1<<31 || nulls < 0 || nulls > rows {
		return nil, fmt.Errorf("column %q: invalid counts: %d rows, %d of them null", f.name, rows, nulls)
	}
	d := &data{field: f, index: f.encoded != (encoded{}) && !values, rows: int(rows), nulls: int(nulls)}
	n, bitmap := ownBuffers[f.kind], f.kind != null && f.kind != runEnds
	switch {
	case d.index:
		return d, b.take(d, true, 1)
	case f.kind == union:
		const version5 = 4 // before it, unions have a bitmap
		n, bitmap = 1+f.unit, b.message.GetInt16Slot(first, 0) < version5
	case f.kind == binaryView || f.kind == textView:
		b.variadices--
		if b.variadices < 0 {
			return nil, errors.New("record batch: too few counts of buffers")
		}
		more := b.GetInt64(b.variadic)
		b.variadic += 8
		if more < 0 || more > int64(b.buffers) {
			return nil, fmt.Errorf("column %q: invalid number of buffers: %d", f.name, more)
		}
		n = 1 + int(more)
	}
	err := b.take(d, bitmap, n)
	for _, f := range f.children {
		if err != nil {
			break
		}
		var child *data
		child, err = b.data(f, false)
		d.children = append(d.children, child)
	}
	return d, err
}

// ownBuffers is the number of buffers of a column, apart from the bitmap.
var ownBuffers = map[kind]int{integer: 1, floating: 1, boolean: 1, decimal: 1, date: 1, clock: 1, timestamp: 1, interval: 1, duration: 1, fixedBinary: 1,
	binaries: 2, texts: 2, largeBinary: 2, largeText: 2, list: 1, mapping: 1, largeList: 1, listView: 2, largeListView: 2}

// take takes the bitmap of a column, if it has one, and n more buffers.
func (b *batch) take(d *data, bitmap bool, n int) error {
	if bitmap {
		n++
	}
	b.buffers -= n
	if b.buffers < 0 {
		return errors.New("record batch: too few buffers")
	}
	for range n {
		of := &buffer{of: b, at: b.GetInt64(b.buffer), size: b.GetInt64(b.buffer + 8)}
		b.buffer += 16
		if of.at < 0 || of.size < 0 || of.size > b.message.size || of.at > b.message.size-of.size {
			return fmt.Errorf("column %q: %d bytes at %d extend beyond the batch", d.name, of.size, of.at)
		}
		d.buffers = append(d.buffers, of)
	}
	if bitmap {
		if d.nulls > 0 {
			d.valid = d.buffers[0]
		}
		d.buffers = d.buffers[1:]
	}
	return nil
}

// bytes returns the decompressed bytes of the buffer. After an error it returns nil, and the source keeps the error.
func (b *buffer) bytes() []byte {
	if !b.done && b.of != nil {
		b.done = true
		var err error
		b.b, err = b.load()
		if err != nil {
			b.b, b.of.src.err = nil, errors.Join(b.of.src.err, err)
		}
	}
	return b.b
}

// window is the least number of bytes read at once from a large uncompressed buffer. A batch keeps several windows.
const (
	window  = 1 << 20
	windows = 32
)

// part returns the bytes [from, to) of the buffer. They are valid until the next call.
func (b *buffer) part(from, to int) []byte {
	if b.done || b.of == nil || b.of.codec != noCodec {
		return b.bytes()[from:to]
	}
	if from < b.from || to > b.from+len(b.b) {
		n := max(to-from, min(window, int(b.size)-from))
		if from < 0 || to < from || int64(to) > b.size || n > b.of.src.limit {
			b.of.src.err = fmt.Errorf("buffer of %[3]d bytes: bytes %[1]d to %[2]d are out of range", from, to, b.size)
			return nil
		}
		b.from, b.b = from, b.b[:0]
		if cap(b.b) < n {
			b.of.forget(n)
			b.b, b.of.open = make([]byte, n), append(b.of.open, b)
		}
		b.b = b.b[:n]
		if err := b.of.src.read(b.b, b.of.message.at+b.at+int64(from)); err != nil {
			b.b, b.of.src.err = nil, err
		}
	}
	return b.b[from-b.from : to-b.from]
}

// forget drops windows until there is room for n more bytes.
func (b *batch) forget(n int) {
	b.inOpen += n
	if b.inOpen < windows*window {
		return
	}
	for _, o := range b.open {
		o.b = nil
	}
	b.open, b.inOpen = nil, n
}

// number returns the i-th number of a buffer, which has width bytes.
func (b *buffer) number(width, i int) int { return number(b.part(i*width, (i+1)*width), width, 0) }

func (b *buffer) load() ([]byte, error) {
	if b.size == 0 {
		return nil, nil
	}
	b.of.loaded += int(b.size)
	if b.of.loaded > b.of.src.limit {
		return nil, errBatch
	}
	raw := make([]byte, b.size)
	if err := b.of.src.read(raw, b.of.message.at+b.at); err != nil || b.of.codec == noCodec {
		return raw, err
	}
	if len(raw) < 8 {
		return nil, io.ErrUnexpectedEOF
	}
	size := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	if size == -1 {
		return raw, nil
	}
	if size < 0 || size > int64(b.of.src.limit-b.of.loaded) {
		return nil, errBatch
	}
	b.of.loaded += int(size)
	return b.of.src.unpack(raw, b.of.codec, int(size))
}

// unpack decompresses a buffer.
func (s *source) unpack(raw []byte, codec int8, size int) ([]byte, error) {
	if codec == lz4Frame {
		to := make([]byte, size)
		if _, err := io.ReadFull(lz4.NewReader(bytes.NewReader(raw)), to); err != nil {
			return nil, fmt.Errorf("lz4: %w", err)
		}
		return to, nil
	}
	if s.zstd == nil {
		var err error
		s.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
	}
	to, err := s.zstd.DecodeAll(raw, make([]byte, 0, size))
	if err == nil && len(to) != size {
		err = fmt.Errorf("zstd: %d bytes (want %d)", len(to), size)
	}
	return to, err
}

// recovered turns a panic into an error, because damaged data leads to accesses out of range. It also returns an earlier
// error of s. It must be called by defer.
func (s *source) recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
	}
	if s != nil && s.err != nil {
		*err = s.err
	}
	*err = damaged(*err)
}

func (s *source) close() {
	if s.zstd != nil {
		s.zstd.Close()
	}
}
