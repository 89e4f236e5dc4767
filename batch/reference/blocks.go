package reference

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/neardup/neardup/corpus"
	"github.com/zeebo/xxh3"
)

// A block file holds a stream of bytes in blocks, each with a checksum. A table of the blocks follows. Bytes that were
// added in one call are in one block, so one read returns them. Blocks of several files can be copied unchanged into one.
//
//	block*  unchanged, or compressed by zstd
//	table   of each block: bytes unpacked (4), bytes here (4), checksum of these (8), tag (8)
//	end     blocks (8), magic (8)
//
// The manifest has the checksum of the table and the end, which identifies the file.

// ErrDamaged is wrapped by the errors about damaged files of an index.
var ErrDamaged = errors.New("the index is damaged")

const (
	blockBytes = 16 << 10 // a block ends when it has this many bytes
	tableEntry = 24
	endBytes   = 16
	magic      = "NDBLOCK1"
)

var (
	packer   = sync.OnceValues(newPacker)
	unpacker = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(4<<30))
	})
)

func newPacker() (*zstd.Encoder, error) {
	// A block is rarely larger than blockBytes. The usual window of 4 MiB would take 8 MiB of memory.
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<19), zstd.WithLowerEncoderMem(true))
}

type blockWriter struct {
	out    *corpus.AtomicFile
	pack   bool
	block  []byte // the current block, not written yet
	tag    uint64
	packed []byte
	table  *tableWriter
	length uint64 // length of the stream so far
}

func newBlockWriter(path string, pack bool) (*blockWriter, error) {
	out, err := corpus.CreateAtomic(path)
	return &blockWriter{out: out, pack: pack, table: newTableWriter()}, err
}

// add appends bytes to the stream. The table keeps the tag of the first bytes in a block.
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
		w.packed = z.EncodeAll(w.block, w.packed[:0])
		if len(w.packed) < len(w.block) {
			stored = w.packed
		}
	}
	err := w.put(stored, uint32(len(w.block)), xxh3.Hash(stored), w.tag)
	w.block = w.block[:0]
	return err
}

func (w *blockWriter) put(stored []byte, size uint32, sum, tag uint64) error {
	if err := w.table.put(size, uint32(len(stored)), sum, tag); err != nil {
		return err
	}
	_, err := w.out.Write(stored)
	return err
}

// copyFrom appends the blocks of another file.
func (w *blockWriter) copyFrom(f *blockFile) error {
	if err := w.flush(); err != nil {
		return err
	}
	for i := range f.blocks {
		e, err := f.entry(i)
		if err != nil {
			return f.wrong(err)
		}
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
	return w.table.end(w.out)
}

func (w *blockWriter) abort() {
	w.out.Abort()
	w.table.disk.Close()
}

// blockFile is a block file that is read, by any number of goroutines.
type blockFile struct {
	blockTable
	name   string
	length uint64 // length of the stream

	cacheMu sync.Mutex
	cache   [cached]struct {
		block int // number of the block, plus 1
		bytes []byte
	}
}

// cached is the number of blocks of a file that are kept decompressed.
const cached = 16

// openBlocks opens a file whose table has this checksum.
func openBlocks(folder fs.FS, name string, sum uint64) (*blockFile, error) {
	opened, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	f := &blockFile{name: name}
	var ok bool
	f.file, ok = opened.(readFile)
	if !ok {
		return nil, errors.Join(fmt.Errorf("file %s: cannot be read at an offset (want an io.ReaderAt)", name), opened.Close())
	}
	if err := f.open(sum); err != nil {
		return nil, errors.Join(err, f.file.Close())
	}
	return f, nil
}

func (f *blockFile) damaged(what string, args ...any) error {
	return fmt.Errorf("%w: file %s: %s", ErrDamaged, f.name, fmt.Sprintf(what, args...))
}

// wrong adds the name of the file to an error about its table.
func (f *blockFile) wrong(err error) error {
	if errors.Is(err, errChanged) {
		return f.damaged("%v", err)
	}
	return err
}

func (f *blockFile) open(sum uint64) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	var end [endBytes]byte
	size := info.Size()
	if size < endBytes {
		return f.damaged("truncated to %d bytes", size)
	}
	if _, err := f.file.ReadAt(end[:], size-endBytes); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(end[:])
	if string(end[8:]) != magic || n > uint64(size-endBytes)/tableEntry {
		return f.damaged("invalid end")
	}
	f.from = size - endBytes - int64(n)*tableEntry
	got, length, stored, err := f.readTable(int(n))
	switch {
	case err != nil:
		return err
	case got != sum:
		return f.damaged("wrong checksum of the table of blocks")
	case stored != uint64(f.from):
		return f.damaged("%d bytes of blocks (want %d)", f.from, stored)
	}
	f.length = length
	return nil
}

// stored reads the stored bytes of a block, into dst if they fit.
func (f *blockFile) stored(i int, dst []byte) ([]byte, error) {
	e, err := f.entry(i)
	if err != nil {
		return nil, f.wrong(err)
	}
	dst = slices.Grow(dst[:0], int(e.stored))[:e.stored]
	if _, err := f.file.ReadAt(dst, int64(e.at)); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, f.damaged("block %d of %d: missing", i+1, f.blocks)
		}
		return nil, err
	}
	if xxh3.Hash(dst) != e.sum {
		return nil, f.damaged("block %d of %d: wrong checksum", i+1, f.blocks)
	}
	return dst, nil
}

func (f *blockFile) block(i int) ([]byte, error) {
	e, err := f.entry(i)
	if err != nil {
		return nil, f.wrong(err)
	}
	b, err := f.stored(i, nil)
	if err != nil || e.stored == e.size {
		return b, err
	}
	z, err := unpacker()
	if err != nil {
		return nil, err
	}
	b, err = z.DecodeAll(b, make([]byte, 0, min(e.size, 1<<20)))
	if err != nil || len(b) != int(e.size) {
		return nil, f.damaged("block %d of %d: cannot be decompressed", i+1, f.blocks)
	}
	return b, nil
}

// read returns n bytes of the stream that were added in one call. The caller must not change them.
func (f *blockFile) read(off uint64, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	i, err := f.holding(off)
	if err != nil {
		return nil, f.wrong(err)
	}
	if i < 0 {
		return nil, f.damaged("%d bytes at %d: not in any block", n, off)
	}
	e, err := f.entry(i)
	if err != nil {
		return nil, f.wrong(err)
	}
	from := off - e.start
	if from+uint64(n) > uint64(e.size) {
		return nil, f.damaged("%d bytes at %d: not within one block", n, off)
	}
	b := f.lookUp(i)
	if b == nil {
		b, err = f.block(i)
		if err != nil {
			return nil, err
		}
		f.cacheMu.Lock()
		slot := &f.cache[i%cached]
		slot.block, slot.bytes = i+1, b
		f.cacheMu.Unlock()
	}
	return b[from : from+uint64(n)], nil
}

func (f *blockFile) lookUp(i int) []byte {
	f.cacheMu.Lock()
	defer f.cacheMu.Unlock()
	if slot := &f.cache[i%cached]; slot.block == i+1 {
		return slot.bytes
	}
	return nil
}
