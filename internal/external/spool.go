package external

import (
	"fmt"
	"os"
	"sync"
)

// A Spool holds bytes for random reads: the first ones in memory, up to a limit, and the rest in a file. Only
// one goroutine may append. Any number of goroutines may concurrently read bytes that were appended before.
type Spool struct {
	disk *Files
	most int // largest number of chunks in memory

	mu     sync.RWMutex
	chunks [][]byte // each has spoolChunk bytes, except the last
	waits  []byte   // bytes that are not written to the file yet
	file   *os.File
	onDisk int64 // bytes in file
	size   int64
}

// A Ref is the offset of bytes in a spool.
type Ref uint64

const spoolChunk = 1 << 16

// NewSpool returns an empty spool that keeps about memory bytes in memory.
func NewSpool(d *Files, memory int64) *Spool {
	return &Spool{disk: d, most: max(int(memory/spoolChunk), 1)}
}

// Len returns the number of added bytes.
func (s *Spool) Len() int64 { return s.size }

// Add appends b and returns its offset.
func (s *Spool) Add(b string) (Ref, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := Ref(s.size)
	s.size += int64(len(b))
	for len(b) > 0 {
		last := len(s.chunks) - 1
		if last < 0 || len(s.chunks[last]) == spoolChunk {
			if len(s.chunks) == s.most {
				break
			}
			s.chunks = append(s.chunks, make([]byte, 0, spoolChunk))
			last++
		}
		n := min(len(b), spoolChunk-len(s.chunks[last]))
		s.chunks[last] = append(s.chunks[last], b[:n]...)
		b = b[n:]
	}
	s.waits = append(s.waits, b...)
	if len(s.waits) >= 4*spoolChunk {
		return at, s.flush()
	}
	return at, nil
}

func (s *Spool) flush() error {
	if err := s.disk.open(&s.file); err != nil {
		return err
	}
	if err := s.disk.write(s.file, s.waits, s.onDisk); err != nil {
		return err
	}
	s.onDisk += int64(len(s.waits))
	s.waits = s.waits[:0]
	if cap(s.waits) > 4<<20 {
		s.waits = nil
	}
	return nil
}

// Read returns n bytes from an offset. The caller must not change the result.
func (s *Spool) Read(at Ref, n int) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if chunk, from := int(at/spoolChunk), int(at%spoolChunk); chunk < len(s.chunks) && from+n <= len(s.chunks[chunk]) {
		return s.chunks[chunk][from : from+n : from+n], nil
	}
	p := make([]byte, n)
	return p, s.fill(p, int64(at))
}

// ReadAt fills p with the bytes from an offset on.
func (s *Spool) ReadAt(p []byte, at int64) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.fill(p, at); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close drops the bytes and their file.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks, s.waits = nil, nil
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

func (s *Spool) fill(p []byte, at int64) error {
	if at+int64(len(p)) > s.size {
		return fmt.Errorf("read temporary bytes: %d at %d: out of range (want below %d)", len(p), at, s.size)
	}
	for len(p) > 0 && at < int64(len(s.chunks))*spoolChunk {
		n := copy(p, s.chunks[at/spoolChunk][at%spoolChunk:])
		p, at = p[n:], at+int64(n)
	}
	at -= int64(len(s.chunks)) * spoolChunk
	if len(p) > 0 && at < s.onDisk {
		n := min(int64(len(p)), s.onDisk-at)
		if _, err := s.file.ReadAt(p[:n], at); err != nil {
			return fmt.Errorf("read temporary bytes: %w", err)
		}
		p, at = p[n:], at+n
	}
	if len(p) > 0 {
		copy(p, s.waits[at-s.onDisk:])
	}
	return nil
}
