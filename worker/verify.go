package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// Verify runs the third stage. It reads blocks of texts ("t", place, check, text) followed by candidates
// among them ("c", later, earlier). A text after a candidate begins a new block. For candidates that are near
// or variants it writes edges: later, earlier, similarity, closeness, distance or nothing, relation, method,
// basis. It holds the texts of a block in memory. With
// s.Decode, records replace texts. Texts of s.Against are not in the input. ErrChanged reports a text whose
// check differs from the one that Records computed.
func (s Stages) Verify(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	l.most = s.fields(4)
	b := &block{Stages: s, lines: l}
	b.begin()
	err := l.each(b.take)
	return l.counts, err
}

type block struct {
	Stages
	*lines
	texts    map[batch.Ordinal]*batch.Text
	compared bool // the next text begins another block
}

func (b *block) begin() {
	b.texts, b.compared = map[batch.Ordinal]*batch.Text{}, false
}

func (b *block) take(fields [][]byte) error {
	switch string(fields[0]) {
	case "t":
		return b.text(fields[1:])
	case "c":
		b.compared = true
		return b.candidate(fields[1:])
	}
	return fmt.Errorf("%w: kind %q is neither t nor c", ErrLine, fields[0])
}

func (b *block) text(fields [][]byte) error {
	if b.compared {
		b.begin()
	}
	d, err := b.checked(fields)
	if err != nil {
		return err
	}
	b.texts[d.place] = &batch.Text{Clean: b.Clean.Clean(d.clean)}
	return nil
}

func (b *block) candidate(fields [][]byte) error {
	if err := want(fields, 2, "a candidate"); err != nil {
		return err
	}
	later, x, err := b.viewed(fields[0])
	if err != nil {
		return err
	}
	earlier, y, err := b.viewed(fields[1])
	if err != nil {
		return err
	}
	if later <= earlier {
		return fmt.Errorf("%w: %s does not come after %s", ErrLine, fields[0], fields[1])
	}
	return b.compare(later, earlier, x, y)
}

// viewed returns a prepared text of the block.
func (b *block) viewed(field []byte) (batch.Ordinal, *batch.Text, error) {
	place, err := parseEarlier(field)
	if err != nil {
		return 0, nil, err
	}
	text := b.texts[place]
	switch {
	case text == nil && place >= held:
		return 0, nil, fmt.Errorf("%w: the text at %s is not in this block", ErrLine, field)
	case text == nil:
		clean, err := b.Stages.text(place)
		if err != nil {
			return 0, nil, err
		}
		text = &batch.Text{Clean: clean}
		b.texts[place] = text
	}
	if text.Prepared == nil {
		text.Prepared = b.Method.Prepare(text.Clean)
	}
	return place, text, nil
}

// compare writes the edge of two texts, if there is one.
func (b *block) compare(later, earlier batch.Ordinal, x, y *batch.Text) error {
	compare := batch.Verify
	if b.Conflicts {
		compare = batch.Explain
	}
	m := compare(b.Method, *x, *y)
	if !m.Near && !m.Variant {
		return nil
	}
	b.edge(batch.Edge{Later: later, Earlier: earlier, Match: m})
	if b.Conflicts {
		if err := b.conflicts(m.Evidence); err != nil {
			return err
		}
	}
	return b.write()
}

// conflicts appends a field with the evidence of a variant, which may be empty.
func (l *lines) conflicts(found []neardup.Conflict) error {
	l.tab()
	if found == nil {
		return nil
	}
	b, err := json.Marshal(found)
	l.line = append(l.line, Escape(string(b))...)
	return err
}
