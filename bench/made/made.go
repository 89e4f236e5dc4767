// Package made makes pairs of texts that differ by a change with a known meaning. If a word is replaced by another of its
// class, the meaning changes. If letters are swapped, a credit is added or quotes change, it stays the same. If a sentence
// of another text is added, one text has more content. The same seed gives the same pairs.
package made

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/segment"
)

// Options selects the pairs to make.
type Options struct {
	Data string // folder of the shared data
	Seed uint64
	Half string // "a" or "b" selects that half of the words and texts; "" selects all
	Most int    // pairs per class, language and length (default 60)
	// Sources lists the folders whose texts are used; none means all.
	Sources []string
}

// Pair is a pair of texts with the meaning of the change between them.
type Pair struct {
	Set   string // made_LENGTH_LANGUAGE_CLASS
	A, B  string // ids
	Label string // same, part or facts
	Band  string // the source, the length and the change
	TextA string
	TextB string
}

type maker struct {
	Options
	of          int // the half, or -1 for all
	segmenter   *segment.Segmenter
	lexica      map[string]*lexicon
	known       map[string]bool // English words that occur at least twice in the texts
	alike       map[rune][]rune // homophones
	lookalike   map[rune][]rune
	spelling    map[string]string
	variants    map[string][]string
	traditional map[rune]rune
	names       []string            // services that are subjects of long texts
	formLines   map[string][]string // language -> lines; the next two are also by language
	credits     map[string][]string
	greetings   map[string][]string
	used        map[string]int
	made        map[uint64]bool // hashes of second texts
	pairs       []Pair
}

// Make makes pairs from the texts in the folder of shared data, at most two from each text.
func Make(o Options) ([]Pair, error) {
	if o.Most == 0 {
		o.Most = 60
	}
	of := strings.Index("ab", o.Half)
	if o.Half == "" {
		of = -1
	} else if of < 0 || len(o.Half) != 1 {
		return nil, fmt.Errorf("half %q is neither a nor b", o.Half)
	}
	m := &maker{Options: o, of: of, lexica: map[string]*lexicon{}, formLines: map[string][]string{}, credits: map[string][]string{}, greetings: map[string][]string{}, used: map[string]int{}, made: map[uint64]bool{}}
	var err error
	m.segmenter, err = segment.Default()
	if err != nil {
		return nil, err
	}
	for _, language := range []string{"en", "zh"} {
		m.lexica[language], err = readLexicon(language, of)
		if err != nil {
			return nil, err
		}
		for name, table := range map[string]map[string][]string{"forms": m.formLines, "credits": m.credits, "greetings": m.greetings} {
			table[language], err = readLines(language+"_"+name+".txt", of)
			if err != nil {
				return nil, err
			}
		}
	}
	if err := m.readTables(); err != nil {
		return nil, err
	}
	texts, err := readTexts(o.Data, of, o.Sources)
	if err != nil {
		return nil, err
	}
	m.count(texts)
	for _, language := range []string{"en", "zh"} {
		for _, long := range []bool{false, true} {
			m.make(language, long, texts)
		}
	}
	return m.pairs, nil
}

func (m *maker) tokens(t textOf) []token { return tokens(m.segmenter, t.language, t.body) }

// readTables reads the tables of the edits.
func (m *maker) readTables() error {
	m.alike, m.lookalike = map[rune][]rune{}, map[rune][]rune{}
	m.spelling, m.variants, m.traditional = map[string]string{}, map[string][]string{}, map[rune]rune{}
	among := func(table map[rune][]rune, group string) {
		for _, a := range group {
			for _, b := range group {
				if a != b {
					table[a] = append(table[a], b)
				}
			}
		}
	}
	err := eachLine("homophones.txt", func(line string) error { among(m.alike, line); return nil })
	if err == nil {
		err = eachLine("lookalikes.txt", func(line string) error {
			for _, pair := range strings.Fields(line) {
				among(m.lookalike, pair)
			}
			return nil
		})
	}
	if err == nil {
		err = eachLine("british.txt", func(line string) error {
			a, b, _ := strings.Cut(line, " ")
			m.spelling[a], m.spelling[b] = b, a
			return nil
		})
	}
	if err == nil {
		err = eachLine("variants.txt", func(line string) error {
			a, b, _ := strings.Cut(line, " ")
			m.variants[a] = append(m.variants[a], b)
			m.variants[b] = append(m.variants[b], a)
			return nil
		})
	}
	if err != nil {
		return err
	}
	simplify, err := text.ParseNormalizer("simplify")
	if err != nil {
		return err
	}
	twice := map[rune]bool{} // characters with several traditional forms
	for r := rune(0x4E00); r <= 0x9FA5; r++ {
		if s, _ := utf8.DecodeRuneInString(simplify.Clean(string(r))); s != r {
			if m.traditional[s] != 0 {
				twice[s] = true
			}
			m.traditional[s] = r
		}
	}
	for r := range twice {
		delete(m.traditional, r)
	}
	return nil
}

// count collects the English words of the texts, and the names of services.
func (m *maker) count(texts []textOf) {
	seen := map[string]bool{}
	m.known = map[string]bool{}
	names := map[string]bool{}
	lower, capital := map[string]bool{}, map[string]int{}
	for _, t := range texts {
		if t.name != "" && !names[t.name] {
			names[t.name] = true
			m.names = append(m.names, t.name)
		}
		if t.language != "en" {
			continue
		}
		for _, tk := range m.tokens(t) {
			written := t.body[tk.start:tk.end]
			w := strings.ToLower(written)
			if r := written[0]; r >= 'A' && r <= 'Z' && strings.ToUpper(written) != written && !sentenceStart(t.body, tk.start) {
				capital[written]++
			} else if w == written {
				lower[w] = true
			}
			if seen[w] {
				m.known[w] = true
			}
			seen[w] = true
		}
	}
	m.lexica["en"].addNames(lower, capital, m.of)
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p)) // never fails
		h.Write([]byte{0})
	}
	sum := h.Sum64()
	return sum ^ sum>>29
}

func (m *maker) rng(parts ...string) *rand.Rand { return rand.New(rand.NewPCG(m.Seed, hash(parts...))) }

// offer is a possible pair.
type offer struct {
	text  *textOf
	where string // start, middle or end; equally many of each are taken
	band  string
	label string
	a, b  string // a is "" if it is the text itself
}

// make makes the pairs of one language and length. It first collects all offers of each class. Then it takes the requested
// number, the rarest class first.
func (m *maker) make(language string, long bool, texts []textOf) {
	var mine []textOf
	bySource := map[string][]textOf{}
	for _, t := range texts {
		if t.language == language && t.long == long {
			mine = append(mine, t)
			bySource[t.source] = append(bySource[t.source], t)
		}
	}
	slices.SortFunc(mine, func(a, b textOf) int { return cmp.Compare(hash(a.source, a.id), hash(b.source, b.id)) })
	offers := map[string][]offer{}
	for i := range mine {
		t := &mine[i]
		rng := m.rng("facts", t.source, t.id)
		hits := m.lexica[language].find(m.segmenter, t.body)
		if long {
			if t.source == "minhash_plagiarism_news" {
				continue // such texts contain many stories, so no word is the subject
			}
			m.offerSubjects(rng, t, hits, offers)
			continue
		}
		changes := m.facts(rng, *t, hits)
		byClass := map[string][]change{}
		for _, c := range changes {
			byClass[c.class] = append(byClass[c.class], c)
		}
		for class, all := range byClass {
			// one of the class, at any position
			c := all[int(hash("place", class, t.source, t.id)%uint64(len(all)))]
			where := []string{"start", "middle", "end"}[min(2, c.start*3/len(t.body))]
			offers[class] = append(offers[class], offer{text: t, where: where, label: "facts", b: c.apply(t.body),
				band: fmt.Sprintf("%s %s %s>%s", "short", where, printable(t.body[c.start:c.end]), printable(c.with))})
		}
	}
	m.take(language, long, offers)
	m.edit(language, long, mine)
	m.add(language, long, mine, bySource)
	if long {
		m.forms(language, mine)
	}
}

func (m *maker) offerSubjects(rng *rand.Rand, t *textOf, hits []hit, offers map[string][]offer) {
	for _, r := range m.subjects(rng, *t, hits) {
		class, how := r.class, "throughout"
		if r.title {
			class, how = r.class+"-title", "title"
		}
		offers[class] = append(offers[class], offer{text: t, label: "facts", b: r.apply(*t),
			band: fmt.Sprintf("long %s k=%d %s>%s", how, r.k, printable(r.old), printable(r.with))})
	}
}

// printable returns a stretch of text in one cell of a table.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) > 40 {
		return s[:offset(s, 40)]
	}
	return s
}

// take takes the requested number of offers of each class, the rarest class first. It takes sources in turn, and at most
// two offers from a text.
func (m *maker) take(language string, long bool, offers map[string][]offer) {
	var classes []string
	for c := range offers {
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(offers[a]), len(offers[b])), cmp.Compare(a, b))
	})
	for _, class := range classes {
		n, most := 0, m.Most
		if long {
			most *= 3 // few classes have that many long pairs
		}
		for _, o := range inTurn(offers[class], class) {
			if n < most && m.keep(language, long, class, o) {
				n++
			}
		}
	}
}

// inTurn orders offers by a hash, with sources and positions taking turns.
func inTurn(offers []offer, class string) []offer {
	bySource := map[string][]offer{}
	var names []string
	for _, o := range offers {
		key := o.text.source + " " + o.where
		if bySource[key] == nil {
			names = append(names, key)
		}
		bySource[key] = append(bySource[key], o)
	}
	slices.Sort(names)
	for _, n := range names {
		slices.SortFunc(bySource[n], func(a, b offer) int {
			return cmp.Or(cmp.Compare(hash(class, a.text.id), hash(class, b.text.id)), cmp.Compare(a.band, b.band))
		})
	}
	var out []offer
	for i := 0; len(out) < len(offers); i++ {
		for _, n := range names {
			if i < len(bySource[n]) {
				out = append(out, bySource[n][i])
			}
		}
	}
	return out
}

// keep adds a pair, unless its text has already made two.
func (m *maker) keep(language string, long bool, class string, o offer) bool {
	key := o.text.source + " " + o.text.id
	if m.used[key] >= 2 || o.b == o.text.body || m.made[hash(o.b)] {
		return false
	}
	length := "short"
	if long {
		length = "long"
	}
	name := fmt.Sprintf("made_%s_%s_%s", length, language, class)
	id := fmt.Sprintf("%s|%s", name, o.text.id)
	m.used[key]++
	m.made[hash(o.b)] = true
	m.pairs = append(m.pairs, Pair{
		Set: name, A: id, B: fmt.Sprintf("%s~%d", id, m.used[key]), Label: o.label,
		Band: o.text.source + " " + o.band, TextA: cmp.Or(o.a, o.text.body), TextB: o.b,
	})
	return true
}

// edit makes pairs with the same meaning. It makes the requested number for each edit, and pairs with one to four edits
// together (one to eight in long texts).
func (m *maker) edit(language string, long bool, mine []textOf) {
	length := "short"
	if long {
		length = "long"
	}
	most := m.Most
	for _, e := range edits {
		if e.language != "" && e.language != language {
			continue
		}
		m.offerAll(language, long, "same."+e.name, most, mine, func(rng *rand.Rand, t *textOf) (offer, bool) {
			b, ok := e.apply(m, rng, *t, t.body)
			n := 1
			if long && ok && !e.once {
				// in a long text a single edit is too little
				for ; n < 1+rng.IntN(12); n++ {
					if more, ok := e.apply(m, rng, *t, b); ok {
						b = more
					}
				}
			}
			return offer{text: t, label: "same", band: fmt.Sprintf("%s %s %d times", length, e.name, n), b: b}, ok
		})
	}
	m.offerAll(language, long, "same.mixed", 3*m.Most, mine, func(rng *rand.Rand, t *textOf) (offer, bool) {
		s, names, seen := t.body, []string(nil), map[string]bool{}
		n := 2 + rng.IntN(3)
		if long {
			n += rng.IntN(9)
		}
		for range 40 {
			e := edits[rng.IntN(len(edits))]
			if len(names) == n || (long && e.once && seen[e.name]) || (e.language != "" && e.language != language) || (seen[e.name] && !long) {
				continue
			}
			if b, ok := e.apply(m, rng, *t, s); ok && b != t.body {
				s, names, seen[e.name] = b, append(names, e.name), true
			}
		}
		return offer{text: t, label: "same", band: length + " " + strings.Join(names, "+"), b: s}, len(names) == n
	})
}

// add makes pairs whose second text has more content.
func (m *maker) add(language string, long bool, mine []textOf, bySource map[string][]textOf) {
	length := "short"
	if long {
		length = "long"
	}
	mine = slices.DeleteFunc(slices.Clone(mine), func(t textOf) bool { return t.source == "dblp_acm" }) // records have no sentences
	for _, place := range []string{"start", "middle", "end"} {
		m.offerAll(language, long, "part."+place, m.Most, mine, func(rng *rand.Rand, t *textOf) (offer, bool) {
			b, where, ok := addition(rng, *t, bySource[t.source])
			return offer{text: t, label: "part", band: fmt.Sprintf("%s %s %+d%%", length, where, 100*utf8.RuneCountInString(b)/utf8.RuneCountInString(t.body)-100), b: b}, ok && where == place
		})
	}
}

// offerAll requests an offer from each text, taking sources in turn, until there are enough.
func (m *maker) offerAll(language string, long bool, class string, most int, mine []textOf, fn func(*rand.Rand, *textOf) (offer, bool)) {
	all := make([]offer, len(mine))
	for i := range mine {
		all[i] = offer{text: &mine[i]}
	}
	n, tried := 0, 0
	for _, o := range inTurn(all, class) {
		if n >= most || tried > 40000 {
			return
		}
		if m.used[o.text.source+" "+o.text.id] >= 2 {
			continue
		}
		tried++
		if o, ok := fn(m.rng(class, o.text.source, o.text.id), o.text); ok && m.keep(language, long, class, o) {
			n++
		}
	}
}
