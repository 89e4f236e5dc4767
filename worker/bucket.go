package worker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/neardup/neardup/batch"
)

// roles are the letters of the roles of a posting: indexed, probing, both.
const (
	roles      = "ipb"
	largeRoles = "IPB"
)

func (l *lines) posting(p batch.Posting, roles string) {
	l.hex(p.Key())
	l.tab()
	l.ordinal(p.Text())
	l.tab()
	l.line = append(l.line, roles[p.Role()-1])
	l.tab()
	l.hex(p.Sketch())
}

func parsePosting(fields [][]byte) (p batch.Posting, err error) {
	if err := want(fields, 4, "a posting"); err != nil {
		return p, err
	}
	key, text, role, sketch := fields[0], fields[1], fields[2], fields[3]
	k, errKey := parseHex(key)
	t, errText := parsePlace(text)
	s, errSketch := parseHex(sketch)
	if err := cmp.Or(errKey, errText, errSketch); err != nil {
		return p, err
	}
	r := batch.Role(1 + strings.Index(roles, string(role)))
	if r == 0 || len(role) != 1 {
		return p, fmt.Errorf("%w: role %q", ErrLine, role)
	}
	return batch.NewPosting(k, s, t, r), nil
}

// ErrHotBucket is wrapped by the error about a bucket with too many candidates.
var ErrHotBucket = errors.New("hot bucket")

// BucketLimits limits large buckets. Zero values set no limit.
type BucketLimits struct {
	// Most is the maximal number of candidates of a bucket. More end the stage with ErrHotBucket.
	Most int64
	// Hot is the size from which a bucket is hot, if most of its pairs are plausible or if it is too large
	// for one process. Bucket writes the postings of a hot bucket.
	Hot int
}

// largeBucket bounds the postings of a key in memory if hot buckets are written as postings.
const largeBucket = 1 << 16

// Bucket runs the second stage. It reads postings (key, place, role, sketch), with those of a key in
// sequence. It writes candidates (later, earlier), each once per key, and drops none silently. It holds the
// postings of one key in memory, 24 bytes each.
//
// With s.Limits.Hot, it writes each posting of a hot bucket after two empty fields. If the bucket has more than
// 65,536 postings, the role is in upper case and Bucket holds no more in memory.
func (s Stages) Bucket(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	b := s.buckets(ctx, in, out)
	err := b.each(func(fields [][]byte) error {
		p, err := parsePosting(fields)
		if err != nil {
			return err
		}
		return b.add(p)
	})
	if err == nil {
		err = b.flush()
	}
	return b.counts, errors.Join(err, b.out.Flush())
}

// postingsMemory bounds the memory for sorting in BucketPacks. The rest is sorted on disk.
const postingsMemory = 128 << 20

// BucketPacks runs Bucket for packs of Distinct, one per line. It reads all packs of a part in any order. It
// passes on lines of copies and candidates: an empty field, later, earlier and role become later, earlier,
// two empty fields and role. With s.Against, it also finds the leaders of the index with the same keys, but
// not for buckets that it writes as postings.
func (s Stages) BucketPacks(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	b := s.buckets(ctx, in, out)
	sorted := batch.NewPostings("", postingsMemory)
	defer sorted.Close()
	var buf bytes.Buffer
	err := b.each(func(fields [][]byte) error {
		if len(fields) == 4 && len(fields[0]) == 0 {
			return b.passed(fields[1], fields[2], fields[3])
		}
		if len(fields) != 1 && (len(fields) != 4 || len(fields[1])+len(fields[2])+len(fields[3]) > 0) {
			return fmt.Errorf("%w: %d fields, a pack has one, or four the last of which are empty", ErrLine, len(fields))
		}
		pack, err := b.unpacked(&buf, fields[0])
		if err != nil {
			return err
		}
		return eachPosting(pack, sorted.Add)
	})
	if err == nil {
		err = sorted.EachAgainst(ctx, s.Against, b.add)
	}
	if err == nil {
		err = b.flush()
	}
	return b.counts, errors.Join(err, b.out.Flush())
}

func (b *buckets) passed(later, earlier, role []byte) error {
	for _, place := range [][]byte{later, earlier} {
		p, err := parsePlace(place)
		if err != nil {
			return err
		}
		b.ordinal(p)
		b.tab()
	}
	b.line = append(append(b.line, "\t\t"...), role...)
	return b.write()
}

func (s Stages) buckets(ctx context.Context, in io.Reader, out io.Writer) *buckets {
	return &buckets{lines: newLines(ctx, in, out), limits: s.Limits, pairing: batch.Pairing{Method: s.Method}}
}

type buckets struct {
	*lines
	limits  BucketLimits
	pairing batch.Pairing
	bucket  []batch.Posting
	large   bool // the bucket flows through
	found   []batch.Candidate
}

func (b *buckets) add(p batch.Posting) error {
	if len(b.bucket) > 0 && b.bucket[0].Key() != p.Key() {
		if err := b.flush(); err != nil {
			return err
		}
	}
	if b.large {
		return b.left(p, largeRoles)
	}
	b.bucket = append(b.bucket, p)
	if b.limits.Hot == 0 || len(b.bucket) <= largeBucket {
		return nil
	}
	b.large = true
	return b.whole(largeRoles)
}

func (b *buckets) flush() error {
	defer func() { b.bucket, b.large = b.bucket[:0], false }()
	switch {
	case b.large:
		return nil
	case b.limits.Hot > 0 && len(b.bucket) > b.limits.Hot:
		b.found = b.found[:0]
		most := batch.ManyAlike * len(b.bucket)
		if !b.pairing.Bucket(b.bucket, func(c batch.Candidate) bool {
			b.found = append(b.found, c)
			return len(b.found) <= most
		}) {
			return b.whole(roles)
		}
		for _, c := range b.found {
			if err := b.candidate(c); err != nil {
				return err
			}
		}
		return nil
	}
	return b.pairs()
}

func (b *buckets) pairs() (err error) {
	n := int64(0)
	b.pairing.Bucket(b.bucket, func(c batch.Candidate) bool {
		n++
		if b.limits.Most > 0 && n > b.limits.Most {
			err = fmt.Errorf("%w: %d texts have the key %016x, more than %d pairs of them may be near",
				ErrHotBucket, len(b.bucket), b.bucket[0].Key(), b.limits.Most)
			return false
		}
		err = b.candidate(c)
		if err == nil && n&0xffff == 0 {
			err = b.ctx.Err()
		}
		return err == nil
	})
	return err
}

func (b *buckets) candidate(c batch.Candidate) error {
	b.ordinal(c.Later)
	b.tab()
	b.ordinal(c.Earlier)
	return b.write()
}

func (b *buckets) whole(roles string) error {
	for _, p := range b.bucket {
		if err := b.left(p, roles); err != nil {
			return err
		}
	}
	return nil
}

func (b *buckets) left(p batch.Posting, roles string) error {
	if p.Text() < held {
		return nil // Decide finds the documents of the index itself
	}
	b.line = append(b.line, "\t\t"...)
	b.posting(p, roles)
	return b.write()
}
