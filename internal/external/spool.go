package external

import (
	"fmt"
	"os"
	"sync"
)

const spoolChunk = 1 << 20

// Spool holds strings that are read back at random: the first ones in
// memory, up to a limit, the rest in a file. Each string lies whole in one
// of the two. Appending is for one goroutine; reading what was appended
// before is safe from any number at once.
type Spool struct {
	disk  *Files
	limit int64

	mu     sync.RWMutex
	chunks [][]byte
	inMem  int64 // capacity of the chunks
	spill  []byte
	file   *os.File
	onDisk int64 // bytes in file, without spill
}

// NewSpool returns an empty one that keeps at most memory bytes in memory.
func NewSpool(d *Files, memory int64) *Spool {
	return &Spool{disk: d, limit: memory}
}

// Ref says where a string lies in a spool: the offset shifted left by one,
// the lowest bit set when it is in the file.
type Ref uint64

const chunkBits = 20 // an offset in memory is chunk << chunkBits | position

// Add appends b and returns its place; that of nothing is anywhere.
func (s *Spool) Add(b string) (Ref, error) {
	if b == "" {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil && s.fits(len(b)) {
		return s.addInMemory(b), nil
	}
	if s.file == nil {
		f, err := s.disk.create()
		if err != nil {
			return 0, err
		}
		s.file = f
		s.spill = make([]byte, 0, 1<<18)
	}
	at := Ref(s.onDisk+int64(len(s.spill)))<<1 | 1
	s.spill = append(s.spill, b...)
	if len(s.spill) >= 1<<18 {
		return at, s.flush()
	}
	return at, nil
}

// fits makes room for n bytes in memory, if the limit allows it.
func (s *Spool) fits(n int) bool {
	if last := len(s.chunks) - 1; last >= 0 && len(s.chunks[last])+n <= cap(s.chunks[last]) {
		return true
	}
	size := max(spoolChunk, n)
	if s.inMem+int64(size) > s.limit {
		return false
	}
	s.inMem += int64(size)
	s.chunks = append(s.chunks, make([]byte, 0, size))
	return true
}

// addInMemory appends to the last chunk, where fits has found room.
func (s *Spool) addInMemory(b string) Ref {
	last := len(s.chunks) - 1
	at := len(s.chunks[last])
	s.chunks[last] = append(s.chunks[last], b...)
	return Ref(last<<chunkBits|at) << 1
}

func (s *Spool) flush() error {
	if len(s.spill) == 0 {
		return nil
	}
	if err := s.disk.write(s.file, s.spill, s.onDisk); err != nil {
		return err
	}
	s.onDisk += int64(len(s.spill))
	s.spill = s.spill[:0]
	if cap(s.spill) > 4<<20 {
		s.spill = make([]byte, 0, 1<<18)
	}
	return nil
}

// Read returns the n bytes at p. The result must not be changed.
func (s *Spool) Read(p Ref, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := int64(p >> 1)
	if p&1 == 0 {
		c := s.chunks[at>>chunkBits]
		pos := int(at & (1<<chunkBits - 1))
		return c[pos : pos+n], nil
	}
	b := make([]byte, n)
	if at >= s.onDisk {
		copy(b, s.spill[at-s.onDisk:])
		return b, nil
	}
	if _, err := s.file.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("read temporary texts: %w", err)
	}
	return b, nil
}
