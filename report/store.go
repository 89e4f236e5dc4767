package report

import (
	"bufio"
	"fmt"
	"os"
)

// storeMemory is how many bytes of documents are held in memory; what comes
// after lies in a temporary file.
const storeMemory = 32 << 20

// store keeps the documents that are shown until the page is written.
type store struct {
	memory []byte
	limit  int
	tmp    string
	file   *os.File // nil: all is in memory
	out    *bufio.Writer
	end    int64 // of all
	line   []byte
}

func newStore(tmp string) *store { return &store{limit: storeMemory, tmp: tmp} }

// add appends a document and says where it lies.
func (s *store) add(line []byte) (place, error) {
	at := place{s.end, int32(len(line))}
	s.end += int64(len(line))
	if s.file == nil && len(s.memory)+len(line) <= s.limit {
		s.memory = append(s.memory, line...)
		return at, nil
	}
	if s.file == nil {
		if err := s.create(); err != nil {
			return at, err
		}
	}
	if _, err := s.out.Write(line); err != nil {
		return at, fmt.Errorf("report: %w", err)
	}
	return at, nil
}

// create makes the temporary file, without a name as soon as it is open.
func (s *store) create() error {
	f, err := os.CreateTemp(s.tmp, "neardup-report-*")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	s.file, s.out = f, bufio.NewWriterSize(f, 256<<10)
	_ = os.Remove(f.Name()) // where a file in use cannot be removed, close does
	return nil
}

// flush ends the adding.
func (s *store) flush() error {
	if s.file == nil {
		return nil
	}
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// read returns a document, until the next call.
func (s *store) read(at place) ([]byte, error) {
	if end := at.at + int64(at.length); end <= int64(len(s.memory)) {
		return s.memory[at.at:end], nil
	}
	s.line = append(s.line[:0], make([]byte, at.length)...)
	if _, err := s.file.ReadAt(s.line, at.at-int64(len(s.memory))); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return s.line, nil
}

func (s *store) close() error {
	s.memory = nil
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	err := f.Close()
	_ = os.Remove(f.Name())
	return err
}
