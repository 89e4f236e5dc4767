// Package edits makes near-duplicates of texts as people and programs do. It inserts and deletes words, reorders sentences,
// adds greetings or footers, and changes the width or the script of characters. One kind of edit changes a number. The
// share of edits that a search finds is a measure of its quality.
package edits

import (
	"math/rand/v2"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// A Kind is a kind of edit.
type Kind string

// The kinds.
const (
	Insert  Kind = "insert"  // a word of another text is inserted for every twenty words
	Delete  Kind = "delete"  // one of every twenty words is deleted
	Reorder Kind = "reorder" // two sentences or clauses are exchanged
	Head    Kind = "head"    // a greeting or a forwarding mark is put before the text
	Foot    Kind = "foot"    // a source or an address appended to the text
	Width   Kind = "width"   // letters, digits and marks become full-width
	Script  Kind = "script"  // Chinese characters become traditional
	Number  Kind = "number"  // one number is changed
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{Insert, Delete, Reorder, Head, Foot, Width, Script, Number}
}

// Make returns the text with an edit of a kind, drawn by rng. Inserted words come from other. ok is false if
// the text has nothing to edit in this way, such as no number or only one clause. It takes O(len(s)).
func Make(kind Kind, s, other string, rng *rand.Rand) (edited string, ok bool) {
	edited = s
	switch kind {
	case Insert:
		edited = insert(s, other, rng)
	case Delete:
		edited = remove(s, rng)
	case Reorder:
		edited = reorder(s, rng)
	case Head:
		edited = framed(heads, s, rng) + s
	case Foot:
		edited = s + framed(feet, s, rng)
	case Width:
		edited = wide(s)
	case Script:
		if strings.ContainsFunc(s, text.IsCJK) {
			edited = traditional().Replace(s)
		}
	case Number:
		edited = number(s, rng)
	}
	return edited, edited != s && edited != ""
}

// perEdit is the number of words per inserted or deleted word.
const perEdit = 20

// A word is a part of a text: a Chinese character, or consecutive letters and digits.
type word struct{ from, to int }

// words cuts a text.
func words(s string) []word {
	var out []word
	open := false // the last word may continue
	for at, r := range s {
		end := at + utf8.RuneLen(r)
		switch {
		case r == utf8.RuneError || !text.IsWord(r):
			open = false
		case text.IsCJK(r) || text.IsUnspaced(r):
			out, open = append(out, word{at, end}), false
		case open:
			out[len(out)-1].to = end
		default:
			out, open = append(out, word{at, end}), true
		}
	}
	return out
}

// positions draws ascending indexes below n: one for every perEdit, and at least one.
func positions(n int, rng *rand.Rand) []int {
	if n == 0 {
		return nil
	}
	var out []int
	step := min(n, perEdit)
	for at := 0; at+step <= n; at += step {
		out = append(out, at+rng.IntN(step))
	}
	return out
}

func insert(s, other string, rng *rand.Rand) string {
	own, lent := words(s), words(other)
	if len(lent) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, i := range positions(len(own), rng) {
		w := lent[rng.IntN(len(lent))]
		b.WriteString(s[at:own[i].to])
		if alphabetic(s[own[i].from:]) || alphabetic(other[w.from:]) {
			b.WriteByte(' ')
		}
		b.WriteString(other[w.from:w.to])
		at = own[i].to
	}
	return b.String() + s[at:]
}

func alphabetic(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return !text.IsCJK(r) && !text.IsUnspaced(r)
}

// remove deletes words, unless there are fewer than four.
func remove(s string, rng *rand.Rand) string {
	own := words(s)
	if len(own) < 4 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, i := range positions(len(own), rng) {
		b.WriteString(s[at:own[i].from])
		at = own[i].to
	}
	return b.String() + s[at:]
}

// ends holds the characters that end a sentence or a clause.
const ends = ".!?;,。！？；，\n"

// reorder exchanges two adjacent clauses.
func reorder(s string, rng *rand.Rand) string {
	var parts []string
	for rest := s; rest != ""; {
		i := strings.IndexAny(rest, ends)
		if i < 0 {
			parts = append(parts, rest)
			break
		}
		_, size := utf8.DecodeRuneInString(rest[i:])
		parts, rest = append(parts, rest[:i+size]), rest[i+size:]
	}
	if len(parts) < 2 {
		return s
	}
	i := rng.IntN(len(parts) - 1)
	parts[i], parts[i+1] = parts[i+1], parts[i]
	return strings.Join(parts, "")
}

// heads and feet are texts to put before and after a text, Chinese ones and others.
var (
	heads = [2][]string{
		{"转发：", "【转载】", "大家好，", "快讯："},
		{"fwd: ", "hi all, ", "update: ", "please read: "},
	}
	feet = [2][]string{
		{"（来源：网络）", "　责任编辑：小王", "请转发给朋友", "　本文来自论坛"},
		{" (source: the web)", " sent from my phone", " please share", " edited by the desk"},
	}
)

// framed draws a head or foot in the language of s.
func framed(from [2][]string, s string, rng *rand.Rand) string {
	list := from[1]
	if strings.ContainsFunc(s, text.IsCJK) {
		list = from[0]
	}
	return list[rng.IntN(len(list))]
}

func wide(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r <= '~' {
			return r - ' ' + 0xff00
		}
		return r
	}, s)
}

// traditional replaces each simplified character by the first traditional character that is simplified to it.
var traditional = sync.OnceValue(func() *strings.Replacer {
	n, _ := text.ParseNormalizer("simplify")
	var pairs []string
	seen := map[string]bool{}
	for r := rune(0x4E00); r <= 0x9FFF; r++ {
		from := string(r)
		if to := n.Clean(from); to != from && !seen[to] && utf8.RuneCountInString(to) == 1 {
			seen[to] = true
			pairs = append(pairs, to, from)
		}
	}
	return strings.NewReplacer(pairs...)
})

// number changes a digit of a number. It never changes a leading digit to 0.
func number(s string, rng *rand.Rand) string {
	var at []int
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return s
	}
	i := at[rng.IntN(len(at))]
	digit := byte('1' + (int(s[i]-'0')+rng.IntN(8))%9)
	if digit == s[i] {
		digit = '1' + (digit-'0')%9
	}
	return s[:i] + string(digit) + s[i+1:]
}
