package arrow

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/neardup/neardup/corpus"
)

func bit(b []byte, i int) bool { return b[i/8]>>(i%8)&1 != 0 }

func (d *data) null(i int) bool { return d.valid != nil && !bit(d.valid.bytes(), i) }

// number returns the i-th number, which has width bytes.
func number(b []byte, width, i int) int {
	b = b[i*width : i*width+width]
	switch width {
	case 1:
		return int(int8(b[0]))
	case 2:
		return int(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int(int32(binary.LittleEndian.Uint32(b)))
	}
	return int(binary.LittleEndian.Uint64(b))
}

func appendNumber(dst []byte, width, n int) []byte {
	switch width {
	case 1:
		return append(dst, byte(n))
	case 2:
		return binary.LittleEndian.AppendUint16(dst, uint16(n))
	case 4:
		return binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

// appendValue appends the text form of row i of a column.
func (s *source) appendValue(row []byte, d *data, i int) []byte {
	if d.kind == null || d.null(i) {
		return corpus.AppendNull(row)
	}
	if d.index {
		at := d.buffers[0].number(d.encoded.index.width, i)
		if !d.encoded.index.signed && d.encoded.index.width < 8 {
			at &= 1<<(8*d.encoded.index.width) - 1
		}
		for _, part := range s.dicts[d.encoded.id] {
			if at < part.rows {
				return s.appendValue(row, part, at)
			}
			at -= part.rows
		}
		return corpus.AppendNull(row) // before its dictionary, a batch may only have null
	}
	if d.kind == runEnds {
		return s.appendValue(row, d.children[1], d.children[0].runOf(i))
	}
	if d.nested() {
		return corpus.AppendCell(row, s.appendJSON(nil, d, i))
	}
	var small [64]byte
	switch d.kind {
	case binaries, texts, largeBinary, largeText:
		from, to := d.buffers[0].number(d.width, i), d.buffers[0].number(d.width, i+1)
		return corpus.AppendCell(row, d.buffers[1].part(from, to))
	case binaryView, textView:
		return corpus.AppendCell(row, d.view(i))
	case boolean:
		return corpus.AppendCell(row, strconv.AppendBool(small[:0], bit(d.buffers[0].bytes(), i)))
	}
	b := d.buffers[0].part(i*d.width, (i+1)*d.width)
	if d.kind == fixedBinary {
		return corpus.AppendCell(row, b)
	}
	return corpus.AppendCell(row, d.appendScalar(small[:0], b))
}

// appendJSON appends row i of a column as JSON. A union becomes null.
func (s *source) appendJSON(dst []byte, d *data, i int) []byte {
	if d.kind == null || d.kind == union || d.null(i) || len(dst) > s.limit {
		return append(dst, "null"...)
	}
	from, to := i*d.width, (i+1)*d.width
	switch {
	case d.index || !d.nested() || d.kind == runEnds:
		text := s.appendValue(nil, d, i)
		size, n := binary.Uvarint(text)
		if size == 0 {
			return append(dst, "null"...)
		}
		text = text[n:]
		if plain := []kind{boolean, integer, floating, decimal}; !slices.Contains(plain, d.kind) || !json.Valid(text) {
			text, _ = json.Marshal(string(text))
		}
		return append(dst, text...)
	case d.kind == structure:
		dst = append(dst, '{')
		for _, c := range d.children {
			dst = s.appendJSON(corpus.AppendName(dst, c.name), c, i)
		}
		return append(dst, '}')
	case d.kind == listView || d.kind == largeListView:
		from = d.buffers[0].number(d.width, i)
		to = from + d.buffers[1].number(d.width, i)
	case d.kind != fixedList:
		from, to = d.buffers[0].number(d.width, i), d.buffers[0].number(d.width, i+1)
	}
	dst = append(dst, '[')
	for at := from; at < min(to, d.children[0].rows); at++ {
		if at > from {
			dst = append(dst, ',')
		}
		dst = s.appendJSON(dst, d.children[0], at)
	}
	return append(dst, ']')
}

// runOf returns the index of the run that contains row i.
func (d *data) runOf(i int) int {
	return sort.Search(d.rows, func(run int) bool { return d.buffers[0].number(d.width, run) > i })
}

// view returns the i-th text of a column of views. The text is in the view itself or in a further buffer.
func (d *data) view(i int) []byte {
	v := d.buffers[0].part(16*i, 16*i+16)
	n := number(v, 4, 0)
	if n <= 12 {
		return v[4 : 4+n]
	}
	from := number(v, 4, 3)
	return d.buffers[1+number(v, 4, 2)].part(from, from+n)
}

// units lists the units of times by their codes.
var units = [...]time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}

// appendScalar appends a value in the form that people write.
func (d *data) appendScalar(dst, b []byte) []byte {
	switch d.kind {
	case floating:
		return d.appendFloat(dst, b)
	case decimal:
		return d.appendDecimal(dst, b)
	case timestamp:
		n, perSecond := int64(number(b, 8, 0)), int64(time.Second/units[d.unit])
		return time.Unix(n/perSecond, n%perSecond*int64(units[d.unit])).UTC().AppendFormat(dst, time.RFC3339Nano)
	case date:
		seconds := int64(number(b, d.width, 0))
		if d.unit == 0 {
			seconds *= 86400
		} else {
			seconds /= 1000
		}
		return time.Unix(seconds, 0).UTC().AppendFormat(dst, time.DateOnly)
	case clock:
		of := time.Duration(number(b, d.width, 0)) * units[d.unit]
		return time.Unix(0, 0).UTC().Add(of).AppendFormat(dst, "15:04:05.999999999")
	case duration:
		return append(dst, (time.Duration(number(b, 8, 0)) * units[d.unit]).String()...)
	case integer:
		n := number(b, d.width, 0)
		if d.signed {
			return strconv.AppendInt(dst, int64(n), 10)
		}
		return strconv.AppendUint(dst, uint64(n)<<(64-8*d.width)>>(64-8*d.width), 10)
	}
	for _, c := range slices.Backward(b) { // parts of an interval
		dst = append(dst, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return dst
}

func (d *data) appendFloat(dst, b []byte) []byte {
	switch n := number(b, d.width, 0); d.width {
	case 2:
		return strconv.AppendFloat(dst, half(uint16(n)), 'g', -1, 32)
	case 4:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(n))), 'g', -1, 32)
	default:
		return strconv.AppendFloat(dst, math.Float64frombits(uint64(n)), 'g', -1, 64)
	}
}

// half returns the value of a float of 16 bits.
func half(bits uint16) float64 {
	value := float64(math.Float32frombits(uint32(bits&0x7fff)<<13)) * (1 << 112) // scales the exponent of 5 bits to the one of 8
	if bits&0x7c00 == 0x7c00 {
		value = math.Inf(1)
		if bits&0x3ff != 0 {
			value = math.NaN()
		}
	}
	if bits>>15 != 0 {
		return -value
	}
	return value
}

func (d *data) appendDecimal(dst, b []byte) []byte {
	digits := slices.Clone(b)
	slices.Reverse(digits)
	n := new(big.Int).SetBytes(digits)
	if len(digits) > 0 && digits[0]>>7 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(digits))))
	}
	if d.unit < 0 {
		return n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-d.unit)), nil)).Append(dst, 10)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.unit)), nil)
	return append(dst, new(big.Rat).SetFrac(n, scale).FloatString(d.unit)...)
}
