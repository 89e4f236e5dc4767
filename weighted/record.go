package weighted

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
)

// Record makes the keys. Of the sketch two bits are free.
func (m *Method) Record(clean string, rec *neardup.Record) {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	m.record(w, w.cut(clean), rec)
}

// RecordView is Record and View in one: the text is cut once.
func (m *Method) RecordView(clean string, rec *neardup.Record) neardup.View {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	tokens := w.cut(clean)
	m.record(w, tokens, rec)
	return newView(w, tokens, clean)
}

func (m *Method) record(w *work, tokens []token, rec *neardup.Record) {
	rec.Reset()
	var total uint64
	w.words, total = set(w.words[:0], tokens)
	if len(w.words) == 0 {
		return
	}
	rec.Sketch = sketch(w.words, total)
	rec.Index = m.appendKeys(rec.Index, &w.keys, w.words)
}

// prefix is the view of the first n runes of a text, whole words.
func (m *Method) prefix(clean string, n int) neardup.View {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	if n < len(clean) {
		clean = firstRunes(clean, n)
	}
	return newView(w, w.cut(clean), clean)
}

func firstRunes(s string, n int) string {
	for at := range s {
		if n == 0 {
			return strings.Clone(s[:at]) // lets go of the long text
		}
		n--
	}
	return s
}

func newView(w *work, tokens []token, clean string) *View {
	v := &View{tokens: slices.Clone(tokens), runes: utf8.RuneCountInString(clean)}
	v.chinese = slices.ContainsFunc(v.tokens, func(t token) bool { return t.han })
	v.words, v.total = set(make([]weightedWord, 0, len(tokens)), tokens)
	v.bytes = 96 + 56*cap(v.tokens) + 16*cap(v.words) + len(clean)
	return v
}
