package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/internal/external"
)

// header returns the header of an index whose documents were decided by this configuration.
func (c *Config) header() reference.Header {
	return reference.Header{Spec: c.Method.Spec().String(), Normalize: c.Clean.String()}
}

func (c *Config) checkReference() error {
	switch {
	case c.Reference == nil && c.Add == nil:
		return nil
	case c.Add != nil && c.Reference != c.Add.Index:
		return errors.New("batch: Add and Against name different indexes (want the same)")
	case c.Link == Components:
		return errors.New("batch: components cannot be combined with an index")
	case c.Overrides.Len() > 0:
		return errors.New("batch: overrides cannot be combined with an index")
	case c.Audit != nil:
		return errors.New("batch: an audit cannot be combined with an index")
	}
	return c.Reference.Header().Like(c.header())
}

// recall adds documents of the reference to the collection, as if they had been read first. It adds the leaders that share
// a key with a text; for Pairs, it adds all documents that do. Texts find them, but they do not search, because their
// decisions are known.
func (s *scan) recall(ctx context.Context, r *records) (err error) {
	l := leaders{disk: s.disk, memory: s.memory(60), index: s.cfg.Reference}
	r.stored, err = l.under(ctx, s.byKey, func(doc uint32, row *reference.Row) (Ordinal, bool, error) {
		if !row.Leads() && (!s.pairs || row.Removed) {
			return 0, false, nil
		}
		no, err := s.recallOne(doc, row)
		return Ordinal(no), true, err
	})
	return err
}

// leaders finds the documents of an index that recall adds to the collection.
type leaders struct {
	disk   *external.Files
	memory int64 // memory of each of two sorters, in bytes
	index  *reference.Index
}

// under returns the postings of documents that can be found under a key of keys. take selects and numbers the documents.
func (l *leaders) under(ctx context.Context, keys *external.Sorted[Posting], take func(uint32, *reference.Row) (Ordinal, bool, error)) (*external.Sorted[Posting], error) {
	hits, err := l.hits(ctx, keys)
	if err != nil {
		return nil, err
	}
	defer hits.Close()
	postings := external.NewSorter[Posting](l.disk, l.memory)
	last, no, taken := uint64(1<<63), Ordinal(0), false
	var sketch uint64
	err = hits.Each(ctx, func(hit keyValue) error {
		if hit.Key() != last {
			last = hit.Key()
			row, err := l.index.Row(uint32(last))
			if err != nil {
				return err
			}
			sketch = row.Sketch
			no, taken, err = take(uint32(last), &row)
			if err != nil {
				return err
			}
		}
		if !taken {
			return nil
		}
		return postings.Add(NewPosting(hit.Val(), sketch, no, Indexed))
	})
	if err != nil {
		return nil, err
	}
	return postings.Sort()
}

// hits returns the documents that can be found under a key of keys, with the key.
func (l *leaders) hits(ctx context.Context, keys *external.Sorted[Posting]) (*external.Sorted[keyValue], error) {
	hits, finder := external.NewSorter[keyValue](l.disk, l.memory), l.index.Finder()
	first, last := true, uint64(0)
	err := keys.Each(ctx, func(p Posting) error {
		if !first && p.Key() == last {
			return nil
		}
		first, last = false, p.Key()
		return finder.Find(last, func(found reference.Posting) error {
			if Role(found.Role)&Indexed == 0 {
				return nil
			}
			return hits.Add(keyValue{uint64(found.Doc), last})
		})
	})
	if err != nil {
		return nil, err
	}
	return hits.Sort()
}

// recallOne adds a leader to the collection.
func (s *scan) recallOne(doc uint32, row *reference.Row) (textNo, error) {
	name, err := s.cfg.Reference.ID(row)
	if err != nil {
		return 0, err
	}
	id, err := s.set.ids.Add(name)
	if err != nil {
		return 0, err
	}
	no, err := s.texts.Add(textRow{
		at: external.Ref(row.Text), len: row.TextLen, sketch: row.Sketch, blank: row.Blank, stored: true,
	})
	if err != nil {
		return 0, err
	}
	if _, err := s.set.docs.Add(docRow{id: id, idLen: uint32(len(name)), text: uint32(no) + 1}); err != nil {
		return 0, err
	}
	if uint64(s.texts.Len()) > 1<<32-2 {
		return 0, fmt.Errorf("batch: more than 2^32 documents")
	}
	_, err = s.set.recalled.Add(doc)
	return no, err
}

// number returns the number of a document in the index, or its future number if it will be added.
func (c *collection) number(r rank) (uint32, error) {
	if known := c.recalled.Len(); int(r) >= known {
		return c.reference.Numbers() + uint32(int(r)-known), nil
	}
	return c.recalled.Get(r)
}

// eachPosting calls fn with all postings by key, including those of the reference.
func (j *job) eachPosting(ctx context.Context, r *records, fn func(Posting) error) error {
	if r.stored == nil {
		return j.byKey.Each(ctx, fn)
	}
	defer r.stored.Close()
	return mergePostings(ctx, fn, r.stored, j.byKey)
}

// mergePostings calls fn with the postings of several sorted lists, by key.
func mergePostings(ctx context.Context, fn func(Posting) error, from ...*external.Sorted[Posting]) error {
	var cursors []*external.Cursor[Posting]
	for _, sorted := range from {
		next, err := sorted.Reader()
		if err != nil {
			return err
		}
		cursors = append(cursors, external.NewCursor(next))
	}
	return external.Merge(ctx, cursors, func(a, b *Posting) bool { return a.Key() < b.Key() }, fn)
}
