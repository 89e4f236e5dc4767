package worker

import (
	"context"
	"fmt"
	"io"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
)

// Names reads places of documents in s.Against, and writes the place and id of each.
func (s Stages) Names(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := newLines(ctx, in, out)
	err := l.each(func(fields [][]byte) error {
		place, row, err := s.named(fields)
		if err != nil {
			return err
		}
		id, err := s.Against.ID(&row)
		if err != nil {
			return err
		}
		l.ordinal(place)
		l.tab()
		l.line = append(l.line, Escape(id)...)
		return l.write()
	})
	return l.counts, err
}

func (s Stages) named(fields [][]byte) (place batch.Ordinal, row reference.Row, err error) {
	if err := want(fields, 1, "a place"); err != nil {
		return 0, row, err
	}
	place, err = parseEarlier(fields[0])
	if err != nil {
		return 0, row, err
	}
	row, err = s.heldRow(place)
	return place, row, err
}

func (s Stages) heldRow(place batch.Ordinal) (reference.Row, error) {
	if s.Against == nil || place >= held {
		return reference.Row{}, fmt.Errorf("%w: no document of an index is at %s", ErrLine, appendPlace(nil, place))
	}
	return s.Against.Row(uint32(place))
}

func (s Stages) text(place batch.Ordinal) (string, error) {
	row, err := s.heldRow(place)
	if err != nil {
		return "", err
	}
	return s.Against.Text(&row)
}
