package weighted

import (
	"strings"

	"github.com/neardup/neardup"
)

// Record makes the keys. Of the sketch two bits are free.
func (m *Method) Record(clean string, rec *neardup.Record) {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	m.record(w, w.set(w.cut(clean)), rec)
}

// RecordView is Record and View in one: the text is cut once.
func (m *Method) RecordView(clean string, rec *neardup.Record) neardup.View {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	tokens := w.cut(clean)
	total := w.set(tokens)
	v := w.newView(clean, tokens, total)
	m.record(w, total, rec)
	return v
}

// record makes the record of a set, which it sorts anew.
func (m *Method) record(w *work, total uint64, rec *neardup.Record) {
	rec.Reset()
	if len(w.words) == 0 {
		return
	}
	rec.Sketch = sketch(w.words, total)
	rec.Index = m.appendKeys(rec.Index, &w.keys, w.words)
}

// prefix is the view of the first n runes of a text, whole words.
func (m *Method) prefix(clean string, n int) *View {
	w := m.works.Get().(*work)
	defer m.works.Put(w)
	if n < len(clean) {
		clean = firstRunes(clean, n)
	}
	tokens := w.cut(clean)
	return w.newView(clean, tokens, w.set(tokens))
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
