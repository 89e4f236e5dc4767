package simhash

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// The file of a table, all numbers little-endian:
//
//	magic    "neardup table\n"
//	header   uint16 version, uint8 k, uint16 length of the spec, the spec,
//	         uint64 entries, uint32 CRC-32C of the header
//	blocks   uint32 length, entries of uint64 fingerprint, uvarint length of
//	         the id and the id (none: its number), uint32 CRC-32C of length and
//	         entries; the length is 0 in the last one, and nothing follows it.
const (
	tableMagic   = "neardup table\n"
	tableVersion = 1
	tableBlock   = 1 << 16 // a block ends with the entry that reaches this
	maxSpec      = math.MaxUint16
	maxID        = maxLine
	maxBlock     = tableBlock + 8 + binary.MaxVarintLen32 + maxID
)

// ErrCorrupt is wrapped by the errors of ReadTable for a damaged file.
var ErrCorrupt = errors.New("corrupt table of fingerprints")

// ErrNewer is wrapped by the error of ReadTable for a file of a format that
// this version of the package does not know.
var ErrNewer = errors.New("table of fingerprints in a newer format")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes the file of a table: about 9 bytes an entry, and the ids. It
// implements io.WriterTo.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	out := &counter{w: bufio.NewWriterSize(w, tableBlock)}
	head := binary.LittleEndian.AppendUint16([]byte(tableMagic), tableVersion)
	head = append(head, byte(t.K()))
	head = binary.LittleEndian.AppendUint16(head, uint16(len(t.spec)))
	head = append(head, t.spec...)
	out.seal(binary.LittleEndian.AppendUint64(head, uint64(t.list.Len())))
	block := make([]byte, 4, tableBlock+4096)
	flush := func() {
		binary.LittleEndian.PutUint32(block, uint32(len(block)-4))
		out.seal(block)
		block = block[:4]
	}
	for i, fp := range t.list.Fingerprints {
		id := ""
		if t.list.ids != nil {
			id = t.list.ids[i]
		}
		block = binary.LittleEndian.AppendUint64(block, fp)
		block = binary.AppendUvarint(block, uint64(len(id)))
		if block = append(block, id...); len(block) >= tableBlock {
			flush()
		}
	}
	if len(block) > 4 {
		flush()
	}
	flush()
	if out.err == nil {
		out.err = out.w.Flush()
	}
	if out.err != nil {
		out.err = fmt.Errorf("write table: %w", out.err)
	}
	return out.n, out.err
}

// counter writes until the first error.
type counter struct {
	w   *bufio.Writer
	n   int64
	err error
}

// seal writes bytes and their checksum; of the header, the magic counts too.
func (c *counter) seal(b []byte) {
	if c.err == nil {
		var n int
		n, c.err = c.w.Write(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)))
		c.n += int64(n)
	}
}

// ReadTable reads the file of a table. Damage and truncation are errors that
// wrap ErrCorrupt and name the offset; a newer format is ErrNewer.
func ReadTable(r io.Reader) (*Table, error) {
	in := &tableReader{r: bufio.NewReaderSize(r, tableBlock)}
	t, entries, err := in.header()
	for more := true; more && err == nil; {
		more, err = in.block(t)
	}
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	if uint64(t.list.Len()) != entries {
		return nil, fmt.Errorf("read table: offset %d: %w: %d entries, the header says %d", in.at, ErrCorrupt, t.list.Len(), entries)
	}
	if _, err := in.r.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read table: offset %d: %w: more behind the end (%v)", in.at, ErrCorrupt, err)
	}
	return t, nil
}

// tableReader knows where it is.
type tableReader struct {
	r   *bufio.Reader
	at  int64
	buf []byte
}

// more reads n bytes behind those in buf.
func (s *tableReader) more(n int) error {
	from := len(s.buf)
	s.buf = append(s.buf, make([]byte, n)...)
	got, err := io.ReadFull(s.r, s.buf[from:])
	s.at += int64(got)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("offset %d: %w: the file ends here", s.at, ErrCorrupt)
	}
	if err != nil {
		return fmt.Errorf("offset %d: %w", s.at, err)
	}
	return nil
}

// seal reads the checksum of all in buf.
func (s *tableReader) seal() error {
	want := crc32.Checksum(s.buf, castagnoli)
	if err := s.more(4); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(s.buf[len(s.buf)-4:]) != want {
		return fmt.Errorf("offset %d: %w: wrong checksum", s.at-int64(len(s.buf)), ErrCorrupt)
	}
	return nil
}

func (s *tableReader) header() (*Table, uint64, error) {
	if err := s.more(len(tableMagic)); err != nil {
		return nil, 0, err
	}
	if string(s.buf) != tableMagic {
		return nil, 0, fmt.Errorf("offset 0: %w: not a table of fingerprints", ErrCorrupt)
	}
	if err := s.more(5); err != nil {
		return nil, 0, err
	}
	fields := s.buf[len(tableMagic):]
	if v := binary.LittleEndian.Uint16(fields); v > tableVersion {
		return nil, 0, fmt.Errorf("%w: %d, this program reads %d", ErrNewer, v, tableVersion)
	}
	k, spec := int(fields[2]), int(binary.LittleEndian.Uint16(fields[3:]))
	if err := s.more(spec + 8); err != nil {
		return nil, 0, err
	}
	if err := s.seal(); err != nil {
		return nil, 0, err
	}
	fields = s.buf[len(tableMagic)+5:]
	entries := binary.LittleEndian.Uint64(fields[spec:])
	t, err := newTable(k, string(fields[:spec]), int(min(entries, math.MaxInt32)))
	if err != nil {
		return nil, 0, fmt.Errorf("offset %d: %w: %w", len(tableMagic), ErrCorrupt, err)
	}
	return t, entries, nil
}

// block reads a block into t and reports whether another follows.
func (s *tableReader) block(t *Table) (bool, error) {
	s.buf = s.buf[:0]
	start := s.at
	if err := s.more(4); err != nil {
		return false, err
	}
	n := int(binary.LittleEndian.Uint32(s.buf))
	if n > maxBlock {
		return false, fmt.Errorf("offset %d: %w: a block of %d bytes", start, ErrCorrupt, n)
	}
	if err := s.more(n); err != nil {
		return false, err
	}
	if err := s.seal(); err != nil {
		return false, err
	}
	for b := s.buf[4 : 4+n]; len(b) > 0; {
		size, width := uint64(0), 0
		if len(b) > 8 {
			size, width = binary.Uvarint(b[8:])
		}
		if width <= 0 || size > uint64(len(b)-8-width) {
			return false, fmt.Errorf("offset %d: %w: half an entry", start, ErrCorrupt)
		}
		id := b[8+width:][:size]
		if err := t.load(string(id), binary.LittleEndian.Uint64(b)); err != nil {
			return false, fmt.Errorf("offset %d: %w", start, err)
		}
		b = b[8+width+int(size):]
	}
	return n > 0, nil
}

// load adds an entry as it is, known or not.
func (t *Table) load(id string, fp uint64) error {
	if id == "" {
		return t.Add(fp)
	}
	if err := t.index.Insert(uint64(t.list.Len()), fp); err != nil {
		return err
	}
	t.list.AddID(id, fp)
	return nil
}
