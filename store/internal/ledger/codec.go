package ledger

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/neardup/neardup/docid"
	"github.com/zeebo/xxh3"
)

// A value holds its fields in the order of the put methods of rows.go. Numbers are varints, and strings follow
// their length. The last 8 bytes are a checksum of key and fields.

type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)   { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)     { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) fixed(v uint64)  { e.b = binary.BigEndian.AppendUint64(e.b, v) }
func (e *encoder) raw(v []byte)    { e.b = append(e.b, v...) }
func (e *encoder) string(v string) { e.uint(uint64(len(v))); e.b = append(e.b, v...) }
func (e *encoder) bool(v bool) {
	if v {
		e.uint(1)
	} else {
		e.uint(0)
	}
}
func (e *encoder) float(v float64) { e.fixed(math.Float64bits(v)) }

// seal appends the checksum.
func (e *encoder) seal(key []byte) []byte {
	e.fixed(checksum(key, e.b))
	return e.b
}

func checksum(key, fields []byte) uint64 { return xxh3.HashSeed(fields, xxh3.Hash(key)) }

// decoder reads fields. It keeps the first error, and all later fields are zero.
type decoder struct {
	b   []byte
	err error
}

// open checks the checksum of a value and returns a decoder of its fields.
func open(key, value []byte) (*decoder, error) {
	if len(value) < 8 {
		return nil, fmt.Errorf("%w: row %x is cut short", docid.ErrCorrupt, key)
	}
	fields, sum := value[:len(value)-8], binary.BigEndian.Uint64(value[len(value)-8:])
	if sum != checksum(key, fields) {
		return nil, fmt.Errorf("%w: checksum of row %x", docid.ErrCorrupt, key)
	}
	return &decoder{b: fields}, nil
}

// close returns an error unless all bytes were read and no field was missing.
func (d *decoder) close(key []byte) error {
	if d.err == nil && len(d.b) > 0 {
		d.fail("has bytes left over")
	}
	if d.err != nil {
		return fmt.Errorf("%w: row %x %s", docid.ErrCorrupt, key, d.err)
	}
	return nil
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%s", why)
	}
	d.b = nil
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("has a bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail("has a bad number")
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) raw(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail("ends too early")
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) fixed() uint64 {
	if b := d.raw(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) bool() bool { return d.uint() != 0 }

// more reports whether optional fields follow.
func (d *decoder) more() bool { return len(d.b) > 0 }

func (d *decoder) float() float64 { return math.Float64frombits(d.fixed()) }

func (d *decoder) string() string {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail("ends too early")
		return ""
	}
	return string(d.raw(int(n)))
}

// count reads the number of elements that follow, each at least size bytes long.
func (d *decoder) count(size int) int {
	n := d.uint()
	if n > uint64(len(d.b)/size) {
		d.fail("counts too many")
		return 0
	}
	return int(n)
}

// encoded returns the fields that put writes, without a checksum. decoded reads them.
func encoded(put func(*encoder)) []byte {
	var e encoder
	put(&e)
	return e.b
}

func decoded(b []byte, get func(*decoder)) error {
	d := &decoder{b: b}
	get(d)
	return d.close(nil)
}

// EncodeEntry encodes an entry without its Seq, to be stored outside the rows.
func EncodeEntry(v *docid.Entry) []byte { return encoded(func(e *encoder) { putEntry(e, v) }) }

// DecodeEntry reads what EncodeEntry wrote. It returns ErrCorrupt if that fails.
func DecodeEntry(b []byte) (v docid.Entry, err error) {
	err = decoded(b, func(d *decoder) { getEntry(d, &v) })
	return v, err
}
