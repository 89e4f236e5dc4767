package generate

import "unicode/utf8"

// vocabularySize is the number of words, which must be a power of two.
const vocabularySize = 1 << 15

// maxWord is the length of the longest word in bytes, including a blank after it.
const maxWord = 16

// vocabulary is a list of words that are drawn by Zipf's law, p(rank) ~ 1/(rank+3), with the alias method (Walker 1977;
// Vose 1991). A word takes one random number and two memory accesses.
type vocabulary struct {
	word     [vocabularySize][maxWord]byte
	size     [vocabularySize]uint8
	keep     [vocabularySize]uint32 // below it the word of the slot is drawn, otherwise its alias
	alias    [vocabularySize]uint16
	language Language
}

func newVocabulary(language Language, seed uint64) *vocabulary {
	v := &vocabulary{language: language}
	r := newRandom(seed, vocabularyStream)
	taken := make(map[string]bool, vocabularySize)
	for rank := range v.word {
		word := spell(language, &r, rank)
		for taken[word] {
			word = spell(language, &r, rank)
		}
		taken[word] = true
		v.size[rank] = uint8(copy(v.word[rank][:], word))
	}
	v.fillAlias()
	return v
}

// spell makes a word; frequent words are shorter.
func spell(language Language, r *random, rank int) string {
	var word []byte
	if language == Chinese {
		// Of the 6,000 characters, those with low numbers are much more frequent.
		for range 1 + r.below(2+min(rank/2000, 2)) {
			character := 0x4e00 + r.below(1+r.below(6000))
			word = utf8.AppendRune(word, rune(character))
		}
		return string(word)
	}
	const onsets, vowels, codas = "bcdfghjklmnprstvwz", "aeiouaeioy", "nrslt"
	for range 1 + r.below(2+min(rank/400, 2)) {
		word = append(word, onsets[r.below(len(onsets))], vowels[r.below(len(vowels))])
		if r.below(3) == 0 {
			word = append(word, codas[r.below(len(codas))])
		}
	}
	return string(append(word, ' '))
}

// fillAlias builds the alias tables in integers.
func (v *vocabulary) fillAlias() {
	const scale = 1 << 44
	weight := make([]uint64, vocabularySize)
	total := uint64(0)
	for rank := range weight {
		weight[rank] = scale / uint64(rank+3)
		total += weight[rank]
	}
	mean := total / vocabularySize
	var small, large []int
	for rank := range weight {
		if weight[rank] < mean {
			small = append(small, rank)
		} else {
			large = append(large, rank)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		v.keep[s], v.alias[s] = uint32(weight[s]<<20/(mean>>11)<<1), uint16(l)
		weight[l] -= mean - weight[s]
		if weight[l] < mean {
			large, small = large[:len(large)-1], append(small, l)
		}
	}
	for _, rank := range append(small, large...) {
		v.keep[rank], v.alias[rank] = 1<<32-1, uint16(rank)
	}
}

func (v *vocabulary) draw(r *random) int {
	x := r.next()
	slot := int(x & (vocabularySize - 1))
	if uint32(x>>32) < v.keep[slot] {
		return slot
	}
	return int(v.alias[slot])
}

// writer writes one text.
type writer struct {
	words   *vocabulary
	random  random
	newline string
}

// append appends about length bytes of sentences and paragraphs. With edits, perThousand of 1,000 words are replaced by
// others that edits draws. The other words stay the same as without edits.
func (w *writer) append(dst []byte, length int, edits *random, perThousand int) []byte {
	start, end := len(dst), len(dst)+length
	sentence := 0 // words until the end of the sentence
	for len(dst) < end {
		if sentence == 0 {
			var escaped int
			dst, escaped = w.endSentence(dst, start)
			end += escaped
			sentence = 5 + w.random.below(18)
		}
		sentence--
		word := w.words.draw(&w.random)
		if edits != nil && edits.below(1000) < perThousand {
			word = w.words.draw(edits)
		}
		size := len(dst) + int(w.words.size[word])
		dst = append(dst, w.words.word[word][:]...)[:size]
	}
	return w.closeText(dst)
}

// endSentence ends the sentence with a stop and, in one of eight cases, begins a paragraph. At the start of the text it
// does nothing. escaped is the number of bytes beyond one that a line end takes, which do not count as text.
func (w *writer) endSentence(dst []byte, start int) (_ []byte, escaped int) {
	if len(dst) == start {
		return dst, 0
	}
	paragraph := w.random.below(8) == 0
	dst = w.closeText(dst)
	switch {
	case paragraph:
		dst = append(append(dst, w.newline...), w.newline...)
		escaped = 2 * (len(w.newline) - 1)
	case w.words.language == English:
		dst = append(dst, ' ')
	}
	return dst, escaped
}

// closeText replaces the last blank by a stop.
func (w *writer) closeText(dst []byte) []byte {
	if w.words.language == Chinese {
		return append(dst, "。"...)
	}
	dst[len(dst)-1] = '.'
	return dst
}
