package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/neardup/neardup/batch"
)

// copyFile holds (slot, place) of copies, 16 bytes each, in memory up to a megabyte.
type copyFile struct {
	buf  []byte
	file *spill
}

func (c *copyFile) add(slot int, place batch.Ordinal) (err error) {
	c.buf = binary.LittleEndian.AppendUint64(c.buf, uint64(slot))
	c.buf = binary.LittleEndian.AppendUint64(c.buf, uint64(place))
	if len(c.buf) < 1<<20 {
		return nil
	}
	if c.file == nil {
		if c.file, err = newSpill(); err != nil {
			return err
		}
	}
	_, err = c.file.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

func (c *copyFile) each(fn func(slot int, place batch.Ordinal) error) error {
	one := func(b []byte) error {
		return fn(int(binary.LittleEndian.Uint64(b)), batch.Ordinal(binary.LittleEndian.Uint64(b[8:])))
	}
	if c.file != nil {
		in, err := c.file.reader()
		if err != nil {
			return err
		}
		var b [16]byte
		for {
			if _, err := io.ReadFull(in, b[:]); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return fmt.Errorf("temporary file: %w", err)
			}
			if err := one(b[:]); err != nil {
				return err
			}
		}
	}
	for b := c.buf; len(b) > 0; b = b[16:] {
		if err := one(b); err != nil {
			return err
		}
	}
	return nil
}

func (c *copyFile) close() {
	if c.file != nil {
		c.file.close()
	}
}

// spill is a temporary file that is written and then read, once each.
type spill struct {
	file *os.File
	out  *bufio.Writer
}

func newSpill() (*spill, error) {
	f, err := os.CreateTemp("", "neardup-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	_ = os.Remove(f.Name()) // it goes with its handle where the system allows that
	return &spill{file: f, out: bufio.NewWriterSize(f, 1<<16)}, nil
}

func (s *spill) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	if err != nil {
		return n, fmt.Errorf("write to a temporary file: %w", err)
	}
	return n, nil
}

// reader ends the writing.
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
	_ = s.file.Close() // temporary: nothing to lose
	_ = os.Remove(s.file.Name())
}
