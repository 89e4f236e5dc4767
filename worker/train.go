package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup"
)

// ErrUntrained is returned for a method that chooses its keys without a corpus, or whose counts cannot be merged.
var ErrUntrained = errors.New("the method has no counts to add up")

// trainerMemory is the same in all stages, so that they can read each other's counts.
const trainerMemory = 16 << 20

// trainer returns a trainer with the counts of s.Tally.
func (s Stages) trainer() (t neardup.Mergeable, err error) {
	m, ok := s.Method.(neardup.Trainable)
	if ok {
		t, ok = m.Trainer(trainerMemory).(neardup.Mergeable)
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUntrained, s.Method.Spec().Method)
	}
	if s.Tally != nil {
		_, err = t.ReadFrom(s.Tally)
	}
	return t, err
}

// Train precedes Records, for methods that choose keys by the rarity of features. It reads some documents as Records
// does and writes their counts, about 12 MiB in a binary format.
func (s Stages) Train(ctx context.Context, in io.Reader, out io.Writer) (Counts, error) {
	l := s.newDocuments(ctx, in, out)
	t, err := s.trainer()
	if err == nil {
		err = l.each(func(r row) error {
			d, err := s.cleaned(r)
			switch {
			case errors.Is(err, ErrBlank):
				return nil
			case err == nil && d.reject == "":
				t.Add(d.clean)
			}
			return err
		})
	}
	var counts bytes.Buffer
	if err == nil {
		_, err = t.WriteTo(&counts)
	}
	if err == nil {
		err = l.write(counts.Bytes())
	}
	return l.counts, errors.Join(err, l.out.Flush())
}
