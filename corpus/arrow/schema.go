package arrow

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/neardup/neardup/corpus"
)

// IPC messages are flat buffers. These are the slots of the members of their tables (Schema.fbs, Message.fbs and File.fbs
// in the format folder of Arrow). The first member has slot 4, and each further member 2 more.
const (
	schemaEndianness, schemaFields, schemaMetadata         = 4, 6, 8
	fieldName, fieldNullable, fieldKind, fieldType         = 4, 6, 8, 10
	fieldDictionary, fieldChildren                         = 12, 14
	dictionaryID, dictionaryIndex                          = 4, 6
	messageKind, messageHeader, messageBody                = 6, 8, 10
	batchLength, batchNodes, batchBuffers                  = 4, 6, 8
	batchCompression, batchVariadic                        = 10, 12
	dictionaryBatchID, dictionaryBatchData, dictionaryMore = 4, 6, 8
	footerSchema, footerDictionaries, footerBatches        = 6, 8, 10
	first, second                                          = 4, 6 // of any table that describes a type
)

// kind is a type of a column.
type kind byte

const (
	null kind = iota + 1
	integer
	floating
	binaries
	texts
	boolean
	decimal
	date
	clock
	timestamp
	interval
	list
	structure
	union
	fixedBinary
	fixedList
	mapping
	duration
	largeBinary
	largeText
	largeList
	runEnds
	binaryView
	textView
	listView
	largeListView
)

var kindNames = [...]string{"", "null", "int", "float", "binary", "utf8", "bool", "decimal", "date", "time", "timestamp", "interval", "list", "struct", "union",
	"fixed_size_binary", "fixed_size_list", "map", "duration", "large_binary", "large_utf8", "large_list", "run_end_encoded", "binary_view", "utf8_view", "list_view", "large_list_view"}

func (k kind) String() string { return kindNames[k] }

// table is a table of a flat buffer. An access out of bounds panics, and recovered turns that into an error.
type table struct{ flatbuffers.Table }

func rootOf(b []byte) table {
	return table{flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}}
}

// table returns a member that is a table or a union of tables.
func (t table) table(slot flatbuffers.VOffsetT) (table, bool) {
	o := t.Offset(slot)
	if o == 0 {
		return table{}, false
	}
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + flatbuffers.UOffsetT(o))}}, true
}

// vector returns the offset and the number of the elements of a member. An element has size bytes.
func (t table) vector(slot flatbuffers.VOffsetT, size int) (at flatbuffers.UOffsetT, n int, err error) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return 0, 0, nil
	}
	at, n = t.Vector(o), t.VectorLen(o)
	if n < 0 || n > (len(t.Bytes)-int(at))/size {
		return 0, 0, errors.New("a list extends beyond its message")
	}
	return at, n, nil
}

// tables returns the elements of a member that is a vector of tables.
func (t table) tables(slot flatbuffers.VOffsetT) (all []table, err error) {
	at, n, err := t.vector(slot, 4)
	for i := range n {
		all = append(all, table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*i))}})
	}
	return all, err
}

func (t table) text(slot flatbuffers.VOffsetT) string {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return ""
	}
	return string(t.ByteVector(t.Pos + o))
}

// field is a column, or a field within a column.
type field struct {
	table // the field in the schema
	name  string
	layout
	codes    [256]int8 // for a union: the child of each type code
	children []*field
	encoded  encoded
}

// layout is the layout of a column's values.
type layout struct {
	kind   kind
	width  int // bytes of a value, bits / 8 of a number, bytes of offsets, or elements of a fixed list
	signed bool
	unit   int // unit of times, mode of a union, or digits after the decimal point
}

// encoded names the dictionary that a column refers to. The zero value means none.
type encoded struct {
	id    int64
	index layout
}

// Limits for the depth of a schema and the number of its fields.
const (
	maxDepth  = 64
	maxFields = 1 << 16
)

// schema is the schema of a table.
type schema struct {
	table
	fields []*field
	count  int
	byID   map[int64]*field // dictionary id -> the encoded field
}

func parseSchema(t table) (*schema, error) {
	if t.GetInt16Slot(schemaEndianness, 0) != 0 {
		return nil, errors.New("big-endian Arrow is not supported (want little-endian Arrow, or Parquet)")
	}
	s := &schema{table: t, byID: map[int64]*field{}}
	var err error
	s.fields, err = s.parse(t, schemaFields, 0)
	return s, err
}

func (s *schema) parse(t table, slot flatbuffers.VOffsetT, depth int) ([]*field, error) {
	all, err := t.tables(slot)
	s.count += len(all)
	if err != nil || depth > maxDepth || s.count > maxFields {
		return nil, errors.Join(err, fmt.Errorf("schema: %d columns, %d levels deep (want at most %d and %d)", s.count, depth, maxFields, maxDepth))
	}
	var fields []*field
	for _, one := range all {
		f := &field{table: one, name: one.text(fieldName), layout: layout{kind: kind(one.GetByteSlot(fieldKind, 0))}}
		f.children, err = s.parse(one, fieldChildren, depth+1)
		if err != nil {
			return nil, err
		}
		of, _ := one.table(fieldType)
		if f.kind < null || f.kind > largeListView || of.Bytes == nil {
			return nil, fmt.Errorf("column %q: unknown type %d", f.name, f.kind)
		}
		if err := f.parse(of); err != nil {
			return nil, fmt.Errorf("column %q: %w", f.name, err)
		}
		if d, ok := one.table(fieldDictionary); ok {
			f.encoded = encoded{d.GetInt64Slot(dictionaryID, 0), layout{kind: integer, width: 4, signed: true}}
			if index, ok := d.table(dictionaryIndex); ok {
				f.encoded.index = integerOf(index)
			}
			s.byID[f.encoded.id] = f
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// parse reads the details of a type.
func (f *field) parse(of table) error {
	switch f.kind {
	case integer:
		f.layout = integerOf(of)
	case floating:
		f.width = 2 << of.GetInt16Slot(first, 0)
	case decimal:
		f.width, f.unit = int(of.GetInt32Slot(8, 128))/8, int(of.GetInt32Slot(second, 0))
	case date:
		f.unit = int(of.GetInt16Slot(first, 1))
		f.width = 4 + 4*f.unit
	case clock:
		f.unit, f.width = int(of.GetInt16Slot(first, 1)), int(of.GetInt32Slot(second, 32))/8
	case timestamp:
		f.unit, f.width = int(of.GetInt16Slot(first, 0)), 8
	case duration:
		f.unit, f.width = int(of.GetInt16Slot(first, 1)), 8
	case interval:
		f.width = [...]int{4, 8, 16}[of.GetInt16Slot(first, 0)]
	case fixedBinary, fixedList:
		f.width = int(of.GetInt32Slot(first, 0))
	case union:
		f.unit = int(of.GetInt16Slot(first, 0))
		return f.parseCodes(of)
	case binaries, texts, list, mapping, listView:
		f.width = 4
	case largeBinary, largeText, largeList, largeListView:
		f.width = 8
	}
	children := map[kind]int{list: 1, largeList: 1, listView: 1, largeListView: 1, fixedList: 1, mapping: 1, runEnds: 2}
	if n, ok := children[f.kind]; (ok && n != len(f.children)) || f.width < 0 || f.width > 1<<24 || f.unit < -1<<10 || f.unit > 1<<10 {
		return fmt.Errorf("type %s: invalid: %d children, %d bytes wide", f.kind, len(f.children), f.width)
	}
	return nil
}

func integerOf(t table) layout {
	return layout{kind: integer, width: int(t.GetInt32Slot(first, 0)) / 8, signed: t.GetBoolSlot(second, false)}
}

// parseCodes reads the child of each type code of a union.
func (f *field) parseCodes(of table) error {
	at, n, err := of.vector(second, 4)
	for i := range f.codes {
		f.codes[i] = -1
		if at == 0 && i < len(f.children) {
			f.codes[i] = int8(i)
		}
	}
	for i := range n {
		code := of.GetInt32(at + flatbuffers.UOffsetT(4*i))
		if code < 0 || code > 127 || i >= len(f.children) {
			return fmt.Errorf("type code %d of a union: out of range", code)
		}
		f.codes[code] = int8(i)
	}
	return err
}

// same reports whether two fields have the same names and types.
func (f *field) same(g *field) bool {
	return f.name == g.name && f.layout == g.layout && f.codes == g.codes && f.encoded == g.encoded && slices.EqualFunc(f.children, g.children, (*field).same)
}

// columns lists columns. Those inside structs are named by their paths.
func columns(dst []corpus.Column, before string, fields []*field) []corpus.Column {
	for _, f := range fields {
		c := corpus.Column{Name: before + f.name}
		switch {
		case f.kind == structure:
			dst = columns(dst, c.Name+".", f.children)
			continue
		case f.nested():
			c.Kind = corpus.Nested
		case f.kind == integer:
			c.Kind = corpus.Integer
		case f.kind == floating:
			c.Kind = corpus.Number
		}
		dst = append(dst, c)
	}
	return dst
}

// quoted lists the names of columns for a message.
func quoted(columns []corpus.Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, strconv.Quote(c.Name))
	}
	return strings.Join(names, ", ")
}
