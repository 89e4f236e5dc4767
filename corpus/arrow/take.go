package arrow

import (
	"errors"
	"fmt"
	"math"
)

// span is rows of a column: those from one on, to another.
type span struct{ from, to int }

func length(rows []span) int {
	n := 0
	for _, s := range rows {
		n += s.to - s.from
	}
	return n
}

// taker copies rows of columns, which hold nothing of the others then. A few bytes may
// stand for many, so that it counts.
type taker struct {
	left int // bytes that it may take
	err  error
}

// spend counts n values of some bytes, and reports whether there is room.
func (t *taker) spend(n, width int) bool {
	switch {
	case t.err != nil:
	case n < 0 || n > t.left/max(width, 1):
		t.err = errBatch
	default:
		t.left -= n * width
	}
	return t.err == nil
}

func (t *taker) fail(format string, args ...any) {
	t.err = errors.Join(t.err, fmt.Errorf(format, args...))
}

// have is a buffer of bytes that are there.
func have(b []byte) *buffer { return &buffer{b: b, done: true, size: int64(len(b))} }

// take returns rows of a column as one of their own. Indexes out of range are for told.
func (t *taker) take(d *data, rows []span) *data {
	of := &data{field: d.field, index: d.index, rows: length(rows)}
	for _, s := range rows {
		if s.from < 0 || s.to < s.from || s.to > d.rows {
			t.fail("rows %d to %d of column %q, which has %d", s.from, s.to, d.name, d.rows)
		}
	}
	if t.err != nil {
		return of
	}
	if d.valid != nil {
		var set int
		if of.valid, set = t.bits(d.valid, rows); set == of.rows {
			of.valid = nil
		}
		of.nulls = of.rows - set
	}
	if d.index {
		of.buffers = []*buffer{t.fixed(d.buffers[0], d.encoded.index.width, rows)}
		return of
	}
	switch d.kind {
	case null:
		of.nulls = of.rows
	case boolean:
		bits, _ := t.bits(d.buffers[0], rows)
		of.buffers = []*buffer{bits}
	case binaryView, textView:
		of.buffers = t.views(d, rows)
	case binaries, texts, largeBinary, largeText:
		offsets, spans := t.offsets(d, rows)
		of.buffers = []*buffer{offsets, t.fixed(d.buffers[1], 1, spans)}
	case list, mapping, largeList:
		offsets, spans := t.offsets(d, rows)
		of.buffers, of.children = []*buffer{offsets}, t.children(d, spans)
	case listView, largeListView:
		offsets, spans := t.listViews(d, rows)
		of.buffers, of.children = []*buffer{offsets, t.fixed(d.buffers[1], d.width, rows)}, t.children(d, spans)
	case fixedList:
		spans := make([]span, len(rows))
		for i, s := range rows {
			spans[i] = span{s.from * d.width, s.to * d.width}
		}
		of.children = t.children(d, spans)
	case structure:
		of.children = t.children(d, rows)
	case union:
		t.union(of, d, rows)
	case runEnds:
		of.children = t.runs(d, rows)
	default:
		of.buffers = []*buffer{t.fixed(d.buffers[0], d.width, rows)}
	}
	return of
}

func (t *taker) children(d *data, rows []span) (children []*data) {
	for _, c := range d.children {
		children = append(children, t.take(c, rows))
	}
	return children
}

func (t *taker) bits(b *buffer, rows []span) (*buffer, int) {
	if !t.spend(length(rows)/8, 1) {
		return nil, 0
	}
	of, n, set := make([]byte, (length(rows)+7)/8), 0, 0
	for _, s := range rows {
		for i := s.from; i < s.to; i++ {
			if bit(b.bytes(), i) {
				of[n/8] |= 1 << (n % 8)
				set++
			}
			n++
		}
	}
	return have(of), set
}

// fixed takes values of some bytes each.
func (t *taker) fixed(b *buffer, width int, rows []span) *buffer {
	if !t.spend(length(rows), width) {
		return nil
	}
	of := make([]byte, 0, length(rows)*width)
	for _, s := range rows {
		for from, to := s.from*width, s.to*width; from < to; {
			next := min(to, from+window)
			of = append(of, b.part(from, next)...)
			from = next
		}
	}
	return have(of)
}

// offsets takes offsets, which begin with 0 again, and tells what lies between them.
func (t *taker) offsets(d *data, rows []span) (*buffer, []span) {
	if !t.spend(length(rows)+1, d.width) {
		return nil, nil
	}
	b := d.buffers[0]
	of := appendNumber(make([]byte, 0, (length(rows)+1)*d.width), d.width, 0)
	var spans []span
	total := 0
	for _, s := range rows {
		if s.from == s.to {
			continue
		}
		from := b.number(d.width, s.from)
		last := from
		for i := s.from; i < s.to; i++ {
			end := b.number(d.width, i+1)
			if end < last {
				t.fail("offsets of column %q go back from %d to %d", d.name, last, end)
				return nil, nil
			}
			last = end
			of = appendNumber(of, d.width, total+end-from)
		}
		spans = append(spans, span{from, last})
		total += last - from
	}
	return have(of), spans
}

// listViews takes lists that lie anywhere in the child, one behind the other. Where
// many share its values it stays as it is.
func (t *taker) listViews(d *data, rows []span) (*buffer, []span) {
	if !t.spend(length(rows), d.width) {
		return nil, nil
	}
	var spans []span
	var of []byte
	total, values := 0, d.children[0].rows
	for _, s := range rows {
		for i := s.from; i < s.to; i++ {
			from, size := d.buffers[0].number(d.width, i), d.buffers[1].number(d.width, i)
			if d.null(i) || size == 0 {
				from, size = 0, 0
			}
			of = appendNumber(of, d.width, total)
			spans = append(spans, span{from, from + size})
			if total += size; size < 0 || total > values {
				return t.fixed(d.buffers[0], d.width, rows), []span{{0, values}}
			}
		}
	}
	return have(of), spans
}

// views takes views, and the texts that are too long to lie in them.
func (t *taker) views(d *data, rows []span) []*buffer {
	const size = 16
	if !t.spend(length(rows), size) {
		return nil
	}
	views, texts := make([]byte, 0, length(rows)*size), [][]byte{nil}
	for _, s := range rows {
		for i := s.from; i < s.to; i++ {
			if d.null(i) {
				views = append(views, make([]byte, size)...)
				continue
			}
			text := d.view(i)
			if views = append(views, d.buffers[0].part(size*i, size*i+size)...); len(text) <= 12 {
				continue
			}
			if !t.spend(len(text), 1) {
				return nil
			}
			last := len(texts) - 1
			if len(texts[last])+len(text) > math.MaxInt32 {
				texts, last = append(texts, nil), last+1
			}
			views = appendNumber(appendNumber(views[:len(views)-8], 4, last), 4, len(texts[last]))
			texts[last] = append(texts[last], text...)
		}
	}
	buffers := []*buffer{have(views)}
	for _, b := range texts {
		if len(b) > 0 { // which polars would take for damage
			buffers = append(buffers, have(b))
		}
	}
	return buffers
}

// union takes values that lie in the child of their type: in the same row, or in a dense one
// where an offset says.
func (t *taker) union(of, d *data, rows []span) {
	of.buffers = []*buffer{t.fixed(d.buffers[0], 1, rows)}
	if d.unit == 0 {
		of.children = t.children(d, rows)
		return
	}
	if !t.spend(length(rows), 4) {
		return
	}
	spans, counts := make([][]span, len(d.children)), make([]int, len(d.children))
	var offsets []byte
	for _, s := range rows {
		for i := s.from; i < s.to; i++ {
			child := d.codes[d.buffers[0].part(i, i+1)[0]]
			from := d.buffers[1].number(4, i)
			spans[child] = append(spans[child], span{from, from + 1})
			offsets = appendNumber(offsets, 4, counts[child])
			counts[child]++
		}
	}
	of.buffers = append(of.buffers, have(offsets))
	for i, c := range d.children {
		of.children = append(of.children, t.take(c, spans[i]))
	}
}

// runs takes values that stand for runs of rows.
func (t *taker) runs(d *data, rows []span) []*data {
	ends, width := d.children[0], d.children[0].width
	var spans []span
	var taken []byte
	total, run := 0, 0
	for _, s := range rows {
		for at := s.from; at < s.to; {
			if run >= ends.rows {
				t.fail("runs of column %q end before row %d", d.name, at)
				return nil
			}
			end := ends.buffers[0].number(width, run)
			if end <= at { // the next span may begin in the run where one ends
				run++
				continue
			}
			next := min(end, s.to)
			total, at = total+next-at, next
			taken = appendNumber(taken, width, total)
			spans = append(spans, span{run, run + 1})
		}
	}
	newEnds := &data{field: ends.field, rows: len(spans), buffers: []*buffer{have(taken)}}
	return []*data{newEnds, t.take(d.children[1], spans)}
}
