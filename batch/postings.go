package batch

import (
	"context"

	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/internal/external"
)

// Postings sorts postings by key in bounded memory. It keeps the rest on disk. It is not safe for concurrent use.
type Postings struct {
	disk   *external.Files
	memory int64
	sorter *external.Sorter[Posting]
}

// NewPostings returns Postings that hold memory bytes, 24 a posting, and uses temporary files in the folder tmp ("":
// the system's).
func NewPostings(tmp string, memory int64) *Postings {
	d := external.NewFiles(tmp)
	return &Postings{disk: d, memory: memory, sorter: external.NewSorter[Posting](d, memory)}
}

// Add adds a posting.
func (p *Postings) Add(one Posting) error { return p.sorter.Add(one) }

// EachAgainst ends the adding and calls fn with all postings, grouped by key, in no particular order within a key. It
// includes the leaders of an index under the same keys; their texts are numbers of documents. These postings need the same
// amount of memory again. A nil index has none.
func (p *Postings) EachAgainst(ctx context.Context, x *reference.Index, fn func(Posting) error) error {
	own, err := p.sorter.Sort()
	if err != nil {
		return err
	}
	defer own.Close()
	if x == nil {
		return own.Each(ctx, fn)
	}
	l := leaders{disk: p.disk, memory: p.memory / 2, index: x}
	theirs, err := l.under(ctx, own, func(doc uint32, r *reference.Row) (Ordinal, bool, error) {
		return Ordinal(doc), r.Leads(), nil
	})
	if err != nil {
		return err
	}
	defer theirs.Close()
	return mergePostings(ctx, fn, theirs, own)
}

// Close removes the files on disk.
func (p *Postings) Close() { p.disk.Close() }
