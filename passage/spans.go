package passage

import (
	"context"
	"errors"
	"io"

	"github.com/neardup/neardup/internal/external"
)

// Position is a byte of a document.
type Position struct {
	Item int    // index of the document in the input
	ID   string // of the document
	Byte int    // offset in its text
	Rune int    // how many runes of the text begin before it
}

// Span is a part of a document whose bytes also occur elsewhere.
type Span struct {
	Position
	Len     int      // bytes
	From    Position // where the same bytes are, or what is alike
	FromLen int      // bytes of that
	// Similarity is how much alike the two are, with Config.Near; 0: they are equal.
	Similarity float64
	fromRunes  int // with Similarity
}

// Spans yields the repeated passages of a run, in the order of the input. They do not overlap. If a span follows
// another without a gap, their sources differ. A span is shorter than the least length if the previous span covers the
// rest of its passage.
type Spans struct {
	job    *job
	sorted *external.Sorted[anchorRow]
	read   func(*anchorRow) error
	row    match // read and not yet used
	ahead  bool
	ended  bool
	now    match // the span that grows
	next   match // the continuation after it
	alike  *alike
}

// match is a part of the store, at to end, that equals the part that begins at from. The zero match is none.
type match struct{ at, end, from uint64 }

// follows reports whether n continues m in both texts.
func (m match) follows(n match) bool { return n.at <= m.end && n.at-m.at == n.from-m.from }

// Summary returns what the run read and did.
func (s *Spans) Summary() Summary {
	sum := s.job.sum
	sum.TemporaryBytes += s.job.disk.Written()
	return sum
}

// Close removes the temporary files of the run.
func (s *Spans) Close() error {
	s.job.disk.Close()
	return nil
}

// Sources returns which documents, by index in the input, are the source of a span in another document. They hold the
// copies that remain when spans are cut. O(repeated windows); a byte a document.
func (s *Spans) Sources(ctx context.Context) ([]bool, error) {
	sources := make([]bool, s.job.store.documents.Len())
	if s.alike != nil {
		return sources, s.alike.sources(ctx, sources)
	}
	return sources, s.sorted.Each(ctx, func(r anchorRow) error {
		at, err := s.job.store.find(int64(r[0]))
		if err != nil {
			return err
		}
		from, err := s.job.store.find(int64(r[2]))
		if err == nil && from.item != at.item {
			sources[from.item] = true
		}
		return err
	})
}

// Next returns the next span; io.EOF after the last.
func (s *Spans) Next() (span Span, err error) {
	if s.alike != nil {
		return s.alike.next()
	}
	m, err := s.match()
	if err != nil {
		return span, err
	}
	span.Position, err = s.job.store.positionAt(int64(m.at))
	if err != nil {
		return span, err
	}
	span.Len = int(m.end - m.at)
	span.FromLen = span.Len
	span.From, err = s.job.store.positionAt(int64(m.from))
	return span, err
}

// match makes the next span. It grows as long as windows follow from the same source. The next span then continues with
// the last window that begins within this one or at its end, which extends farthest. So a repeated part has few spans,
// whatever documents its windows are first in.
func (s *Spans) match() (match, error) {
	for {
		if err := s.peek(); err != nil {
			return match{}, err
		}
		switch m := s.row; {
		case s.ended || (s.now.end > 0 && m.at > s.now.end):
			done := s.now
			s.now = match{}
			if s.next.end > done.end {
				skip := done.end - s.next.at
				s.now = match{done.end, s.next.end, s.next.from + skip}
			}
			s.next = match{}
			if done.end > 0 {
				return done, nil
			}
			return done, io.EOF
		case s.now.end == 0:
			s.now = m
		case s.now.follows(m):
			s.now.end = max(s.now.end, m.end)
		case s.next.end > 0 && s.next.follows(m):
			s.next.end = max(s.next.end, m.end)
		case m.end > s.now.end:
			s.next = m
		}
		s.ahead = false
	}
}

// peek reads the next match into s.row.
func (s *Spans) peek() error {
	if s.ahead || s.ended {
		return nil
	}
	var r anchorRow
	err := s.read(&r)
	if errors.Is(err, io.EOF) {
		s.ended = true
		return nil
	}
	s.row, s.ahead = match{r[0], r[0] + r[1], r[2]}, true
	return err
}
