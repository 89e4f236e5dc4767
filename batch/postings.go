package batch

import (
	"context"
	"errors"
)

// Postings sorts postings by key in bounded memory: what is more lies on disk
// until it is read. Not safe for concurrent use.
type Postings struct {
	disk   *disk
	sorter *sorter[Posting]
}

// NewPostings returns one that holds memory bytes, 24 a posting, and uses
// temporary files in the folder tmp ("": the system's).
func NewPostings(tmp string, memory int64) *Postings {
	d := &disk{dir: tmp}
	return &Postings{disk: d, sorter: newSorter[Posting](d, memory)}
}

// Add takes a posting.
func (p *Postings) Add(one Posting) error { return p.sorter.add(one) }

// Each ends the adding and calls fn with all postings, those of a key one after
// the other, in no particular order.
func (p *Postings) Each(ctx context.Context, fn func(Posting) error) error {
	sorted, err := p.sorter.sort()
	if err != nil {
		return err
	}
	return errors.Join(sorted.each(ctx, fn), sorted.close())
}

// Close removes what lies on disk.
func (p *Postings) Close() { p.disk.close() }
