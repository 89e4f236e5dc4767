package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/text"
)

// diffContext is the number of equal runes shown around a difference.
const diffContext = 60

// writeDiff writes a word diff: words of a alone in red or [-...-], words of b alone in green or {+...+}. It
// shortens long equal parts.
func writeDiff(w io.Writer, a, b string, colour bool) error {
	marks := [4]string{"[-", "-]", "{+", "+}"}
	if colour {
		marks = [4]string{"\x1b[31m", "\x1b[0m", "\x1b[32m", "\x1b[0m"}
	}
	numbers := map[string]uint32{}
	numbered := func(words []string) (row []uint32) {
		for _, word := range words {
			if _, ok := numbers[word]; !ok {
				numbers[word] = uint32(len(numbers))
			}
			row = append(row, numbers[word])
		}
		return row
	}
	x, y := splitTokens(a), splitTokens(b)
	var out strings.Builder
	at := 0
	joined := func(words []string) string { return oneLine(strings.Join(words, "")) }
	part := func(words []string, begin, end string) {
		if len(words) > 0 {
			out.WriteString(begin + joined(words) + end)
		}
	}
	evidence.Diff(numbered(x), numbered(y), func(a0, a1, b0, b1 int) {
		out.WriteString(elide(joined(x[at:a0]), at == 0, false))
		part(x[a0:a1], marks[0], marks[1])
		part(y[b0:b1], marks[2], marks[3])
		at = a1
	})
	_, err := fmt.Fprintln(w, out.String()+elide(joined(x[at:]), at == 0, true))
	return err
}

// splitTokens splits a text into CJK characters, words with the punctuation after them, and white space.
func splitTokens(s string) []string {
	var out []string
	start, word := 0, false
	for i, r := range s {
		cjk := text.IsCJK(r)
		begins := cjk || (!word && text.IsWord(r)) || (unicode.IsSpace(r) && word)
		if begins && i > start {
			out = append(out, s[start:i])
			start = i
		}
		word = text.IsWord(r) && !cjk
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// elide shortens a long equal text. It keeps diffContext runes on each side, but at the ends of the diff only
// the side next to a difference.
func elide(s string, first, last bool) string {
	r := []rune(s)
	if len(r) <= 2*diffContext+20 {
		return s
	}
	head, tail := string(r[:diffContext]), string(r[len(r)-diffContext:])
	cut := func(n int) string { return fmt.Sprintf(" ... (%d equal) ... ", n) }
	switch {
	case last:
		return head + cut(len(r)-diffContext)
	case first:
		return cut(len(r)-diffContext) + tail
	}
	return head + cut(len(r)-2*diffContext) + tail
}
