package keyword

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// The Chinese table is embedded in columns, which take a third of the time that the
// lines of a table file take. Little endian, in gzip: the magic; the digest of the file
// (32); the number of words, of their bytes, of different values (4 each); the value of
// unknown words (8); the values (8 each); of each word its length (1) and which value it
// has (2); the words.
const compiledMagic = "neardup-idf-columns/1\n"

// Compile writes a table as the Chinese one is embedded: no more than 65,536
// different values. The same table gives the same bytes.
func (t *Table) Compile(w io.Writer) error {
	values := slices.Clone(t.idf)
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > math.MaxUint16+1 || len(t.digest) != 32 {
		return fmt.Errorf("compile idf table: %d different values, digest %q", len(values), t.digest)
	}
	b := append([]byte(compiledMagic), t.digest...)
	for _, n := range []int{len(t.ends), len(t.words), len(values)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(t.unknown))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	for i := range t.ends {
		n := len(t.word(i))
		if n > math.MaxUint8 {
			return fmt.Errorf("compile idf table: a word of %d bytes", n)
		}
		b = append(b, byte(n))
	}
	for _, v := range t.idf {
		at, _ := slices.BinarySearch(values, v)
		b = binary.LittleEndian.AppendUint16(b, uint16(at))
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(append(b, t.words...)); err != nil {
		return fmt.Errorf("compile idf table: %w", err)
	}
	return z.Close()
}

// columns reads what Compile wrote; after an error all is 0.
type columns struct {
	r   io.Reader
	err error
}

func (c *columns) next(n int) []byte {
	b := make([]byte, n)
	if c.err == nil {
		_, c.err = io.ReadFull(c.r, b)
	}
	return b
}

// readCompiled reads a table that Compile wrote. It trusts what it reads: the data is
// our own, sealed by gzip's checksum.
func readCompiled(data string) (*Table, error) {
	z, err := gzip.NewReader(strings.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read built-in idf table: %w", err)
	}
	c := &columns{r: bufio.NewReader(z)}
	if !bytes.Equal(c.next(len(compiledMagic)), []byte(compiledMagic)) {
		return nil, errors.Join(errors.New("read built-in idf table: it is none"), c.err)
	}
	t := &Table{digest: string(c.next(32))}
	head := c.next(20)
	words, size := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	t.unknown = int64(binary.LittleEndian.Uint64(head[12:]))
	values := c.next(8 * int(binary.LittleEndian.Uint32(head[8:])))
	lengths, which := c.next(int(words)), c.next(2*int(words))
	var all strings.Builder
	all.Grow(int(size))
	if c.err == nil {
		_, c.err = io.CopyN(&all, c.r, int64(size))
	}
	t.words = all.String()
	if _, err := io.ReadFull(c.r, head[:1]); c.err == nil && !errors.Is(err, io.EOF) { // to the checksum
		c.err = errors.Join(errors.New("it goes on after its end"), err)
	}
	if c.err != nil {
		return nil, fmt.Errorf("read built-in idf table: %w", c.err)
	}
	t.ends, t.idf = make([]uint32, words), make([]int64, words)
	end := uint32(0)
	for i := range t.ends {
		end += uint32(lengths[i])
		at := 8 * int(binary.LittleEndian.Uint16(which[2*i:]))
		t.ends[i], t.idf[i] = end, int64(binary.LittleEndian.Uint64(values[at:]))
	}
	t.index()
	return t, nil
}
