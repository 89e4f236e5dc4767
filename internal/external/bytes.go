package external

import (
	"fmt"
	"os"
)

// Bytes are read back by their offset: the first lie in memory, up to a limit,
// the others in a file. One goroutine adds; after End any number read.
type Bytes struct {
	disk   *Files
	chunks [][]byte // each bytesChunk long, but for the last
	most   int      // of them
	waits  []byte   // to be written
	file   *os.File
	onDisk int64 // bytes in file
	size   int64
}

const bytesChunk = 1 << 16

// NewBytes returns none yet, of which about memory bytes will be in memory.
func NewBytes(d *Files, memory int64) *Bytes {
	return &Bytes{disk: d, most: max(int(memory/bytesChunk), 1)}
}

// Len is how many there are.
func (b *Bytes) Len() int64 { return b.size }

// Add appends s, and returns the offset of its first byte.
func (b *Bytes) Add(s string) (int64, error) {
	at := b.size
	b.size += int64(len(s))
	for len(s) > 0 {
		last := len(b.chunks) - 1
		if last < 0 || len(b.chunks[last]) == bytesChunk {
			if len(b.chunks) == b.most {
				break
			}
			b.chunks = append(b.chunks, make([]byte, 0, bytesChunk))
			last++
		}
		n := min(len(s), bytesChunk-len(b.chunks[last]))
		b.chunks[last] = append(b.chunks[last], s[:n]...)
		s = s[n:]
	}
	if b.waits = append(b.waits, s...); len(b.waits) >= 4*bytesChunk {
		return at, b.End()
	}
	return at, nil
}

// End writes what waits to be written.
func (b *Bytes) End() error {
	if len(b.waits) == 0 {
		return nil
	}
	if b.file == nil {
		f, err := b.disk.create()
		if err != nil {
			return err
		}
		b.file = f
	}
	if err := b.disk.write(b.file, b.waits, b.onDisk); err != nil {
		return err
	}
	b.onDisk += int64(len(b.waits))
	b.waits = b.waits[:0]
	return nil
}

// Read fills p with the bytes from an offset on.
func (b *Bytes) Read(p []byte, at int64) error {
	inMemory := int64(len(b.chunks)) * bytesChunk
	for len(p) > 0 && at < inMemory {
		n := copy(p, b.chunks[at/bytesChunk][at%bytesChunk:])
		if n == 0 {
			break // past the end
		}
		p, at = p[n:], at+int64(n)
	}
	if len(p) == 0 {
		return nil
	}
	if b.file == nil {
		return fmt.Errorf("read temporary bytes: %d past the end", len(p))
	}
	if _, err := b.file.ReadAt(p, at-inMemory); err != nil {
		return fmt.Errorf("read temporary bytes: %w", err)
	}
	return nil
}
