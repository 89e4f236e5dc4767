package weighted

import (
	"slices"

	"github.com/neardup/neardup"
)

// Long texts are editions of a document where they differ in numbers and
// names, so their facts do not count. But what they are about stands in their
// titles: the statutes of two cities, the terms of two companies.
const (
	// titleWords are the words at the beginning of a text that its title is
	// looked for in, titleRunes the runes in which a word of the other title
	// may stand.
	titleWords = 12
	titleRunes = 200
)

// Title is the view of the beginning of a long text, for TitleConflicts.
func (m *Method) Title(clean string) *View {
	v, _ := m.prefix(clean, titleRunes).(*View)
	return v
}

// TitleConflicts are the names that stand in the place of others in the titles
// of two long texts. Months do not count: titles are often followed by dates.
func (m *Method) TitleConflicts(a, b *View) []neardup.Conflict {
	if m.variants != Keep {
		return nil
	}
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	x, y := firstTokens(a.tokens), firstTokens(b.tokens)
	swapped := before(y, x)
	if swapped {
		a, b, x, y = b, a, y, x
	}
	j := judge{a: a, b: b, facts: m.facts, most: mostConflicts, title: true}
	for _, s := range w.aligns.align(x, y) {
		last := len(s.a) > 0 && len(s.b) > 0 && &s.a[len(s.a)-1] == &x[len(x)-1] && &s.b[len(s.b)-1] == &y[len(y)-1]
		if last || len(s.a) > 2*len(s.b)+1 || len(s.b) > 2*len(s.a)+1 {
			continue // the text goes on differently, or one title says more
		}
		j.subject(s)
	}
	return swappedBack(j.found, swapped)
}

func firstTokens(tokens []token) []token { return tokens[:min(len(tokens), titleWords)] }

// subject finds one heavy word in the place of another, where both come again:
// what a text is about does, and a slip of the pen does not.
func (j *judge) subject(s slot) {
	x, y := subjects(exclusive(s.a, j.b), j.a.tokens), subjects(exclusive(s.b, j.a), j.b.tokens)
	if alike(joined(s.a), joined(s.b)) {
		return
	}
	if p, q := j.heaviest(x, y), j.heaviest(y, x); p != nil && q != nil {
		j.add(KindName, p.text, q.text)
	}
}

// subjects keeps the words that are in tokens at least twice, months apart.
func subjects(words []*token, tokens []token) []*token {
	return slices.DeleteFunc(words, func(w *token) bool {
		n := 0
		for i := range tokens {
			if tokens[i].hash == w.hash {
				n++
			}
		}
		return n < 2 || isMonth(w.text)
	})
}
