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

func (s Stages) trainer() (neardup.Mergeable, error) {
	if m, ok := s.Method.(neardup.Trainable); ok {
		if t, ok := m.Trainer(trainerMemory).(neardup.Mergeable); ok {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrUntrained, s.Method.Spec().Method)
}

// Train precedes the first stage, for methods that choose keys by the rarity of features. It reads documents
// (place, text) and writes the counts, about 12 MiB in a binary format. It adds the counts of others. Without
// Train, Records chooses other keys, and the pairs are the same but need more work.
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

// Trained returns the stages with the counts of all parts of the corpus. All partitions of Records must have
// the same counts. The other stages need none.
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
