package generate

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Recombined texts are short texts of real words in a realistic order. A walk follows a real sentence. Where another
// sentence has the same two consecutive words, it may continue in that one. Unlike a generated vocabulary, such texts have
// the frequencies, phrases and rare words of a language. There can be more of them than real sentences. Some are edited
// copies of an earlier one.
type Recombined struct {
	Seed uint64
	// Near of 1,000 texts are edited copies of an earlier one.
	Near int
	// Jump is the number of 1,000 possible positions at which a walk continues in another sentence.
	Jump int
}

// Edit is the way in which a copy was made.
type Edit string

// The edits.
const (
	Misspelt Edit = "misspelt" // two letters of a word are exchanged
	Dropped  Edit = "dropped"  // a word is deleted
	Inserted Edit = "inserted" // a word of another text is inserted
	Replaced Edit = "replaced" // a word is replaced by one of another text
	Moved    Edit = "moved"    // two words are exchanged
	Greeted  Edit = "greeted"  // a few words are put before the text
	Signed   Edit = "signed"   // a few words are put after the text
	Marked   Edit = "marked"   // case and punctuation change
	Numbered Edit = "numbered" // a word is replaced by a number
)

var allEdits = []Edit{Misspelt, Dropped, Inserted, Replaced, Moved, Greeted, Signed, Marked, Numbered}

// Keeps reports whether a copy with this edit still means the same as the original.
func (e Edit) Keeps() bool { return e != Numbered && e != Replaced }

// Walks makes recombined texts from sentences. It is safe for concurrent use.
type Walks struct {
	Recombined
	words     []string // words of all sentences, each of which ends with ""
	starts    []int32
	next      [][]int32 // bigram -> indexes in words of its second word
	bigrams   map[[2]string]int32
	bigramsAt []int32 // for each index of a second word: its bigram, or -1
}

// Lengths of recombined texts, in bytes. Shorter texts continue with another walk, and longer ones are cut.
const (
	leastWalk = 40
	mostWalk  = 200
)

// NewWalks prepares the distinct sentences. It omits those with fewer than four words.
func NewWalks(sentences []string, o Recombined) (*Walks, error) {
	if o.Near < 0 || o.Near > 1000 || o.Jump < 0 || o.Jump > 1000 {
		return nil, fmt.Errorf("generate: near %d and jump %d go from 0 to 1000", o.Near, o.Jump)
	}
	w := &Walks{Recombined: o, bigrams: map[[2]string]int32{}}
	seen := map[string]bool{}
	for _, s := range sentences {
		words := strings.Fields(s)
		if len(words) < 4 || seen[s] {
			continue
		}
		seen[s] = true
		w.starts = append(w.starts, int32(len(w.words)))
		w.words = append(append(w.words, words...), "")
	}
	if len(w.starts) == 0 {
		return nil, fmt.Errorf("generate: none of %d sentences has four words", len(sentences))
	}
	w.bigramsAt = make([]int32, len(w.words))
	for i := range w.words {
		w.bigramsAt[i] = -1
		if i == 0 || w.words[i] == "" || w.words[i-1] == "" {
			continue
		}
		pair := [2]string{w.words[i-1], w.words[i]}
		n, ok := w.bigrams[pair]
		if !ok {
			n = int32(len(w.next))
			w.bigrams[pair] = n
			w.next = append(w.next, nil)
		}
		w.bigramsAt[i] = n
		w.next[n] = append(w.next[n], int32(i))
	}
	return w, nil
}

// Text is a recombined text.
type Text struct {
	Document
	Edit Edit // set for a copy, otherwise ""
}

// Text returns text i.
func (w *Walks) Text(i int) Text {
	from, near := w.source(i)
	words := w.walk(from)
	t := Text{Document: Document{ID: id(i), Family: id(from)}}
	if near {
		r := newRandom(w.Seed, editStream+uint64(i))
		words, t.Edit = w.edit(&r, words)
	}
	t.Text = strings.Join(words, " ")
	return t
}

// source returns the original of text i. near reports whether the text is an edited copy.
func (w *Walks) source(i int) (from int, near bool) {
	for {
		r := newRandom(w.Seed, kindStream+uint64(i))
		if i == 0 || r.below(1000) >= w.Near {
			return i, near
		}
		i, near = r.below(i), true
	}
}

// walk makes the words of an original.
func (w *Walks) walk(i int) []string {
	r := newRandom(w.Seed, textStream+uint64(i))
	var words []string
	size := 0
	for size < leastWalk {
		at := int(w.starts[r.below(len(w.starts))])
		for ; w.words[at] != "" && size+len(w.words[at]) < mostWalk; at++ {
			words = append(words, w.words[at])
			size += len(w.words[at]) + 1
			if n := w.bigramsAt[at]; n >= 0 && len(w.next[n]) > 1 && r.below(1000) < w.Jump {
				at = int(w.next[n][r.below(len(w.next[n]))])
			}
		}
	}
	return words
}

// edit makes one change or, in one of four texts, two.
func (w *Walks) edit(r *random, words []string) ([]string, Edit) {
	e := allEdits[r.below(len(allEdits))]
	words = w.apply(r, slices.Clone(words), e)
	if r.below(4) == 0 {
		words = w.apply(r, words, e)
	}
	return words, e
}

func (w *Walks) apply(r *random, words []string, e Edit) []string {
	at := r.below(len(words))
	switch e {
	case Misspelt:
		if b := []byte(words[at]); len(b) > 2 && isLetters(b) {
			p := r.below(len(b) - 1)
			b[p], b[p+1] = b[p+1], b[p]
			words[at] = string(b)
		}
	case Dropped:
		if len(words) > 1 {
			words = slices.Delete(words, at, at+1)
		}
	case Inserted:
		words = slices.Insert(words, at, w.word(r))
	case Replaced:
		words[at] = w.word(r)
	case Moved:
		if at+1 < len(words) {
			words[at], words[at+1] = words[at+1], words[at]
		}
	case Greeted:
		words = slices.Insert(words, 0, strings.Fields([]string{"hello,", "dear all,", "please note:", "fwd:"}[r.below(4)])...)
	case Signed:
		words = append(words, strings.Fields([]string{"thanks", "best regards", "(see below)", "read more"}[r.below(4)])...)
	case Marked:
		words[at] = strings.ToUpper(words[at]) + []string{"!", ",", " -", "..."}[r.below(4)]
	case Numbered:
		words[at] = strconv.Itoa(2 + r.below(998))
	}
	return words
}

func isLetters(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return (c|0x20) < 'a' || (c|0x20) > 'z' })
}

// word returns a word of any sentence, frequent ones more often.
func (w *Walks) word(r *random) string {
	for {
		if s := w.words[r.below(len(w.words))]; s != "" {
			return s
		}
	}
}

// WriteJSONL writes the first n texts as JSON objects with id, family and text, one per line. Unless truth is nil, it
// writes a line to truth for each edited copy: "original TAB copy TAB same|facts TAB edit", with these names as a header.
func (w *Walks) WriteJSONL(out, truth io.Writer, n int) error {
	if truth != nil {
		if _, err := io.WriteString(truth, "id_a\tid_b\tlabel\tedit\n"); err != nil {
			return fmt.Errorf("write truth: %w", err)
		}
	}
	var line []byte
	for i := range n {
		t := w.Text(i)
		line = append(append(append(line[:0], `{"id":"`...), t.ID...), `","family":"`...)
		line = append(append(line, t.Family...), `","text":`...)
		line = append(appendJSON(line, t.Text), "}\n"...)
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write texts: %w", err)
		}
		if truth == nil || t.Edit == "" {
			continue
		}
		label := "facts"
		if t.Edit.Keeps() {
			label = "same"
		}
		if _, err := fmt.Fprintf(truth, "%s\t%s\t%s\t%s\n", t.Family, t.ID, label, t.Edit); err != nil {
			return fmt.Errorf("write truth: %w", err)
		}
	}
	return nil
}
