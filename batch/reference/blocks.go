package reference

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/neardup/neardup/corpus"
	"github.com/zeebo/xxh3"
)

// A block file is a stream of bytes in blocks, each with a checksum, and a table
// of them at the end. What was added as one lies in one block, so that it is read
// as one; blocks of several files can be copied into one as they are.
//
//	block*  as it is, or packed by zstd
//	table   of each block: bytes unpacked (4), bytes here (4), checksum of these (8), tag (8)
//	end     blocks (8), magic (8)
//
// The checksum of the table and the end stands in the manifest, by which a file
// is told from any other.

// ErrDamaged is wrapped by errors about files of an index that are not as they
// were written.
var ErrDamaged = errors.New("the index is damaged")

const (
	blockBytes = 16 << 10 // from there on a block ends
	tableEntry = 24
	endBytes   = 16
	magic      = "NDBLOCK1"
)

// blockEntry says of a block how much it holds and where it lies.
type blockEntry struct {
	start  uint64 // of what it holds, in the stream
	at     uint64 // in the file
	size   uint32 // of what it holds
	stored uint32 // in the file: less than size if it is packed
	sum    uint64
	tag    uint64 // keys: the first
}

var (
	packer = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	})
	unpacker = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(4<<30))
	})
)

// blockWriter writes a block file.
type blockWriter struct {
	out    *corpus.AtomicFile
	pack   bool
	block  []byte // not written yet
	tag    uint64
	packed []byte
	table  []byte
	blocks uint64
	length uint64 // of the stream so far
}

func newBlockWriter(path string, pack bool) (*blockWriter, error) {
	out, err := corpus.CreateAtomic(path)
	return &blockWriter{out: out, pack: pack}, err
}

// add appends to the stream; tag is kept of the first in a block.
func (w *blockWriter) add(b []byte, tag uint64) error {
	if len(w.block) > 0 && len(w.block)+len(b) > blockBytes {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.block) == 0 {
		w.tag = tag
	}
	w.block = append(w.block, b...)
	w.length += uint64(len(b))
	return nil
}

func (w *blockWriter) flush() error {
	if len(w.block) == 0 {
		return nil
	}
	stored := w.block
	if w.pack {
		z, err := packer()
		if err != nil {
			return err
		}
		if w.packed = z.EncodeAll(w.block, w.packed[:0]); len(w.packed) < len(w.block) {
			stored = w.packed
		}
	}
	err := w.put(stored, uint32(len(w.block)), xxh3.Hash(stored), w.tag)
	w.block = w.block[:0]
	return err
}

// put writes a block.
func (w *blockWriter) put(stored []byte, size uint32, sum, tag uint64) error {
	w.table = binary.LittleEndian.AppendUint32(w.table, size)
	w.table = binary.LittleEndian.AppendUint32(w.table, uint32(len(stored)))
	w.table = binary.LittleEndian.AppendUint64(w.table, sum)
	w.table = binary.LittleEndian.AppendUint64(w.table, tag)
	w.blocks++
	_, err := w.out.Write(stored)
	return err
}

// copyFrom appends the blocks of another file.
func (w *blockWriter) copyFrom(f *blockFile) error {
	if err := w.flush(); err != nil {
		return err
	}
	for i, e := range f.blocks {
		stored, err := f.stored(i, nil)
		if err != nil {
			return err
		}
		if err := w.put(stored, e.size, e.sum, e.tag); err != nil {
			return err
		}
	}
	w.length += f.length
	return nil
}

// end writes the table and returns its checksum.
func (w *blockWriter) end() (sum uint64, err error) {
	if err := w.flush(); err != nil {
		return 0, err
	}
	w.table = binary.LittleEndian.AppendUint64(w.table, w.blocks)
	w.table = append(w.table, magic...)
	_, err = w.out.Write(w.table)
	return xxh3.Hash(w.table), err
}

// blockFile is a block file that is read, by any number of goroutines.
type blockFile struct {
	name   string
	file   *os.File
	blocks []blockEntry
	length uint64 // of the stream

	mu    sync.Mutex
	cache [cached]struct {
		block int // plus 1
		bytes []byte
	}
}

// cached is how many blocks of a file are kept unpacked.
const cached = 16

// openBlocks opens a file whose table has this checksum.
func openBlocks(path, name string, sum uint64) (_ *blockFile, err error) {
	f := &blockFile{name: name}
	if f.file, err = os.Open(path); err != nil {
		return nil, err
	}
	if err := f.readTable(sum); err != nil {
		return nil, errors.Join(err, f.file.Close())
	}
	return f, nil
}

func (f *blockFile) damaged(what string, args ...any) error {
	return fmt.Errorf("%w: file %s: %s", ErrDamaged, f.name, fmt.Sprintf(what, args...))
}

func (f *blockFile) readTable(sum uint64) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	var end [endBytes]byte
	size := info.Size()
	if size < endBytes {
		return f.damaged("it is cut short, %d bytes are left", size)
	}
	if _, err := f.file.ReadAt(end[:], size-endBytes); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(end[:])
	if string(end[8:]) != magic || n > uint64(size-endBytes)/tableEntry {
		return f.damaged("it does not end as such files do")
	}
	table := make([]byte, n*tableEntry+endBytes)
	if _, err := f.file.ReadAt(table, size-int64(len(table))); err != nil {
		return err
	}
	if xxh3.Hash(table) != sum {
		return f.damaged("its table has another checksum than the manifest says")
	}
	f.blocks = make([]blockEntry, n)
	at := uint64(0)
	for i := range f.blocks {
		b := table[i*tableEntry:]
		e := blockEntry{
			start: f.length, at: at, size: binary.LittleEndian.Uint32(b), stored: binary.LittleEndian.Uint32(b[4:]),
			sum: binary.LittleEndian.Uint64(b[8:]), tag: binary.LittleEndian.Uint64(b[16:]),
		}
		f.blocks[i] = e
		f.length += uint64(e.size)
		at += uint64(e.stored)
	}
	if at != uint64(size)-uint64(len(table)) {
		return f.damaged("it has %d bytes, its blocks %d", size-int64(len(table)), at)
	}
	return nil
}

// stored reads a block as it lies there, into dst if it has room.
func (f *blockFile) stored(i int, dst []byte) ([]byte, error) {
	e := &f.blocks[i]
	dst = slices.Grow(dst[:0], int(e.stored))[:e.stored]
	if _, err := f.file.ReadAt(dst, int64(e.at)); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, f.damaged("block %d of %d is missing", i+1, len(f.blocks))
		}
		return nil, err
	}
	if xxh3.Hash(dst) != e.sum {
		return nil, f.damaged("block %d of %d has another checksum", i+1, len(f.blocks))
	}
	return dst, nil
}

// block returns what a block holds.
func (f *blockFile) block(i int) ([]byte, error) {
	e := &f.blocks[i]
	b, err := f.stored(i, nil)
	if err != nil || e.stored == e.size {
		return b, err
	}
	z, err := unpacker()
	if err != nil {
		return nil, err
	}
	if b, err = z.DecodeAll(b, make([]byte, 0, min(e.size, 1<<20))); err != nil || len(b) != int(e.size) {
		return nil, f.damaged("block %d of %d cannot be unpacked", i+1, len(f.blocks))
	}
	return b, nil
}

// read returns n bytes of the stream that were added as one. They must not be
// changed.
func (f *blockFile) read(off uint64, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	i := sort.Search(len(f.blocks), func(i int) bool { return f.blocks[i].start > off }) - 1
	if i < 0 || off-f.blocks[i].start+uint64(n) > uint64(f.blocks[i].size) {
		return nil, f.damaged("%d bytes at %d are not in one block", n, off)
	}
	b := f.lookUp(i)
	if b == nil {
		var err error
		if b, err = f.block(i); err != nil {
			return nil, err
		}
		f.mu.Lock()
		slot := &f.cache[i%cached]
		slot.block, slot.bytes = i+1, b
		f.mu.Unlock()
	}
	from := off - f.blocks[i].start
	return b[from : from+uint64(n)], nil
}

func (f *blockFile) lookUp(i int) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slot := &f.cache[i%cached]; slot.block == i+1 {
		return slot.bytes
	}
	return nil
}
