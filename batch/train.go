package batch

import (
	"context"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/inorder"
)

// train ends the first pass of the training. If the trainer wants further passes, it makes them over the distinct texts.
func (s *scan) train(ctx context.Context) error {
	for next := s.trainer.NextPass(); next != nil; next = s.trainer.NextPass() {
		s.trainer = next
		err := s.ranges(ctx, "count", func(from, to int) error {
			for no := from; no < to; no++ {
				clean, err := s.text(textNo(no))
				if err != nil {
					return err
				}
				if !neardup.Blank(clean) {
					next.Add(clean)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	s.method, s.trainer = s.trainer.Method(), nil
	return nil
}

// rangeLen is the number of texts that a worker takes at once.
const rangeLen = 512

// ranges calls fn concurrently with consecutive ranges of the distinct texts.
func (s *scan) ranges(ctx context.Context, phase string, fn func(from, to int) error) error {
	var mu sync.Mutex
	begun, n := 0, s.texts.Len()
	return inorder.Each(ctx, s.cfg.Workers, (n+rangeLen-1)/rangeLen, func(i int) error {
		mu.Lock()
		s.progress(phase, begun, n)
		begun += rangeLen
		mu.Unlock()
		return fn(i*rangeLen, min((i+1)*rangeLen, n))
	})
}

// record makes the keys of all distinct texts in another pass, for methods that first have to see the whole corpus.
func (s *scan) record(ctx context.Context) error {
	var mu sync.Mutex
	spare := sync.Pool{New: func() any { return new([rangeLen]neardup.Record) }}
	return s.ranges(ctx, "keys", func(from, to int) error {
		recs := spare.Get().(*[rangeLen]neardup.Record)
		defer spare.Put(recs)
		return s.recordRange(recs[:to-from], from, &mu)
	})
}

func (s *scan) recordRange(recs []neardup.Record, from int, mu *sync.Mutex) error {
	digests, groups, blank := make([]neardup.Digest, len(recs)), make([]uint64, len(recs)), make([]bool, len(recs))
	for i := range recs {
		clean, err := s.text(textNo(from + i))
		if err != nil {
			return err
		}
		recs[i].Reset()
		blank[i] = neardup.Blank(clean)
		if blank[i] {
			continue
		}
		s.method.Record(clean, &recs[i])
		if len(s.cfg.Per) > 0 {
			groups[i], err = s.groups.Get(textNo(from + i))
			if err != nil {
				return err
			}
		}
		digests[i] = digestIn(clean, groups[i])
	}
	mu.Lock()
	defer mu.Unlock()
	for i := range recs {
		if blank[i] {
			continue
		}
		rec := &recs[i]
		if err := s.texts.Update(textNo(from+i), func(t *textRow) { t.sketch = rec.Sketch }); err != nil {
			return err
		}
		if err := s.post(textNo(from+i), groups[i], rec, digests[i]); err != nil {
			return err
		}
	}
	return nil
}

// text returns a clean text by its number.
func (s *scan) text(no textNo) (string, error) {
	t, err := s.texts.Get(no)
	if err != nil {
		return "", err
	}
	b, err := s.set.bodies.Read(t.at, int(t.len))
	return asString(b), err
}
