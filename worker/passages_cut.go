package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/passage"
)

// Sources reads documents: ordinal, check, id, offsets (separated by spaces), and text or record. For each
// offset it writes ordinal, offset, the number of runes that begin in front of it, and id.
func (s Stages) Sources(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, more)
	err := l.each(func(r row) error {
		d, err := s.checked(r, 1, 4)
		if err != nil {
			return err
		}
		offsets, err := numbersOf(r.bytes(3), len(d.clean))
		if err != nil {
			return err
		}
		slices.Sort(offsets)
		last, runes := 0, 0
		for _, n := range offsets {
			runes += passage.RuneStarts(d.clean[last:n])
			last = n
			if err := l.write(d.ordinal, n, runes, r.bytes(2)); err != nil {
				return err
			}
		}
		return nil
	})
	return l.counts, err
}

// Cut is the result for a document with repeated parts.
type Cut struct {
	State CutState
	Left  string // rest of its text
	Spans string // as lines
	// Numbers of bytes that are repeated, cut, and kept within a sentence or as a heading.
	Repeated, Cut, Within, Headings int64
	Lines                           int64 // number of lines in Spans
}

// CutState states whether a document is cut.
type CutState string

// The states.
const (
	Untouched CutState = ""
	Changed   CutState = "cut"
	LeftOut   CutState = "out"
)

// A Span is a span of a document in the input of Cut. It has its start and length in bytes, and the id, byte
// and rune of its source.
type Span struct {
	At   int    `json:"at"`
	Len  int    `json:"len"`
	Of   string `json:"of"`
	Byte int    `json:"byte"`
	Rune int    `json:"rune"`
}

// Cut reads documents: ordinal, check, id, the spans as a JSON list, and text or record. For each it writes
// ordinal, state, the counts of a Cut, the lines of its spans, and the new text if it is cut. For records,
// s.Passages.Replace makes the new record.
func (s Stages) Cut(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newRows(ctx, in, out, more)
	err := l.each(func(r row) error {
		d, err := s.checked(r, 1, 4)
		if err != nil {
			return err
		}
		spans, err := spansOf(r.bytes(3), d.clean)
		if err != nil {
			return err
		}
		c, err := s.Passages.Cut(neardup.Document{ID: string(r.bytes(2)), Text: d.clean}, spans)
		if err != nil {
			return err
		}
		switch {
		case c.State != Changed:
			c.Left = ""
		case s.Passages.Replace != nil:
			record, err := s.Passages.Replace(r.bytes(4), c.Left)
			if err != nil {
				return err
			}
			c.Left = string(record)
		}
		return l.write(d.ordinal, string(c.State), c.Repeated, c.Cut, c.Within, c.Headings, c.Lines, c.Spans, c.Left)
	})
	return l.counts, err
}

func spansOf(list []byte, text string) (spans []passage.Span, err error) {
	var all []Span
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, fmt.Errorf("%w: spans: %w", ErrRow, err)
	}
	end, runes := 0, 0
	for _, s := range all {
		if s.At < end || s.Len <= 0 || s.Len > len(text)-s.At {
			return nil, fmt.Errorf("%w: span of %d bytes at %d: out of order or out of range (want from %d to %d)", ErrRow, s.Len, s.At, end, len(text))
		}
		runes += passage.RuneStarts(text[end:s.At])
		spans = append(spans, passage.Span{
			Position: passage.Position{Byte: s.At, Rune: runes}, Len: s.Len,
			From: passage.Position{ID: s.Of, Byte: s.Byte, Rune: s.Rune}, FromLen: s.Len,
		})
		runes += passage.RuneStarts(text[s.At : s.At+s.Len])
		end = s.At + s.Len
	}
	return spans, nil
}
