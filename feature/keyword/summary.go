package keyword

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Summarizer makes extractive summaries: the sentences of a text with the heaviest keywords, in the order of the text. It
// is safe for concurrent use.
type Summarizer struct {
	keywords *Extractor
	n        int
}

// NewSummarizer returns a Summarizer of n sentences by the keywords of e.
func NewSummarizer(e *Extractor, n int) *Summarizer { return &Summarizer{keywords: e, n: n} }

// DefaultSentences is the default number of sentences of a summary.
const DefaultSentences = 3

// Summary returns the sentences of a clean text with the largest sums of scores of their different keywords, joined by
// blanks. If sums are equal, the earlier sentence wins. A text of at most n sentences is returned whole.
func (z *Summarizer) Summary(clean string) string {
	sentences := Sentences(nil, clean)
	if len(sentences) <= z.n {
		return clean
	}
	scores := map[string]int64{}
	for _, k := range z.keywords.Append(nil, clean) {
		scores[k.Word] = k.Score
	}
	sums, order := make([]int64, len(sentences)), make([]int, len(sentences))
	var words []string
	for i, s := range sentences {
		order[i] = i
		words = z.keywords.words.Append(words[:0], s)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			sums[i] += scores[w]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	chosen := order[:z.n]
	slices.Sort(chosen)
	parts := make([]string, len(chosen))
	for i, at := range chosen {
		parts[i] = sentences[at]
	}
	return strings.Join(parts, " ")
}

// Sentences appends the sentences of a text to dst, without the white space around them. A sentence ends at the end of a
// line, at one of 。！？!?; and at a full stop before white space. Closing quotes and brackets belong to the sentence before
// them.
func Sentences(dst []string, s string) []string {
	from := 0
	add := func(to int) {
		if t := strings.TrimSpace(s[from:to]); t != "" {
			dst = append(dst, t)
		}
		from = to
	}
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		at += size
		if (r == '.' && at < len(s) && !strings.ContainsRune(" \t\n\"')]”’」』）", rune0(s[at:]))) || !strings.ContainsRune(".。！？!?;；\n", r) {
			continue
		}
		for at < len(s) && strings.ContainsRune("\"')]”’」』）", rune0(s[at:])) {
			_, size = utf8.DecodeRuneInString(s[at:])
			at += size
		}
		add(at)
	}
	add(len(s))
	return dst
}

func rune0(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
