package worker

import (
	"bufio"
	"io"
	"slices"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/external"
)

// A copied record says that the document at ordinal has the text of a slot.
type copied struct {
	slot    int64
	ordinal batch.Ordinal
}

// copiesMemory limits the memory for copies, and spillMemory that for the texts of one spill.
const (
	copiesMemory = 1 << 20
	spillMemory  = 1 << 16
)

// eachSpilled calls fn with the rows of texts that were added to a spool.
func eachSpilled(s *external.Spool, fn func(textRow) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(s, 0, s.Len()), spillMemory)
	var t textRow
	for at := int64(0); at < s.Len(); at += int64(len(t)) {
		head, err := in.Peek(textHead)
		if err != nil {
			return err
		}
		n := textRow(head).size()
		t = slices.Grow(t[:0], n)[:n]
		if _, err := io.ReadFull(in, t); err != nil {
			return err
		}
		if err := fn(t); err != nil {
			return err
		}
	}
	return nil
}
