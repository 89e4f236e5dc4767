package passage

import (
	"cmp"
	"context"
	"slices"

	"github.com/neardup/neardup/internal/external"
	"golang.org/x/sync/errgroup"
)

// bucket iterates over the rows of one key, in the order of the input. It can be called repeatedly.
type bucket func(row func(anchorRow) error) error

// Buckets are compared in tasks of taskRows rows. A bucket of more than largeBucket rows is sorted separately, on disk if
// necessary.
const (
	taskRows    = 1 << 12
	largeBucket = 1 << 16
)

// compareAll compares the rows of each key on all workers. One worker compares a large bucket.
func (j *job) compareAll(ctx context.Context, rows *external.Sorted[anchorRow]) error {
	g, ctx := errgroup.WithContext(ctx)
	tasks := make(chan []anchorRow)
	for range j.cfg.Workers {
		c := newComparer(ctx, j, 0, j.reach())
		g.Go(func() error {
			for task := range tasks {
				if err := c.task(task); err != nil {
					return err
				}
			}
			return c.flush()
		})
	}
	g.Go(func() error {
		defer close(tasks)
		c := newComparer(ctx, j, 0, j.reach())
		send := func(task []anchorRow) error {
			select {
			case tasks <- task:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := j.eachBucket(ctx, rows, send, c.bucket); err != nil {
			return err
		}
		return c.flush()
	})
	return g.Wait()
}

// eachBucket passes several small buckets at a time to small, and each large bucket to large.
func (j *job) eachBucket(ctx context.Context, rows *external.Sorted[anchorRow], small func([]anchorRow) error, large func(bucket) error) error {
	var some []anchorRow                     // complete buckets, and the current one
	var spilled *external.Sorter[byPosition] // the current bucket, if it is large
	begun := 0                               // start of the current bucket in some
	end := func() error {
		n := len(some) - begun
		if n < 2 || spilled != nil {
			some = some[:begun]
		}
		begun = len(some)
		if spilled != nil {
			s := spilled
			spilled = nil
			return largest(ctx, s, large)
		}
		if len(some) < taskRows {
			return nil
		}
		task := some
		some, begun = nil, 0
		return small(task)
	}
	err := rows.Each(ctx, func(r anchorRow) error {
		if begun < len(some) && some[begun][0] != r[0] {
			if err := end(); err != nil {
				return err
			}
		}
		if spilled != nil {
			return spilled.Add(byPosition{r[1], r[2]})
		}
		some = append(some, r)
		if len(some)-begun <= largeBucket {
			return nil
		}
		spilled = external.NewSorter[byPosition](j.disk, j.memory(50))
		for _, r := range some[begun:] {
			if err := spilled.Add(byPosition{r[1], r[2]}); err != nil {
				return err
			}
		}
		some = some[:begun+1]
		return nil
	})
	if err == nil {
		err = end()
	}
	if err != nil || len(some) == 0 {
		return err
	}
	return small(some)
}

// byPosition is a row without its key.
type byPosition [2]uint64

// largest calls large with a large bucket.
func largest(ctx context.Context, s *external.Sorter[byPosition], large func(bucket) error) error {
	sorted, err := s.Sort()
	if err != nil {
		return err
	}
	defer sorted.Close()
	return large(func(fn func(anchorRow) error) error {
		return sorted.Each(ctx, func(p byPosition) error { return fn(anchorRow{0, p[0], p[1]}) })
	})
}

func (c *comparer) task(rows []anchorRow) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n][0] == rows[0][0] {
			n++
		}
		same := rows[:n]
		rows = rows[n:]
		slices.SortFunc(same, func(a, b anchorRow) int { return cmp.Compare(a[1], b[1]) })
		err := c.bucket(func(fn func(anchorRow) error) error {
			for _, r := range same {
				if err := fn(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return c.ctx.Err()
}
