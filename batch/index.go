package batch

import "context"

// index holds the leaders of a partition of the texts by bucket. Each bucket is a contiguous range of cells, which fill as
// texts become leaders. A posting takes 12 bytes and a bucket 8. The sketches are stored next to the positions, so most
// candidates are rejected within one cache line.
type index struct {
	local     map[uint32]uint32 // number of the text set's bucket -> number here; nil if the numbers are equal
	start     []uint32          // first cell of each bucket
	count     []uint32          // filled cells of each bucket
	pos       []position
	sketch    []uint64
	kinds     []kind     // by cell; nil if templates are not recorded
	from      position   // first text of the partition
	to        position   // text after the last
	join      *join      // nil if no bucket is joined
	templates *templates // nil if templates are not recorded
}

// kind is a template that leaders of a bucket have. All leaders in the cells from `from` up to this one have it.
type kind struct{ template, from uint32 }

// bucketBytes is an upper bound of the memory of one posting, including its share of the bucket tables.
const bucketBytes = 40

// newIndex allocates an index for the leaders among the texts from `from` on. It covers as many texts as its memory allows,
// and at least one.
func (j *job) newIndex(ctx context.Context, set *collection, cands *candidates, from position) (*index, error) {
	limit := int(j.memory(indexShare) / bucketBytes)
	x := &index{from: from, to: position(set.texts.Len())}
	var sizes []uint32
	if cands.indexed > limit {
		x.local = map[uint32]uint32{}
	} else {
		sizes = make([]uint32, cands.hot)
	}
	total, last := 0, from
	err := cands.sorted.Each(ctx, func(p keyValue) error {
		pos, c := position(p.Key()), candidate(p.Val())
		if pos < from || pos >= x.to || c.role()&Indexed == 0 {
			return nil
		}
		if pos != last && total >= limit {
			x.to = pos
			return nil
		}
		last = pos
		b := c.bucket()
		if x.local != nil {
			n, ok := x.local[b]
			if !ok {
				n = uint32(len(sizes))
				x.local[b] = n
				sizes = append(sizes, 0)
			}
			b = n
		}
		sizes[b]++
		total++
		return nil
	})
	if err != nil {
		return nil, err
	}
	x.start = make([]uint32, len(sizes))
	at := uint32(0)
	for b, n := range sizes {
		x.start[b] = at
		at += n
		sizes[b] = 0
	}
	x.count = sizes
	x.pos, x.sketch = make([]position, total), make([]uint64, total)
	return x, nil
}

// find returns the range of cells that hold a bucket's leaders so far.
func (x *index) find(bucket uint32) (from, to uint32) {
	if x.local != nil {
		n, ok := x.local[bucket]
		if !ok {
			return 0, 0
		}
		bucket = n
	}
	from = x.start[bucket]
	return from, from + x.count[bucket]
}

// add puts a leader into a bucket. Leaders must be added in order.
func (x *index) add(bucket uint32, pos position, sketch uint64, template uint32) {
	if x.local != nil {
		bucket = x.local[bucket]
	}
	at := x.start[bucket] + x.count[bucket]
	x.pos[at], x.sketch[at] = pos, sketch
	if template != 0 {
		if x.kinds == nil {
			x.kinds = make([]kind, len(x.pos))
		}
		x.kinds[at] = kind{template, at}
		if at > x.start[bucket] && x.kinds[at-1].template == template {
			x.kinds[at].from = x.kinds[at-1].from
		}
	}
	x.count[bucket]++
}
