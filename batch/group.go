package batch

import (
	"cmp"
	"context"
	"sync"

	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/internal/external"
	"golang.org/x/sync/errgroup"
)

// group runs the second stage, which turns buckets into candidates. It sorts the postings by key and drops the keys that
// only one text has, which are most. It pairs small buckets in memory by their sketches, and spills buckets with too many
// pairs unpaired.
func (j *job) group(ctx context.Context, r *records) (*candidates, error) {
	total, done := max(j.postings, 1), 0
	if j.cfg.Add == nil {
		defer j.byKey.Close()
	}
	g := &grouping{out: &gathered{method: r.method, out: external.NewSorter[keyValue](j.disk, j.memory(120))}}
	var within context.Context
	g.workers, within = errgroup.WithContext(ctx)
	g.workers.SetLimit(j.cfg.Workers)
	err := j.eachPosting(within, r, func(p Posting) error {
		if done%chunkPostings == 0 {
			documents := int(j.sum.Documents)
			j.progress("group", int(float64(documents)*float64(done)/float64(total)), documents)
		}
		done++
		p, err := r.positioned(p)
		if err != nil {
			return err
		}
		j.audit.Visit(p.Key(), audit.Side{Text: uint32(p.Text()), Sketch: p.Sketch()}, p.Role()&Indexed != 0, p.Role()&Probing != 0)
		return g.add(p)
	})
	g.next(0)
	g.hand()
	if err := cmp.Or(g.workers.Wait(), err); err != nil {
		return nil, err
	}
	if err := r.rulings.addTo(g.out.out); err != nil {
		return nil, err
	}
	if r.renumbered != nil && j.cfg.Add == nil {
		_ = r.renumbered.Close()
	}
	j.sum.Buckets, j.sum.LargestBucket = g.count, int64(g.largest)
	j.sum.Work.Candidates += g.out.met
	return g.out.sort()
}

// positioned replaces the textNo of a posting by the position of the text.
func (c *collection) positioned(p Posting) (Posting, error) {
	if c.renumbered == nil {
		return p, nil
	}
	pos, err := c.positionOf(textNo(p.Text()))
	return NewPosting(p.Key(), p.Sketch(), Ordinal(pos), p.Role()), err
}

const (
	// maxPending limits the postings of a key that wait in memory for the end of its bucket. Larger buckets are spilled,
	// which only changes the amount of work.
	maxPending = 1 << 16
	// chunkPostings is the approximate number of postings that a worker takes at once.
	chunkPostings = 1 << 15
)

// grouping streams postings by key. It hands a bucket to the workers if at least one of its texts searches and
// another one can be found.
type grouping struct {
	out     *gathered
	workers *errgroup.Group
	spare   sync.Pool // holds *chunk
	chunk   *chunk
	count   int64 // buckets
	largest int   // postings

	// The current bucket:
	key     uint64
	from    int    // index in chunk of its first posting
	size    int    // number of its postings
	roles   Role   // the union of their roles
	several bool   // the postings are of at least two texts
	flowing bool   // it is hot, so its postings go straight to the candidates
	number  uint64 // its number as a hot bucket
}

// chunk holds the postings of several buckets. ends holds the index after the last posting of each.
type chunk struct {
	postings []Posting
	ends     []int
}

func (g *grouping) add(p Posting) error {
	if g.size == 0 || p.Key() != g.key {
		g.next(p.Key())
	}
	g.size++
	c := g.chunk
	c.postings = append(c.postings, p)
	g.roles |= p.Role()
	g.several = g.several || p.Text() != c.postings[g.from].Text()
	if g.flowing || len(c.postings)-g.from == maxPending {
		return g.flow()
	}
	return nil
}

// flow passes on the postings of a large bucket before they are complete.
func (g *grouping) flow() error {
	if !g.flowing {
		g.flowing, g.number = true, g.out.reserve()
	}
	bucket := g.chunk.postings[g.from:]
	g.chunk.postings = g.chunk.postings[:g.from]
	return g.out.spill(g.number, bucket)
}

// next ends the bucket of one key and begins the next.
func (g *grouping) next(key uint64) {
	if c := g.chunk; c != nil {
		alive := g.flowing
		if !alive && g.several && g.roles == Indexed|Probing {
			alive = true
			c.ends = append(c.ends, len(c.postings))
		} else {
			c.postings = c.postings[:g.from]
		}
		if alive {
			g.count++
			g.largest = max(g.largest, g.size)
		}
		if len(c.postings) >= chunkPostings {
			g.hand()
		}
	}
	if g.chunk == nil {
		g.chunk, _ = g.spare.Get().(*chunk)
	}
	if g.chunk == nil {
		g.chunk = new(chunk)
	}
	g.key, g.from = key, len(g.chunk.postings)
	g.roles, g.several, g.flowing, g.size = 0, false, false, 0
}

// hand waits for a free worker and gives it the chunk.
func (g *grouping) hand() {
	c := g.chunk
	g.chunk = nil
	g.workers.Go(func() error {
		err := g.out.pairBuckets(c)
		c.postings, c.ends = c.postings[:0], c.ends[:0]
		g.spare.Put(c)
		return err
	})
}
