package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/internal/external"
)

// header is that of an index whose documents were decided by this configuration.
func (c *Config) header() reference.Header {
	return reference.Header{Spec: c.Method.Spec().String(), Normalize: c.Clean.String()}
}

func (c *Config) checkReference() error {
	switch {
	case c.Reference == nil && c.Add == nil:
		return nil
	case c.Add != nil && c.Reference != c.Add.Index:
		return errors.New("batch: documents are added to another index than that they are decided against")
	case c.Link == Components:
		return errors.New("batch: against an index there are leaders, no components")
	case c.Overrides.Len() > 0:
		return errors.New("batch: rulings about pairs are not for an index")
	case c.Audit != nil:
		return errors.New("batch: against an index there is no audit")
	}
	return c.Reference.Header().Like(c.header())
}

// recall takes those leaders of the reference, for Pairs all of its documents, that share a
// key with a text that was read into the collection, as if they had been read before all
// others. They are found, and search for nothing: what became of them is known.
func (s *scan) recall(ctx context.Context, r *records) error {
	hits, err := s.hits(ctx)
	if err != nil {
		return err
	}
	defer hits.Close()
	postings := external.NewSorter[Posting](s.disk, s.memory(60))
	last, no, leads := uint64(1<<63), textNo(0), false
	var sketch uint64
	err = hits.Each(ctx, func(hit pair) error {
		if hit.Key() != last {
			last = hit.Key()
			row, err := s.cfg.Reference.Row(uint32(last))
			if err != nil {
				return err
			}
			if leads = row.Leads() || s.pairs && !row.Removed; leads {
				sketch = row.Sketch
				if no, err = s.recallOne(uint32(last), &row); err != nil {
					return err
				}
			}
		}
		if !leads {
			return nil
		}
		return postings.Add(NewPosting(hit.Val(), sketch, Ordinal(no), Indexed))
	})
	if err != nil {
		return err
	}
	r.stored, err = postings.Sort()
	return err
}

// hits are the documents of the reference that are found under a key of a text
// that was read, and the key.
func (s *scan) hits(ctx context.Context) (*external.Sorted[pair], error) {
	hits, finder := external.NewSorter[pair](s.disk, s.memory(60)), s.cfg.Reference.Finder()
	first, last := true, uint64(0)
	err := s.byKey.Each(ctx, func(p Posting) error {
		if !first && p.Key() == last {
			return nil
		}
		first, last = false, p.Key()
		return finder.Find(last, func(found reference.Posting) error {
			if Role(found.Role)&Indexed == 0 {
				return nil
			}
			return hits.Add(pair{uint64(found.Doc), last})
		})
	})
	if err != nil {
		return nil, err
	}
	return hits.Sort()
}

// recallOne takes a leader into the collection.
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

// number is that of a document in the index, or will be if it is added.
func (c *collection) number(r rank) (uint32, error) {
	if known := c.recalled.Len(); int(r) >= known {
		return c.reference.Numbers() + uint32(int(r)-known), nil
	}
	return c.recalled.Get(r)
}

// eachPosting calls fn with all postings by key, those of the reference among them.
func (j *job) eachPosting(ctx context.Context, r *records, fn func(Posting) error) error {
	if r.stored == nil {
		return j.byKey.Each(ctx, fn)
	}
	defer r.stored.Close()
	var cursors []*external.Cursor[Posting]
	for _, sorted := range []*external.Sorted[Posting]{r.stored, j.byKey} {
		next, err := sorted.Reader()
		if err != nil {
			return err
		}
		cursors = append(cursors, external.NewCursor(next))
	}
	return external.Merge(ctx, cursors, func(a, b *Posting) bool { return a.Key() < b.Key() }, fn)
}
