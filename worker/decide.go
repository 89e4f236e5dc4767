package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// DecideMemory is the approximate memory of Decide, in bytes. The rest is on disk.
const DecideMemory = 512 << 20

// Decide runs [batch.Dedup] of one machine as the last stage. Its input has all documents that may be near one of
// them, so its decisions equal those of a run over all documents. It reads documents and copies in the order of
// their ordinals: ordinal, check, id, and text or record. It writes a row for each duplicate and for each variant:
// ordinal, decision, leader, similarity, distance, method, basis, variant, and with s.Conflicts the evidence of the
// variant as JSON. s.Overrides cannot be combined with s.Against. Its memory is bounded.
func (s Stages) Decide(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, "nnbb")
	docs := &documentRows{Stages: s, rows: l}
	cfg := batch.Config{Method: s.Method, Clean: s.Clean, Overrides: s.Overrides, Reference: s.Against, Memory: DecideMemory,
		Reject: func(_ int, err error) error { return err }}
	_, err := batch.Dedup(ctx, docs, cfg, func(o batch.Outcome) error { return l.decided(docs.ordinals[o.Item], &o, s.Conflicts) })
	return l.counts, errors.Join(err, l.out.Flush())
}

func (s *rows) decided(ordinal batch.Ordinal, d *batch.Outcome, conflicts bool) error {
	if d.Decision.Decision == neardup.New && d.VariantOf == "" {
		return nil
	}
	var similarity, distance, facts any
	if d.Decision.Decision == neardup.Duplicate {
		similarity = d.Similarity
	}
	if d.Distance != nil {
		distance = *d.Distance
	}
	if conflicts && d.Conflicts != nil {
		b, err := json.Marshal(d.Conflicts)
		if err != nil {
			return err
		}
		facts = b
	}
	return s.write(ordinal, string(d.Decision.Decision), given(d.Leader), similarity, distance, d.Method, given(d.Basis), given(d.VariantOf), facts)
}

// documentRows is a batch.Source that reads rows.
type documentRows struct {
	Stages
	*rows
	ordinals []batch.Ordinal // ordinals of the documents that were read
	ended    bool
}

// documentsBytes is the approximate size of the rows in a block.
const documentsBytes = 1 << 18

// Next implements batch.Source. It reads the records in sequence. Their texts are cleaned in parallel later.
func (d *documentRows) Next() (batch.Block, error) {
	var b batch.DocumentBlock
	for size := 0; size < documentsBytes && !d.ended; {
		r, err := d.next()
		if errors.Is(err, io.EOF) {
			d.ended = true
			break
		}
		var doc document
		if err == nil {
			doc, err = d.checked(r, 1, 3)
		}
		if err == nil && len(d.ordinals) > 0 && doc.ordinal <= d.ordinals[len(d.ordinals)-1] {
			err = fmt.Errorf("%w: document at %s: out of order", ErrRow, ordinalText(doc.ordinal))
		}
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", d.counts.In, err)
		}
		size += len(r)
		b = append(b, neardup.Document{ID: string(r.bytes(2)), Text: doc.clean})
		d.ordinals = append(d.ordinals, doc.ordinal)
	}
	if len(b) == 0 {
		return nil, io.EOF
	}
	return b, nil
}
