package arrow

import (
	"fmt"
	"math"
)

// copier appends rows to columns. It limits the bytes that it appends, because a few bytes of a damaged batch may represent
// many.
type copier struct {
	left int // bytes that it may still append
	room int // bytes that it may still allocate before it appends
	err  error
}

// empty returns a column without rows, with room for about n rows of the type of d.
func (c *copier) empty(d *data, n int) *data {
	of := &data{field: d.field, index: d.index}
	if d.valid != nil {
		of.valid = have(nil)
	}
	buffers := d.buffers
	if !d.index && (d.kind == binaryView || d.kind == textView) {
		buffers = buffers[:1] // buffers of long texts are added when needed
	}
	for _, b := range buffers {
		room := min(int(b.size)/max(d.rows, 1)*n, c.room)
		c.room -= room
		of.buffers = append(of.buffers, have(make([]byte, 0, room)))
	}
	switch d.kind {
	case binaries, texts, largeBinary, largeText, list, mapping, largeList:
		if !d.index {
			of.buffers[0].add(d.width, 0)
		}
	}
	for _, child := range d.children {
		of.children = append(of.children, c.empty(child, n*child.rows/max(d.rows, 1)))
	}
	return of
}

// have returns a buffer of bytes that are already in memory.
func have(b []byte) *buffer { return &buffer{b: b, done: true} }

// spend counts n values of width bytes, and reports whether they may be appended.
func (c *copier) spend(n, width int) bool {
	switch {
	case c.err != nil:
	case n < 0 || n > c.left/max(width, 1):
		c.err = errBatch
	default:
		c.left -= n * width
	}
	return c.err == nil
}

// rows appends the rows [from, to) of d to a column that empty returned.
func (c *copier) rows(of, d *data, from, to int) {
	if c.err == nil && (from < 0 || to < from || to > d.rows) {
		c.err = fmt.Errorf("column %q: rows %d to %d are out of range (want at most %d)", d.name, from, to, d.rows)
	}
	if c.err != nil {
		return
	}
	if d.valid != nil {
		of.nulls += to - from - c.bits(of.valid, of.rows, d.valid, from, to)
	}
	switch {
	case d.index:
		c.values(of.buffers[0], d.buffers[0], d.encoded.index.width, from, to)
	case d.kind == null:
		of.nulls += to - from
	case d.kind == boolean:
		c.bits(of.buffers[0], of.rows, d.buffers[0], from, to)
	case d.kind == binaryView || d.kind == textView:
		c.views(of, d, from, to)
	case d.kind == binaries || d.kind == texts || d.kind == largeBinary || d.kind == largeText:
		first, last := c.offsets(of, d, from, to)
		c.values(of.buffers[1], d.buffers[1], 1, first, last)
	case d.kind == list || d.kind == mapping || d.kind == largeList:
		first, last := c.offsets(of, d, from, to)
		c.rows(of.children[0], d.children[0], first, last)
	case d.kind == listView || d.kind == largeListView:
		c.listViews(of, d, from, to)
	case d.kind == fixedList:
		c.rows(of.children[0], d.children[0], from*d.width, to*d.width)
	case d.kind == union:
		c.union(of, d, from, to)
	case d.kind == runEnds:
		c.runs(of, d, from, to)
	case d.kind == structure:
		for i := range d.children {
			c.rows(of.children[i], d.children[i], from, to)
		}
	default:
		c.values(of.buffers[0], d.buffers[0], d.width, from, to)
	}
	of.rows += to - from
}

// bits appends bits of b to a buffer of n bits, and returns the number of set bits among them.
func (c *copier) bits(of *buffer, n int, b *buffer, from, to int) (set int) {
	if !c.spend((to-from+7)/8, 1) {
		return 0
	}
	for i := from; i < to; i++ {
		if of.appendBit(n+i-from, bit(b.bytes(), i)) {
			set++
		}
	}
	return set
}

// appendBit appends a bit to a buffer of n bits and returns it.
func (b *buffer) appendBit(n int, value bool) bool {
	if n%8 == 0 {
		b.b = append(b.b, 0)
	}
	if value {
		b.b[n/8] |= 1 << (n % 8)
	}
	return value
}

// values appends values of width bytes each.
func (c *copier) values(of, b *buffer, width, from, to int) {
	if !c.spend(to-from, width) {
		return
	}
	for at, end := from*width, to*width; at < end; {
		next := min(end, at+window)
		of.b = append(of.b, b.part(at, next)...)
		at = next
	}
}

// offsets appends offsets that continue those of the column. It returns the range of the values between them.
func (c *copier) offsets(of, d *data, from, to int) (first, last int) {
	if from == to || !c.spend(to-from, d.width) {
		return 0, 0
	}
	first = d.buffers[0].number(d.width, from)
	last = first
	base := of.buffers[0].number(d.width, of.rows) - first
	for i := from; i < to; i++ {
		end := d.buffers[0].number(d.width, i+1)
		if end < last {
			c.err = fmt.Errorf("column %q: offset %[3]d follows offset %[2]d", d.name, last, end)
			return 0, 0
		}
		last = end
		of.buffers[0].add(d.width, base+end)
	}
	return first, last
}

// add appends a number.
func (b *buffer) add(width, n int) { b.b = appendNumber(b.b, width, n) }

// listViews appends lists one after the other. Their values may be anywhere in the child.
func (c *copier) listViews(of, d *data, from, to int) {
	if !c.spend(2*(to-from), d.width) {
		return
	}
	for i := from; i < to; i++ {
		at, size := d.buffers[0].number(d.width, i), d.buffers[1].number(d.width, i)
		if d.null(i) || size == 0 {
			at, size = 0, 0
		}
		of.buffers[0].add(d.width, of.children[0].rows)
		of.buffers[1].add(d.width, size)
		c.rows(of.children[0], d.children[0], at, at+size)
	}
}

// views appends views, and the texts that are too long to fit in them.
func (c *copier) views(of, d *data, from, to int) {
	const size, short = 16, 12
	for i := from; i < to && c.spend(1, size); i++ {
		if d.null(i) {
			of.buffers[0].b = append(of.buffers[0].b, make([]byte, size)...)
			continue
		}
		text := d.view(i)
		of.buffers[0].b = append(of.buffers[0].b, d.buffers[0].part(size*i, size*i+size)...)
		if len(text) <= short || !c.spend(len(text), 1) {
			continue
		}
		last := len(of.buffers) - 1
		if last == 0 || len(of.buffers[last].b)+len(text) > math.MaxInt32 {
			of.buffers, last = append(of.buffers, have(nil)), last+1
		}
		place := appendNumber(appendNumber(nil, 4, last-1), 4, len(of.buffers[last].b))
		copy(of.buffers[0].b[len(of.buffers[0].b)-len(place):], place)
		of.buffers[last].b = append(of.buffers[last].b, text...)
	}
}

// union appends values of the child that has their type. A value is in the same row of the child or, in a dense union, at
// an offset.
func (c *copier) union(of, d *data, from, to int) {
	c.values(of.buffers[0], d.buffers[0], 1, from, to)
	for i := range d.children {
		if d.unit == 0 {
			c.rows(of.children[i], d.children[i], from, to)
		}
	}
	for i := from; i < to && d.unit != 0 && c.spend(1, 4); i++ {
		child := d.codes[d.buffers[0].part(i, i+1)[0]]
		at := d.buffers[1].number(4, i)
		of.buffers[1].add(4, of.children[child].rows)
		c.rows(of.children[child], d.children[child], at, at+1)
	}
}

// runs appends values, each of which represents a run of rows.
func (c *copier) runs(of, d *data, from, to int) {
	ends, base := d.children[0], of.rows-from
	for run := ends.runOf(from); from < to && c.spend(1, ends.width); run++ {
		if run >= ends.rows {
			c.err = fmt.Errorf("column %q: its runs end before row %d", d.name, from)
			return
		}
		next := min(ends.buffers[0].number(ends.width, run), to)
		if next <= from {
			continue
		}
		of.children[0].buffers[0].add(ends.width, base+next)
		of.children[0].rows++
		c.rows(of.children[1], d.children[1], run, run+1)
		from = next
	}
}
