package reference

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"sort"
	"sync"

	"github.com/neardup/neardup/internal/external"
	"github.com/zeebo/xxh3"
)

// blockEntry describes the contents and the place of a block.
type blockEntry struct {
	start  uint64 // offset of its contents in the stream
	at     uint64 // offset in the file
	size   uint32 // length of its contents
	stored uint32 // length in the file, less than size if it is compressed
	sum    uint64
	tag    uint64 // the first tag; in the file of keys, the first key
}

// tableWriter collects a table of blocks. It moves a large one to a temporary file.
type tableWriter struct {
	disk    *external.Files
	entries *external.Spool
	blocks  uint64
}

// tableMemory is the memory of a table while it is written.
const tableMemory = 64 << 10

func newTableWriter() *tableWriter {
	disk := external.NewFiles("")
	return &tableWriter{disk: disk, entries: external.NewSpool(disk, tableMemory)}
}

func (w *tableWriter) put(size, stored uint32, sum, tag uint64) error {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, tableEntry), size)
	b = binary.LittleEndian.AppendUint32(b, stored)
	b = binary.LittleEndian.AppendUint64(b, sum)
	b = binary.LittleEndian.AppendUint64(b, tag)
	w.blocks++
	_, err := w.entries.Add(string(b))
	return err
}

// end writes the table and the end of the file to out, and returns the checksum of both.
func (w *tableWriter) end(out io.Writer) (sum uint64, err error) {
	defer w.disk.Close()
	end := binary.LittleEndian.AppendUint64(nil, w.blocks)
	if _, err := w.entries.Add(string(append(end, magic...))); err != nil {
		return 0, err
	}
	h := xxh3.New()
	_, err = io.Copy(io.MultiWriter(h, out), io.NewSectionReader(w.entries, 0, w.entries.Len()))
	return h.Sum64(), err
}

// readFile is a file that can be read at any offset.
type readFile interface {
	fs.File
	io.ReaderAt
}

// blockTable finds the blocks of a file. It holds in memory the first entry of each page, and a few whole pages.
type blockTable struct {
	file   readFile
	from   int64 // offset of the table in the file
	blocks int
	heads  []pageHead // the first entry of each page, and the end of the last

	mu    sync.Mutex
	pages [cachedPages]tablePage
}

type pageHead struct{ start, at, tag uint64 }

type tablePage struct {
	number  int // page number, plus 1
	entries []blockEntry
}

const (
	pageBlocks  = 128
	cachedPages = 8
)

// readTable reads a table of n blocks, and the end of the file after it. It returns the checksum of both, and the total
// length of the blocks in the stream and in the file.
func (t *blockTable) readTable(n int) (sum, length, stored uint64, err error) {
	t.blocks, t.heads = n, make([]pageHead, 0, n/pageBlocks+2)
	h := xxh3.New()
	r := io.NewSectionReader(t.file, t.from, int64(n)*tableEntry+endBytes)
	buf := make([]byte, pageBlocks*tableEntry)
	for {
		k, err := io.ReadFull(r, buf)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, 0, 0, err
		}
		_, _ = h.Write(buf[:k])
		entries := min(n, k/tableEntry)
		n -= entries
		for b := range entries {
			e := buf[b*tableEntry:]
			if b == 0 {
				t.heads = append(t.heads, pageHead{length, stored, binary.LittleEndian.Uint64(e[16:])})
			}
			length += uint64(binary.LittleEndian.Uint32(e))
			stored += uint64(binary.LittleEndian.Uint32(e[4:]))
		}
		if err != nil {
			t.heads = append(t.heads, pageHead{start: length, at: stored})
			return h.Sum64(), length, stored, nil
		}
	}
}

var errChanged = errors.New("the table of blocks was changed after the file was opened")

// page returns the entries of a page. They must not be changed.
func (t *blockTable) page(number int) ([]blockEntry, error) {
	slot := &t.pages[number%cachedPages]
	t.mu.Lock()
	here := *slot
	t.mu.Unlock()
	if here.number == number+1 {
		return here.entries, nil
	}
	n := min(pageBlocks, t.blocks-number*pageBlocks)
	b := make([]byte, n*tableEntry)
	if _, err := t.file.ReadAt(b, t.from+int64(number)*pageBlocks*tableEntry); err != nil {
		return nil, err
	}
	entries, head := make([]blockEntry, n), t.heads[number]
	for i := range entries {
		e := b[i*tableEntry:]
		entries[i] = blockEntry{
			start: head.start, at: head.at, size: binary.LittleEndian.Uint32(e), stored: binary.LittleEndian.Uint32(e[4:]),
			sum: binary.LittleEndian.Uint64(e[8:]), tag: binary.LittleEndian.Uint64(e[16:]),
		}
		head.start += uint64(entries[i].size)
		head.at += uint64(entries[i].stored)
	}
	if next := t.heads[number+1]; next.start != head.start || next.at != head.at {
		return nil, errChanged
	}
	t.mu.Lock()
	*slot = tablePage{number + 1, entries}
	t.mu.Unlock()
	return entries, nil
}

func (t *blockTable) entry(block int) (*blockEntry, error) {
	entries, err := t.page(block / pageBlocks)
	if err != nil {
		return nil, err
	}
	return &entries[block%pageBlocks], nil
}

// first returns the first block that meets a condition, which must hold for all later blocks as well. is tests a block, and
// isPage the first block of a page.
func (t *blockTable) first(isPage func(*pageHead) bool, is func(*blockEntry) bool) (int, error) {
	pages := len(t.heads) - 1
	page := sort.Search(pages, func(i int) bool { return isPage(&t.heads[i]) })
	if page == 0 {
		return 0, nil
	}
	entries, err := t.page(page - 1)
	if err != nil {
		return 0, err
	}
	return (page-1)*pageBlocks + sort.Search(len(entries), func(i int) bool { return is(&entries[i]) }), nil
}

// holding returns the block that holds an offset of the stream, or -1.
func (t *blockTable) holding(off uint64) (int, error) {
	n, err := t.first(func(p *pageHead) bool { return p.start > off }, func(e *blockEntry) bool { return e.start > off })
	return n - 1, err
}

// notBelow returns the first block whose tag is at least key.
func (t *blockTable) notBelow(key uint64) (int, error) {
	return t.first(func(p *pageHead) bool { return p.tag >= key }, func(e *blockEntry) bool { return e.tag >= key })
}
