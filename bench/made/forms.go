package made

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

// formWords is the number of words of a form. In Chinese it is multiplied by 3/2 and counts characters.
var formWords = [2]int{60, 600}

// mostFilled is the largest number of slots of a form that are filled differently.
const mostFilled = 5

// readLines reads the lines of a file of words that belong to a half, or all lines (-1). \n is a line end.
func readLines(name string, of int) (lines []string, err error) {
	err = eachLine(name, func(line string) error {
		if of < 0 || half(line) == of {
			lines = append(lines, strings.ReplaceAll(line, `\n`, "\n"))
		}
		return nil
	})
	return lines, err
}

// forms offers pairs of one form that is filled in twice. A form is part of a real text with inserted lines, whose slots
// are filled with facts of a class. One to five slots differ.
func (m *maker) forms(language string, mine []textOf) {
	for filled := 1; filled <= mostFilled; filled++ {
		m.offerAll(language, true, fmt.Sprintf("form.%d", filled), 2*m.Most, mine, func(rng *rand.Rand, t *textOf) (offer, bool) {
			a, b, n := m.form(rng, *t)
			return offer{text: t, label: "facts", band: fmt.Sprintf("long form k=%d", n), a: a, b: b}, n == filled
		})
	}
}

// slot is a placeholder for a fact in a line of a form.
var slot = regexp.MustCompile(`\{\w+\}`)

// form fills in a form of a text twice, and returns the number of slots that differ.
func (m *maker) form(rng *rand.Rand, t textOf) (a, b string, filled int) {
	l := m.lexica[t.language]
	body := beginning(rng, t)
	breaks := []int{0, len(body)}
	for _, loc := range sentenceEnd.FindAllStringIndex(body, -1) {
		breaks = append(breaks, loc[1])
	}
	lines := map[int][]string{} // keyed by position
	for n := 1 + rng.IntN(4); n > 0; n-- {
		at := breaks[rng.IntN(len(breaks))]
		lines[at] = append(lines[at], m.formLines[t.language][rng.IntN(len(m.formLines[t.language]))])
	}
	gap := "\n"
	if rng.IntN(2) == 0 && !strings.Contains(body, "\n") {
		gap = " "
	}
	often := rng.IntN(2) == 0 // reuse a fact wherever the form needs one of its kind
	known := map[string][2]string{}
	var out [2]strings.Builder
	slices.Sort(breaks)
	breaks = slices.Compact(breaks)
	for i, at := range breaks {
		for _, line := range lines[at] {
			rest := line
			for _, loc := range slot.FindAllStringIndex(line, -1) {
				kind := line[loc[0]+1 : loc[1]-1]
				fill, ok := known[kind]
				if !ok || !often {
					fill[0] = l.fill(rng, kind)
					fill[1] = fill[0]
					if rng.IntN(5) > 0 {
						fill[1] = l.fill(rng, kind)
						if kind == "person" && rng.IntN(3) == 0 {
							fill[1] = l.namesake(rng, fill[0], fill[1])
						}
					}
					known[kind] = fill
					if fill[0] != fill[1] {
						filled++
					}
				}
				before, after, _ := strings.Cut(rest, "{"+kind+"}")
				for side := range out {
					out[side].WriteString(before + fill[side])
				}
				rest = after
			}
			for side := range out {
				out[side].WriteString(rest + gap)
			}
		}
		if i+1 < len(breaks) {
			for side := range out {
				out[side].WriteString(body[at:breaks[i+1]])
				if breaks[i+1] == len(body) {
					out[side].WriteString(gap)
				}
			}
		}
	}
	return strings.TrimSpace(out[0].String()), strings.TrimSpace(out[1].String()), filled
}

// beginning returns the beginning of a text, in whole sentences of about the length of a form. Lengths are spread evenly
// over the orders of magnitude.
func beginning(rng *rand.Rand, t textOf) string {
	want := formWords[0]
	for want < formWords[1] && rng.IntN(5) > 0 {
		want = want * 5 / 4
	}
	end := 0
	for n := 0; end < len(t.body) && n < want; {
		if t.language == "zh" {
			end = offset(t.body, min(want*3/2, utf8.RuneCountInString(t.body)))
			break
		}
		if next := strings.IndexAny(t.body[end:], " \n"); next >= 0 {
			end += next + 1
		} else {
			end = len(t.body)
		}
		n++
	}
	if loc := sentenceEnd.FindStringIndex(t.body[end:]); loc != nil && loc[1] < end {
		return t.body[:end+loc[1]]
	}
	return t.body[:end]
}

// fill draws a fact of a kind.
func (l *lexicon) fill(rng *rand.Rand, kind string) string {
	zh := l.language == "zh"
	switch kind {
	case "person":
		if !zh {
			name := l.word(rng, "person") + " " + l.word(rng, "surname")
			if rng.IntN(3) == 0 {
				name += " " + l.word(rng, "surname")
			}
			return name
		}
		// The family name of one person and the given name of another.
		const size = len("张")
		return l.chineseName(rng)[:size] + l.chineseName(rng)[size:]
	case "date":
		if zh {
			return fmt.Sprintf("%d年%d月%d日", 2000+rng.IntN(30), 1+rng.IntN(12), 1+rng.IntN(28))
		}
		switch rng.IntN(3) {
		case 0:
			return fmt.Sprintf("%d %s %d", 1+rng.IntN(28), l.word(rng, "month"), 2000+rng.IntN(30))
		case 1:
			return fmt.Sprintf("%s %d", l.word(rng, "month"), 1+rng.IntN(28))
		}
		return fmt.Sprintf("%02d/%02d/%d", 1+rng.IntN(12), 1+rng.IntN(28), 2000+rng.IntN(30))
	case "clock":
		return fmt.Sprintf("%d:%02d", 8+rng.IntN(12), 5*rng.IntN(12))
	case "amount":
		if zh {
			return fmt.Sprintf("%d元", 10+rng.IntN(90000))
		}
		return fmt.Sprintf("$%d.%02d", 10+rng.IntN(5000), rng.IntN(100))
	case "number":
		return fmt.Sprint(2 + rng.IntN(400))
	case "code":
		if rng.IntN(3) == 0 {
			return letters(rng, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 6+rng.IntN(5))
		}
		return letters(rng, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", rng.IntN(4)) + fmt.Sprint(10000+rng.IntN(90000000))
	}
	return l.word(rng, kind)
}

// letters draws n characters from of.
func letters(rng *rand.Rand, of string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = of[rng.IntN(len(of))]
	}
	return string(out)
}

// namesake replaces a word of a person's name by one of another person's name, at any position. In a Chinese name it
// replaces a character.
func (l *lexicon) namesake(rng *rand.Rand, of, name string) string {
	gap := " "
	if l.language == "zh" {
		gap = ""
	}
	has, words := strings.Split(of, gap), strings.Split(name, gap)
	words[rng.IntN(len(words))] = has[rng.IntN(len(has))]
	return strings.Join(words, gap)
}

// word draws a word of a class.
func (l *lexicon) word(rng *rand.Rand, class string) string {
	for {
		c := l.classes[rng.IntN(len(l.classes))]
		if c.set() == class && len(c.groups) > 0 {
			words := c.groups[rng.IntN(len(c.groups))].words
			return words[rng.IntN(len(words))]
		}
	}
}

// chineseName draws a name of two or three characters.
func (l *lexicon) chineseName(rng *rand.Rand) string {
	for {
		w := l.word(rng, "person")
		if n := utf8.RuneCountInString(w); n >= 2 && n <= 3 && strings.IndexFunc(w, func(r rune) bool { return !text.IsCJK(r) }) < 0 {
			return w
		}
	}
}
