package weighted

import (
	"cmp"
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// weightedWord is a word of a set.
type weightedWord struct {
	hash   uint64
	weight uint32
	token  uint32 // the first that is this word
}

// set makes of tokens the different words, by hash, in w.words, and notes which of
// these each token is. It returns the sum of their weights.
func (w *work) set(tokens []token) (total uint64) {
	words := w.words[:0]
	for i := range tokens {
		words = append(words, weightedWord{tokens[i].hash, tokens[i].weight, uint32(i)})
	}
	slices.SortFunc(words, func(a, b weightedWord) int { return cmp.Compare(a.hash, b.hash) })
	w.wordOf = slices.Grow(w.wordOf[:0], len(tokens))[:len(tokens)]
	n := 0
	for _, word := range words {
		if n == 0 || word.hash != words[n-1].hash {
			words[n] = word
			total += uint64(word.weight)
			n++
		}
		last := &words[n-1]
		last.token = min(last.token, word.token)
		w.wordOf[word.token] = uint32(n - 1)
	}
	w.words = words[:n]
	return total
}

// View is what Compare needs of a text: its words as a set, and in their order
// for texts that have enough in common. Views are many and compared often, so
// they are small: what is read for every pair lies in a row, and tokens are
// packed until they are looked at.
type View struct {
	words   []uint64 // by hash
	weights []uint16 // of words, with isKnown
	total   uint64   // of the weights
	packed  string   // the words as text, the tokens, and numbers as they are written
	count   int      // of tokens
	runes   int
	// chinese says that there are words of Chinese characters.
	chinese bool
}

// A weight of a word in a view says too whether the table has the word.
const (
	isKnown    = 1 << 15
	weightBits = isKnown - 1
)

// newView makes the view of a text, whose tokens were cut last and made a set.
func (w *work) newView(clean string, tokens []token, total uint64) *View {
	n := len(w.words)
	v := &View{
		words: make([]uint64, n), weights: make([]uint16, n), total: total,
		count: len(tokens), runes: utf8.RuneCountInString(clean),
	}
	w.packed = w.packed[:0]
	for i, word := range w.words {
		t := &tokens[word.token]
		v.words[i], v.weights[i] = word.hash, uint16(word.weight)
		if t.known {
			v.weights[i] |= isKnown
		}
		w.packed = packString(w.packed, cmp.Or(t.value, t.text))
	}
	for i := range tokens {
		t := &tokens[i]
		v.chinese = v.chinese || t.han
		w.packed = t.pack(w.packed, w.wordOf[i])
	}
	v.packed = string(w.packed)
	return v
}

// What a packed token is, beside its word. A number has the value that it and all
// others of one word have in common, and a text where it is written in another way.
const (
	isChinese = 1 << iota
	isPath
	isTag
	isCoded
	isNumber
	isWritten
	isMeasured
)

// pack appends a token, which is the word of a number.
func (t *token) pack(dst []byte, word uint32) []byte {
	flags := byte(0)
	written := t.number() && t.text != t.value
	for i, is := range [...]bool{t.han, t.path, t.tag, t.coded, t.number(), written, t.measure != 0} {
		if is {
			flags |= 1 << i
		}
	}
	dst = binary.AppendUvarint(append(dst, flags), uint64(word))
	if written {
		dst = packString(dst, t.text)
	}
	if t.measure != 0 {
		dst = binary.AppendUvarint(dst, uint64(t.measure))
	}
	return dst
}

func packString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Bytes is the memory of the view.
func (v *View) Bytes() int { return 160 + 10*len(v.words) + len(v.packed) }

// has reports whether the text has a word.
func (v *View) has(hash uint64) bool {
	_, found := slices.BinarySearch(v.words, hash)
	return found
}

// opened is a view with its tokens.
type opened struct {
	*View
	tokens []token
	texts  []string // of words
}

// open makes the tokens of a view, unless it is the one that was opened last.
func (o *opened) open(v *View) {
	if o.View == v {
		return
	}
	o.View, o.tokens, o.texts = v, o.tokens[:0], o.texts[:0]
	r := unpacker(v.packed)
	for range v.words {
		o.texts = append(o.texts, r.string())
	}
	for range v.count {
		flags := r[0]
		r = r[1:]
		word := r.number()
		weight, text := v.weights[word], o.texts[word]
		t := token{
			hash: v.words[word], text: text, weight: uint32(weight & weightBits), known: weight&isKnown != 0,
			han: flags&isChinese != 0, path: flags&isPath != 0, tag: flags&isTag != 0, coded: flags&isCoded != 0,
		}
		if flags&isNumber != 0 {
			t.value = text
		}
		if flags&isWritten != 0 {
			t.text = r.string()
		}
		if flags&isMeasured != 0 {
			t.measure = rune(r.number())
		}
		o.tokens = append(o.tokens, t)
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

// string reads one, which lies where it was packed.
func (r *unpacker) string() string {
	n := r.number()
	s := string((*r)[:n])
	*r = (*r)[n:]
	return s
}
