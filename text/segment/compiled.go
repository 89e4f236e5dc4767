package segment

import (
	"encoding/binary"

	"github.com/neardup/neardup/internal/tables"
)

// The built-in dictionary is embedded as the double array that newTrie makes of it. Decompressing it takes a tenth of the
// time of reading and placing the words. TestBuiltIn writes it. It is little endian, compressed by zstd, and consists of:
// the magic; the sum of all frequencies (8 bytes); the longest word, the number of frequencies, of roots and of slots (4
// each); the codes of ASCII and of the Chinese characters (2 each); the frequencies (8); the roots (base 4, cost 2); the
// contents of each slot (1), see taken; the bases (4) of slots that continue; the codes and the costs (2 each) of taken
// slots. In the last three parts, all lowest bytes come first, then all next ones, because that compresses a fifth better.
const compiledMagic = "neardup-trie/2\n"

// The contents of a slot in a compiled dictionary.
const (
	taken  = 1 << iota // a code and a cost
	goesOn             // a base
)

// fields reads the numbers of a compiled dictionary.
type fields struct{ *tables.Reader }

func (f fields) two() uint16   { return binary.LittleEndian.Uint16(f.Next(2)) }
func (f fields) four() uint32  { return binary.LittleEndian.Uint32(f.Next(4)) }
func (f fields) eight() uint64 { return binary.LittleEndian.Uint64(f.Next(8)) }

// fours and twos read n numbers. The lowest bytes of all numbers come first, then the next bytes.
func (f fields) fours(n int) func(i int) uint32 {
	low, high := f.twos(n), f.twos(n)
	return func(i int) uint32 { return uint32(low(i)) | uint32(high(i))<<16 }
}

func (f fields) twos(n int) func(i int) uint16 {
	low, high := f.Next(n), f.Next(n)
	return func(i int) uint16 { return uint16(low[i]) | uint16(high[i])<<8 }
}

// readCompiled reads a compiled dictionary, and the sum of its frequencies.
func readCompiled(packed []byte) (t trie, total uint64, err error) {
	r, err := tables.Open(packed, compiledMagic)
	if err != nil {
		return t, 0, err
	}
	f := fields{r}
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
	has := f.Next(int(slots))
	inner, used := 0, 0
	for _, h := range has {
		inner, used = inner+int(h/goesOn), used+int(h&taken)
	}
	base, code, cost := f.fours(inner), f.twos(used), f.twos(used)
	t.slots = make([]slot, slots)
	inner, used = 0, 0
	for i, h := range has {
		if h&taken != 0 {
			t.slots[i].code, t.slots[i].cost = code(used), cost(used)
			used++
		}
		if h&goesOn != 0 {
			t.slots[i].base = base(inner)
			inner++
		}
	}
	return t, total, f.End()
}
