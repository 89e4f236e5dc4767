package worker

import (
	"context"
	"fmt"
	"io"

	"github.com/neardup/neardup/batch"
)

// Verify compares candidates. It reads blocks of texts (ordinal, null, check, and text or record), each followed by
// candidates among them (later, earlier). A text after a candidate begins a new block. For candidates that are near
// or variants it writes edges: later, earlier, similarity, distance, relation, basis. It holds the texts of a block
// in memory. ErrChanged reports a text whose check differs from the one that Records computed.
func (s Stages) Verify(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	b := &block{Stages: s, rows: newRows(ctx, in, out, "nnnb"), texts: map[batch.Ordinal]*batch.Text{}}
	err := b.each(b.take)
	return b.counts, err
}

type block struct {
	Stages
	*rows
	texts    map[batch.Ordinal]*batch.Text
	compared bool // the next text begins another block
}

func (b *block) take(r row) error {
	if !r.null(1) {
		b.compared = true
		return b.candidate(r)
	}
	if b.compared {
		b.texts, b.compared = map[batch.Ordinal]*batch.Text{}, false
	}
	d, err := b.checked(r, 2, 3)
	b.texts[d.ordinal] = &batch.Text{Clean: b.Clean.Clean(d.clean)}
	return err
}

// candidate writes the edge of two texts, if there is one.
func (b *block) candidate(r row) error {
	later, x, err := b.prepared(r, 0)
	if err != nil {
		return err
	}
	earlier, y, err := b.prepared(r, 1)
	if err != nil {
		return err
	}
	m := batch.Verify(b.Method, *x, *y)
	if !m.Near && !m.Variant {
		return nil
	}
	var distance any
	if m.Distance >= 0 {
		distance = m.Distance
	}
	m.Overlap, m.Contained = false, false // batch.Pairs calls these variants as well
	return b.write(later, earlier, m.Similarity, distance, string(m.Relation()), m.Basis)
}

// prepared returns a prepared text of the block.
func (b *block) prepared(r row, column int) (batch.Ordinal, *batch.Text, error) {
	ordinal, err := r.ordinal(column)
	if err != nil {
		return 0, nil, err
	}
	text := b.texts[ordinal]
	if text == nil {
		return 0, nil, fmt.Errorf("%w: the text at %s is not in this block", ErrRow, ordinalText(ordinal))
	}
	if text.Prepared == nil {
		text.Prepared = b.Method.Prepare(text.Clean)
	}
	return ordinal, text, nil
}
