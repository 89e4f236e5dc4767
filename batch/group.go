package batch

import (
	"cmp"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// group turns the postings, sorted by key, into live: for each text what may
// be near it. That is an earlier text, where the texts of a bucket can be
// compared with each other here, by their sketches, which stand side by side;
// or a large bucket, in which later only leaders will stand. A key that only
// one text has is dropped, which is the fate of most.
func (r *run) group(ctx context.Context, posOf *array[uint32]) error {
	total, done := int64(max(r.postings.rows, 1)), int64(0)
	postings, err := r.postings.sort()
	if err != nil {
		return err
	}
	r.postings = nil
	defer postings.close()
	live := &pairing{method: r.method, live: newSorter[pair](r.disk, r.cfg.Memory*12/100)}
	g := &grouping{out: live}
	var within context.Context
	g.workers, within = errgroup.WithContext(ctx)
	g.workers.SetLimit(r.cfg.Workers)
	err = postings.each(within, func(p posting) error {
		if done%chunkPostings == 0 {
			r.cfg.Progress(Progress{Phase: "group", Documents: r.sum.Documents * done / total, Total: r.sum.Documents})
		}
		done++
		if posOf != nil {
			pos, err := posOf.get(int(p.text()))
			if err != nil {
				return err
			}
			p = p.of(pos - 1)
		}
		return g.add(p)
	})
	g.next(0)
	g.hand()
	if err := cmp.Or(g.workers.Wait(), err); err != nil {
		return err
	}
	r.buckets, r.livePost = live.large, live.indexed
	r.sum.Buckets, r.sum.LargestBucket = g.count, int64(g.largest)
	r.sum.Work.add(live.stats)
	r.live, err = live.live.sort()
	return err
}

const (
	// maxPending bounds how many postings of a key wait for its end; beyond
	// it the bucket is left whole, which changes nothing but the work.
	maxPending = 1 << 16
	// chunkPostings is about how many postings a worker takes at once.
	chunkPostings = 1 << 15
)

// grouping streams postings by key and hands the buckets in which at least
// one text searches and another one is found to the workers.
type grouping struct {
	out     *pairing
	workers *errgroup.Group
	spare   sync.Pool // of *chunk
	chunk   *chunk
	count   int64 // buckets
	largest int   // postings

	// of the current key
	key     uint64
	from    int    // where its postings start in chunk
	size    int    // how many it has
	flags   uint64 // of all of them
	several bool   // they are of at least two texts
	flowing bool   // it is large: its postings go straight to live
	number  uint64 // as a large bucket
}

// chunk holds postings, bucket after bucket; ends says where each ends.
type chunk struct {
	postings []posting
	ends     []int
}

func (g *grouping) add(p posting) error {
	if g.size == 0 || p.key() != g.key {
		g.next(p.key())
	}
	g.size++
	c := g.chunk
	c.postings = append(c.postings, p)
	g.flags |= p.flags()
	g.several = g.several || p.text() != c.postings[g.from].text()
	if g.flowing || len(c.postings)-g.from == maxPending {
		return g.flow()
	}
	return nil
}

// flow sends the postings of a key on before its end.
func (g *grouping) flow() error {
	if !g.flowing {
		g.flowing, g.number = true, g.out.reserve()
	}
	bucket := g.chunk.postings[g.from:]
	g.chunk.postings = g.chunk.postings[:g.from]
	return g.out.keep(g.number, bucket)
}

// next ends the bucket of one key and begins that of another.
func (g *grouping) next(key uint64) {
	if c := g.chunk; c != nil {
		alive := g.flowing
		if !alive && g.several && g.flags == indexed|probing {
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
	g.flags, g.several, g.flowing, g.size = 0, false, false, 0
}

// hand gives the chunk to a worker, waiting for one.
func (g *grouping) hand() {
	c := g.chunk
	g.chunk = nil
	g.workers.Go(func() error {
		err := g.out.pair(c)
		c.postings, c.ends = c.postings[:0], c.ends[:0]
		g.spare.Put(c)
		return err
	})
}
