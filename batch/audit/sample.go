package audit

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/inorder"
)

const (
	mostQueries = 64   // texts that are compared with all others
	pilotTexts  = 1024 // texts that are compared first, to estimate the cost
	sampleChunk = 1024 // texts that a worker takes at once
	// mostOfQuery limits the near pairs that count for one text, so that one large group does not dominate the sample.
	mostOfQuery = 50
)

// query is a text that is compared with all others.
type query struct {
	position uint32
	sketch   uint64
	view     neardup.Prepared
	rec      neardup.Record
}

// sampledPair is a near pair of a query and another text.
type sampledPair struct {
	query int
	other uint32
}

// brute compares a few texts with all others, or with a share of them that fits the budget. It drops pairs that the
// sketches rule out. Tests of methods verify that sketches never rule out a near pair.
func (a *Auditor) brute(ctx context.Context) error {
	queries, err := a.queries()
	if err != nil || len(queries) == 0 {
		return err
	}
	bound, err := a.affordable(queries)
	if err != nil {
		return err
	}
	n := a.run.Texts.Len()
	chunks := (n + sampleChunk - 1) / sampleChunk
	found, against := make([][]sampledPair, chunks), make([]int64, chunks)
	err = inorder.Each(ctx, a.run.Workers, chunks, func(c int) (err error) {
		for p := c * sampleChunk; p < min(n, (c+1)*sampleChunk); p++ {
			if mixed(seed, uint64(p)) > bound {
				continue
			}
			against[c]++
			found[c], err = a.nearQueries(found[c], queries, uint32(p))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	a.out.Sample.Texts = len(queries)
	for _, n := range against {
		a.out.Sample.Against += n
	}
	a.expectPairs(queries, slices.Concat(found...))
	return nil
}

// expectPairs records that the queries should share a key with some of the texts near them.
func (a *Auditor) expectPairs(queries []query, pairs []sampledPair) {
	slices.SortFunc(pairs, func(x, y sampledPair) int {
		return cmp.Or(cmp.Compare(x.query, y.query), cmp.Compare(mixed(seed, uint64(x.other)), mixed(seed, uint64(y.other))))
	})
	number := map[uint32]int{}
	for i := range queries {
		number[queries[i].position] = i
	}
	// A pair of two queries counts once.
	pairs = slices.DeleteFunc(pairs, func(p sampledPair) bool {
		k, ok := number[p.other]
		return ok && k < p.query
	})
	for i, p := range pairs {
		if i >= mostOfQuery && pairs[i-mostOfQuery].query == p.query {
			continue
		}
		q := &queries[p.query]
		a.out.Sample.Near++
		if i == 0 || pairs[i-1].query != p.query {
			a.out.Sample.Groups++
		}
		a.expect(p.other, q.position, &q.rec, p.other > q.position, &a.out.Sample.Found) // the later text searches
	}
}

// queries draws the texts that are compared with all others.
func (a *Auditor) queries() ([]query, error) {
	n, budget := a.run.Texts.Len(), a.budget
	var out []query
	for _, p := range draw(rand.New(rand.NewPCG(seed+1, uint64(n))), mostQueries, n) {
		bytes, sketch, err := a.run.Texts.Size(uint32(p))
		if err != nil {
			return nil, err
		}
		if int64(bytes) > budget {
			continue
		}
		clean, err := a.run.Texts.Text(uint32(p))
		if err != nil {
			return nil, err
		}
		if neardup.Blank(clean) {
			continue
		}
		budget -= int64(bytes)
		q := query{position: uint32(p), sketch: sketch, view: a.run.Method.Prepare(clean)}
		a.run.Method.Record(clean, &q.rec)
		out = append(out, q)
	}
	return out, nil
}

// affordable estimates the cost of the comparisons from a few texts. Queries are compared only with texts whose hash is
// below the returned bound.
func (a *Auditor) affordable(queries []query) (uint64, error) {
	n := a.run.Texts.Len()
	places := draw(rand.New(rand.NewPCG(seed+2, uint64(n))), pilotTexts, n)
	sum := 0.0
	for _, p := range places {
		bytes, sketch, err := a.run.Texts.Size(uint32(p))
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(queries, func(q query) bool { return q.plausible(a.run.Method, uint32(p), sketch) }) {
			sum += float64(bytes) + 64
		}
	}
	share := float64(a.budget) / (sum / float64(len(places)) * float64(n))
	if !(share < 1) {
		return math.MaxUint64, nil
	}
	return uint64(share * (1 << 63) * 2), nil
}

func (q *query) plausible(m neardup.Method, p uint32, sketch uint64) bool {
	return p != q.position && (q.sketch == sketch || m.Plausible(q.sketch, sketch))
}

// nearQueries appends the pairs of a text and the queries near it.
func (a *Auditor) nearQueries(dst []sampledPair, queries []query, p uint32) ([]sampledPair, error) {
	_, sketch, err := a.run.Texts.Size(p)
	if err != nil {
		return dst, err
	}
	var view neardup.Prepared
	for i := range queries {
		q := &queries[i]
		if !q.plausible(a.run.Method, p, sketch) {
			continue
		}
		if view == nil {
			clean, err := a.run.Texts.Text(p)
			if err != nil || neardup.Blank(clean) {
				return dst, err
			}
			view = a.run.Method.Prepare(clean)
		}
		if a.run.Method.Compare(q.view, view).Near {
			dst = append(dst, sampledPair{i, p})
		}
	}
	return dst, nil
}

// mixed returns one hash of two numbers.
func mixed(a, b uint64) uint64 { return feature.Mix(a*0x9e3779b97f4a7c15 ^ b) }
