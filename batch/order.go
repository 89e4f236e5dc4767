package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/neardup/neardup"
)

// orderer sorts documents by what Keep asks for, then by id, then by digest,
// so that the order is one of the documents themselves; only copies that
// agree in all three are ordered by their place in the input.
type orderer struct {
	keep  Keep
	tmp   string
	limit int64
	rows  []orderRow
	bytes int64
	file  *os.File
	size  int64
	runs  []runRange
}

type orderRow struct {
	key    uint64
	id     string
	digest neardup.Digest
	item   uint32
}

func (a orderRow) compare(b orderRow) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id),
		bytes.Compare(a.digest[:], b.digest[:]), cmp.Compare(a.item, b.item))
}

func newOrderer(keep Keep, tmp string, memory int64) *orderer {
	return &orderer{keep: keep, tmp: tmp, limit: memory}
}

func (o *orderer) add(s *scanned, item uint32) error {
	row := orderRow{id: s.doc.ID, digest: s.digest, item: item}
	switch o.keep {
	case Longest:
		row.key = math.MaxUint64 - uint64(runes(s.clean))
	case Earliest:
		row.key = uint64(s.doc.Time) ^ 1<<63 // signed order
		if s.doc.Time == 0 {
			row.key = math.MaxUint64
		}
	}
	o.rows = append(o.rows, row)
	o.bytes += int64(len(row.id)) + 64
	if o.bytes < o.limit {
		return nil
	}
	return o.spill()
}

func (o *orderer) spill() error {
	if o.file == nil {
		f, err := tempFile(o.tmp)
		if err != nil {
			return err
		}
		o.file = f
	}
	slices.SortFunc(o.rows, orderRow.compare)
	w := bufio.NewWriterSize(io.NewOffsetWriter(o.file, o.size), 1<<18)
	start := o.size
	var b []byte
	for _, row := range o.rows {
		b = binary.LittleEndian.AppendUint64(b[:0], row.key)
		b = append(b, row.digest[:]...)
		b = binary.LittleEndian.AppendUint32(b, row.item)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(row.id)))
		b = append(b, row.id...)
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("write a sorted run: %w", err)
		}
		o.size += int64(len(b))
	}
	o.runs = append(o.runs, runRange{start, o.size})
	o.rows, o.bytes = o.rows[:0], 0
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write a sorted run: %w", err)
	}
	return nil
}

// each calls fn with the items in order, once.
func (o *orderer) each(ctx context.Context, fn func(item uint32) error) error {
	slices.SortFunc(o.rows, orderRow.compare)
	h := orderHeap{}
	if len(o.rows) > 0 {
		h = append(h, &orderCursor{rows: o.rows})
	}
	for _, r := range o.runs {
		h = append(h, &orderCursor{in: bufio.NewReaderSize(io.NewSectionReader(o.file, r.off, r.end-r.off), 64<<10)})
	}
	if o.file != nil {
		defer o.file.Close()
	}
	for _, c := range h {
		if err := c.next(); err != nil {
			return err
		}
	}
	heap.Init(&h)
	for i := 0; len(h) > 0; i++ {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(h[0].head.item); err != nil {
			return err
		}
		switch err := h[0].next(); {
		case err == nil:
			heap.Fix(&h, 0)
		case errors.Is(err, io.EOF):
			heap.Pop(&h)
		default:
			return err
		}
	}
	return nil
}

type orderCursor struct {
	rows []orderRow // in memory, or else
	in   *bufio.Reader
	head orderRow
}

func (c *orderCursor) next() error {
	if c.in == nil {
		if len(c.rows) == 0 {
			return io.EOF
		}
		c.head, c.rows = c.rows[0], c.rows[1:]
		return nil
	}
	var b [32]byte
	if _, err := io.ReadFull(c.in, b[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("read a sorted run: %w", err)
	}
	c.head.key = binary.LittleEndian.Uint64(b[:])
	copy(c.head.digest[:], b[8:])
	c.head.item = binary.LittleEndian.Uint32(b[24:])
	id := make([]byte, binary.LittleEndian.Uint32(b[28:]))
	if _, err := io.ReadFull(c.in, id); err != nil {
		return fmt.Errorf("read a sorted run: %w", err)
	}
	c.head.id = string(id)
	return nil
}

type orderHeap []*orderCursor

func (h orderHeap) Len() int           { return len(h) }
func (h orderHeap) Less(i, j int) bool { return h[i].head.compare(h[j].head) < 0 }
func (h orderHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *orderHeap) Push(x any)        { *h = append(*h, x.(*orderCursor)) }
func (h *orderHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// rank puts documents and texts into the order of Keep: it fills ranked,
// renumbers the texts by their first document, and returns the new number of
// each old one.
func (r *run) rank(ctx context.Context) (*array[uint32], error) {
	tenth := r.cfg.Memory * 6 / 100
	posOf := newArray[uint32](r.cfg.Tmp, tenth/2)
	for range r.texts.len() {
		if _, err := posOf.add(0); err != nil {
			return nil, err
		}
	}
	r.ranked = newArray[uint32](r.cfg.Tmp, tenth/4)
	texts := newArray[textRow](r.cfg.Tmp, tenth)
	err := r.order.each(ctx, func(item uint32) error {
		rank, err := r.ranked.add(item)
		if err != nil {
			return err
		}
		d, err := r.docs.get(int(item))
		if err != nil {
			return err
		}
		pos, err := posOf.get(int(d.text - 1))
		if err != nil {
			return err
		}
		if pos == 0 {
			t, err := r.texts.get(int(d.text - 1))
			if err != nil {
				return err
			}
			t.first = uint32(rank)
			n, err := texts.add(t)
			if err != nil {
				return err
			}
			pos = uint32(n) + 1
			if err := posOf.update(int(d.text-1), func(p *uint32) { *p = pos }); err != nil {
				return err
			}
		}
		return r.docs.update(int(item), func(d *docRow) { d.text = pos })
	})
	if err != nil {
		return nil, err
	}
	r.order = nil
	_ = r.texts.close()
	r.texts = texts
	return posOf, nil
}
