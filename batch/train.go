package batch

import (
	"context"
	"sync"

	"github.com/neardup/neardup"
	"golang.org/x/sync/errgroup"
)

// train ends the tally of the first pass, and makes further passes over the
// distinct texts if the tally wants them.
func (r *run) train(ctx context.Context) error {
	for {
		repeated, ok := r.tally.(neardup.Repeated)
		if !ok {
			break
		}
		next := repeated.Again()
		if next == nil {
			break
		}
		r.tally = next
		err := r.ranges(ctx, "count", func(from, to int) error {
			for no := from; no < to; no++ {
				clean, err := r.text(uint32(no))
				if err != nil {
					return err
				}
				next.Add(clean)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.method, r.tally = r.tally.Method(), nil
	return nil
}

// rangeLen is how many texts a worker takes at once.
const rangeLen = 512

// ranges calls fn with consecutive ranges of the distinct texts, side by side.
func (r *run) ranges(ctx context.Context, phase string, fn func(from, to int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	next := make(chan int)
	g.Go(func() error {
		defer close(next)
		for at := 0; at < r.texts.len(); at += rangeLen {
			r.cfg.Progress(Progress{Phase: phase, Documents: int64(at), Total: int64(r.texts.len())})
			select {
			case next <- at:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range r.cfg.Workers {
		g.Go(func() error {
			for at := range next {
				if err := fn(at, min(at+rangeLen, r.texts.len())); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// record makes the keys of all distinct texts in a further pass, for methods
// that had to see the corpus first.
func (r *run) record(ctx context.Context) error {
	var mu sync.Mutex
	spare := sync.Pool{New: func() any { return new([rangeLen]neardup.Record) }}
	return r.ranges(ctx, "keys", func(from, to int) error {
		recs := spare.Get().(*[rangeLen]neardup.Record)
		defer spare.Put(recs)
		return r.recordRange(recs[:to-from], from, &mu)
	})
}

func (r *run) recordRange(recs []neardup.Record, from int, mu *sync.Mutex) error {
	digests := make([]neardup.Digest, len(recs))
	for i := range recs {
		clean, err := r.text(uint32(from + i))
		if err != nil {
			return err
		}
		recs[i].Reset()
		r.method.Record(clean, &recs[i])
		digests[i] = neardup.DigestOf(clean)
	}
	mu.Lock()
	defer mu.Unlock()
	for i := range recs {
		rec := &recs[i]
		if err := r.texts.update(from+i, func(t *textRow) { t.sketch = rec.Sketch }); err != nil {
			return err
		}
		if err := r.post(uint32(from+i), rec, digests[i]); err != nil {
			return err
		}
	}
	return nil
}
