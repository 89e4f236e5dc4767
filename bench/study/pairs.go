package main

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/neardup/neardup/feature"
)

// maxK is the largest distance studied.
const maxK = 16

// counts holds a number of pairs for each length and k: the pairs at exactly the distance k, or after sum, the pairs at most
// k apart.
type counts [][maxK + 1]int

func newCounts() counts { return make(counts, len(lengths)+2) }

// add counts a pair in its bucket, and in the bucket of all.
func (c counts) add(bucket, distance int) {
	if distance <= maxK {
		c[bucket][distance]++
		c[0][distance]++
	}
}

func (c counts) sum() {
	for b := range c {
		for k := range maxK {
			c[b][k+1] += c[b][k]
		}
	}
}

// measurePairs counts, for each kind, length and k, the similar pairs and all pairs within k bits. The length of a pair is
// that of its shorter text.
func measurePairs(s source, t texts, kinds []kind) table {
	unit := feature.Shingle{Unit: feature.Auto, K: 1}
	buckets := make([]int, len(t.clean))
	inBucket := make([]int, len(lengths)+2)
	for i, c := range t.clean {
		buckets[i] = bucketOf(len(unit.Append(nil, c, 0)))
		inBucket[buckets[i]]++
	}
	p := pairStudy{source: s, texts: t, buckets: buckets, pairsIn: pairsByBucket(inBucket)}
	p.markOwn()
	tables := make([]table, len(kinds))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, k := range kinds {
		slots <- struct{}{}
		wait.Go(func() {
			tables[i] = p.measure(k)
			<-slots
		})
	}
	wait.Wait()
	var out table
	for _, t := range tables {
		out = append(out, t...)
	}
	return out
}

// pairsByBucket returns the number of pairs whose shorter text is in each bucket.
func pairsByBucket(in []int) []int {
	out := make([]int, len(in))
	longer := 0
	for b := len(in) - 1; b > 0; b-- {
		out[b] = in[b]*(in[b]-1)/2 + in[b]*longer
		longer += in[b]
		out[0] += out[b]
	}
	return out
}

type pairStudy struct {
	source
	texts
	buckets []int
	pairsIn []int
	own     []bool // for each pair: whether the shingles of the verification have J >= .8
}

// markOwn verifies the pairs of the oracle like the method, by auto:3 of the clean text.
func (p *pairStudy) markOwn() {
	sets := map[int][]uint64{}
	set := func(i int) []uint64 {
		if sets[i] == nil {
			sets[i] = feature.Set(feature.Default.Append(nil, p.clean[i], 0))
		}
		return sets[i]
	}
	p.own = make([]bool, len(p.pairs))
	for i, q := range p.pairs {
		if q.jaccard >= .5 {
			_, p.own[i] = feature.JaccardAtLeast(set(q.a), set(q.b), .8)
		}
	}
}

func (p *pairStudy) bucket(a, b int) int { return min(p.buckets[a], p.buckets[b]) }

// recall counts pairs, and those found at each distance.
type recall struct {
	name  string
	all   []int
	found counts
}

func (p *pairStudy) recall(name string, fps []uint64, pairs pairs, want func(i int) bool) recall {
	r := recall{name, make([]int, len(lengths)+2), newCounts()}
	for i, q := range pairs {
		if want(i) {
			b := p.bucket(q.a, q.b)
			r.all[0]++
			r.all[b]++
			r.found.add(b, bits.OnesCount64(fps[q.a]^fps[q.b]))
		}
	}
	r.found.sum()
	return r
}

func (p *pairStudy) measure(k kind) table {
	fps := make([]uint64, len(p.clean))
	for i, c := range p.clean {
		fps[i] = k.fingerprint(c)
	}
	similar := p.recall("recall J>=.8", fps, p.pairs, func(i int) bool { return p.pairs[i].jaccard >= .8 })
	recalls := []recall{
		similar,
		p.recall("recall J>=.9", fps, p.pairs, func(i int) bool { return p.pairs[i].jaccard >= .9 }),
		p.recall("recall own J>=.8", fps, p.pairs, func(i int) bool { return p.own[i] }),
		p.recall("recall label", fps, p.labelled, func(int) bool { return true }),
	}
	within := p.within(fps)
	var out table
	for b := range within {
		r := row{set: p.name, language: p.language, length: bucketName(b), kind: k.name}
		for _, c := range recalls {
			out = out.add(r, c.name, c.all[b], func(k int) float64 { return share(c.found[b][k], c.all[b]) })
		}
		out = out.add(r, "precision J>=.8", within[b][maxK], func(k int) float64 {
			return share(similar.found[b][k], within[b][k])
		})
		others := p.pairsIn[b] - similar.all[b]
		out = out.add(r, "others a million", others, func(k int) float64 {
			return 1e6 * float64(within[b][k]-similar.found[b][k]) / float64(others)
		})
	}
	return out
}

// within counts all pairs of fingerprints by distance.
func (p *pairStudy) within(fps []uint64) counts {
	out := newCounts()
	for b, v := range fps {
		for a, w := range fps[:b] {
			if d := bits.OnesCount64(v ^ w); d <= maxK {
				out.add(p.bucket(a, b), d)
			}
		}
	}
	out.sum()
	return out
}

// share returns part/whole. It returns 1 if whole is 0, because nothing was wrong.
func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}
