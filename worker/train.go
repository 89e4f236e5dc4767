package worker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup"
)

// ErrUntrained is returned where a method chooses its keys without a corpus,
// or cannot be counted in parts.
var ErrUntrained = errors.New("the method has no counts to add up")

// trainerMemory is the same for all, so that counts fit each other.
const trainerMemory = 16 << 20

func (s Stages) trainer() (neardup.Mergeable, error) {
	if m, ok := s.Method.(neardup.Trainable); ok {
		if t, ok := m.Trainer(trainerMemory).(neardup.Mergeable); ok {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrUntrained, s.Method.Spec().Method)
}

// Train is a stage before the first, for methods that choose keys by how rare
// features are. A line is a document: place, text. Written are the counts, some
// 12 MiB, which are no lines. Without it Records gives other keys, and in
// the end the same pairs for more work. The counts of other parts are added.
func (s Stages) Train(ctx context.Context, in io.Reader, out io.Writer, others ...io.Reader) (Counts, error) {
	t, err := s.trainer()
	if err != nil {
		return Counts{}, err
	}
	for _, o := range others {
		if _, err := t.ReadFrom(o); err != nil {
			return Counts{}, err
		}
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

// Trained returns the stages with the counts of all parts of the corpus. All
// partitions of Records must have the same; the other stages need none.
func (s Stages) Trained(counts ...io.Reader) (Stages, error) {
	t, err := s.trainer()
	if err != nil {
		return s, err
	}
	for _, in := range counts {
		if _, err := t.ReadFrom(in); err != nil {
			return s, err
		}
	}
	s.Method = t.Method()
	return s, nil
}
