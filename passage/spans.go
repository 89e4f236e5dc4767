package passage

import (
	"context"
	"errors"
	"io"

	"github.com/neardup/neardup/internal/external"
)

// Position is a position in a document.
type Position struct {
	Item int    // index of the document in the input
	ID   string // id of the document
	Byte int    // offset in its text, in bytes
	Rune int    // number of runes that begin before it
}

// Span is a part of a document whose bytes also occur elsewhere.
type Span struct {
	Position
	Len     int      // in bytes
	From    Position // position of the equal or similar text
	FromLen int      // length of that text, in bytes
	// Similarity is the similarity of the two texts, with Config.Near. 0 means that they are equal.
	Similarity float64
	fromRunes  int // set if Similarity is
}

// Spans returns the repeated passages of a run, in the order of the input. They do not overlap. If a span follows another
// without a gap, they have different sources. A span may be shorter than the least length, if the previous span covers the
// rest of its passage.
type Spans struct {
	job    *job
	sorted *external.Sorted[anchorRow]
	read   func(*anchorRow) error
	row    match // read, but not used yet
	ahead  bool
	ended  bool
	now    match // the current span
	next   match // the match that may follow it
	alike  *alike
}

// match is the part [at, end) of the store that equals the part which begins at from. The zero value stands for no match.
type match struct{ at, end, from uint64 }

// follows reports whether n continues m in both texts.
func (m match) follows(n match) bool { return n.at <= m.end && n.at-m.at == n.from-m.from }

// Summary returns the summary of the run.
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

// Sources returns, for each document by its index in the input, whether it is the source of a span in another document.
// Such documents keep the text that is cut from others. O(repeated windows), with a byte per document.
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

// Next returns the next span, or io.EOF after the last.
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

// match returns the next span. A span grows while windows follow from the same source. The next span continues with that
// window which begins within this span or at its end and extends farthest. So a repeated part has few spans, even if its
// windows first occur in different documents.
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
