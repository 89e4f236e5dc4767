package passage

import (
	"context"
	"fmt"
	"math"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/internal/inorder"
)

// anchorRow is an anchor in the store: the key by which it is sorted, its offset, and the number of bytes of its windows
// before and after that offset.
type anchorRow [3]uint64

func newRow(key, at uint64, before, behind int) anchorRow {
	return anchorRow{key, at, uint64(before)<<32 | uint64(behind)}
}

func (r anchorRow) before() int { return int(r[2] >> 32) }
func (r anchorRow) behind() int { return int(uint32(r[2])) }

// stretch is a part of a document in the store.
type stretch struct {
	at    int64  // offset in the store
	item  uint32 // number of the document
	start uint32 // offset in the document
	runes uint32 // number of runes that begin before the stretch
}

// longestStretch limits the length of a stretch, so that runes are counted over at most that many bytes. A longer part
// becomes several consecutive stretches.
const longestStretch = 4 << 10

type document struct {
	id    external.Ref
	idLen uint32
}

// store holds all windows of the texts whose anchors may recur, in the order of the input, with their origin.
type store struct {
	text      *external.Spool
	stretches *external.Array[stretch]
	documents *external.Array[document]
	ids       *external.Spool
	rows      *external.Sorter[anchorRow]
}

// part is the part of the store that comes from one document.
type part struct {
	doc     neardup.Document
	err     error // the document was rejected
	anchors []anchor
}

// count reads the documents for the first time, and records which anchors recur.
func (j *job) count(ctx context.Context, src batch.Source) error {
	work := func(b batch.Block) int {
		s, n := j.sampler(), 0
		defer j.samplers.Put(s)
		b.Decode(func(doc *neardup.Document, err error) {
			n++
			if err == nil {
				j.seen.each(j.anchors(s, doc.Text), func(a *anchor) { j.seen.add(a.whole) })
			}
		})
		return n
	}
	items := 0
	return inorder.Map(ctx, j.cfg.Workers, src.Next, work, func(n int) error {
		items += n
		j.cfg.Progress(batch.Progress{Phase: "read", Documents: int64(items)})
		return nil
	})
}

// gather reads the documents for the second time, and stores the windows whose anchors recur.
func (j *job) gather(ctx context.Context, src batch.Source) error {
	work := func(b batch.Block) (parts []part) {
		s := j.sampler()
		defer j.samplers.Put(s)
		b.Decode(func(doc *neardup.Document, err error) {
			if err != nil {
				parts = append(parts, part{err: err})
				return
			}
			p := part{doc: *doc}
			j.seen.each(j.anchors(s, doc.Text), func(a *anchor) {
				if j.seen.again(a.whole) {
					p.anchors = merged(p.anchors, a)
				}
			})
			p.doc.Title, p.doc.URL = "", ""
			j.bytes.Add(int64(len(doc.Text)))
			if p.anchors == nil {
				p.doc.Text = ""
			}
			parts = append(parts, p)
		})
		return parts
	}
	return inorder.Map(ctx, j.cfg.Workers, src.Next, work, func(parts []part) error {
		for i := range parts {
			if err := j.keep(&parts[i]); err != nil {
				return err
			}
		}
		j.cfg.Progress(batch.Progress{Phase: "gather", Documents: int64(j.store.documents.Len())})
		return nil
	})
}

// merged appends the next anchor of a text, or adds its windows to the last one if that has the same gram.
func merged(all []anchor, a *anchor) []anchor {
	if n := len(all) - 1; n >= 0 && all[n].at == a.at {
		all[n].hi = a.hi
		return all
	}
	return append(all, *a)
}

func (j *job) keep(p *part) error {
	item := j.store.documents.Len()
	if item == math.MaxUint32 {
		return fmt.Errorf("passage: more than 2^32 documents")
	}
	if p.err != nil {
		j.sum.Rejected++
		if err := j.cfg.Reject(item, p.err); err != nil {
			return err
		}
		_, err := j.store.documents.Add(document{})
		return err
	}
	j.sum.Documents++
	if len(p.doc.Text) > math.MaxInt32 {
		return fmt.Errorf("passage: document %q has more than 2 GiB of text", p.doc.ID)
	}
	id, err := j.store.ids.Add(p.doc.ID)
	if err != nil {
		return err
	}
	if _, err := j.store.documents.Add(document{id, uint32(len(p.doc.ID))}); err != nil {
		return err
	}
	at := stretch{item: uint32(item)}
	for len(p.anchors) > 0 {
		n, hi := 1, p.anchors[0].hi
		for n < len(p.anchors) && p.anchors[n].lo <= hi {
			hi = p.anchors[n].hi
			n++
		}
		if err := j.store.add(&at, p.doc.Text, p.anchors[:n]); err != nil {
			return err
		}
		p.anchors = p.anchors[n:]
	}
	return nil
}

// add stores the windows of anchors that are adjacent or overlap. last is the previous stretch of the same
// document; its text ends where another begins.
func (s *store) add(last *stretch, text string, anchors []anchor) error {
	lo, hi := anchors[0].lo, anchors[len(anchors)-1].hi
	begin, err := s.text.Add(text[lo:hi])
	if err != nil {
		return err
	}
	if _, err := s.text.Add("\n"); err != nil { // separates stretches, so that they never touch
		return err
	}
	for start := lo; start < hi; start += longestStretch {
		last.runes += uint32(RuneStarts(text[last.start:start]))
		last.at, last.start = int64(begin)+int64(start-lo), uint32(start)
		if _, err := s.stretches.Add(*last); err != nil {
			return err
		}
	}
	for _, a := range anchors {
		if err := s.rows.Add(newRow(a.key, uint64(begin)+uint64(a.at-lo), a.at-a.lo, a.hi-a.at)); err != nil {
			return err
		}
	}
	return nil
}

// RuneStarts returns the number of runes that begin in a part of a text. These are the bytes that are not continuation
// bytes.
func RuneStarts[T string | []byte](s T) (n int) {
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

func (s *store) find(at int64) (found stretch, err error) {
	lo, hi := 0, s.stretches.Len()
	for lo+1 < hi {
		mid := int(uint(lo+hi) >> 1)
		one, err := s.stretches.Get(mid)
		if err != nil {
			return found, err
		}
		if one.at <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return s.stretches.Get(lo)
}

// positionAt returns the document and the offset from which a byte of the store comes.
func (s *store) positionAt(at int64) (Position, error) {
	in, err := s.find(at)
	if err != nil {
		return Position{}, err
	}
	before := make([]byte, at-in.at)
	if _, err := s.text.ReadAt(before, in.at); err != nil {
		return Position{}, err
	}
	id, err := s.id(int(in.item))
	return Position{
		Item: int(in.item), ID: id,
		Byte: int(in.start) + len(before), Rune: int(in.runes) + RuneStarts(before),
	}, err
}

func (s *store) id(item int) (string, error) {
	doc, err := s.documents.Get(item)
	if err != nil {
		return "", err
	}
	id, err := s.ids.Read(doc.id, int(doc.idLen))
	return string(id), err
}
