package keyword

import (
	"encoding/binary"

	"github.com/neardup/neardup/internal/tables"
)

// The Chinese table is embedded as columns, which load in a third of the time of a table file. TestChineseTable writes it.
// It is little endian, compressed by zstd. It has the magic; the digest of the file (32); the number of words, of their
// bytes, and of different values (4 each); the value of unknown words (8); the values (8 each); then for all words the
// length (1), the index of the value (lower byte, then higher), the length of the prefix shared with the word before (1),
// and the other bytes.
const compiledMagic = "neardup-idf-columns/2\n"

// readCompiled reads a compiled table.
func readCompiled(packed []byte) (*IDFTable, error) {
	c, err := tables.Open(packed, compiledMagic)
	if err != nil {
		return nil, err
	}
	t := &IDFTable{digest: string(c.Next(32))}
	head := c.Next(20)
	words, size := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	t.unknown = int64(binary.LittleEndian.Uint64(head[12:]))
	values := c.Next(8 * int(binary.LittleEndian.Uint32(head[8:])))
	n := int(words)
	lengths, low, high, shared := c.Next(n), c.Next(n), c.Next(n), c.Next(n)
	all := make([]byte, 0, size)
	t.ends, t.idf = make([]uint32, n), make([]int64, n)
	before := 0 // start of the previous word
	for i, length := range lengths {
		at := len(all)
		all = append(append(all, all[before:before+int(shared[i])]...), c.Next(int(length-shared[i]))...)
		before, t.ends[i] = at, uint32(len(all))
		t.idf[i] = int64(binary.LittleEndian.Uint64(values[8*(int(low[i])|int(high[i])<<8):]))
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	t.words = string(all)
	t.index()
	return t, nil
}
