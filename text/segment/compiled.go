package segment

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The built-in dictionary is embedded as the double array that newTrie makes of it:
// to unpack that takes a tenth of the time of reading the words and placing them.
// Little endian, in gzip: the magic; the sum of all frequencies (8 bytes); the longest word, the
// number of frequencies, of roots and of slots (4 each); the codes of ASCII and of
// the Chinese characters (2 each); the frequencies (8); the roots (base 4, cost 2);
// the slots (base 4, code 2, cost 2).
const compiledMagic = "neardup-trie/1\n"

// Compile writes a dictionary ("word frequency [tag]" a line) as the built-in one is
// embedded. The same words give the same bytes.
func Compile(w io.Writer, dict io.Reader) error {
	d, err := readDictionary(dict)
	if err != nil {
		return err
	}
	t, err := newTrie(d)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := t.write(z, d.total); err != nil {
		return fmt.Errorf("write dictionary: %w", err)
	}
	return z.Close()
}

func (t *trie) write(w io.Writer, total uint64) error {
	b := []byte(compiledMagic)
	b = binary.LittleEndian.AppendUint64(b, total)
	for _, n := range []int{t.longest, len(t.freqs), len(t.roots), len(t.slots)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	for _, c := range t.ascii {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	for _, c := range t.han {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	for _, f := range t.freqs {
		b = binary.LittleEndian.AppendUint64(b, f)
	}
	for _, r := range t.roots {
		b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint32(b, r.base), r.cost)
	}
	for _, s := range t.slots {
		b = binary.LittleEndian.AppendUint32(b, s.base)
		b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, s.code), s.cost)
	}
	_, err := w.Write(b)
	return err
}

// fields reads what Compile wrote; after an error all is 0.
type fields struct {
	r   *bufio.Reader
	err error
}

// next returns the next n bytes, which hold until the next call; n is small.
func (f *fields) next(n int) []byte {
	if f.err == nil {
		var b []byte
		if b, f.err = f.r.Peek(n); f.err == nil {
			_, f.err = f.r.Discard(n)
			return b
		}
	}
	return make([]byte, n)
}

func (f *fields) two() uint16   { return binary.LittleEndian.Uint16(f.next(2)) }
func (f *fields) four() uint32  { return binary.LittleEndian.Uint32(f.next(4)) }
func (f *fields) eight() uint64 { return binary.LittleEndian.Uint64(f.next(8)) }

// readCompiled reads a dictionary that Compile wrote, and the sum of its frequencies.
// It trusts what it reads: the data is our own, sealed by gzip's checksum.
func readCompiled(r io.Reader) (t trie, total uint64, err error) {
	f := &fields{r: bufio.NewReaderSize(r, 64<<10)}
	if string(f.next(len(compiledMagic))) != compiledMagic {
		return t, 0, errors.Join(errors.New("is no compiled dictionary"), f.err)
	}
	total, t.longest = f.eight(), int(f.four())
	freqs, roots, slots := f.four(), f.four(), f.four()
	for i := range t.ascii {
		t.ascii[i] = f.two()
	}
	for i := range t.han {
		t.han[i] = f.two()
	}
	t.freqs, t.costs = make([]uint64, freqs), make([]int64, freqs)
	for i := range t.freqs {
		t.freqs[i] = f.eight()
		t.costs[i] = cost(max(t.freqs[i], 1), total)
	}
	t.roots = make([]root, roots)
	for i := range t.roots {
		t.roots[i] = root{base: f.four(), cost: f.two()}
	}
	t.slots = make([]slot, slots)
	const at = 4096 // slots read at a time
	for rest := t.slots; len(rest) > 0; {
		some := rest[:min(at, len(rest))]
		b := f.next(8 * len(some))
		for i := range some {
			v := binary.LittleEndian.Uint64(b[8*i:])
			some[i] = slot{base: uint32(v), code: uint16(v >> 32), cost: uint16(v >> 48)}
		}
		rest = rest[len(some):]
	}
	if f.err == nil { // to the checksum
		if _, f.err = f.r.ReadByte(); errors.Is(f.err, io.EOF) {
			return t, total, nil
		}
		f.err = errors.Join(errors.New("goes on after its end"), f.err)
	}
	return t, total, f.err
}

// dictionary is the list of words that a trie was made of, but for those that can
// never be met. A leaf that is no word came with the frequency 0.
func (t *trie) dictionary(total uint64) *dictionary {
	w := &walk{trie: t, d: &dictionary{total: total}, first: make([]uint32, len(t.slots)), next: make([]uint32, len(t.slots))}
	for i, s := range t.slots {
		if s.code != 0 { // its parent is the one node of this base
			base := uint32(i) - uint32(s.code)
			w.next[i], w.first[base] = w.first[base], uint32(i)
		}
	}
	w.characters = make([]string, len(t.roots))
	for r := range rune(utf8.RuneSelf) {
		w.character(t.ascii[r], r)
	}
	for i, c := range t.han {
		w.character(c, firstHan+rune(i))
	}
	for code, r := range t.roots {
		if r != (root{}) {
			w.words(w.characters[code], r)
		}
	}
	w.d.sort()
	return w.d
}

// walk lists the words of a trie: first and next are the children of each base.
type walk struct {
	trie        *trie
	d           *dictionary
	first, next []uint32
	characters  []string // by code
}

// character notes which one has a code; the greatest code is of no word.
func (w *walk) character(code uint16, r rune) {
	if int(code) < len(w.characters)-1 {
		w.characters[code] = string(r)
	}
}

// words lists those that begin with a prefix, which leads to at. As deep as the
// longest word.
func (w *walk) words(prefix string, at root) {
	if at.cost != 0 || at.base == 0 {
		w.d.entries = append(w.d.entries, entry{strings.Clone(prefix), w.trie.freqs[at.cost]})
	}
	if at.base == 0 {
		return
	}
	for i := w.first[at.base]; i != 0; i = w.next[i] {
		s := w.trie.slots[i]
		w.words(prefix+w.characters[s.code], root{base: s.base, cost: s.cost})
	}
}
