package reference

import (
	"context"

	"github.com/neardup/neardup/internal/external"
)

// Settle merges the last parts of a folder if they are small. Afterwards each part is at least twice as large as the next.
// So each text is copied only a few times, for any number of additions. It commits the change before it returns.
func (w *Writer) Settle(ctx context.Context) error {
	from := len(w.parts) - 1
	total := uint64(0)
	for i := from; i >= 0; i-- {
		if total > 0 && uint64(w.parts[i].documents) >= 2*total {
			break
		}
		from = i
		total += uint64(w.parts[i].documents)
	}
	if len(w.parts)-from < 2 {
		return nil
	}
	merged, err := w.newPart()
	if err != nil {
		return err
	}
	if err := merged.copyFrom(ctx, w.parts[from:]); err != nil {
		return err
	}
	w.next.Parts = append(w.next.Parts[:from], merged.entry)
	return w.Commit()
}

func (p *partWriter) copyFrom(ctx context.Context, parts []*part) error {
	var cursors []*external.Cursor[Posting]
	for _, from := range parts {
		for _, f := range []struct {
			to   *blockWriter
			from *blockFile
		}{{p.rows, from.rows}, {p.ids, from.ids}, {p.texts, from.texts}} {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f.to.copyFrom(f.from); err != nil {
				return err
			}
		}
		p.entry.Documents += from.documents
		cursors = append(cursors, external.NewCursor(from.postings()))
	}
	if err := external.Merge(ctx, cursors, byKey, p.posting); err != nil {
		return err
	}
	return p.end()
}

func byKey(a, b *Posting) bool { return a.Key < b.Key }

// compaction copies an index without removed documents, and renumbers the others.
type compaction struct {
	*Writer
	to      *partWriter
	numbers external.TypedArray[uint32, uint32] // old number -> new number, plus 1
	texts   *external.Sorter[external.KeyValue] // old offset of a text -> its document
	places  external.TypedArray[uint32, uint64] // new number -> new offset of the text
}

// Compact merges all parts into one, without the removed documents. It uses about memory bytes, and commits before it
// returns.
func (w *Writer) Compact(ctx context.Context, tmp string, memory int64) error {
	disk := external.NewFiles(tmp)
	defer disk.Close()
	part, err := w.newPart()
	if err != nil {
		return err
	}
	c := &compaction{
		Writer: w, to: part, numbers: external.NewTypedArray[uint32, uint32](disk, memory/8),
		texts: external.NewSorter[external.KeyValue](disk, memory/4), places: external.NewTypedArray[uint32, uint64](disk, memory/8),
	}
	for _, step := range []func(context.Context) error{c.number, c.moveTexts, c.moveRows, c.moveKeys} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := part.end(); err != nil {
		return err
	}
	w.next.Parts, w.next.Removed = nil, 0
	if part.entry.Documents > 0 {
		w.next.Parts = []partEntry{part.entry}
	}
	return w.Commit()
}

func (c *compaction) number(ctx context.Context) error {
	kept := uint32(0)
	return c.eachRow(func(doc uint32, r *Row) error {
		if r.Removed {
			_, err := c.numbers.Add(0)
			return err
		}
		if r.TextLen > 0 {
			if err := c.texts.Add(external.KeyValue{r.Text, uint64(kept)<<32 | uint64(r.TextLen)}); err != nil {
				return err
			}
		}
		kept++
		if _, err := c.numbers.Add(kept); err != nil {
			return err
		}
		_, err := c.places.Add(0)
		if err == nil && doc&0xfff == 0 {
			err = ctx.Err()
		}
		return err
	})
}

// moveTexts writes the remaining texts in their order, each once.
func (c *compaction) moveTexts(ctx context.Context) error {
	sorted, err := c.texts.Sort()
	if err != nil {
		return err
	}
	defer sorted.Close()
	last, at := uint64(0), uint64(0)
	return sorted.Each(ctx, func(p external.KeyValue) error {
		if c.to.texts.length == 0 || p.Key() != last {
			text, err := c.Text(&Row{Text: p.Key(), TextLen: uint32(p.Val())})
			if err != nil {
				return err
			}
			last, at = p.Key(), c.to.texts.length
			if err := c.to.texts.add([]byte(text), 0); err != nil {
				return err
			}
		}
		return c.places.Update(uint32(p.Val()>>32), func(to *uint64) { *to = at })
	})
}

func (c *compaction) moveRows(ctx context.Context) error {
	return c.Each(func(doc uint32, r *Row) error {
		if doc&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		number, err := c.numbers.Get(doc)
		if err != nil {
			return err
		}
		id, err := c.ID(r)
		if err != nil {
			return err
		}
		r.ID = c.to.ids.length
		if err := c.to.ids.add([]byte(id), 0); err != nil {
			return err
		}
		r.Text, err = c.places.Get(number - 1)
		if err != nil {
			return err
		}
		leader, err := c.numbers.Get(r.Leader)
		if err != nil {
			return err
		}
		r.Leader = leader - 1
		return c.to.document(r)
	})
}

func (c *compaction) moveKeys(ctx context.Context) error {
	var cursors []*external.Cursor[Posting]
	for _, p := range c.parts {
		cursors = append(cursors, external.NewCursor(p.postings()))
	}
	return external.Merge(ctx, cursors, byKey, func(p Posting) error {
		number, err := c.numbers.Get(p.Doc)
		if err != nil || number == 0 {
			return err
		}
		p.Doc = number - 1
		return c.to.posting(p)
	})
}
