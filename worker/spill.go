package worker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/neardup/neardup/batch"
)

// copied is a copy with the slot of its text.
type copied struct {
	slot  int64
	place batch.Ordinal
}

// copiesMemory bounds the copies that a run holds, in bytes.
const copiesMemory = 1 << 20

// A spill is a temporary file that is written once and then read once.
type spill struct {
	file *os.File
	out  *bufio.Writer
}

func newSpill() (*spill, error) {
	f, err := os.CreateTemp("", "neardup-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	_ = os.Remove(f.Name()) // removed with its handle if the system allows it
	return &spill{file: f, out: bufio.NewWriterSize(f, 1<<16)}, nil
}

func (s *spill) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	if err != nil {
		return n, fmt.Errorf("write to a temporary file: %w", err)
	}
	return n, nil
}

// reader ends the writing and returns a reader of the file.
func (s *spill) reader() (*bufio.Reader, error) {
	if err := s.out.Flush(); err != nil {
		return nil, fmt.Errorf("write to a temporary file: %w", err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return bufio.NewReaderSize(s.file, 1<<16), nil
}

// each ends the writing and calls fn with every text.
func (s *spill) each(fn func(textRow) error) error {
	in, err := s.reader()
	if err != nil {
		return err
	}
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

func (s *spill) close() {
	_ = s.file.Close() // a temporary file, so errors do not matter
	_ = os.Remove(s.file.Name())
}
