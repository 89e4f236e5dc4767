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

// A snapshot, all numbers little-endian:
//
//	magic    "neardup hamming\n"
//	header   uint16 version, uint8 k, uint8 length of the layout's name, the
//	         name, uint64 entries, uint32 CRC-32C of the header
//	blocks   uint32 n, n entries of uint64 fingerprint and uint64 id,
//	         uint32 CRC-32C of the block; n is 0 in the last one.
const (
	snapshotMagic   = "neardup hamming\n"
	snapshotVersion = 1
	snapshotBlock   = 4096 // most entries in a block
)

// ErrCorrupt is wrapped by the errors of ReadIndex for a damaged snapshot.
var ErrCorrupt = errors.New("corrupt snapshot")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes a snapshot of the index, 16 bytes an entry. It implements
// io.WriterTo.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	written := int64(0)
	put := func(b []byte) error {
		n, err := out.Write(b)
		written += int64(n)
		if err != nil {
			return fmt.Errorf("write index snapshot: %w", err)
		}
		return nil
	}
	head := binary.LittleEndian.AppendUint16(nil, snapshotVersion)
	head = append(head, byte(x.layout.k), byte(len(x.layout.name)))
	head = append(head, x.layout.name...)
	head = binary.LittleEndian.AppendUint64(head, uint64(x.Len()))
	if err := put(append([]byte(snapshotMagic), sealed(head)...)); err != nil {
		return written, err
	}
	block := make([]byte, 4, 4+16*snapshotBlock+4)
	flush := func() error {
		binary.LittleEndian.PutUint32(block, uint32(len(block)/16))
		err := put(sealed(block))
		block = block[:4]
		return err
	}
	var err error
	x.All(func(id, fp uint64) bool {
		block = binary.LittleEndian.AppendUint64(block, fp)
		block = binary.LittleEndian.AppendUint64(block, id)
		if len(block) == 4+16*snapshotBlock {
			err = flush()
		}
		return err == nil
	})
	if err == nil && len(block) > 4 {
		err = flush()
	}
	if err == nil {
		err = flush()
	}
	if err == nil {
		if err = out.Flush(); err != nil {
			err = fmt.Errorf("write index snapshot: %w", err)
		}
	}
	return written, err
}

// sealed appends the checksum.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// ReadIndex reads a snapshot. Damage and truncation are errors that wrap
// ErrCorrupt and name the offset; another version is refused.
func ReadIndex(r io.Reader) (*Index, error) {
	in := &snapshotReader{r: bufio.NewReaderSize(r, 1<<16)}
	x, entries, err := in.header()
	if err != nil {
		return nil, fmt.Errorf("read index snapshot: %w", err)
	}
	for {
		n, err := in.block(x)
		if err != nil {
			return nil, fmt.Errorf("read index snapshot: %w", err)
		}
		if n == 0 {
			break
		}
	}
	if uint64(x.Len()) != entries {
		return nil, fmt.Errorf("read index snapshot: offset %d: %w: %d entries, the header says %d",
			in.at, ErrCorrupt, x.Len(), entries)
	}
	return x, nil
}

// snapshotReader knows where it is.
type snapshotReader struct {
	r   io.Reader
	at  int64
	buf []byte
}

// more reads n bytes behind those in buf.
func (s *snapshotReader) more(n int) error {
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
func (s *snapshotReader) seal() error {
	want := crc32.Checksum(s.buf, castagnoli)
	if err := s.more(4); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(s.buf[len(s.buf)-4:]) != want {
		return fmt.Errorf("offset %d: %w: wrong checksum", s.at-int64(len(s.buf)), ErrCorrupt)
	}
	return nil
}

func (s *snapshotReader) header() (*Index, uint64, error) {
	if err := s.more(len(snapshotMagic)); err != nil {
		return nil, 0, err
	}
	if string(s.buf) != snapshotMagic {
		return nil, 0, fmt.Errorf("offset 0: %w: not a snapshot of a hamming index", ErrCorrupt)
	}
	s.buf = s.buf[:0]
	if err := s.more(4); err != nil {
		return nil, 0, err
	}
	if v := binary.LittleEndian.Uint16(s.buf); v != snapshotVersion {
		return nil, 0, fmt.Errorf("version %d, this program reads %d", v, snapshotVersion)
	}
	k, name := int(s.buf[2]), int(s.buf[3])
	if err := s.more(name + 8); err != nil {
		return nil, 0, err
	}
	layout := string(s.buf[4 : 4+name])
	entries := binary.LittleEndian.Uint64(s.buf[4+name:])
	if err := s.seal(); err != nil {
		return nil, 0, err
	}
	x, err := NewIndex(IndexOptions{K: k, Layout: layout})
	if err != nil || entries > math.MaxUint32 {
		return nil, 0, fmt.Errorf("offset %d: %w: k=%d, layout %q, %d entries", len(snapshotMagic), ErrCorrupt, k, layout, entries)
	}
	return x, entries, nil
}

// block reads a block into x and returns the number of its entries.
func (s *snapshotReader) block(x *Index) (int, error) {
	s.buf = s.buf[:0]
	start := s.at
	if err := s.more(4); err != nil {
		return 0, err
	}
	n := int(binary.LittleEndian.Uint32(s.buf))
	if n > snapshotBlock {
		return 0, fmt.Errorf("offset %d: %w: a block of %d entries", start, ErrCorrupt, n)
	}
	if err := s.more(16 * n); err != nil {
		return 0, err
	}
	if err := s.seal(); err != nil {
		return 0, err
	}
	for b := s.buf[4 : 4+16*n]; len(b) > 0; b = b[16:] {
		if err := x.Insert(binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b)); err != nil {
			return 0, err
		}
	}
	return n, nil
}
