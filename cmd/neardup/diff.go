package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/neardup/neardup/text"
	"github.com/sergi/go-diff/diffmatchpatch"
)

// diffContext is how many runes of equal text are shown around a difference.
const diffContext = 60

// writeDiff shows two texts as one: what only the first has in red or
// [-...-], what only the second has in green or {+...+}. Long stretches that
// both share are cut.
func writeDiff(w io.Writer, a, b string, colour bool) error {
	marks := map[diffmatchpatch.Operation][2]string{
		diffmatchpatch.DiffDelete: {"[-", "-]"},
		diffmatchpatch.DiffInsert: {"{+", "+}"},
	}
	if colour {
		marks[diffmatchpatch.DiffDelete] = [2]string{"\x1b[31m", "\x1b[0m"}
		marks[diffmatchpatch.DiffInsert] = [2]string{"\x1b[32m", "\x1b[0m"}
	}
	var out strings.Builder
	parts := diffTokens(a, b)
	for i, p := range parts {
		if p.op == diffmatchpatch.DiffEqual {
			out.WriteString(elide(p.text, i == 0, i == len(parts)-1))
			continue
		}
		out.WriteString(marks[p.op][0] + p.text + marks[p.op][1])
	}
	_, err := fmt.Fprintln(w, keepColours(out.String()))
	return err
}

// keepColours is oneLine but for our own colours.
func keepColours(s string) string {
	parts := strings.Split(s, "\x1b[")
	for i := range parts {
		parts[i] = oneLine(parts[i])
	}
	return strings.Join(parts, "\x1b[")
}

type diffPart struct {
	op   diffmatchpatch.Operation
	text string
}

// diffTokens compares word by word (a rune of Chinese, Japanese or Korean is
// a word): each distinct token becomes one rune for the comparison.
func diffTokens(a, b string) []diffPart {
	number := map[string]rune{}
	var tokens []string
	encode := func(s string) []rune {
		var out []rune
		for _, t := range splitTokens(strings.ReplaceAll(s, "\x1b", " ")) {
			n, ok := number[t]
			if !ok {
				n = rune(len(tokens))
				number[t] = n
				tokens = append(tokens, t)
			}
			out = append(out, n)
		}
		return out
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 5 * time.Second
	var parts []diffPart
	x, y := surrogateFree(encode(a)), surrogateFree(encode(b))
	for _, p := range d.DiffMainRunes(x, y, false) {
		var s strings.Builder
		for _, r := range p.Text {
			s.WriteString(tokens[tokenOf(r)])
		}
		parts = append(parts, diffPart{p.Type, s.String()})
	}
	return parts
}

// Token numbers travel through strings, which cannot hold surrogates
// (U+D800..U+DFFF): numbers from there on are moved up.
const surrogates, surrogateCount = 0xd800, 0x800

func surrogateFree(numbers []rune) []rune {
	for i, n := range numbers {
		if n >= surrogates {
			numbers[i] = n + surrogateCount
		}
	}
	return numbers
}

func tokenOf(r rune) rune {
	if r >= surrogates {
		return r - surrogateCount
	}
	return r
}

// splitTokens cuts a text into words with what follows them up to the next.
func splitTokens(s string) []string {
	var out []string
	start, word := 0, false
	for i, r := range s {
		cjk := text.IsCJK(r)
		begins := cjk || !word && text.IsWord(r) || unicode.IsSpace(r) && word
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

// elide cuts the middle of a long stretch of equal text, or all but the side
// next to a difference at the ends.
func elide(s string, first, last bool) string {
	r := []rune(s)
	if len(r) <= 2*diffContext+20 {
		return s
	}
	head, tail := string(r[:diffContext]), string(r[len(r)-diffContext:])
	cut := func(n int) string { return fmt.Sprintf(" ... (%d equal) ... ", n) }
	switch {
	case first && last:
		return head + cut(len(r)-diffContext)
	case first:
		return cut(len(r)-diffContext) + tail
	case last:
		return head + cut(len(r)-diffContext)
	}
	return head + cut(len(r)-2*diffContext) + tail
}
