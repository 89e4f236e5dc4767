// Package worker is the stages of a batch as filters of lines, so that an
// engine for many machines runs the code of one. Each stage reads all its
// input from a stream and writes its output to another, in memory that does
// not grow with them but for what is said; partitions may be cut anywhere that
// the order of the lines allows. docs/spark.md describes the lines and how the
// stages fit together.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// Protocol is raised whenever a line changes its meaning.
const Protocol = 1

// ErrUnlike is returned where driver and worker do not agree.
var ErrUnlike = errors.New("driver and worker differ")

// Stages are those that need to know the method and how texts are cleaned.
type Stages struct {
	Method neardup.Method
	Clean  neardup.Cleaner
}

// Contract names all that driver and workers must agree on.
func (s Stages) Contract() string {
	return fmt.Sprintf("neardup-worker/%d clean=%s %s", Protocol, s.Clean, s.Method.Spec())
}

// Check returns nil if a driver's contract is that of these stages, else
// ErrUnlike.
func (s Stages) Check(contract string) error {
	if own := s.Contract(); contract != own {
		return fmt.Errorf("%w: %q is expected, %q is here", ErrUnlike, contract, own)
	}
	return nil
}

// Records is the first stage. A line is a document: place, text. Written are,
// for each, the line of its clean text, "t", place, digest; and a line for each
// key, "k", key, place, role, sketch.
func (s Stages) Records(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	var rec neardup.Record
	var postings []batch.Posting
	err := l.each(func(fields [][]byte) error {
		place, clean, err := s.document(fields)
		if err != nil {
			return err
		}
		l.line = append(l.line, "t\t"...)
		l.place(place)
		l.tab()
		l.line = append(l.line, neardup.DigestOf(clean).String()...)
		if err := l.write(); err != nil {
			return err
		}
		rec.Reset()
		s.Method.Record(clean, &rec)
		postings = batch.AppendPostings(postings[:0], &rec, place)
		for _, p := range postings {
			l.line = append(l.line, "k\t"...)
			l.posting(p)
			if err := l.write(); err != nil {
				return err
			}
		}
		return nil
	})
	return l.counts, err
}

// document reads place and text, and cleans it.
func (s Stages) document(fields [][]byte) (batch.Ordinal, string, error) {
	if err := want(fields, 2, "a document"); err != nil {
		return 0, "", err
	}
	place, err := parsePlace(fields[0])
	if err != nil {
		return 0, "", err
	}
	raw, err := Unescape(fields[1])
	return place, s.Clean.Clean(raw), err
}

// roles names the roles of a posting: indexed, probing, both.
const roles = "ipb"

func (l *lines) posting(p batch.Posting) {
	l.hex(p.Key())
	l.tab()
	l.place(p.Text())
	l.tab()
	l.line = append(l.line, roles[p.Role()-1])
	l.tab()
	l.hex(p.Sketch())
}

func parsePosting(fields [][]byte) (p batch.Posting, err error) {
	if err = want(fields, 4, "a posting"); err != nil {
		return p, err
	}
	key, err := parseHex(fields[0])
	if err != nil {
		return p, err
	}
	place, err := parsePlace(fields[1])
	if err != nil {
		return p, err
	}
	sketch, err := parseHex(fields[3])
	if err != nil {
		return p, err
	}
	role := batch.Role(1 + strings.Index(roles, string(fields[2])))
	if role == 0 || len(fields[2]) != 1 {
		return p, fmt.Errorf("%w: role %q", ErrLine, fields[2])
	}
	return batch.NewPosting(key, sketch, place, role), nil
}

// ErrHotBucket is wrapped by the error about a bucket with too many candidates.
var ErrHotBucket = errors.New("hot bucket")

// Bucket is the second stage. A line is a posting: key, place, role, sketch;
// those of a key stand together. Written are candidates: later, earlier, each
// once for a key. The postings of one key are held in memory, 24 bytes each. A
// bucket of more than most candidates (0: any number) ends it with ErrHotBucket:
// nothing is left out in silence.
func (s Stages) Bucket(ctx context.Context, in io.Reader, out io.Writer, most int64) (Counts, error) {
	l := newLines(ctx, in, out)
	pairing := batch.Pairing{Method: s.Method}
	var bucket []batch.Posting
	flush := func() (err error) {
		n := int64(0)
		pairing.Bucket(bucket, func(c batch.Candidate) bool {
			if n++; most > 0 && n > most {
				err = fmt.Errorf("%w: %d texts have the key %016x, more than %d pairs of them may be near",
					ErrHotBucket, len(bucket), bucket[0].Key(), most)
				return false
			}
			l.place(c.Later)
			l.tab()
			l.place(c.Earlier)
			err = l.write()
			if err == nil && n&0xffff == 0 {
				err = ctx.Err()
			}
			return err == nil
		})
		bucket = bucket[:0]
		return err
	}
	err := l.each(func(fields [][]byte) error {
		p, err := parsePosting(fields)
		if err != nil {
			return err
		}
		if len(bucket) > 0 && bucket[0].Key() != p.Key() {
			if err := flush(); err != nil {
				return err
			}
		}
		bucket = append(bucket, p)
		return nil
	})
	if err == nil && len(bucket) > 0 {
		err = flush()
	}
	return l.counts, errors.Join(err, l.out.Flush())
}

// Verify is the third stage. Its lines come in blocks, each of texts, "t",
// place, text, and then of candidates among these, "c", later, earlier; the
// next text after a candidate begins a new block. Written are the edges of
// candidates that are near or variants: later, earlier, similarity, distance
// or nothing, relation, method, basis. The texts of a block are held in memory.
func (s Stages) Verify(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	texts, compared := map[batch.Ordinal]*batch.Text{}, false
	err := l.each(func(fields [][]byte) error {
		switch string(fields[0]) {
		case "t":
			if compared {
				clear(texts)
				compared = false
			}
			place, clean, err := s.document(fields[1:])
			texts[place] = &batch.Text{Clean: clean}
			return err
		case "c":
			compared = true
			return s.candidate(l, fields[1:], texts)
		}
		return fmt.Errorf("%w: kind %q is neither t nor c", ErrLine, fields[0])
	})
	return l.counts, err
}

func (s Stages) candidate(l *lines, fields [][]byte, texts map[batch.Ordinal]*batch.Text) error {
	if err := want(fields, 2, "a candidate"); err != nil {
		return err
	}
	var places [2]batch.Ordinal
	var pair [2]*batch.Text
	for i := range places {
		var err error
		if places[i], err = parsePlace(fields[i]); err != nil {
			return err
		}
		if pair[i] = texts[places[i]]; pair[i] == nil {
			return fmt.Errorf("%w: the text at %d is not in this block", ErrLine, places[i])
		}
		if pair[i].View == nil {
			pair[i].View = s.Method.View(pair[i].Clean)
		}
	}
	if places[0] <= places[1] {
		return fmt.Errorf("%w: %d does not come after %d", ErrLine, places[0], places[1])
	}
	m := batch.Verify(s.Method, *pair[0], *pair[1])
	if !m.Near && !m.Variant {
		return nil
	}
	l.edge(batch.Edge{Later: places[0], Earlier: places[1], Match: m})
	return l.write()
}

// Lead is the last stage: all edges, by the later place and then the earlier
// one, become those to the leaders: one for each duplicate, and one for each
// new document that is a variant of a leader. All other documents are new.
// Memory: a bit a duplicate.
func Lead(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	edges := func(yield func(batch.Edge, error) bool) {
		err := l.each(func(fields [][]byte) error {
			e, err := parseEdge(fields)
			if err != nil {
				return err
			}
			if !yield(e, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(batch.Edge{}, err)
		}
	}
	for e, err := range batch.Leaders(edges) {
		if err != nil {
			return l.counts, err
		}
		l.edge(e)
		if err := l.write(); err != nil {
			return l.counts, err
		}
	}
	return l.counts, l.out.Flush()
}

var errStopped = errors.New("stopped")

// Digest adds up decisions: a line is id, decision, leader, similarity, variant
// of; or a digest of others. Written is the digest of all.
func Digest(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, io.Discard)
	sum := batch.NewResultDigest()
	err := l.each(func(fields [][]byte) error {
		if len(fields) == 1 {
			part, err := batch.ParseResultDigest(string(fields[0]))
			if err != nil {
				return err
			}
			sum.Merge(part)
			return nil
		}
		d, err := parseDecision(fields)
		if err != nil {
			return err
		}
		sum.Add(d)
		return nil
	})
	if err != nil {
		return l.counts, err
	}
	l.counts.Out++
	_, err = fmt.Fprintln(out, sum)
	return l.counts, err
}
