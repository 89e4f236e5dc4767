package token

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"
)

// Word is a word of a text as an element of a set.
type Word struct {
	Hash   uint64
	Weight uint32
	token  uint32 // index of its first token
}

// Cutting holds the tokens of a text, and its distinct words by hash. It is for one goroutine and one text at a time.
type Cutting struct {
	*Cutter
	Tokens []Token
	Words  []Word // the caller may sort them differently, unless it needs a View
	Total  uint64 // total weight of Words
	wordOf []uint32
	packed []byte
}

// Cut cuts a clean text.
func (c *Cutting) Cut(clean string) {
	c.Tokens = c.Cutter.Cut(clean)
	words := c.Words[:0]
	for i := range c.Tokens {
		words = append(words, Word{c.Tokens[i].Hash, c.Tokens[i].Weight, uint32(i)})
	}
	slices.SortFunc(words, func(a, b Word) int { return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.token, b.token)) })
	c.wordOf = slices.Grow(c.wordOf[:0], len(c.Tokens))[:len(c.Tokens)]
	n := 0
	c.Total = 0
	for _, word := range words {
		if n == 0 || word.Hash != words[n-1].Hash {
			words[n] = word
			c.Total += uint64(word.Weight)
			n++
		}
		c.wordOf[word.token] = uint32(n - 1)
	}
	c.Words = words[:n]
}

// View is a text prepared for comparison. It has the words as a set and, for texts that share enough, the tokens in order.
// There are many views and comparisons, so views are small. The parts that every comparison reads are contiguous, and
// tokens stay packed until they are needed.
type View struct {
	Words   []uint64 // sorted by hash
	weights []uint16 // weights of Words, with the bit isKnown
	Total   uint64   // total of the weights
	Count   int      // number of tokens
	Sum     uint64   // total weight of the tokens
	packed  string   // the words as text, the tokens, and numbers in their original spelling
}

// A weight in a view also has a bit that is set if the table has the word.
const (
	isKnown    = 1 << 15
	weightBits = isKnown - 1
)

// View makes the view of the text that was cut last.
func (c *Cutting) View() *View {
	n := len(c.Words)
	v := &View{Words: make([]uint64, n), weights: make([]uint16, n), Total: c.Total, Count: len(c.Tokens)}
	c.packed = c.packed[:0]
	for i, word := range c.Words {
		t := &c.Tokens[word.token]
		v.Words[i], v.weights[i] = word.Hash, uint16(word.Weight)
		if t.Known {
			v.weights[i] |= isKnown
		}
		c.packed = packString(c.packed, t.Text)
	}
	for i := range c.Tokens {
		c.packed = c.Tokens[i].pack(c.packed, c.wordOf[i])
		v.Sum += uint64(c.Tokens[i].Weight)
	}
	v.packed = string(c.packed)
	return v
}

// Template returns a hash of the text without its numbers and codes, and these fillers in order. A filler holds its first
// four bytes, for the order, and half of its hash. It returns 0 if there are no fillers. The hash also covers the other
// properties of the fillers that count: their weights, and the lengths of adjacent ones, because the letters of a hunk are
// compared across its words.
func (v *View) Template() (template uint64, fillers []uint64) {
	if !hasDigit(v.packed) {
		return 0, nil
	}
	var o Opened
	o.Open(v)
	isFiller := func(i int) bool {
		return i >= 0 && i < len(o.Tokens) && (o.Tokens[i].Kind == Number || o.Tokens[i].Kind == Code)
	}
	for i := range o.Tokens {
		t := &o.Tokens[i]
		h := t.Hash + 3*xxh3.HashString(t.Written) // because a plain word may have equal forms
		if isFiller(i) {
			var order [4]byte
			copy(order[:], t.Text)
			filler := uint64(binary.BigEndian.Uint32(order[:]))<<32 | uint64(uint32(t.Hash))
			h = uint64(t.Weight)<<2 | uint64(t.Kind)<<40
			if t.Known {
				h |= 1
			}
			if isFiller(i-1) || isFiller(i+1) {
				h |= uint64(len(t.Written)) << 48
			}
			fillers = append(fillers, filler)
		}
		template = (template ^ h) * templatePrime
		template ^= template >> 32
	}
	if len(fillers) == 0 {
		return 0, nil
	}
	return template, fillers
}

// templatePrime distributes the hashes of templates.
const templatePrime = 0x9e3779b97f4a7c15

// Weight returns the weight of the i-th of Words.
func (v *View) Weight(i int) uint32 { return uint32(v.weights[i] & weightBits) }

// Bytes returns the memory of the view.
func (v *View) Bytes() int { return 144 + 10*len(v.Words) + len(v.packed) }

// Has reports whether the text has a word.
func (v *View) Has(hash uint64) bool {
	_, found := slices.BinarySearch(v.Words, hash)
	return found
}

// A packed token has, besides its word, its kind and whether the original spelling differs.
const (
	kindBits  = 7
	isChinese = 8
	isWritten = 16
	isDenying = 32
	isOpposed = 64
)

// pack appends a token, given the index of its word.
func (t *Token) pack(dst []byte, word uint32) []byte {
	flags := byte(t.Kind)
	if t.Han {
		flags |= isChinese
	}
	if t.Denies {
		flags |= isDenying
	}
	if t.opposed {
		flags |= isOpposed
	}
	written := t.Written != t.Text
	if written {
		flags |= isWritten
	}
	dst = binary.AppendUvarint(append(dst, flags), uint64(word))
	if written {
		dst = packString(dst, t.Written)
	}
	return dst
}

func packString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Opened is a view with unpacked tokens. It reuses its memory.
type Opened struct {
	*View
	Tokens []Token
	texts  []string // texts of the words
}

// Open unpacks the tokens of a view, unless it is the view that was opened last.
func (o *Opened) Open(v *View) {
	if o.View == v {
		return
	}
	o.View, o.Tokens, o.texts = v, o.Tokens[:0], o.texts[:0]
	r := unpacker(v.packed)
	for range v.Words {
		o.texts = append(o.texts, r.string())
	}
	for range v.Count {
		flags := r[0]
		r = r[1:]
		word := r.number()
		weight, text := v.weights[word], o.texts[word]
		t := Token{
			Hash: v.Words[word], Text: text, Written: text, Weight: uint32(weight & weightBits), Known: weight&isKnown != 0,
			Han: flags&isChinese != 0, Denies: flags&isDenying != 0, opposed: flags&isOpposed != 0, Kind: Kind(flags & kindBits),
		}
		if flags&isWritten != 0 {
			t.Written = r.string()
		}
		o.Tokens = append(o.Tokens, t)
	}
}

// unpacker reads packed tokens.
type unpacker string

// number reads a number, which usually takes one byte.
func (r *unpacker) number() (n int) {
	for i := 0; ; i++ {
		b := (*r)[i]
		n |= int(b&0x7f) << (7 * i)
		if b < 0x80 {
			*r = (*r)[i+1:]
			return n
		}
	}
}

// string reads a string, without copying it.
func (r *unpacker) string() string {
	n := r.number()
	s := string((*r)[:n])
	*r = (*r)[n:]
	return s
}

// Common returns the weight of the words in both texts, each counted once.
func Common(a, b *View) uint64 {
	sum := uint64(0)
	for i, j := 0, 0; i < len(a.Words) && j < len(b.Words); {
		switch x, y := a.Words[i], b.Words[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			sum += uint64(a.Weight(i))
			i++
			j++
		}
	}
	return sum
}
