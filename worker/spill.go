package worker

import (
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
	for at := int64(0); at < s.Len(); {
		head, err := s.Read(external.Ref(at), textHead)
		if err != nil {
			return err
		}
		t, err := s.Read(external.Ref(at), textRow(head).size())
		if err == nil {
			err = fn(t)
		}
		if err != nil {
			return err
		}
		at += int64(len(t))
	}
	return nil
}
