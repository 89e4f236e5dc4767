package worker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup"
)

// ErrUntrained is returned for a method that needs no corpus to choose its keys, or whose counts cannot be
// added.
var ErrUntrained = errors.New("the method has no counts to add up")

// trainerMemory is the same in all stages, so that their counts can be added.
const trainerMemory = 16 << 20

// trainer returns a trainer with the counts of s.Tallies.
func (s Stages) trainer() (t neardup.Mergeable, err error) {
	m, ok := s.Method.(neardup.Trainable)
	if ok {
		t, ok = m.Trainer(trainerMemory).(neardup.Mergeable)
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUntrained, s.Method.Spec().Method)
	}
	for _, counts := range s.Tallies {
		if _, err := t.ReadFrom(counts); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Train precedes the first stage, for methods that choose keys by the rarity of features. It reads documents
// (place, text) and writes the counts, about 12 MiB in a binary format. It adds s.Tallies.
func (s Stages) Train(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	t, err := s.trainer()
	if err != nil {
		return Counts{}, err
	}
	l := newLines(ctx, in, io.Discard)
	l.most = s.fields(2)
	err = l.each(func(fields [][]byte) error {
		d, err := s.document(fields)
		switch {
		case errors.Is(err, ErrBlank):
			return nil
		case err == nil && d.reject == "":
			t.Add(d.clean)
		}
		return err
	})
	if err != nil {
		return l.counts, err
	}
	_, err = t.WriteTo(out)
	return l.counts, err
}
