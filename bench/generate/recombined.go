package generate

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Recombined texts are short texts of real words in real order: a walk that
// follows a real sentence and, where another one has the same two words in a
// row, may go on in that one. Unlike a generated vocabulary they have the
// frequencies, phrases and rare words of a language, and there can be more of
// them than there are real sentences. Some are edited copies of an earlier one.
type Recombined struct {
	Seed uint64
	// Near of 1,000 texts are edited copies of an earlier one.
	Near int
	// Jump is in how many of 1,000 places, where it can, a walk goes on in
	// another sentence.
	Jump int
}

// Edit says how a copy was made.
type Edit string

// The edits.
const (
	Misspelt Edit = "misspelt" // two letters of a word exchanged
	Dropped  Edit = "dropped"  // a word left out
	Inserted Edit = "inserted" // a word of another text more
	Replaced Edit = "replaced" // a word of another text in the place of one
	Moved    Edit = "moved"    // two words exchanged
	Greeted  Edit = "greeted"  // a few words before it
	Signed   Edit = "signed"   // a few words behind it
	Marked   Edit = "marked"   // other case and marks
	Numbered Edit = "numbered" // a number in the place of a word
)

var allEdits = []Edit{Misspelt, Dropped, Inserted, Replaced, Moved, Greeted, Signed, Marked, Numbered}

// Keeps reports whether a copy edited so says what the original says.
func (e Edit) Keeps() bool { return e != Numbered && e != Replaced }

// Walks makes recombined texts of sentences. Safe for concurrent use.
type Walks struct {
	Recombined
	words     []string // of all sentences, each ended by ""
	starts    []int32
	next      [][]int32 // by bigram: where in words its second word stands
	bigrams   map[[2]string]int32
	bigramsAt []int32 // by place of the second word: the bigram, -1 for none
}

// Lengths of recombined texts, in bytes: shorter ones go on with another walk,
// and what would be longer ends.
const (
	leastWalk = 40
	mostWalk  = 200
)

// NewWalks prepares the sentences, each once; those of fewer than four words
// are left out.
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
	Edit Edit // of a copy, else ""
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

// source returns the original of text i, and whether it is an edited copy.
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

// edit changes one thing, in one text of four two.
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

// WriteJSONL writes the first n texts as JSON objects with id, family and
// text, one a line, and to truth, unless it is nil, a line for each edited
// copy: "original TAB copy TAB same|facts TAB edit", under that header.
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
