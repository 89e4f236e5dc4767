package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/segment"
)

// Part is a repeated part of a text.
type Part struct {
	Start, End int    // in bytes
	Spans      []Span // the spans that it consists of
	// Stays is the reason why the part is not cut, because the remaining text would be damaged. "" means that it is cut.
	Stays Reason
}

// Reason is why a repeated part stays in its text.
type Reason string

// The reasons.
const (
	Inside  Reason = "within"  // it ends within a word, sentence, line or paragraph
	Heading Reason = "heading" // a heading would lose its text
)

// Cutter decides which repeated parts of texts are cut. It is safe for concurrent use.
type Cutter struct {
	whole Border
	words *segment.Segmenter // only with WholeWords
}

// NewCutter returns a Cutter that never divides units of the kind whole.
func NewCutter(whole Border) (*Cutter, error) {
	if whole != WholeWords {
		return &Cutter{whole: whole}, nil
	}
	g, err := segment.Default()
	return &Cutter{whole, g}, err
}

// Parts joins adjacent spans of one text, and divides them into parts that can be cut and parts that stay, in
// the order of the text.
func (c *Cutter) Parts(s string, spans []Span) (parts []Part) {
	units := c.whole.unitsOf(s)
	for len(spans) > 0 {
		n, end := 0, spans[0].Byte
		for n < len(spans) && spans[n].Byte == end {
			end += spans[n].Len
			n++
		}
		run := spans[:n]
		start := spans[0].Byte
		spans = spans[n:]
		for start < end && !utf8.RuneStart(s[start]) {
			start++
		}
		for end < len(s) && end > start && !utf8.RuneStart(s[end]) {
			end--
		}
		from, to := within(units, start, end)
		if c.whole == WholeWords {
			from, to = c.wholeWords(s, start, end)
		}
		add := func(a, b int, stays Reason) {
			if strings.TrimSpace(s[a:b]) != "" {
				parts = append(parts, Part{a, b, clipped(s, run, a, b), stays})
			}
		}
		if from >= to {
			add(start, end, Inside)
			continue
		}
		add(start, from, Inside)
		add(from, to, "")
		add(to, end, Inside)
	}
	if c.whole != WholeWords {
		keepHeadings(s, parts)
	}
	return parts
}

// clipped returns the spans, cut to the part from start to end.
func clipped(s string, spans []Span, start, end int) (some []Span) {
	for _, span := range spans {
		from, to := max(span.Byte, start), min(span.Byte+span.Len, end)
		if from >= to {
			continue
		}
		skip := from - span.Byte
		runes := RuneStarts(s[span.Byte:from])
		span.Byte, span.From.Byte = from, span.From.Byte+skip
		span.Rune, span.From.Rune = span.Rune+runes, span.From.Rune+runes
		span.FromLen += to - from - span.Len
		span.Len = to - from
		some = append(some, span)
	}
	return some
}

// Runes returns the number of runes that begin in the span. text is the text of the span's document.
func (s *Span) Runes(text string) int { return RuneStarts(text[s.Byte : s.Byte+s.Len]) }

// FromRunes returns the number of runes that begin in the source of the span.
func (s *Span) FromRunes(text string) int {
	if s.Similarity > 0 {
		return s.fromRunes
	}
	return s.Runes(text)
}

// wholeWords shrinks a part of a text to whole words.
func (c *Cutter) wholeWords(s string, start, end int) (from, to int) {
	for start < end && !c.border(s, start) {
		_, size := utf8.DecodeRuneInString(s[start:])
		start += size
	}
	for start < end && unicode.IsSpace(first(s[start:])) {
		_, size := utf8.DecodeRuneInString(s[start:])
		start += size
	}
	for start < end && (!c.border(s, end) || glues(s[:start], s[end:])) {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return start, end
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// glues reports whether a cut would join two words.
func glues(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next := first(after)
	return text.IsWord(last) && text.IsWord(next) && !text.IsCJK(last) && !text.IsCJK(next)
}

// joiners are code points that belong to the preceding character.
const joiners = "\u200d\ufe0e\ufe0f"

// border reports whether a text may be cut at an offset. It must be neither inside a word nor inside a sequence that is
// shown as one character.
func (c *Cutter) border(s string, at int) bool {
	if at == 0 || at == len(s) {
		return true
	}
	before, size := utf8.DecodeLastRuneInString(s[:at])
	after, next := utf8.DecodeRuneInString(s[at:])
	first, _ := utf8.DecodeLastRuneInString(s[:at-size])
	last, _ := utf8.DecodeRuneInString(s[at+next:])
	switch {
	case text.IsMark(after) || strings.ContainsRune(joiners, after) || before == '\u200d':
		return false
	case before == '\r' && after == '\n':
		return false
	case isApostrophe(after):
		return !text.IsWord(before) || !text.IsWord(last)
	case isApostrophe(before):
		return !text.IsWord(after) || !text.IsWord(first)
	case (!text.IsWord(before) && !text.IsMark(before)) || !text.IsWord(after):
		return true
	case unicode.Is(unicode.Han, before) && unicode.Is(unicode.Han, after):
		return c.segmented(s, at)
	}
	return text.IsCJK(before) != text.IsCJK(after)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// beside is the number of bytes of Chinese around a cut that are segmented into words.
const beside = 3 * 100

// segmented reports whether a word of the Chinese text ends at an offset.
func (c *Cutter) segmented(s string, at int) bool {
	start, end := at, at
	for at-start < beside {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.Is(unicode.Han, r) {
			break
		}
		start -= size
	}
	for end-at < beside {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !unicode.Is(unicode.Han, r) {
			break
		}
		end += size
	}
	for _, w := range c.words.Cut(nil, s[start:end], segment.HMM) {
		start += len(w)
		if start >= at {
			break
		}
	}
	return start == at
}
