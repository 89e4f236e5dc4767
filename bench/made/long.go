package made

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// throughout is a word of a long text and another for all its places.
type throughout struct {
	class string
	old   string
	with  string
	k     int
	title bool // all its places are in the title or first sentence
}

// themes are the classes whose words a long text can be about.
var themes = set("place country province person surname name company organisation product nationality job disease animal food vehicle industry building sport service device material document language religion crime subject")

// termsOf are those that terms of service are about: what else they name, they
// name in passing.
var termsOf = set("company service product name country nationality language place organisation")

// subjects lists the words of a long text that can be replaced at every place
// they stand, at least twice, or that stand in its title or first sentence only.
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
		// Where it stands as part of other words too, those would stay.
		if k == 0 || count[w]*10 < k*7 {
			continue
		}
		// A word in passing may have changed in another version of one text: it
		// counts where the text is about it.
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

// overlap: two names of one house (Google, Google Play) are not different ones.
func overlap(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.Contains(a, b) || strings.Contains(b, a) || strings.Fields(a)[0] == strings.Fields(b)[0]
}

// firstSentence returns where the title or first sentence of a text ends.
func firstSentence(s string) int {
	if loc := sentenceEnd.FindStringIndex(s); loc != nil {
		return loc[1]
	}
	return len(s)
}

// occurrences counts the places of w: whole words in English, everywhere in Chinese.
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

// addition puts a passage of another text, a fifth to the whole of its length,
// behind, before or into a text.
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

// passage returns whole sentences of s, about want runes.
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

// join puts more at the end, the start or in the middle of a text, as one who
// adds it would: behind the end of a sentence or paragraph.
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
