package worker

import (
	"context"
	"errors"
	"io"

	"github.com/neardup/neardup/batch"
)

// largeBucket limits the postings of a key in memory if hot buckets are kept whole.
const largeBucket = 1 << 16

// postingsMemory limits the memory for sorting in Bucket. Further postings are sorted on disk.
const postingsMemory = 128 << 20

// Roles of a pair that Bucket writes. A candidate has no role.
const (
	Copy = "c" // a document and the first document with its text
	Hot  = "h" // a text of a hot bucket and the bucket's first text
)

// Bucket runs the third stage. It reads all rows of Distinct for a part, in any order, as pack, later, earlier and
// role. It writes later, earlier and role. It passes on copies and pairs of equal texts. It writes candidates, each
// once per key, and drops none silently. With s.Against, it also finds the leaders of the index with the same keys.
//
// With s.Hot, a bucket of more than s.Hot postings is hot if most of its pairs are plausible or if it is too large
// for memory. Bucket links each text of a hot bucket with the first one. Without s.Hot, it holds the postings of
// one key in memory, 24 bytes each.
func (s Stages) Bucket(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	b := &buckets{rows: newRows(ctx, in, out, "bnnb"), hot: s.Hot, pairing: batch.Pairing{Method: s.Method}}
	sorted := batch.NewPostings("", postingsMemory)
	defer sorted.Close()
	err := b.each(func(r row) error {
		if r.null(0) {
			return b.passed(r)
		}
		return eachPosting(r.bytes(0), sorted.Add)
	})
	if err == nil {
		err = sorted.EachAgainst(ctx, s.Against, b.add)
	}
	if err == nil {
		err = b.flush()
	}
	return b.counts, errors.Join(err, b.out.Flush())
}

func (b *buckets) passed(r row) error {
	later, errLater := r.ordinal(1)
	earlier, errEarlier := r.ordinal(2)
	if err := errors.Join(errLater, errEarlier); err != nil {
		return err
	}
	return b.write(later, earlier, given(string(r.bytes(3))))
}

type buckets struct {
	*rows
	hot     int
	pairing batch.Pairing
	bucket  []batch.Posting
	hub     batch.Ordinal // first text of a bucket that is passed on whole, or 0
	found   []batch.Candidate
}

func (b *buckets) add(p batch.Posting) error {
	if len(b.bucket) > 0 && b.bucket[0].Key() != p.Key() {
		if err := b.flush(); err != nil {
			return err
		}
	}
	if b.hub > 0 {
		return b.link(p)
	}
	b.bucket = append(b.bucket, p)
	if b.hot == 0 || len(b.bucket) <= largeBucket {
		return nil
	}
	return b.links()
}

func (b *buckets) flush() error {
	defer func() { b.bucket, b.hub = b.bucket[:0], 0 }()
	if b.hub > 0 {
		return nil
	}
	most := batch.ManyAlike * len(b.bucket)
	hot := b.hot > 0 && len(b.bucket) > b.hot
	b.found = b.found[:0]
	var err error
	all := b.pairing.Bucket(b.bucket, func(c batch.Candidate) bool {
		if hot {
			b.found = append(b.found, c)
			return len(b.found) <= most
		}
		err = b.candidate(c)
		return err == nil
	})
	if err == nil && hot && !all {
		return b.links()
	}
	for _, c := range b.found {
		if err := b.candidate(c); err != nil {
			return err
		}
	}
	return err
}

func (b *buckets) candidate(c batch.Candidate) error {
	if b.counts.Out&0xffff == 0 && b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	return b.write(c.Later, c.Earlier, nil)
}

// links writes the links of the bucket's texts.
func (b *buckets) links() error {
	for _, p := range b.bucket {
		if err := b.link(p); err != nil {
			return err
		}
	}
	return nil
}

// link links a text with the first one of the bucket. Decide finds the documents of the index itself.
func (b *buckets) link(p batch.Posting) error {
	if p.Text() < held {
		return nil
	}
	if b.hub == 0 {
		b.hub = p.Text()
	}
	return b.write(p.Text(), b.hub, Hot)
}
