package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// grown says what a figure becomes at n, from what it was at three sizes, each
// twice the one before: growth by the power of the last step, at least that of a
// share (1) and at most that of pairs (2).
func grown(a, b, c float64, n, at float64) estimate {
	if c == 0 || n <= at {
		return exactly(c)
	}
	power := func(x, y float64) float64 {
		if x <= 0 {
			return 2
		}
		return min(max(math.Log2(y/x), 1), 2)
	}
	steps := []float64{power(a, b), power(b, c)}
	of := func(p, v float64) float64 { return v * math.Pow(n/at, p) }
	noise := 2 * math.Sqrt(c)
	return estimate{
		of(steps[1], c),
		of(slices.Min(steps), max(c-noise, c/4)),
		of(slices.Max(steps), c+noise),
	}
}

// divided cuts the sample into so many parts by chance: halves are made of quarters.
func (s *sampled) divided(parts int) [][]neardup.Document {
	rng := rand.New(rand.NewPCG(2, 2))
	out := make([][]neardup.Document, parts)
	for _, d := range s.docs {
		at := rng.IntN(4) * parts / 4
		out[at] = append(out[at], d)
	}
	return slices.DeleteFunc(out, func(p []neardup.Document) bool { return len(p) == 0 })
}

// mean is what runs have taken on the average.
func mean(runs []planRun) (m planRun) {
	n := float64(len(runs))
	for _, r := range runs {
		m.candidates += r.candidates / n
		m.verified += r.verified / n
		m.removed += r.removed / n
	}
	return m
}

// grows decides all quarters, both halves and all of the sample: the growth of
// one quarter alone would be chance where little is near.
func (s *sampled) grows(ctx context.Context, cfg batch.Config) (sizes [3]planRun, last planRun, err error) {
	for i, parts := range []int{4, 2, 1} {
		var runs []planRun
		for _, docs := range s.divided(parts) {
			r, err := runOver(ctx, docs, cfg)
			if err != nil {
				return sizes, last, err
			}
			runs = append(runs, r)
		}
		sizes[i], last = mean(runs), runs[0]
	}
	return sizes, last, nil
}

// once returns the CPU seconds since before of what a method makes once, however
// few documents: such as its tables.
func (s *sampled) once(ctx context.Context, cfg batch.Config, before time.Duration) (float64, error) {
	few := s.docs[:min(len(s.docs), 200)]
	ends := [3]time.Duration{before}
	for i := 1; i < len(ends); i++ {
		if _, err := runOver(ctx, few, cfg); err != nil {
			return 0, err
		}
		ends[i], _ = resources()
	}
	return max(ends[1]-ends[0]-(ends[2]-ends[1]), 0).Seconds(), nil
}
