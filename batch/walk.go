package batch

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"github.com/neardup/neardup"
	"golang.org/x/sync/errgroup"
)

// blockSize is how many texts are compared side by side with the leaders that
// stand before all of them: few at first, when most leaders are new.
func blockSize(texts int) int { return max(16, min(1024, texts/4)) }

// textBlock is a run of texts with what may be near them.
type textBlock struct {
	texts []blockText
	vals  []uint64 // bucket<<2 | flags, or text<<2
}

type blockText struct {
	pos      uint32
	from, to int // its vals
}

// walk calls fn with the live texts in order, in blocks.
func (r *run) walk(ctx context.Context, fn func(*textBlock) error) error {
	b, done := &textBlock{}, 0
	flush := func() error {
		if len(b.texts) == 0 {
			return nil
		}
		err := fn(b)
		done += len(b.texts)
		b.texts, b.vals = b.texts[:0], b.vals[:0]
		return err
	}
	err := r.live.each(ctx, func(p pair) error {
		pos := uint32(p.key())
		if n := len(b.texts); n == 0 || b.texts[n-1].pos != pos {
			if n == blockSize(done) {
				if err := flush(); err != nil {
					return err
				}
			}
			b.texts = append(b.texts, blockText{pos, len(b.vals), len(b.vals)})
		}
		b.vals = append(b.vals, p.val())
		b.texts[len(b.texts)-1].to++
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// prober looks for the matches of one text after the other. One per worker.
type prober struct {
	r     *run
	x     *index
	cand  []uint32
	stats Work
}

// Work counts what was done to find candidates and to judge them.
type Work struct {
	Candidates int64 `json:"candidates"` // postings met under shared keys
	Verified   int64 `json:"verified"`   // pairs compared exactly
	Near       int64 `json:"near"`       // pairs at or above the threshold
}

func (w *Work) add(o Work) {
	w.Candidates += o.Candidates
	w.Verified += o.Verified
	w.Near += o.Near
}

// probe calls fn for every near text among the index's entries with a
// position in [from, to), in ascending order.
func (p *prober) probe(t blockText, vals []uint64, from, to uint32, fn func(pos uint32, m neardup.Match) error) error {
	row, err := p.r.texts.get(int(t.pos))
	if err != nil {
		return err
	}
	p.gather(row.sketch, vals, from, to)
	return p.judge(t.pos, fn)
}

// probeRemoved calls fn for every near text with copies, among those that the
// text was paired with, that is a duplicate itself.
func (p *prober) probeRemoved(t blockText, vals []uint64, fn func(pos uint32, m neardup.Match) error) error {
	p.cand = p.cand[:0]
	for _, val := range vals {
		pos := uint32(val >> 2)
		if val&flagBits != 0 || !p.r.removed.has(pos) {
			continue
		}
		row, err := p.r.texts.get(int(pos))
		if err != nil {
			return err
		}
		if row.copies {
			p.cand = append(p.cand, pos)
		}
	}
	return p.judge(t.pos, fn)
}

// judge compares a text with the candidates and calls fn for the near ones,
// in ascending order.
func (p *prober) judge(text uint32, fn func(pos uint32, m neardup.Match) error) error {
	if len(p.cand) == 0 {
		return nil
	}
	slices.Sort(p.cand)
	p.cand = slices.Compact(p.cand)
	own, err := p.r.view(text)
	if err != nil {
		return err
	}
	for _, pos := range p.cand {
		if pos == text {
			continue
		}
		m, err := p.compare(own, text, pos)
		if err != nil {
			return err
		}
		if !m.Near {
			continue
		}
		p.stats.Near++
		if err := fn(pos, m); err != nil {
			return err
		}
	}
	return nil
}

// gather collects the texts it was paired with that are not removed and the plausible entries of
// the text's large buckets. Entries stand in order of position, so a range is read
// from its end backwards.
func (p *prober) gather(sketch uint64, vals []uint64, from, to uint32) {
	p.cand = p.cand[:0]
	x, method := p.x, p.r.method
	for _, val := range vals {
		if val&flagBits == 0 {
			if pos := uint32(val >> 2); pos >= from && pos < to && !p.r.removed.has(pos) {
				p.cand = append(p.cand, pos)
			}
			continue
		}
		if val&probing == 0 {
			continue
		}
		lo, hi := x.find(uint32(val >> 2))
		for hi > lo && x.pos[hi-1] >= to {
			hi--
		}
		pos, sketches := x.pos[lo:hi], x.sketch[lo:hi]
		i := len(pos) - 1
		for ; i >= 0 && pos[i] >= from; i-- {
			// Equal texts have equal sketches, and no method judges them.
			if sketch == sketches[i] || method.Plausible(sketch, sketches[i]) {
				p.cand = append(p.cand, pos[i])
			}
		}
		p.stats.Candidates += int64(len(pos) - 1 - i)
	}
}

// compare verifies a candidate. Texts that are equal after all (the table of
// seen texts was full) get the basis that equal texts have everywhere.
func (p *prober) compare(own neardup.View, a, b uint32) (neardup.Match, error) {
	other, err := p.r.view(b)
	if err != nil {
		return neardup.Match{}, err
	}
	p.stats.Verified++
	m := p.r.method.Compare(own, other)
	if p.r.allSeen || m.Near && m.Similarity < 1 {
		return m, nil
	}
	equal, err := p.r.equalTexts(a, b)
	if err != nil || !equal {
		return m, err
	}
	row, err := p.r.texts.get(int(a))
	return p.r.equalMatch(row), err
}

func (r *run) equalTexts(a, b uint32) (bool, error) {
	x, err := r.texts.get(int(a))
	if err != nil {
		return false, err
	}
	y, err := r.texts.get(int(b))
	if err != nil || x.len != y.len || x.sketch != y.sketch {
		return false, err
	}
	s, err := r.spool.read(x.at, int(x.len))
	if err != nil {
		return false, err
	}
	t, err := r.spool.read(y.at, int(y.len))
	return bytes.Equal(s, t), err
}

// equalMatch is the match of two documents with the text of a row.
func (r *run) equalMatch(row textRow) neardup.Match {
	return neardup.Match{Similarity: 1, Distance: -1, Near: true, Method: r.methodOf(row), Basis: neardup.BasisEqual}
}

// methodOf names the method that a text was routed to.
func (r *run) methodOf(row textRow) string {
	if r.router == nil {
		return r.method.Spec().Method
	}
	return r.routes[row.route]
}

// parallel calls fn for i in [0, n) on all workers.
func (r *run) parallel(ctx context.Context, n int, x *index, fn func(p *prober, i int) error) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	probers := make([]prober, min(r.cfg.Workers, n))
	for w := range probers {
		p := &probers[w]
		p.r, p.x = r, x
		g.Go(func() error {
			const step = 8
			for {
				to := int(next.Add(step))
				for i := to - step; i < min(to, n); i++ {
					if err := fn(p, i); err != nil {
						return err
					}
				}
				if to >= n || ctx.Err() != nil {
					return ctx.Err()
				}
			}
		})
	}
	err := g.Wait()
	for i := range probers {
		r.sum.Work.add(probers[i].stats)
	}
	return err
}
