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

// form is the way in which the words of a class are found and inflected.
type form string

const (
	asName form = "name" // exactly as written
	asWord form = "word" // in lower case, or at the start of a sentence
	asMass form = "mass" // like asWord, after a word that precedes a noun
	asNoun form = "noun" // like asMass, also in the plural
)

// group is one word of a class, or several words with one meaning, which never replace each other.
type group struct {
	class *class
	words []string
}

// class is a list of words that can replace each other.
type class struct {
	name   string // the part before a dot groups classes for the reader
	form   form
	groups []*group
}

func (c *class) set() string {
	name, _, _ := strings.Cut(c.name, ".")
	return name
}

// lexicon holds the words of one language.
type lexicon struct {
	language  string
	classes   []*class
	groups    map[string]*group   // word -> group, including inflected words
	plural    map[string]bool     // inflected words
	all       map[string]bool     // words of both halves
	opposites map[string][]string // in both directions
}

// half returns the half that a word or text belongs to, 0 or 1.
func half(s string) int {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(s))) // never fails
	sum := h.Sum32()
	return int((sum ^ sum>>13) & 1)
}

// readLexicon reads the words of a language that belong to a half, 0 or 1, or all words (-1).
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

// add reads "word, word|synonym, word". A word of two classes stays in the first.
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
		// Short lists are divided alternately, because a hash could leave a single word.
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

// addNames makes a class of the words that texts always write with a capital inside sentences.
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

// eachLine reads a file of words without its comments.
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

// likeCase gives w the case of the word that it replaces.
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
