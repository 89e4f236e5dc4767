package segment

import (
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// overlay is a dictionary with the words of the user on top. The frequency of a word that is given without one depends on
// all words before it.
type overlay struct {
	trie  *trie
	freq  map[string]uint64 // the words added and all their prefixes
	total uint64
	// forced holds added words of frequency 0, which the model must not make.
	forced map[string]bool
	// Set by end.
	costs map[string]uint32 // index in trie.costs of each word in freq, 0 for prefixes
	heads []int             // by code: length of the shortest word in freq that begins with this character, or 0
}

// read adds the words of a dictionary, which has "word [frequency] [tag]" per line.
func (o *overlay) read(r io.Reader) error {
	return eachLine("words", r, func(line string) error {
		word, number := splitLine(line)
		if number == "" {
			return o.add(word, o.suggest(word))
		}
		freq, err := parseFrequency(number)
		if err != nil {
			return err
		}
		return o.add(word, freq)
	})
}

// end sets the costs after the last word, because they depend on the sum of all frequencies.
func (o *overlay) end() {
	t := o.trie
	costs := make([]int64, len(t.freqs), len(t.freqs)+len(o.freq))
	for i, freq := range t.freqs {
		costs[i] = cost(max(freq, 1), o.total)
	}
	o.costs, o.heads = make(map[string]uint32, len(o.freq)), make([]int, len(t.roots))
	for word, freq := range o.freq {
		if wordEnd(word, 0) != len(word) {
			continue // never reached, because texts are split before this character
		}
		o.costs[word] = 0
		if freq > 0 {
			o.costs[word] = uint32(len(costs))
			costs = append(costs, cost(freq, o.total))
		}
		code, _ := t.code(word, 0)
		n := utf8.RuneCountInString(word)
		if head := &o.heads[code]; *head == 0 || n < *head {
			*head = n
		}
		t.longest = max(t.longest, n)
	}
	t.costs = costs
}

// splitLine splits a line by jieba's ^(.+?)( [0-9]+)?( [a-z]+)?$, so a word may contain spaces.
func splitLine(line string) (word, number string) {
	word = line
	if head, tail, ok := cutLast(word); ok && strings.Trim(tail, "abcdefghijklmnopqrstuvwxyz") == "" {
		word = head
	}
	if head, tail, ok := cutLast(word); ok && strings.Trim(tail, "0123456789") == "" {
		return head, tail
	}
	return word, ""
}

// cutLast cuts around the last space, unless a side is empty.
func cutLast(s string) (head, tail string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i <= 0 || i == len(s)-1 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func (o *overlay) add(word string, freq uint64) error {
	if freq > math.MaxInt64-o.total {
		return errors.New("sum of the frequencies: too large")
	}
	o.freq[word] = freq
	o.total += freq
	for i := range word {
		if prefix := word[:i]; i > 0 {
			if _, known := o.lookup(prefix); !known {
				o.freq[prefix] = 0
			}
		}
	}
	if freq == 0 {
		o.forced[word] = true
	}
	return nil
}

// lookup returns the frequency of a word, or 0 for a prefix of words.
func (o *overlay) lookup(word string) (freq uint64, known bool) {
	freq, known = o.freq[word]
	if known {
		return freq, true
	}
	cost, known := o.trie.find(word)
	return o.trie.freqs[cost], known
}

// suggest returns the least frequency at which a word is cut as one: one more than the expected frequency of its parts
// together (jieba's suggest_freq). It multiplies floating-point numbers but never adds them. So no processor can fuse
// operations, and each step is rounded as IEEE 754 requires.
func (o *overlay) suggest(word string) uint64 {
	total := float64(o.total)
	chance := 1.0
	for _, w := range o.cut(word) {
		freq, known := o.lookup(w)
		if !known {
			freq = 1
		}
		chance = float64(chance * float64(float64(freq)/total))
	}
	least := uint64(float64(chance*total)) + 1
	if freq, known := o.lookup(word); known {
		return max(least, freq)
	}
	return least
}

// cut does the work of Cut in the mode Dictionary, directly from the definition. It is used for the user's words, which are
// short.
func (o *overlay) cut(s string) []string {
	var words []string
	for p := 0; p < len(s); {
		if end := wordEnd(s, p); end > p {
			words = append(words, o.cutBlock(s[p:end])...)
			p = end
			continue
		}
		_, size := utf8.DecodeRuneInString(s[p:])
		words = append(words, s[p:p+size])
		p += size
	}
	return words
}

func (o *overlay) cutBlock(s string) []string {
	best := make([]int64, len(s)+1)
	next := make([]int, len(s))
	for p := len(s) - 1; p >= 0; p-- {
		if !utf8.RuneStart(s[p]) {
			continue
		}
		best[p] = math.MinInt64
		_, first := utf8.DecodeRuneInString(s[p:])
		for q := p + first; ; {
			freq, known := o.lookup(s[p:q])
			if freq > 0 {
				if v := cost(freq, o.total) + best[q]; v >= best[p] {
					best[p], next[p] = v, q
				}
			}
			if !known || q == len(s) {
				break
			}
			_, size := utf8.DecodeRuneInString(s[q:])
			q += size
		}
		if next[p] == 0 {
			best[p], next[p] = cost(1, o.total)+best[p+first], p+first
		}
	}
	return joinASCII(s, next)
}

// joinASCII follows a path and joins single letters and digits.
func joinASCII(s string, next []int) []string {
	var words []string
	joins := false
	for p := 0; p < len(s); p = next[p] {
		letter := next[p] == p+1 && s[p] < utf8.RuneSelf && alnum[s[p]]
		if letter && joins {
			last := &words[len(words)-1]
			*last = s[p-len(*last) : p+1]
		} else {
			words = append(words, s[p:next[p]])
		}
		joins = letter
	}
	return words
}
