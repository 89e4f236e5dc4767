package weighted

import (
	"slices"
	"strings"
	"sync"

	"github.com/neardup/neardup"
)

// Long texts are editions of a document where they differ in numbers and
// names, so their facts do not count. But what they are about stands in their
// titles: the statutes of two cities, the terms of two companies. And of texts
// of a few hundred words of an alphabet, a name that comes again and again in one and never
// in the other is what it is about: one licence, and another of its template. (In
// Chinese it is as often a synonym of the proofreader's.) And a form that is
// filled in anew is no edition.
const (
	// titleWords are the words at the beginning of a text that its title is
	// looked for in, titleRunes the runes in which a word of the other title
	// may stand.
	titleWords = 12
	titleRunes = 200
	// namedBytes and namedWords bound the texts whose names are counted, and
	// timesNamed is how often what a text is about comes in it.
	namedBytes = 2600
	namedWords = 400
	timesNamed = 3
)

// Subject is what a long text is about. It is read when it is first compared:
// few long texts are near another one.
type Subject struct {
	text  string // its beginning where it is too long for names to be counted
	whole bool
	once  sync.Once
	title *View
	words []uint64 // all words of the text by hash; nil: too many
	names []named
	forms []field
}

// named is a name that comes again and again, and a word as it stands.
type named struct {
	hash uint64
	text string
}

// Bytes is the memory of the subject, about, once it is read.
func (s *Subject) Bytes() int {
	n := 424 + len(s.text) + 4*min(len(s.text), 3*titleRunes) + 40*cap(s.forms)
	if s.whole {
		n += len(s.text)
	}
	return n
}

// Subject is what a clean text is about.
func (m *Method) Subject(clean string) *Subject {
	forms := fields(clean)
	if len(clean) > namedBytes {
		return &Subject{text: firstRunes(clean, titleRunes), forms: forms}
	}
	return &Subject{text: clean, whole: true, forms: forms}
}

// subject reads what the text is about, once.
func (m *Method) subject(s *Subject) *Subject {
	s.once.Do(func() {
		s.title = m.prefix(s.text, titleRunes)
		if !s.whole || s.title.chinese {
			return
		}
		w := m.works.Get().(*work)
		defer m.works.Put(w)
		if tokens := w.cut(s.text); len(tokens) <= namedWords {
			s.count(w, tokens)
		}
	})
	return s
}

// count fills words and names.
func (s *Subject) count(w *work, tokens []token) {
	w.set(tokens)
	times := make([]int, len(w.words))
	for _, word := range w.wordOf {
		times[word]++
	}
	s.words = make([]uint64, len(w.words))
	for i, word := range w.words {
		s.words[i] = word.hash
		if t := &tokens[word.token]; times[i] >= timesNamed && t.isName() {
			s.names = append(s.names, named{t.hash, t.text})
		}
	}
}

// isName reports whether a word is rare enough for a name.
func (t *token) isName() bool {
	return !t.number() && !t.han && !t.path && (!t.known || t.weight >= heavyWord)
}

// SubjectConflicts are the names that stand in the place of others in the
// titles of two long texts, and those that only one of them comes back to. Months do
// not count: titles are often followed by dates.
func (m *Method) SubjectConflicts(a, b *Subject) []neardup.Conflict {
	if m.variants != Keep {
		return nil
	}
	a, b = m.subject(a), m.subject(b)
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	first, second := w.aligns.open(a.title, b.title)
	x, y := firstTokens(first.tokens), firstTokens(second.tokens)
	swapped := before(y, x)
	if swapped {
		a, b, x, y, first, second = b, a, y, x, second, first
	}
	j := judge{a: first, b: second, facts: m.kinds, most: mostConflicts, title: true}
	for _, s := range w.aligns.align(x, y) {
		last := len(s.a) > 0 && len(s.b) > 0 && &s.a[len(s.a)-1] == &x[len(x)-1] && &s.b[len(s.b)-1] == &y[len(y)-1]
		if last || len(s.a) > 2*len(s.b)+1 || len(s.b) > 2*len(s.a)+1 {
			continue // the text goes on differently, or one title says more
		}
		j.subject(s)
	}
	if p, q := releaseOf(x, second), releaseOf(y, first); p != "" && q != "" {
		j.add(KindNumber, p, q)
	}
	if x, y := a.without(b), b.without(a); x != "" || y != "" {
		j.add(KindName, x, y)
	}
	j.form(a.forms, b.forms)
	return swappedBack(j.found, swapped)
}

// without returns the first name that the other text has nowhere.
func (s *Subject) without(other *Subject) string {
	if other.words == nil {
		return ""
	}
	for _, n := range s.names {
		if _, found := slices.BinarySearch(other.words, n.hash); !found {
			return n.text
		}
	}
	return ""
}

func firstTokens(tokens []token) []token { return tokens[:min(len(tokens), titleWords)] }

// subject finds one heavy word in the place of another, where both come again:
// what a text is about does, and a slip of the pen does not.
func (j *judge) subject(s slot) {
	if j.release(s) {
		j.add(KindName, s.a[0].text, s.b[0].text)
		return
	}
	x, y := again(exclusive(s.a, j.b), j.a.tokens), again(exclusive(s.b, j.a), j.b.tokens)
	if alike(joined(s.a), joined(s.b)) {
		return
	}
	if p, q := j.heaviest(x, y), j.heaviest(y, x); p != nil && q != nil {
		j.add(KindName, p.text, q.text)
	}
}

// release reports whether, in the title of a Chinese text, a word in letters
// stands in the place of another that comes again: the name of a program, or
// its version. The other text may have the one elsewhere, as where it compares
// versions, but not both texts both.
func (j *judge) release(s slot) bool {
	if !j.chinese() || len(s.a) != 1 || len(s.b) != 1 {
		return false
	}
	x, y := &s.a[0], &s.b[0]
	if x.han || y.han || x.number() || y.number() || x.path || y.path {
		return false
	}
	return (!j.b.has(x.hash) || !j.a.has(y.hash)) && times(j.a.tokens, x.hash) >= 2 && times(j.b.tokens, y.hash) >= 2
}

// releaseOf returns the version of a program in a title that the beginning of the
// other text lacks: two comparisons of releases share one of theirs.
func releaseOf(title []token, other *opened) string {
	for i := range title {
		t := &title[i]
		if !t.path && isRelease(t.text) && !other.has(t.hash) {
			return t.text
		}
	}
	return ""
}

// isRelease reports whether a word is the version of a program: v5.4.0.
func isRelease(word string) bool {
	return len(word) > 1 && word[0] == 'v' && strings.Contains(word, ".") && strings.Trim(word[1:], "0123456789.") == ""
}

// again keeps the words that are in tokens at least twice, months and what is in
// an address apart.
func again(words []*token, tokens []token) []*token {
	return slices.DeleteFunc(words, func(w *token) bool { return times(tokens, w.hash) < 2 || isMonth(w.text) || w.path })
}

func times(tokens []token, hash uint64) (n int) {
	for i := range tokens {
		if tokens[i].hash == hash {
			n++
		}
	}
	return n
}
