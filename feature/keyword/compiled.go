package keyword

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The Chinese table is embedded in columns, which load in a third of the time of a table file. TestChineseTable writes it. The format is
// little endian, in zstd. It has the magic; the digest of the file (32); the number of words, of their bytes,
// and of different values (4 each); the value of unknown words (8); the values (8 each); then for all words the
// length (1), the index of the value (lower byte, then higher), the length of the prefix shared with the word
// before (1), and the other bytes.
const compiledMagic = "neardup-idf-columns/2\n"

// columns reads a compiled table; after an error all is 0.
type columns struct {
	b   []byte
	err error
}

func (c *columns) next(n int) []byte {
	if n > len(c.b) {
		c.b, c.err = nil, io.ErrUnexpectedEOF
		return make([]byte, n)
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// readCompiled reads a compiled table. It trusts what it reads: the data is
// our own, sealed by zstd's checksum.
func readCompiled(packed []byte) (*Table, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	c := &columns{}
	c.b, err = z.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("read built-in idf table: %w", err)
	}
	if string(c.next(len(compiledMagic))) != compiledMagic {
		return nil, errors.Join(errors.New("read built-in idf table: it is none"), c.err)
	}
	t := &Table{digest: string(c.next(32))}
	head := c.next(20)
	words, size := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	t.unknown = int64(binary.LittleEndian.Uint64(head[12:]))
	values := c.next(8 * int(binary.LittleEndian.Uint32(head[8:])))
	n := int(words)
	lengths, low, high, shared := c.next(n), c.next(n), c.next(n), c.next(n)
	all := make([]byte, 0, size)
	t.ends, t.idf = make([]uint32, n), make([]int64, n)
	before := 0 // where the last word begins
	for i, length := range lengths {
		at := len(all)
		all = append(append(all, all[before:before+int(shared[i])]...), c.next(int(length-shared[i]))...)
		before, t.ends[i] = at, uint32(len(all))
		t.idf[i] = int64(binary.LittleEndian.Uint64(values[8*(int(low[i])|int(high[i])<<8):]))
	}
	if len(c.b) > 0 {
		c.err = errors.New("it goes on after its end")
	}
	if c.err != nil {
		return nil, fmt.Errorf("read built-in idf table: %w", c.err)
	}
	t.words = string(all)
	t.index()
	return t, nil
}
