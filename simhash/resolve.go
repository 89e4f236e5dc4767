package simhash

import (
	"context"
	"math/bits"
	"slices"
)

// flush passes the pairs found so far to emit. It replaces values by positions, which it finds in one pass over the lists.
func (j *joiner) flush(ctx context.Context) error {
	if len(j.found) == 0 {
		return nil
	}
	a, b := &j.ofA, &j.ofA
	if err := j.locate(ctx, a, j.a, func(p valuePair) uint64 { return p.a }); err != nil {
		return err
	}
	if j.a != j.b {
		b = &j.ofB
		if err := j.locate(ctx, b, j.b, func(p valuePair) uint64 { return p.b }); err != nil {
			return err
		}
	}
	for n, p := range j.found {
		if n&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := j.pair(p, a.of(p.a), b.of(p.b)); err != nil {
			return err
		}
	}
	j.found = j.found[:0]
	return nil
}

func (j *joiner) pair(p valuePair, as, bs []uint32) error {
	d := Distance(p.a, p.b)
	same := j.a == j.b && p.a == p.b
	if j.a == j.b && j.groups != nil {
		if same {
			group := make([]int, len(as))
			for i, x := range as {
				group[i] = int(x)
			}
			return j.groups(group)
		}
		as, bs = as[:1], bs[:1]
	}
	for i, x := range as {
		if same {
			bs = as[i+1:]
		}
		for _, y := range bs {
			out := Pair{A: int(x), B: int(y), Distance: d}
			if j.a == j.b && out.A > out.B {
				out.A, out.B = out.B, out.A
			}
			if err := j.emit(out); err != nil {
				return err
			}
		}
	}
	return nil
}

type positions struct {
	values []uint64 // sorted
	start  []uint32 // values[i] has the positions at[start[i]:start[i+1]]
	at     []uint32 // ascending for each value
	next   []uint32 // scratch
	hits   [][]hit  // scratch
}

// of returns the positions of a value, ascending.
func (p *positions) of(v uint64) []uint32 {
	i, _ := slices.BinarySearch(p.values, v)
	return p.at[p.start[i]:p.start[i+1]]
}

// hit is a value to look up, with one of its positions.
type hit struct{ value, at uint32 }

// locate sets p to the positions in a list of the values of all found pairs. pick selects one side of a pair; a self-join
// uses both.
func (j *joiner) locate(ctx context.Context, p *positions, s *side, pick func(valuePair) uint64) error {
	p.values = p.values[:0]
	for _, f := range j.found {
		p.values = append(p.values, pick(f))
		if j.a == j.b {
			p.values = append(p.values, f.b)
		}
	}
	slices.Sort(p.values)
	p.values = slices.Compact(p.values)
	j.lookup.fill(p.values)
	if p.hits == nil {
		p.hits = make([][]hit, 8*j.workers)
	}
	pieces := len(p.hits)
	if err := parallel(ctx, j.workers, pieces, func(i int) {
		from, to := len(s.in)*i/pieces, len(s.in)*(i+1)/pieces
		p.hits[i] = j.lookup.find(p.hits[i][:0], s.in[from:to], from)
	}); err != nil {
		return err
	}
	p.gather()
	return nil
}

// gather sorts the hits by value, by a counting sort that keeps positions ascending.
func (p *positions) gather() {
	p.start = cleared(p.start, len(p.values)+1)
	for _, piece := range p.hits {
		for _, h := range piece {
			p.start[h.value+1]++
		}
	}
	for i := range p.values {
		p.start[i+1] += p.start[i]
	}
	p.at = cleared(p.at, int(p.start[len(p.values)]))
	p.next = append(p.next[:0], p.start...)
	for _, piece := range p.hits {
		for _, h := range piece {
			p.at[p.next[h.value]] = h.at
			p.next[h.value]++
		}
	}
}

// valueTable finds the number of a value by open addressing. A bitmap rejects nearly all other values first.
type valueTable struct {
	values []uint64
	cells  []uint32 // number + 1
	seen   []uint64 // bitmap
	shift  int
}

// fill makes t the table of these values.
func (t *valueTable) fill(values []uint64) {
	width := bits.Len(uint(len(values))) + 1
	t.values, t.shift = values, 64-width
	t.cells = cleared(t.cells, 1<<width)
	t.seen = cleared(t.seen, 1<<max(width-3, 0))
	for i, v := range values {
		h := v * 0x9e3779b97f4a7c15
		t.seen[h>>(t.shift+3)&uint64(len(t.seen)-1)] |= 1 << (h & 63)
		c := h >> t.shift
		for t.cells[c] != 0 {
			c = (c + 1) & uint64(len(t.cells)-1)
		}
		t.cells[c] = uint32(i) + 1
	}
}

// cleared returns n zeros. It uses the memory of s if that suffices.
func cleared[T uint32 | uint64](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// find appends the hits in a part of a list. base is the position of its first value.
func (t *valueTable) find(out []hit, fps []uint64, base int) []hit {
	for i, v := range fps {
		h := v * 0x9e3779b97f4a7c15
		if t.seen[h>>(t.shift+3)&uint64(len(t.seen)-1)]>>(h&63)&1 == 0 {
			continue
		}
		for c := h >> t.shift; t.cells[c] != 0; c = (c + 1) & uint64(len(t.cells)-1) {
			if n := t.cells[c] - 1; t.values[n] == v {
				out = append(out, hit{n, uint32(base + i)})
				break
			}
		}
	}
	return out
}
