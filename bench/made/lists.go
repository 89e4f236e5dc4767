package made

import (
	"bufio"
	"embed"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words
var words embed.FS

// form says how the words of a class are found and inflected.
type form string

const (
	asName form = "name" // as written, case and all
	asWord form = "word" // in lower case or at a sentence's beginning
	asMass form = "mass" // as asWord, behind what a noun stands behind
	asNoun form = "noun" // as asMass, and in the plural
)

// group is one word of a class, or several that mean the same and never
// replace each other.
type group struct {
	class *class
	words []string
}

// class is a list of words any of which can stand where another does.
type class struct {
	name   string // what comes before a dot groups classes for the reader
	form   form
	groups []*group
}

func (c *class) set() string {
	name, _, _ := strings.Cut(c.name, ".")
	return name
}

// lexicon is what is known of one language.
type lexicon struct {
	language  string
	classes   []*class
	groups    map[string]*group   // by word, inflected ones too
	plural    map[string]bool     // the inflected ones
	all       map[string]bool     // words of both halves
	opposites map[string][]string // both ways
}

// half returns to which half a word or text belongs: 0 or 1.
func half(s string) int {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(s))) // never fails
	sum := h.Sum32()
	return int((sum ^ sum>>13) & 1)
}

// readLexicon reads the words of a language that are of the half, 0 or 1, or
// all of them (-1).
func readLexicon(language string, of int) (*lexicon, error) {
	l := &lexicon{language: language, groups: map[string]*group{}, plural: map[string]bool{}, all: map[string]bool{}, opposites: map[string][]string{}}
	var c *class
	err := eachLine(language+".txt", func(line string) error {
		if head, ok := strings.CutPrefix(line, "="); ok {
			name, how, ok := strings.Cut(head, " ")
			if !ok {
				return fmt.Errorf("%q names no form", line)
			}
			c = &class{name: name, form: form(how)}
			l.classes = append(l.classes, c)
			return nil
		}
		if c == nil {
			return fmt.Errorf("%q is of no class", line)
		}
		l.add(c, line, of)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(language+"_opposites.txt", func(line string) error {
		a, b, ok := strings.Cut(line, " ")
		if !ok {
			return fmt.Errorf("invalid pair %q (want two words)", line)
		}
		if of < 0 || half(min(a, b)) == of {
			l.opposites[a] = append(l.opposites[a], b)
			l.opposites[b] = append(l.opposites[b], a)
		}
		return nil
	})
	return l, err
}

// add reads "word, word|synonym, word". A word of two classes stays with the first.
func (l *lexicon) add(c *class, line string, of int) {
	for n, alternatives := range strings.Split(line, ", ") {
		g := &group{class: c}
		for _, w := range strings.Split(alternatives, "|") {
			if l.all[w] {
				continue
			}
			l.all[w] = true
			g.words = append(g.words, w)
			l.groups[w] = g
			if c.form == asNoun && l.language == "en" {
				l.all[plural(w)] = true
				l.groups[plural(w)] = g
				l.plural[plural(w)] = true
			}
		}
		// Short lists are halved in turn: a hash could leave one word.
		mine := of < 0 || half(alternatives) == of
		if short := strings.Count(line, ",") < 20; short && of >= 0 {
			mine = n&1 == of
		}
		if mine && len(g.words) > 0 {
			c.groups = append(c.groups, g)
			continue
		}
		for _, w := range g.words {
			delete(l.groups, w)
			delete(l.groups, plural(w))
		}
	}
}

// addNames makes a class of the words that texts write with a capital inside
// sentences and never without one.
func (l *lexicon) addNames(lower map[string]bool, capital map[string]int, of int) {
	c := &class{name: "name", form: asName}
	for _, w := range slices.Sorted(maps.Keys(capital)) {
		if capital[w] < 2 || len(w) < 4 || lower[strings.ToLower(w)] || lower[strings.TrimSuffix(strings.ToLower(w), "s")] || l.all[w] || (of >= 0 && half(w) != of) {
			continue
		}
		g := &group{class: c, words: []string{w}}
		l.groups[w] = g
		c.groups = append(c.groups, g)
	}
	l.classes = append(l.classes, c)
}

// plural returns the regular plural.
func plural(w string) string {
	last, _ := utf8.DecodeLastRuneInString(w)
	switch {
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "x"), strings.HasSuffix(w, "ch"), strings.HasSuffix(w, "sh"):
		return w + "es"
	case last == 'y' && len(w) > 1 && !strings.ContainsRune("aeiou", rune(w[len(w)-2])):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

// eachLine reads a file of words but for its comments.
func eachLine(name string, fn func(line string) error) error {
	file, err := words.Open("words/" + name)
	if err != nil {
		return fmt.Errorf("read words: %w", err)
	}
	defer file.Close()
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := fn(line); err != nil {
			return fmt.Errorf("words/%s:%d: %w", name, n, err)
		}
	}
	if err := scan.Err(); err != nil {
		return fmt.Errorf("words/%s: %w", name, err)
	}
	return nil
}

// title gives w the capital of the word whose place it takes.
func likeCase(w, replaced string) string {
	first, _ := utf8.DecodeRuneInString(replaced)
	r, n := utf8.DecodeRuneInString(w)
	switch {
	case utf8.RuneCountInString(replaced) > 1 && strings.ToUpper(replaced) == replaced && strings.ToLower(replaced) != replaced:
		return strings.ToUpper(w)
	case unicode.IsUpper(first):
		return string(unicode.ToUpper(r)) + w[n:]
	}
	return w
}
