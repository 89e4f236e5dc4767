package batch

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

const (
	mostQueries = 64   // texts that are compared with all
	pilotTexts  = 1024 // by which the work is foreseen
	sampleChunk = 1024 // texts that a worker takes at once
	// mostOfQuery bounds the near pairs that count of one text, so that a
	// crowd is not all that is measured.
	mostOfQuery = 50
)

// query is a text that is compared with the others.
type query struct {
	position
	sketch uint64
	view   neardup.View
	rec    neardup.Record
}

// sampledPair is a near pair of a query and another text.
type sampledPair struct {
	query int
	other position
}

// brute compares a few texts with all others, or with a share of them that
// costs about what it may. Sketches rule out first, as everywhere; that they
// only rule out what is not near is for the tests of methods.
func (a *auditor) brute(ctx context.Context, j *job, r *records) error {
	queries, err := a.queries(r)
	if err != nil || len(queries) == 0 {
		return err
	}
	bound, err := a.affordable(r, queries)
	if err != nil {
		return err
	}
	n := r.texts.Len()
	chunks := (n + sampleChunk - 1) / sampleChunk
	found, against := make([][]sampledPair, chunks), make([]int64, chunks)
	err = parallel(ctx, j.cfg.Workers, chunks, func() struct{} { return struct{}{} }, func(_ struct{}, c int) (err error) {
		for p := c * sampleChunk; p < min(n, (c+1)*sampleChunk); p++ {
			if mixed(auditSeed, uint64(p)) > bound {
				continue
			}
			against[c]++
			if found[c], err = r.nearQueries(found[c], queries, position(p)); err != nil {
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

// expectPairs notes that the near pairs of queries should meet, some of each.
func (a *auditor) expectPairs(queries []query, pairs []sampledPair) {
	slices.SortFunc(pairs, func(x, y sampledPair) int {
		return cmp.Or(cmp.Compare(x.query, y.query), cmp.Compare(mixed(auditSeed, uint64(x.other)), mixed(auditSeed, uint64(y.other))))
	})
	number := map[position]int{}
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
		role := Probing // the later text searches
		if p.other < q.position {
			role = Indexed
		}
		a.out.Sample.Near++
		if i == 0 || pairs[i-1].query != p.query {
			a.out.Sample.Groups++
		}
		a.expect(p.other, Ordinal(q.position), &q.rec, role, &a.out.Sample.Found)
	}
}

// queries draws the texts that are compared with the others.
func (a *auditor) queries(r *records) ([]query, error) {
	n, budget := r.texts.Len(), a.budget
	var out []query
	for _, p := range draw(rand.New(rand.NewPCG(auditSeed+1, uint64(n))), mostQueries, n) {
		row, err := r.texts.Get(position(p))
		if err != nil {
			return nil, err
		}
		if int64(row.len) > budget {
			continue
		}
		clean, err := r.text(position(p))
		if err != nil {
			return nil, err
		}
		if neardup.Blank(clean) {
			continue
		}
		budget -= int64(row.len)
		q := query{position: position(p), sketch: row.sketch, view: r.method.View(clean)}
		r.method.Record(clean, &q.rec)
		out = append(out, q)
	}
	return out, nil
}

// affordable returns the bound of the hashes of the texts that the queries are
// compared with, from what a few of these would cost.
func (a *auditor) affordable(r *records, queries []query) (uint64, error) {
	n := r.texts.Len()
	places := draw(rand.New(rand.NewPCG(auditSeed+2, uint64(n))), pilotTexts, n)
	bytes := 0.0
	for _, p := range places {
		row, err := r.texts.Get(position(p))
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(queries, func(q query) bool { return q.plausible(r.method, row, position(p)) }) {
			bytes += float64(row.len) + 64
		}
	}
	share := float64(a.budget) / (bytes / float64(len(places)) * float64(n))
	if !(share < 1) {
		return math.MaxUint64, nil
	}
	return uint64(share * (1 << 63) * 2), nil
}

func (q *query) plausible(m neardup.Method, row textRow, p position) bool {
	return p != q.position && (q.sketch == row.sketch || m.Plausible(q.sketch, row.sketch))
}

// nearQueries appends the pairs of a text and the queries that it is near.
func (r *records) nearQueries(dst []sampledPair, queries []query, p position) ([]sampledPair, error) {
	row, err := r.texts.Get(p)
	if err != nil {
		return dst, err
	}
	var view neardup.View
	for i := range queries {
		q := &queries[i]
		if !q.plausible(r.method, row, p) {
			continue
		}
		if view == nil {
			clean, err := r.text(p)
			if err != nil || neardup.Blank(clean) {
				return dst, err
			}
			view = r.method.View(clean)
		}
		if r.method.Compare(q.view, view).Near {
			dst = append(dst, sampledPair{i, p})
		}
	}
	return dst, nil
}

// mixed hashes two numbers.
func mixed(a, b uint64) uint64 { return feature.Mix(a*0x9e3779b97f4a7c15 ^ b) }
