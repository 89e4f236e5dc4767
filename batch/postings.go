package batch

import (
	"context"
	"errors"

	"github.com/neardup/neardup/internal/external"
)

// Postings sorts postings by key in bounded memory: what is more lies on disk
// until it is read. Not safe for concurrent use.
type Postings struct {
	disk   *external.Files
	sorter *external.Sorter[Posting]
}

// NewPostings returns one that holds memory bytes, 24 a posting, and uses
// temporary files in the folder tmp ("": the system's).
func NewPostings(tmp string, memory int64) *Postings {
	d := external.NewFiles(tmp)
	return &Postings{disk: d, sorter: external.NewSorter[Posting](d, memory)}
}

// Add takes a posting.
func (p *Postings) Add(one Posting) error { return p.sorter.Add(one) }

// Each ends the adding and calls fn with all postings, those of a key one after
// the other, in no particular order.
func (p *Postings) Each(ctx context.Context, fn func(Posting) error) error {
	sorted, err := p.sorter.Sort()
	if err != nil {
		return err
	}
	return errors.Join(sorted.Each(ctx, fn), sorted.Close())
}

// Close removes what lies on disk.
func (p *Postings) Close() { p.disk.Close() }
