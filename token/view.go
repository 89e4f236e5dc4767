package token

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Word is a word of a text as a member of a set.
type Word struct {
	Hash   uint64
	Weight uint32
	token  uint32 // the first that is this word
}

// Cutting holds the result for one text: its tokens, and its different words by hash. One goroutine uses it,
// for one text at a time.
type Cutting struct {
	*Cutter
	Tokens  []Token
	Words   []Word // the caller may sort them again once it needs no View
	Total   uint64 // of the weights of Words
	wordOf  []uint32
	packed  []byte
	numbers []numberAt
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

// View is a text in the form that is compared: its words as a set, and in order for texts that share enough.
// Views are many and compared often, so they are small. What every comparison reads is contiguous, and tokens
// stay packed until they are needed.
type View struct {
	Words   []uint64 // by hash
	weights []uint16 // of Words, with isKnown
	Total   uint64   // of the weights
	Count   int      // of tokens
	Sum     uint64   // of the weights of the tokens
	packed  string   // the words as text, the tokens, and numbers in their original spelling
	// template is the text without its numbers; numbers has these in order.
	template uint64
	numbers  []numberAt
}

// numberAt is a number as a word, and which token it is.
type numberAt struct {
	hash uint64
	at   uint32
}

// A weight of a word in a view also has a bit that is set if the table has the word.
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
	c.numbers = c.numbers[:0]
	for i := range c.Tokens {
		t := &c.Tokens[i]
		c.packed = t.pack(c.packed, c.wordOf[i])
		v.Sum += uint64(t.Weight)
		hash := t.Hash
		if t.Kind == Number {
			c.numbers = append(c.numbers, numberAt{hash, uint32(i)})
			hash = 1
		}
		v.template = v.template*templatePrime + hash
	}
	v.packed, v.numbers = string(c.packed), slices.Clone(c.numbers)
	return v
}

// templatePrime spreads the words of a template.
const templatePrime = 0x9e3779b97f4a7c15

// NumbersApart counts the numbers that differ between two texts of one template that differ in nothing else.
// Such pairs are quadratic in the texts of a template. ok is false if a number occurs in two places, or if two
// adjacent ones differ, because they may be one number in two notations. O(n*d) for n numbers of which d
// differ.
func NumbersApart(a, b *View) (n int, ok bool) {
	if a.template != b.template || a.Count != b.Count || len(a.numbers) != len(b.numbers) || a.Sum != b.Sum {
		return 0, false
	}
	last := -2
	for i, x := range a.numbers {
		y := b.numbers[i]
		if x.at != y.at {
			return 0, false
		}
		if x.hash == y.hash {
			continue
		}
		if int(x.at) == last+1 || has(a.numbers, y.hash) || has(b.numbers, x.hash) {
			return 0, false
		}
		n, last = n+1, int(x.at)
	}
	return n, n > 0
}

// Template returns the text without its numbers, and these. For two texts of one template, NumbersApart is the
// number of different ones, unless a number of one is in another place of the other. It returns 0 if there are
// no numbers, one occurs twice, or two are adjacent.
func (v *View) Template() (template uint64, numbers []uint64) {
	for i, n := range v.numbers {
		if (i > 0 && v.numbers[i-1].at+1 == n.at) || has(v.numbers[:i], n.hash) {
			return 0, nil
		}
		numbers = append(numbers, n.hash)
	}
	if len(numbers) == 0 {
		return 0, nil
	}
	return v.template, numbers
}

func has(numbers []numberAt, hash uint64) bool {
	return slices.ContainsFunc(numbers, func(n numberAt) bool { return n.hash == hash })
}

// Weight returns the weight of the i-th of Words.
func (v *View) Weight(i int) uint32 { return uint32(v.weights[i] & weightBits) }

// Bytes returns the memory of the view.
func (v *View) Bytes() int { return 176 + 10*len(v.Words) + len(v.packed) + 16*len(v.numbers) }

// Has reports whether the text has a word.
func (v *View) Has(hash uint64) bool {
	_, found := slices.BinarySearch(v.Words, hash)
	return found
}

// What a packed token is besides its word: its kind, and whether it is written in another way.
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

// Opened is a view with its tokens. It keeps its memory.
type Opened struct {
	*View
	Tokens []Token
	texts  []string // of words
}

// Open makes the tokens of a view, unless it is the one that was opened last.
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

// unpacker reads what was packed.
type unpacker string

// number reads one, nearly always of one byte.
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
