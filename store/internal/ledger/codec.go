package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/neardup/neardup/docid"
	"github.com/zeebo/xxh3"
)

// The last 8 bytes of a row are a checksum of the key and the fields.

// coder writes or reads the fields of values, in the order of their types. Writing changes no value. Reading keeps the
// first error, after which all fields are zero.
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
		return nil, fmt.Errorf("%w: row %x: truncated", docid.ErrCorrupt, key)
	}
	fields, sum := value[:len(value)-8], binary.BigEndian.Uint64(value[len(value)-8:])
	if sum != checksum(key, fields) {
		return nil, fmt.Errorf("%w: row %x: wrong checksum", docid.ErrCorrupt, key)
	}
	return &coder{b: fields, reads: true}, nil
}

// close returns an error unless all bytes were read and no field was missing.
func (c *coder) close(key []byte) error {
	if c.err == nil && len(c.b) > 0 {
		c.fail("unexpected bytes at the end")
	}
	if c.err != nil {
		return fmt.Errorf("%w: row %x: %s", docid.ErrCorrupt, key, c.err)
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
		c.fail("invalid number")
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *coder) getString() string {
	n := c.getUint()
	if n > uint64(len(c.b)) {
		c.fail("truncated")
		return ""
	}
	return string(c.take(int(n)))
}

func (c *coder) take(n int) []byte {
	if n > len(c.b) {
		c.fail("truncated")
		return nil
	}
	v := c.b[:n]
	c.b = c.b[n:]
	return v
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
		c.fail("truncated")
	default:
		*v = binary.BigEndian.Uint64(c.take(8))
	}
}

// has writes or reads whether a field follows.
func (c *coder) has(there bool) bool {
	switch {
	case c.reads:
		return c.getUint() != 0
	case there:
		c.putUint(1)
	default:
		c.putUint(0)
	}
	return there
}

// all codes the values that pointers point to.
func (c *coder) all(pointers []any) {
	for _, p := range pointers {
		c.value(reflect.ValueOf(p).Elem())
	}
}

var (
	entryType    = reflect.TypeFor[docid.Entry]()
	identityType = reflect.TypeFor[docid.Identity]()
)

// value codes a value by its type. A struct consists of its fields in order. Maps, functions, the Seq of an entry and the
// Epochs of an identity are left out, because other rows or keys hold them. A pointer begins with whether it is nil, and a
// list with its length. A number is a varint, unless it is an element of a list.
func (c *coder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		from, to := 0, v.NumField()
		switch v.Type() {
		case entryType:
			from = 1
		case identityType:
			to--
		}
		for i := from; i < to; i++ {
			if f := v.Field(i); f.Kind() != reflect.Map && f.Kind() != reflect.Func {
				c.value(f)
			}
		}
	case reflect.Pointer:
		c.pointer(v)
	case reflect.Slice, reflect.Array:
		c.elements(v)
	case reflect.String:
		if c.reads {
			v.SetString(c.getString())
		} else {
			c.putString(v.String())
		}
	case reflect.Bool:
		if there := c.has(v.Bool()); c.reads {
			v.SetBool(there)
		}
	case reflect.Float64:
		bits := math.Float64bits(v.Float())
		c.fixed(&bits)
		if c.reads {
			v.SetFloat(math.Float64frombits(bits))
		}
	default:
		c.number(v)
	}
}

func (c *coder) number(v reflect.Value) {
	signed := v.CanInt()
	switch {
	case !c.reads && signed:
		c.b = binary.AppendVarint(c.b, v.Int())
	case !c.reads:
		c.putUint(v.Uint())
	case signed:
		n := c.getUint()
		v.SetInt(int64(n>>1) ^ -int64(n&1)) // the zigzag encoding of a varint
	default:
		v.SetUint(c.getUint())
	}
}

func (c *coder) pointer(v reflect.Value) {
	there := c.has(!v.IsNil())
	if c.reads {
		v.SetZero()
	}
	if there && c.reads {
		v.Set(reflect.New(v.Type().Elem()))
	}
	if there {
		c.value(v.Elem())
	}
}

// elements codes an array, or a list with its length.
func (c *coder) elements(v reflect.Value) {
	if v.Kind() == reflect.Slice {
		c.length(v)
	}
	switch v.Type().Elem().Kind() {
	case reflect.Uint8:
		c.raw(v.Bytes())
	case reflect.Uint64:
		for i := range v.Len() {
			n := v.Index(i).Uint()
			c.fixed(&n)
			if c.reads {
				v.Index(i).SetUint(n)
			}
		}
	default:
		for i := range v.Len() {
			c.value(v.Index(i))
		}
	}
}

// spread is the number of bytes of memory that one byte of a value may take. An empty KeySet takes most.
const spread = 32

// length codes the length of a list. Reading allocates the list, unless that would take more memory than the value can
// fill.
func (c *coder) length(v reflect.Value) {
	if !c.reads {
		c.putUint(uint64(v.Len()))
		return
	}
	v.SetZero()
	n := c.getUint()
	if n > uint64(len(c.b))*spread/uint64(v.Type().Elem().Size()) {
		c.fail("invalid count")
	} else if n > 0 {
		v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
	}
}

// encoded returns the fields of a value without a checksum. decoded reads them.
func encoded(values ...any) []byte {
	var c coder
	c.all(values)
	return c.b
}

func decoded(b []byte, values ...any) error {
	c := &coder{b: b, reads: true}
	c.all(values)
	return c.close(nil)
}

// EncodeEntry encodes an entry without its Seq, to be stored outside the rows.
func EncodeEntry(v *docid.Entry) []byte { return encoded(v) }

// DecodeEntry decodes the output of EncodeEntry. It returns ErrCorrupt for anything else.
func DecodeEntry(b []byte) (v docid.Entry, err error) {
	err = decoded(b, &v)
	return v, err
}
