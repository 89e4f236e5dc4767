package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// growth is what quarters, halves and all of a sample took.
type growth struct {
	quarters, halves []planRun
	all              planRun
}

// grown says what a figure becomes at n, from what it was at three sizes, each
// twice the one before. It grows by a power, at least that of a share (1) and at most
// that of pairs (2): that of the last step, which goes on falling as it fell where
// the quarters agree well enough to tell. The interval holds all of these, and what the
// figure itself may be off by chance, as the quarters differ.
func (g growth) grown(get func(planRun) float64, n float64) estimate {
	c, at := get(g.all), g.all.documents
	if c == 0 || n <= at {
		return exactly(c)
	}
	a, off := spread(g.quarters, get)
	b, _ := spread(g.halves, get)
	first, last := math.Log2(b/a), math.Log2(c/b)
	if a <= 0 || b <= 0 {
		first, last = 2, 2
	}
	falling := last + min(last-first, 0)*(math.Log2(n/at)+1)/2 // on the average of the doublings to come
	of := func(power, v float64) float64 { return v * math.Pow(n/at, min(max(power, 1), 2)) }
	likely := last
	if off < agree {
		likely = falling
	}
	noise := max(2*math.Sqrt(c), c*off)
	return estimate{
		of(likely, c),
		of(min(first, falling), max(c-noise, c/4)),
		of(max(first, last), c+noise),
	}
}

// agree is the share by which quarters may differ for their growth to have a trend.
const agree = .5

// spread returns the mean of a figure of some runs, and by what share the mean of as
// many others would differ from it, but for one time in twenty (Student, three
// degrees of freedom).
func spread(runs []planRun, get func(planRun) float64) (mean, off float64) {
	n := float64(len(runs))
	for _, r := range runs {
		mean += get(r) / n
	}
	if n < 2 || mean == 0 {
		return mean, 0
	}
	squares := 0.0
	for _, r := range runs {
		squares += (get(r) - mean) * (get(r) - mean)
	}
	return mean, 3.2 * math.Sqrt(squares/(n-1)/n) / mean
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

// grows decides all quarters, both halves and all of the sample: the growth of
// one quarter alone would be chance where little is near.
func (s *sampled) grows(ctx context.Context, cfg batch.Config) (g growth, err error) {
	runs := func(parts int) (out []planRun) {
		for _, docs := range s.divided(parts) {
			r, failed := runOver(ctx, docs, cfg)
			err = errors.Join(err, failed)
			out = append(out, r)
		}
		return out
	}
	if float64(len(s.docs)) < s.documents.Value { // else nothing is left to grow
		g.quarters, g.halves = runs(4), runs(2)
	}
	g.all = runs(1)[0]
	return g, err
}

// scripts are the kinds of letters that records have had, by the first bytes of
// their UTF-8 and, of escapes in JSON, by the first digit.
type scripts struct{ bytes, digits [256]bool }

const lookedAt = 4 << 10 // bytes of a record

// add reports whether a record has letters that none before it had.
func (s *scripts) add(raw []byte) (fresh bool) {
	raw = raw[:min(len(raw), lookedAt)]
	note := func(seen *[256]bool, b byte) {
		fresh = fresh || !seen[b]
		seen[b] = true
	}
	for i, b := range raw {
		switch {
		case b >= 0xC0:
			note(&s.bytes, b)
		case b == '\\' && i+2 < len(raw) && raw[i+1] == 'u':
			note(&s.digits, raw[i+2]|0x20)
		}
	}
	return fresh
}

// once returns the CPU seconds since before of what a method makes once, however
// few documents: such as its tables, of which a script that is rare may need one.
func (s *sampled) once(ctx context.Context, cfg batch.Config, before time.Duration) (float64, error) {
	few := slices.Concat(s.docs[:min(len(s.docs), 200)], s.others)
	ends := [3]time.Duration{before}
	for i := 1; i < len(ends); i++ {
		if _, err := runOver(ctx, few, cfg); err != nil {
			return 0, err
		}
		ends[i], _ = resources()
	}
	return max(ends[1]-ends[0]-(ends[2]-ends[1]), 0).Seconds(), nil
}
