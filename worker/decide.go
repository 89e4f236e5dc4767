package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/override"
)

// DecideMemory is the approximate memory of Decide, in bytes. The rest is on disk.
const DecideMemory = 512 << 20

// Decide runs [batch.Dedup] of one machine as a stage, for texts of hot buckets. Its input has all documents
// that may be near one of them, so its decisions equal those of a run over all documents. First it reads
// rulings ("r", place, place, must or cannot). Then it reads documents and copies in the order of their
// places (place, check and text, as in Verify). Like Lead, it writes one edge for each duplicate and for each
// new variant. The similarity of a variant is 0 because it is not measured again. Rulings cannot be combined with s.Against. Its memory is bounded.
func (s Stages) Decide(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	l.most = s.fields(3)
	docs := &documentLines{Stages: s, lines: l}
	rulings, err := docs.rulings()
	if err != nil {
		return l.counts, err
	}
	cfg := batch.Config{Method: s.Method, Clean: s.Clean, Overrides: rulings, Reference: s.Against, Memory: DecideMemory,
		Reject: func(_ int, err error) error { return err }}
	last := batch.Ordinal(0)
	_, err = batch.Dedup(ctx, docs, cfg, func(o batch.Outcome) error {
		place, err := parsePlace([]byte(o.ID))
		if err != nil {
			return err
		}
		if last > 0 && place <= last {
			return fmt.Errorf("%w: the document at %s comes after that at %s", ErrLine, appendPlace(nil, place), appendPlace(nil, last))
		}
		last = place
		return l.decided(place, &o, s.Conflicts)
	})
	return l.counts, errors.Join(err, l.out.Flush())
}

func (l *lines) decided(place batch.Ordinal, d *batch.Outcome, conflicts bool) error {
	leader, m := d.Leader, neardup.Match{Similarity: d.Similarity, Distance: -1, Near: true, Method: d.Method, Basis: d.Basis}
	if d.Distance != nil {
		m.Distance = *d.Distance
	}
	if d.Decision.Decision == neardup.New {
		leader, m = d.VariantOf, neardup.Match{Distance: -1, Variant: true, Method: d.Method}
	}
	if leader == "" && d.Known < 0 {
		return nil
	}
	earlier := batch.Ordinal(d.Known)
	if d.Known < 0 {
		var err error
		earlier, err = parsePlace([]byte(leader))
		if err != nil {
			return err
		}
	}
	l.edge(batch.Edge{Later: place, Earlier: earlier, Match: m})
	if conflicts {
		if err := l.conflicts(d.Conflicts); err != nil {
			return err
		}
	}
	return l.write()
}

// documentLines is a batch.Source that reads lines.
type documentLines struct {
	Stages
	*lines
	first []byte // a line that was read when rulings ended
	ended bool
}

// rulings reads the lines of rulings, and the line after them.
func (d *documentLines) rulings() (*override.Set, error) {
	set := &override.Set{}
	for {
		line, err := d.next()
		if errors.Is(err, io.EOF) {
			d.ended = true
			return set, nil
		}
		if err != nil {
			return nil, err
		}
		fields := bytes.Split(line, []byte{'\t'})
		if string(fields[0]) != "r" {
			d.first = append([]byte(nil), line...)
			return set, nil
		}
		err = want(fields, 4, "a ruling")
		if err == nil {
			r := override.Ruling{A: string(fields[1]), B: string(fields[2]), Link: override.Link(fields[3])}
			_, errA := parsePlace([]byte(r.A))
			_, errB := parsePlace([]byte(r.B))
			err = errors.Join(errA, errB, set.Add(r))
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", d.counts.In, err)
		}
	}
}

// documentsBytes is the approximate size of the lines in a block.
const documentsBytes = 1 << 18

// Next implements batch.Source. It reads the records in sequence. Their texts are cleaned in parallel later.
func (d *documentLines) Next() (batch.Block, error) {
	b := &documentBlock{}
	for size := 0; size < documentsBytes && !d.ended; {
		line := d.first
		d.first = nil
		if line == nil {
			var err error
			line, err = d.next()
			if errors.Is(err, io.EOF) {
				d.ended = true
				break
			} else if err != nil {
				return nil, err
			}
		}
		doc, err := d.checked(cut(nil, line, d.most))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", d.counts.In, err)
		}
		size += len(line)
		b.docs = append(b.docs, doc)
	}
	if len(b.docs) == 0 {
		return nil, io.EOF
	}
	return b, nil
}

// A documentBlock holds documents whose texts are not cleaned yet.
type documentBlock struct {
	docs []document
	out  []neardup.Document
}

// Decode implements batch.Block.
func (b *documentBlock) Decode(item func(*neardup.Document, error)) {
	b.out = make([]neardup.Document, len(b.docs))
	for i, d := range b.docs {
		b.out[i] = neardup.Document{ID: string(appendPlace(nil, d.place)), Text: d.clean}
		item(&b.out[i], nil)
	}
}
