package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/neardup/neardup/docid"
	"github.com/zeebo/xxh3"
)

// A value holds its fields in the order of its function fields. Numbers are varints, and strings follow their
// length. The last 8 bytes are a checksum of key and fields.

// coder writes the fields of a value or reads them, so that one function lists them for both. Writing changes no
// value. Reading keeps the first error, and all later fields are zero.
type coder struct {
	b     []byte
	reads bool
	err   error
}

func (c *coder) putUint(v uint64)   { c.b = binary.AppendUvarint(c.b, v) }
func (c *coder) putString(v string) { c.putUint(uint64(len(v))); c.b = append(c.b, v...) }

// seal appends the checksum.
func (c *coder) seal(key []byte) []byte {
	c.b = binary.BigEndian.AppendUint64(c.b, checksum(key, c.b))
	return c.b
}

func checksum(key, fields []byte) uint64 { return xxh3.HashSeed(fields, xxh3.Hash(key)) }

// open checks the checksum of a value and returns a coder that reads its fields.
func open(key, value []byte) (*coder, error) {
	if len(value) < 8 {
		return nil, fmt.Errorf("%w: row %x is cut short", docid.ErrCorrupt, key)
	}
	fields, sum := value[:len(value)-8], binary.BigEndian.Uint64(value[len(value)-8:])
	if sum != checksum(key, fields) {
		return nil, fmt.Errorf("%w: checksum of row %x", docid.ErrCorrupt, key)
	}
	return &coder{b: fields, reads: true}, nil
}

// close returns an error unless all bytes were read and no field was missing.
func (c *coder) close(key []byte) error {
	if c.err == nil && len(c.b) > 0 {
		c.fail("has bytes left over")
	}
	if c.err != nil {
		return fmt.Errorf("%w: row %x %s", docid.ErrCorrupt, key, c.err)
	}
	return nil
}

func (c *coder) fail(why string) {
	if c.err == nil {
		c.err = errors.New(why)
	}
	c.b = nil
}

func (c *coder) getUint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail("has a bad number")
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *coder) getString() string {
	n := c.getUint()
	if n > uint64(len(c.b)) {
		c.fail("ends too early")
		return ""
	}
	return string(c.take(int(n)))
}

func (c *coder) take(n int) []byte {
	if n > len(c.b) {
		c.fail("ends too early")
		return nil
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
}

func uints[T ~uint64 | ~uint32 | ~byte | ~int](c *coder, vs ...*T) {
	for _, v := range vs {
		if c.reads {
			*v = T(c.getUint())
		} else {
			c.putUint(uint64(*v))
		}
	}
}

func ints[T ~int64 | ~int](c *coder, vs ...*T) {
	for _, v := range vs {
		if !c.reads {
			c.b = binary.AppendVarint(c.b, int64(*v))
			continue
		}
		n, size := binary.Varint(c.b)
		*v = T(n)
		if size <= 0 {
			c.fail("has a bad number")
			continue
		}
		c.b = c.b[size:]
	}
}

func texts[T ~string](c *coder, vs ...*T) {
	for _, v := range vs {
		if c.reads {
			*v = T(c.getString())
		} else {
			c.putString(string(*v))
		}
	}
}

func (c *coder) raw(v []byte) {
	if c.reads {
		copy(v, c.take(len(v)))
	} else {
		c.b = append(c.b, v...)
	}
}

func (c *coder) fixed(v *uint64) {
	switch {
	case !c.reads:
		c.b = binary.BigEndian.AppendUint64(c.b, *v)
	case len(c.b) < 8:
		*v = 0
		c.fail("ends too early")
	default:
		*v = binary.BigEndian.Uint64(c.take(8))
	}
}

func (c *coder) float(v *float64) {
	bits := math.Float64bits(*v)
	c.fixed(&bits)
	if c.reads {
		*v = math.Float64frombits(bits)
	}
}

// has writes whether a field follows, or reads it.
func (c *coder) has(there bool) bool {
	n := 0
	if there {
		n = 1
	}
	uints(c, &n)
	return n != 0
}

func (c *coder) bool(v *bool) {
	if there := c.has(*v); c.reads {
		*v = there
	}
}

// present returns there. Reading also makes the value, or sets the pointer to nil.
func present[T any](c *coder, v **T, there bool) bool {
	if c.reads {
		*v = nil
		if there {
			*v = new(T)
		}
	}
	return there
}

// list codes elements of at least size bytes.
func list[T any](c *coder, all *[]T, size int, element func(*coder, *T)) {
	n := len(*all)
	uints(c, &n)
	if c.reads {
		if n < 0 || n > len(c.b)/size {
			c.fail("counts too many")
			n = 0
		}
		*all = nil
		if n > 0 {
			*all = make([]T, n)
		}
	}
	for i := range *all {
		element(c, &(*all)[i])
	}
}

// oneUint and oneText code a value of one field.
func oneUint(v *uint64) func(*coder) { return func(c *coder) { uints(c, v) } }
func oneText(v *string) func(*coder) { return func(c *coder) { texts(c, v) } }

// encoded returns the fields of a value without a checksum. decoded reads them.
func encoded(fields func(*coder)) []byte {
	var c coder
	fields(&c)
	return c.b
}

func decoded(b []byte, fields func(*coder)) error {
	c := &coder{b: b, reads: true}
	fields(c)
	return c.close(nil)
}

// EncodeEntry encodes an entry without its Seq, to be stored outside the rows.
func EncodeEntry(v *docid.Entry) []byte { return encoded(func(c *coder) { entryFields(c, v) }) }

// DecodeEntry reads what EncodeEntry wrote. It returns ErrCorrupt if that fails.
func DecodeEntry(b []byte) (v docid.Entry, err error) {
	err = decoded(b, func(c *coder) { entryFields(c, &v) })
	return v, err
}
