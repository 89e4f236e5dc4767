package batch

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// candidates lists for each text, in the order of positions, the earlier texts that it was paired with and its hot
// buckets. Hot buckets are searched later, when they hold only leaders.
type candidates struct {
	sorted  *external.Sorted[keyValue] // position -> candidate
	hot     int                        // buckets
	indexed int                        // postings of hot buckets that can be found
}

// candidate is an earlier text, or a hot bucket with the role of the text in it.
type candidate uint64

func candidateText(p position) candidate { return candidate(p) << roleLen }

func candidateBucket(bucket uint64, role Role) candidate {
	return candidate(bucket<<roleLen) | candidate(role)
}

func (c candidate) role() Role     { return Role(c) & roleBits } // 0 if it is a text
func (c candidate) text() position { return position(c >> roleLen) }
func (c candidate) bucket() uint32 { return uint32(c >> roleLen) }

// gathered collects the candidates of all workers.
type gathered struct {
	method neardup.Method

	mu      sync.Mutex
	out     *external.Sorter[keyValue]
	hot     uint64 // buckets so far
	indexed int
	met     int64
}

func (g *gathered) sort() (*candidates, error) {
	all, err := g.out.Sort()
	return &candidates{sorted: all, hot: int(g.hot), indexed: g.indexed}, err
}

// reserve returns the number of a new hot bucket.
func (g *gathered) reserve() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hot++
	return g.hot - 1
}

// spill adds postings of a hot bucket.
func (g *gathered) spill(bucket uint64, postings []Posting) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range postings {
		if p.Role()&Indexed != 0 {
			g.indexed++
		}
		if err := g.out.Add(keyValue{uint64(p.Text()), uint64(candidateBucket(bucket, p.Role()))}); err != nil {
			return err
		}
	}
	return nil
}

// ManyAlike bounds the plausible pairs per posting of a paired bucket. In a bucket with more, most texts are near each
// other, so it is cheaper to compare them with the leaders only.
const ManyAlike = 4

// pairBuckets pairs the texts of each bucket of a chunk. It spills hot buckets, in which most texts are alike.
func (g *gathered) pairBuckets(c *chunk) error {
	w := Pairing{Method: g.method}
	var found []keyValue
	from := 0
	for _, end := range c.ends {
		bucket, before := c.postings[from:end], len(found)
		from = end
		most := before + ManyAlike*len(bucket)
		if w.Bucket(bucket, func(c Candidate) bool {
			found = append(found, keyValue{uint64(c.Later), uint64(candidateText(position(c.Earlier)))})
			return len(found) <= most
		}) {
			continue
		}
		found = found[:before]
		if err := g.spill(g.reserve(), bucket); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.met += w.Met
	for _, p := range found {
		if err := g.out.Add(p); err != nil {
			return err
		}
	}
	return nil
}

// textBlock is a range of texts with their candidates.
type textBlock struct {
	texts      []blockText
	candidates []candidate
}

type blockText struct {
	position
	from, to int // range of its candidates
}

func (b *textBlock) candidatesOf(t blockText) []candidate { return b.candidates[t.from:t.to] }

// from returns the part of a block that starts at a position.
func (b *textBlock) from(p position) *textBlock {
	i := 0
	for i < len(b.texts) && b.texts[i].position < p {
		i++
	}
	return &textBlock{b.texts[i:], b.candidates}
}

// blockSize returns how many texts are compared concurrently with all leaders before them. The first blocks are small,
// because many of their texts become leaders.
func blockSize(texts int) int { return max(16, min(1024, texts/4)) }

// blocks yields the texts that have candidates, in order. A block is valid until the next one.
func (c *candidates) blocks(ctx context.Context) iter.Seq2[*textBlock, error] {
	return func(yield func(*textBlock, error) bool) {
		b, done := &textBlock{}, 0
		next, err := c.sorted.Reader()
		for err == nil {
			var p keyValue
			err = next(&p)
			if err != nil {
				break
			}
			if n := len(b.texts); n == blockSize(done) && b.texts[n-1].position != position(p.Key()) {
				err = ctx.Err()
				if err != nil || !yield(b, nil) {
					break
				}
				done += n
				b.texts, b.candidates = b.texts[:0], b.candidates[:0]
			}
			b.add(position(p.Key()), candidate(p.Val()))
		}
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			yield(nil, err)
		case err != nil && len(b.texts) > 0:
			yield(b, nil)
		}
	}
}

// add adds a candidate of a text. Candidates of one text are added consecutively.
func (b *textBlock) add(p position, c candidate) {
	if n := len(b.texts); n == 0 || b.texts[n-1].position != p {
		b.texts = append(b.texts, blockText{p, len(b.candidates), len(b.candidates)})
	}
	b.candidates = append(b.candidates, c)
	b.texts[len(b.texts)-1].to++
}
