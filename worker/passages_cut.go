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

// Sources reads lines of a document, place, check, id, offsets, parted by spaces, and text or record. Written is for each
// offset a line: place, offset, how many runes begin before, id.
func (p Passages) Sources(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	l.most = p.documents().fields(5)
	err := l.each(func(fields [][]byte) error {
		d, err := p.withMore(fields)
		if err != nil {
			return err
		}
		offsets, err := numbersOf(fields[3], len(d.clean))
		if err != nil {
			return err
		}
		slices.Sort(offsets)
		last, runes := 0, 0
		for _, n := range offsets {
			runes += passage.RuneStarts(d.clean[last:n])
			last = n
			l.line = fmt.Appendf(l.line, "%s\t%d\t%d\t%s", fields[0], n, runes, fields[2])
			if err := l.write(); err != nil {
				return err
			}
		}
		return nil
	})
	return l.counts, err
}

// Cut is what becomes of a document of which parts are repeated.
type Cut struct {
	State CutState
	Left  string // of its text
	Spans string // lines
	// Bytes that are repeated, that are cut, and that stay: within a sentence or below a heading.
	Repeated, Cut, Within, Headings int64
	Lines                           int64 // of Spans
}

// CutState is whether a document is cut.
type CutState string

// The states.
const (
	Untouched CutState = ""
	Changed   CutState = "cut"
	LeftOut   CutState = "out"
)

// Span is how Cut is told of a span of a document: where it begins and its length, in bytes, and id, byte and rune of
// what it is from.
type Span struct {
	At   int    `json:"at"`
	Len  int    `json:"len"`
	Of   string `json:"of"`
	Byte int    `json:"byte"`
	Rune int    `json:"rune"`
}

// Cut reads lines of a document, place, check, id, its spans as a list of JSON, and text or record. Written is a
// line for each: place, its state, the counts of Cut, lines of its spans, and, where it is cut, its new text. Where
// records came replace puts that into the one that was decoded last.
func (p Passages) Cut(ctx context.Context, in io.Reader, out io.Writer, cut func(neardup.Document, []passage.Span) (Cut, error), replace func(record []byte, text string) ([]byte, error)) (Counts, error) {
	l := newLines(ctx, in, out)
	l.most = p.documents().fields(5)
	err := l.each(func(fields [][]byte) error {
		d, err := p.withMore(fields)
		if err != nil {
			return err
		}
		id, err := Unescape(fields[2])
		if err != nil {
			return err
		}
		spans, err := spansOf(fields[3], d.clean)
		if err != nil {
			return err
		}
		c, err := cut(neardup.Document{ID: id, Text: d.clean}, spans)
		if err != nil {
			return err
		}
		switch {
		case c.State != Changed:
			c.Left = ""
		case replace != nil:
			record, err := replace(fields[4], c.Left)
			if err != nil {
				return err
			}
			c.Left = string(record)
		}
		l.line = fmt.Appendf(l.line, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%s", fields[0], c.State, c.Repeated, c.Cut, c.Within, c.Headings, c.Lines, Escape(c.Spans), Escape(c.Left))
		return l.write()
	})
	return l.counts, err
}

// spansOf reads the spans of a text.
func spansOf(list []byte, text string) (spans []passage.Span, err error) {
	var all []Span
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, fmt.Errorf("%w: spans: %w", ErrLine, err)
	}
	end, runes := 0, 0
	for _, s := range all {
		if s.At < end || s.Len <= 0 || s.Len > len(text)-s.At {
			return nil, fmt.Errorf("%w: a span of %d bytes at %d, after %d, of %d", ErrLine, s.Len, s.At, end, len(text))
		}
		runes += passage.RuneStarts(text[end:s.At])
		spans = append(spans, passage.Span{
			Place: passage.Place{Byte: s.At, Rune: runes}, Len: s.Len,
			From: passage.Place{ID: s.Of, Byte: s.Byte, Rune: s.Rune}, FromLen: s.Len,
		})
		runes += passage.RuneStarts(text[s.At : s.At+s.Len])
		end = s.At + s.Len
	}
	return spans, nil
}
