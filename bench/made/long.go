package made

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// throughout is a word of a long text, with a replacement for all its occurrences.
type throughout struct {
	class string
	old   string
	with  string
	k     int
	title bool // all its occurrences are in the title or the first sentence
}

// themes lists the classes whose words can be the subject of a long text.
var themes = set("place country province person surname name company organisation product nationality job disease animal food vehicle industry building sport service device material document language religion crime subject")

// termsOf lists the classes that terms of service are about. Names of other classes are only mentioned in them.
var termsOf = set("company service product name country nationality language place organisation")

// subjects lists the words of a long text that can be replaced at every occurrence. They must occur at least twice, or only
// in the title or the first sentence.
func (m *maker) subjects(rng *rand.Rand, t textOf, hits []hit) []throughout {
	l := m.lexica[t.language]
	title, head := 0, len(t.body)/6
	if strings.HasSuffix(t.id, ".0") {
		title = firstSentence(t.body)
	}
	count, last, first := map[string]int{}, map[string]hit{}, map[string]int{}
	var order []string
	for _, h := range hits {
		w := t.body[h.start:h.end]
		if class := h.group.class.set(); !themes[class] || (t.source == "ota_terms_versions" && !termsOf[class]) {
			continue
		}
		if count[w] == 0 {
			order = append(order, w)
			first[w] = h.start
		}
		count[w]++
		last[w] = h
	}
	var out []throughout
	for _, w := range order {
		k := occurrences(t, w)
		h := last[w]
		inTitle := h.end <= title
		// If it often occurs as part of other words, those would remain.
		if k == 0 || count[w]*10 < k*7 {
			continue
		}
		// A word that is only mentioned may change between versions of one text. It counts only if the text is about it.
		if !inTitle && !(k >= 2 && first[w] < head && title > 0) && k < 4 {
			continue
		}
		if with, ok := l.another(rng, t.body, h); ok {
			out = append(out, throughout{h.group.class.set(), w, with, k, inTitle})
		}
	}
	if name := t.name; name != "" && len(name) > 2 && occurrences(t, name) >= 2 && len(m.names) > 1 {
		for range 10 {
			with := m.names[rng.IntN(len(m.names))]
			if len(with) > 3 && !overlap(with, name) && !strings.Contains(t.body, with) {
				out = append(out, throughout{"service", name, with, occurrences(t, name), false})
				break
			}
		}
	}
	return out
}

// overlap reports whether two names belong to one company (Google, Google Play), so that they do not differ.
func overlap(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.Contains(a, b) || strings.Contains(b, a) || strings.Fields(a)[0] == strings.Fields(b)[0]
}

// firstSentence returns the end of the title or first sentence of a text.
func firstSentence(s string) int {
	if loc := sentenceEnd.FindStringIndex(s); loc != nil {
		return loc[1]
	}
	return len(s)
}

// occurrences counts the occurrences of w: whole words in English, any in Chinese.
func occurrences(t textOf, w string) int { return len(places(t, w)) }

func places(t textOf, w string) []int {
	var out []int
	for at := 0; ; {
		i := strings.Index(t.body[at:], w)
		if i < 0 {
			return out
		}
		i += at
		at = i + len(w)
		if !wordAt(t.body, i-1, false) && !wordAt(t.body, at, true) {
			out = append(out, i)
		}
	}
}

func (r throughout) apply(t textOf) string {
	var b strings.Builder
	at := 0
	for _, i := range places(t, r.old) {
		b.WriteString(t.body[at:i] + r.with)
		at = i + len(r.old)
	}
	b.WriteString(t.body[at:])
	return b.String()
}

// addition adds a passage of another text, with a fifth to the whole of the text's length, after, before or into a text.
func addition(rng *rand.Rand, t textOf, others []textOf) (string, string, bool) {
	share := .2 + .8*rng.Float64()
	length := utf8.RuneCountInString(t.body)
	want := max(int(share*float64(length)), 6)
	for range 60 {
		o := others[rng.IntN(len(others))]
		if o.id == t.id {
			continue
		}
		more := passage(o.body, want, !t.long)
		n := utf8.RuneCountInString(more)
		if more == "" || n*5 < length || n > length+length/10 || strings.Contains(t.body, more) {
			continue
		}
		place := []string{"end", "start", "middle"}[rng.IntN(3)]
		if b, ok := join(t, more, place, rng); ok {
			return b, place, true
		}
	}
	return "", "", false
}

// passage returns whole sentences of s with about want runes.
func passage(s string, want int, whole bool) string {
	if n := utf8.RuneCountInString(s); whole {
		if n > want*5/4 || n < want*3/4 {
			return ""
		}
		return s
	}
	end := offset(s, want*4/5)
	if i := strings.IndexByte(s[end:], '\n'); i >= 0 && i < 200 {
		return strings.TrimSpace(s[:end+i])
	}
	if loc := sentenceEnd.FindStringIndex(s[end:]); loc != nil {
		return strings.TrimSpace(s[:end+loc[1]])
	}
	return ""
}

// join inserts more at the end, at the start or in the middle of a text, after the end of a sentence or paragraph, as a
// person would.
func join(t textOf, more, place string, rng *rand.Rand) (string, bool) {
	gap := " "
	if t.long && strings.Contains(t.body, "\n") {
		gap = "\n\n"
	}
	close := func(s string) string {
		if strings.ContainsRune(".!?。！？…”\"）)\n", lastRune(s)) {
			if t.language == "zh" && gap == " " {
				return s
			}
			return s + gap
		}
		if t.language == "zh" {
			if gap == " " {
				return s + []string{"。", "，", " ", "；"}[rng.IntN(4)]
			}
			return s + gap
		}
		return s + []string{". ", ", ", "; ", " - "}[rng.IntN(4)]
	}
	switch place {
	case "end":
		return close(t.body) + more, true
	case "start":
		return close(more) + t.body, true
	}
	var ends []int
	for _, loc := range middle.FindAllStringIndex(t.body, -1) {
		if loc[1] > len(t.body)/5 && loc[1] < len(t.body)*4/5 {
			ends = append(ends, loc[1])
		}
	}
	if len(ends) == 0 {
		return "", false
	}
	at := ends[rng.IntN(len(ends))]
	return t.body[:at] + close(more) + t.body[at:], true
}

var middle = sentenceEnd

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
