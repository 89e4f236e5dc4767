package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// orderer sorts documents by the keys of Keep, then by id, then by digest. So the order depends only on the documents. Only
// copies that agree in all of these are ordered by the input.
type orderer struct {
	*preferred
	limit int64
	rows  []orderRow
	bytes int64
	runs  *external.Runs
}

type orderRow struct {
	ranks  []uint64 // one for each key of Keep
	id     string
	digest neardup.Digest
	item   item
}

func (a orderRow) compare(b orderRow) int {
	return cmp.Or(slices.Compare(a.ranks, b.ranks), cmp.Compare(a.id, b.id),
		bytes.Compare(a.digest[:], b.digest[:]), cmp.Compare(a.item, b.item))
}

func (o *orderer) add(s *scanned, i item) error {
	row := orderRow{ranks: s.ranks, item: i}
	if !o.input {
		row.id, row.digest = s.doc.ID, s.digest
	}
	o.rows = append(o.rows, row)
	o.bytes += int64(len(row.id)+8*len(row.ranks)) + 80
	if o.bytes < o.limit {
		return nil
	}
	return o.spill()
}

func (o *orderer) spill() error {
	slices.SortFunc(o.rows, orderRow.compare)
	err := o.runs.Write(func(out io.Writer) error {
		w := bufio.NewWriterSize(out, 1<<18)
		var size, frame frameWriter
		for _, row := range o.rows {
			frame.b = append(frame.b[:0], row.digest[:]...)
			frame.uint(uint64(row.item))
			frame.keys(row.ranks)
			frame.string(row.id)
			size.b = size.b[:0]
			size.uint(uint64(len(frame.b)))
			_, _ = w.Write(size.b) // Flush returns the error of this write
			_, _ = w.Write(frame.b)
		}
		return w.Flush()
	})
	o.rows, o.bytes = o.rows[:0], 0
	return err
}

// each calls fn with the items in order. It may be called once.
func (o *orderer) each(ctx context.Context, fn func(item) error) error {
	defer o.runs.Close()
	slices.SortFunc(o.rows, orderRow.compare)
	cursors := []*external.Cursor[orderRow]{external.NewCursor(func(row *orderRow) error {
		if len(o.rows) == 0 {
			return io.EOF
		}
		*row, o.rows = o.rows[0], o.rows[1:]
		return nil
	})}
	for _, section := range o.runs.Sections() {
		in := bufio.NewReaderSize(section, 64<<10)
		cursors = append(cursors, external.NewCursor(func(row *orderRow) error { return row.read(in) }))
	}
	less := func(a, b *orderRow) bool { return a.compare(*b) < 0 }
	return external.Merge(ctx, cursors, less, func(row orderRow) error { return fn(row.item) })
}

// read reads a row of a run.
func (row *orderRow) read(in *bufio.Reader) error {
	n, err := binary.ReadUvarint(in)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	b := make([]byte, n)
	if err == nil {
		_, err = io.ReadFull(in, b)
	}
	if err != nil {
		return fmt.Errorf("read a sorted run: %w", err)
	}
	r := frameReader{b: b}
	copy(row.digest[:], r.take(uint64(len(row.digest))))
	row.item, row.ranks, row.id = item(r.uint()), r.keys(), r.string()
	return r.end()
}

// rank orders documents and texts as Keep demands. It fills ranked, and numbers the texts by their first document.
func (s *scan) rank(ctx context.Context, r *records) error {
	positions := external.NewTypedArray[textNo, position](s.disk, s.memory(30))
	if err := positions.Grow(s.texts.Len()); err != nil {
		return err
	}
	ranked := external.NewTypedArray[rank, item](s.disk, s.memory(15))
	r.ranked, r.renumbered = &ranked, &positions
	r.texts = external.NewTypedArray[position, textRow](s.disk, s.memory(60))
	r.outlines.memory = s.memory(outlineShare)
	err := s.inOrder(ctx, func(i item) error {
		at, err := ranked.Add(i)
		if err != nil {
			return err
		}
		d, err := r.docs.Get(i)
		if err != nil {
			return err
		}
		p, err := s.positionOf(r, textNo(d.text-1), at)
		if err != nil {
			return err
		}
		return r.docs.Update(i, func(d *docRow) { d.text = uint32(p) + 1 })
	})
	_ = s.texts.Close()
	return err
}

// inOrder calls fn with the items in the order of Keep. Those of the reference come first.
func (s *scan) inOrder(ctx context.Context, fn func(item) error) error {
	read := s.set.docs.Len() - s.set.recalled.Len()
	for i := read; i < s.set.docs.Len(); i++ {
		if err := fn(item(i)); err != nil {
			return err
		}
	}
	if s.order != nil {
		return s.order.each(ctx, fn)
	}
	for i := range read {
		d, err := s.set.docs.Get(item(i))
		if err != nil {
			return err
		}
		if d.text == 0 {
			continue
		}
		if err := fn(item(i)); err != nil {
			return err
		}
	}
	return nil
}

// positionOf returns the position of the text of the document at a rank. If the document is the text's first, that is the
// next position.
func (s *scan) positionOf(r *records, no textNo, at rank) (position, error) {
	p, err := r.renumbered.Get(no)
	if err != nil || p > 0 {
		return p - 1, err
	}
	row, err := s.texts.Get(no)
	if err != nil {
		return 0, err
	}
	row.first = at
	p, err = r.texts.Add(row)
	if err != nil {
		return 0, err
	}
	r.outlines.add(s.outlines.at(int(no)))
	return p, r.renumbered.Update(no, func(q *position) { *q = p + 1 })
}
