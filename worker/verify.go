package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
)

// Verify is the third stage. Its lines come in blocks, each of texts, "t",
// place, text, and then of candidates among these, "c", later, earlier; the
// next text after a candidate begins a new block. Written are the edges of
// candidates that are near or variants: later, earlier, similarity, distance
// or nothing, relation, method, basis; with conflicts also, for variants, the facts
// that differ, as JSON. The texts of a block are held in memory. With s.Decode
// records stand in the place of texts.
//
// Of a hot bucket the candidates are not written down: after its texts a block has
// leaders, "l", and then members, "m", of place and one field of words: the
// place of the last copy of the text (0: none), the sketch, and the keys under which a leader is
// found and a member searches. A member is compared once with each leader that Meet would pair
// it with: 100 ns each for most, and no memory.
func (s Stages) Verify(ctx context.Context, in io.Reader, out io.Writer, conflicts bool) (Counts, error) {
	l := newLines(ctx, in, out)
	l.most = s.fields(3)
	b := &block{Stages: s, lines: l, conflicts: conflicts}
	b.begin()
	err := l.each(b.take)
	return l.counts, err
}

// block is what Verify holds of one.
type block struct {
	Stages
	*lines
	conflicts bool
	texts     map[batch.Ordinal]*batch.Text
	leaders   map[uint64][]*leader // by key
	compared  bool                 // the next text begins another block
}

// leader is a text that members are compared with.
type leader struct {
	place  batch.Ordinal
	sketch uint64
	text   *batch.Text
	met    *batch.Text // the member that it was compared with last
}

func (b *block) begin() {
	b.texts, b.leaders, b.compared = map[batch.Ordinal]*batch.Text{}, map[uint64][]*leader{}, false
}

func (b *block) take(fields [][]byte) error {
	kind := string(fields[0])
	if kind == "t" {
		return b.text(fields[1:])
	}
	b.compared = true
	switch kind {
	case "c":
		return b.candidate(fields[1:])
	case "l", "m":
		return b.hot(kind, fields[1:])
	}
	return fmt.Errorf("%w: kind %q is none of t, c, l, m", ErrLine, fields[0])
}

func (b *block) text(fields [][]byte) error {
	if b.compared {
		b.begin()
	}
	d, err := b.document(fields)
	if err == nil && d.reject != "" {
		return fmt.Errorf("%w: %s", ErrLine, d.reject)
	}
	b.texts[d.place] = &batch.Text{Clean: d.clean}
	return err
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
		return fmt.Errorf("%w: %d does not come after %d", ErrLine, later, earlier)
	}
	return b.compare(later, earlier, x, y)
}

// hot takes a leader, or compares a member with those that share a key with it.
func (b *block) hot(kind string, fields [][]byte) error {
	if err := want(fields, 2, "a leader or member"); err != nil {
		return err
	}
	place, text, err := b.viewed(fields[0])
	if err != nil {
		return err
	}
	words := bytes.Split(fields[1], []byte{' '})
	if len(words) < 3 {
		return fmt.Errorf("%w: %q is not a place, a sketch and keys", ErrLine, fields[1])
	}
	last, err := parsePlace(words[0])
	if err != nil {
		return err
	}
	sketch, err := parseHex(words[1])
	if err != nil {
		return err
	}
	own := &leader{place: place, sketch: sketch, text: text}
	for _, word := range words[2:] {
		key, err := parseHex(word)
		if err != nil {
			return err
		}
		if kind == "l" {
			b.leaders[key] = append(b.leaders[key], own)
		} else if err := b.meet(own, last, b.leaders[key]); err != nil {
			return err
		}
	}
	return nil
}

// meet compares a member with the leaders under one of its keys.
func (b *block) meet(member *leader, last batch.Ordinal, leaders []*leader) error {
	for _, o := range leaders {
		if o.met == member.text || !b.meets(member.place, last, o.place, member.sketch, o.sketch) {
			continue
		}
		o.met = member.text
		later, earlier := member, o
		if o.place > member.place {
			later, earlier = o, member
		}
		if err := b.compare(later.place, earlier.place, later.text, earlier.text); err != nil {
			return err
		}
	}
	return b.ctx.Err()
}

// viewed returns a text of the block with its view.
func (b *block) viewed(field []byte) (batch.Ordinal, *batch.Text, error) {
	place, err := parsePlace(field)
	if err != nil {
		return 0, nil, err
	}
	text := b.texts[place]
	if text == nil {
		return 0, nil, fmt.Errorf("%w: the text at %d is not in this block", ErrLine, place)
	}
	if text.View == nil {
		text.View = b.Method.View(text.Clean)
	}
	return place, text, nil
}

// compare writes the edge of two texts, if there is one.
func (b *block) compare(later, earlier batch.Ordinal, x, y *batch.Text) error {
	m := batch.Verify(b.Method, *x, *y)
	if !m.Near && !m.Variant {
		return nil
	}
	b.edge(batch.Edge{Later: later, Earlier: earlier, Match: m})
	if b.conflicts {
		if err := b.Stages.conflicts(b.lines, m, [2]*batch.Text{x, y}); err != nil {
			return err
		}
	}
	return b.write()
}

// conflicts appends a field of the facts in which a variant differs.
func (s Stages) conflicts(l *lines, m neardup.Match, pair [2]*batch.Text) error {
	l.tab()
	explainer, ok := s.Method.(neardup.Explainer)
	if !m.Variant || !ok {
		return nil
	}
	b, err := json.Marshal(explainer.Conflicts(pair[0].View, pair[1].View))
	l.line = append(l.line, Escape(string(b))...)
	return err
}
