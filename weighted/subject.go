package weighted

import (
	"slices"
	"strings"
	"sync"

	"github.com/neardup/neardup"
)

// Long texts are editions of a document where they differ in numbers and
// names, so their facts do not count. But what they are about stands in their
// titles: the statutes of two cities, the terms of two companies. Texts of an
// alphabet tell more, the shorter they are: a name in the title that one comes back to and
// the other never says, the version of what it speaks of, and, in a notice of a few
// hundred words, a name that comes again and again, a clause more in the middle, or a
// word that says how far it holds. (In Chinese a name is as often a synonym of the
// proofreader's, and a page has a paragraph more in its next edition.) And a form that
// is filled in anew is no edition.
const (
	// titleWords are the words at the beginning of a text that its title is
	// looked for in, titleRunes the runes in which a word of the other title
	// may stand.
	titleWords = 12
	titleRunes = 200
	// statedBytes bounds the texts that are read whole, and noticeWords those
	// that are notices. timesNamed is how often what a text is about comes in it.
	statedBytes = 1 << 14
	noticeWords = 400
	timesNamed  = 3
	// onceIn is in how many words of a notice a name has to come once, up to
	// timesNamed; aroundName is how many words stand around one that comes less often.
	onceIn     = 50
	aroundName = 8
	// leastName is the length of such a name: a shorter word may be a slip.
	leastName = 5
)

// Subject is what a long text is about. It is read when it is first compared:
// few long texts are near another one.
type Subject struct {
	text   string // its beginning where it is too long to be read whole
	whole  bool
	once   sync.Once
	title  *View
	words  []uint64 // all words of the text, and its numbers, by hash; nil: too many, or Chinese
	notice *View    // of the whole text; nil: too long for a notice
	stated []stated
	forms  []field
}

// stated is what the other text has to say too: a name, a version, or how far
// it holds.
type stated struct {
	kind string
	hash uint64
	text string
}

// Bytes is the memory of the subject, about, once it is read.
func (s *Subject) Bytes() int {
	n := 424 + len(s.text) + 4*min(len(s.text), 3*titleRunes) + 40*cap(s.forms)
	if s.whole {
		n += 4 * len(s.text)
	}
	return n
}

// Subject is what a clean text is about.
func (m *Method) Subject(clean string) *Subject {
	forms := fields(clean)
	if len(clean) > statedBytes {
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
		tokens := w.cut(s.text)
		if slices.ContainsFunc(tokens, func(t token) bool { return t.han }) {
			return
		}
		s.words = make([]uint64, 0, len(tokens))
		for i := range tokens {
			s.words = w.appendNumbers(append(s.words, tokens[i].hash), &tokens[i])
		}
		slices.Sort(s.words)
		s.words = slices.Clone(slices.Compact(s.words))
		if len(tokens) <= noticeWords {
			s.notice = w.newView(s.text, tokens, w.set(tokens))
		}
		s.names(tokens)
		s.limits(w, tokens)
	})
	return s
}

// names finds those that come again and again: in the title, or anywhere in a
// notice, of which a short one says little twice.
func (s *Subject) names(tokens []token) {
	in, counted, least := firstTokens(tokens), tokens, timesNamed
	if s.notice != nil {
		in, least = tokens, min(timesNamed, (len(tokens)+onceIn-1)/onceIn)
	}
	if least < timesNamed {
		counted = tokens[min(aroundName, len(tokens)):max(aroundName, len(tokens)-aroundName)]
	}
	times := map[uint64]int{}
	for i := range counted {
		if counted[i].isName() {
			times[counted[i].hash]++
		}
	}
	for i := range in {
		if t := &in[i]; times[t.hash] >= least && (least == timesNamed || len(t.text) >= leastName) {
			s.stated = append(s.stated, stated{KindName, t.hash, t.text})
			times[t.hash] = 0 // once
		}
	}
}

// isName reports whether a word is rare enough for a name.
func (t *token) isName() bool {
	return !t.number() && !t.han && !t.path && (!t.known || t.weight >= heavyWord)
}

// limits finds the versions that a text speaks of, version 2 and v2, and in a
// notice the words that say how far it holds.
func (s *Subject) limits(w *work, tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.path:
		case t.number() && i > 0 && isVersion(tokens[i-1].text):
			s.stated = append(s.stated, stated{KindNumber, t.hash, t.text})
		case isVersioned(t.text):
			s.stated = append(s.stated, stated{KindNumber, w.numberHash(decimal(t.text[1:])), t.text})
		case s.notice != nil && isScope(t.text):
			s.stated = append(s.stated, stated{KindMore, t.hash, t.text})
		}
	}
}

// side is one of two subjects that are compared, with the words of its title, and of
// the whole text where both are notices.
type side struct {
	*Subject
	title, notice *opened
}

// SubjectConflicts are the names that stand in the place of others in the
// titles of two long texts, and what only one of them states. Months do
// not count: titles are often followed by dates.
func (m *Method) SubjectConflicts(a, b *Subject) []neardup.Conflict {
	if m.variants != Keep {
		return nil
	}
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	first, second := w.sides(m.subject(a), m.subject(b))
	x, y := firstTokens(first.title.tokens), firstTokens(second.title.tokens)
	swapped := before(y, x) || !before(x, y) && b.text < a.text
	if swapped {
		first, second, x, y = second, first, y, x
	}
	j := judge{a: first.title, b: second.title, facts: m.kinds, most: mostConflicts, title: true}
	for _, s := range w.aligns.align(x, y) {
		last := len(s.a) > 0 && len(s.b) > 0 && &s.a[len(s.a)-1] == &x[len(x)-1] && &s.b[len(s.b)-1] == &y[len(y)-1]
		if last || len(s.a) > 2*len(s.b)+1 || len(s.b) > 2*len(s.a)+1 {
			continue // the text goes on differently, or one title says more
		}
		j.subject(s)
	}
	if p, q := releaseOf(x, second.title), releaseOf(y, first.title); p != "" && q != "" {
		j.add(KindNumber, p, q)
	}
	if first.words != nil && second.words != nil {
		j.states(first, second)
	}
	if len(j.found) == 0 && first.notice != nil {
		j.notices(first, second, w.notices.align(first.notice.tokens, second.notice.tokens))
	}
	j.form(first.forms, second.forms)
	return swappedBack(j.found, swapped)
}

// sides gives two subjects their words.
func (w *work) sides(a, b *Subject) (x, y side) {
	x, y = side{Subject: a}, side{Subject: b}
	x.title, y.title = w.aligns.open(a.title, b.title)
	if a.notice != nil && b.notice != nil {
		x.notice, y.notice = w.notices.open(a.notice, b.notice)
	}
	return x, y
}

// states finds what only one of two texts states, and, where that is nothing,
// a clause that one of two notices has more.
func (j *judge) states(a, b side) {
	for _, kind := range []string{KindName, KindNumber, KindMore} {
		if x, y := a.without(b, kind), b.without(a, kind); x != "" || y != "" {
			j.add(kind, x, y)
		}
	}
	if len(j.found) > 0 || a.notice == nil {
		return
	}
	if x, y := a.clause(b), b.clause(a); x != "" || y != "" {
		j.add(KindMore, x, y)
	}
}

// without returns the first of what the text states that the other one does
// nowhere.
func (s side) without(other side, kind string) string {
	for _, n := range s.stated {
		if n.kind == kind && !other.says(n.hash) && !(kind == KindName && other.spells(n.text)) {
			return n.text
		}
	}
	return ""
}

func (s *Subject) says(hash uint64) bool {
	_, found := slices.BinarySearch(s.words, hash)
	return found
}

// spells reports whether the text has a name in another spelling, initials apart: in
// its title, or, of a notice, anywhere.
func (s side) spells(name string) bool {
	in := s.notice
	if in == nil {
		in = s.title
	}
	return slices.ContainsFunc(in.texts, func(word string) bool {
		return len(word) > 2 && alike(name, word)
	})
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
	return isVersioned(word) && strings.Contains(word, ".")
}

// isVersioned reports whether a word is a version: v2, v5.4.0.
func isVersioned(word string) bool {
	return len(word) > 1 && word[0] == 'v' && isDigit(word[1]) && strings.Trim(word[1:], "0123456789.") == ""
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
