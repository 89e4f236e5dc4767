package worker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/external"
)

// copied is a copy with the slot of its text.
type copied struct {
	slot    int64
	ordinal batch.Ordinal
}

// copiesMemory limits the copies that a run holds, in bytes.
const copiesMemory = 1 << 20

// A spill is a temporary file that is written once and then read once.
type spill struct {
	file *os.File
	out  *bufio.Writer
}

func newSpill(files *external.Files) (*spill, error) {
	f, err := files.Create()
	if err != nil {
		return nil, err
	}
	return &spill{f, bufio.NewWriterSize(f, 1<<16)}, nil
}

// each ends the writing and calls fn with every text.
func (s *spill) each(fn func(textRow) error) error {
	err := s.out.Flush()
	if err == nil {
		_, err = s.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	in := bufio.NewReaderSize(s.file, 1<<16)
	var b []byte
	for {
		b = slices.Grow(b[:0], textHead)[:textHead]
		if _, err := io.ReadFull(in, b); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		n := textRow(b).size()
		b = slices.Grow(b, n-textHead)[:n]
		if _, err := io.ReadFull(in, b[textHead:]); err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		if err := fn(b); err != nil {
			return err
		}
	}
}
