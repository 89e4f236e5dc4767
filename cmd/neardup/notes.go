package main

import (
	"cmp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/external"
)

// notes keep of every document what a result shall say of it, in temporary files.
type notes struct {
	text   bool // else only title and url
	files  *external.Files
	mu     sync.Mutex
	err    error // the first of put
	fields *external.Spool
	where  *external.Array[noted] // by item
}

// noted says where the note of an item lies.
type noted struct {
	at  external.Ref
	len [3]uint32 // of title, url and text, which lie one after another
}

// note is what is kept of a document.
type note struct{ title, url, text string }

// notedRunes is how much of a text is kept.
const notedRunes = 300

// notesMemory is how many bytes of notes are held in memory, and of where they lie.
const notesMemory = 4 << 20

func newNotes(dir string, text bool) *notes {
	f := external.NewFiles(dir)
	return &notes{text: text, files: f, fields: external.NewSpool(f, notesMemory), where: external.NewArray[noted](f, notesMemory)}
}

// opening returns how a text begins, in one line.
func opening(s string, runes int) string {
	end, n := len(s), 0
	for i := range s {
		if n++; n > 2*runes { // white space may go away
			end = i
			break
		}
	}
	cut := strings.Join(strings.Fields(s[:end]), " ")
	n = 0
	for i := range cut {
		if n++; n > runes {
			return cut[:i] + "…"
		}
	}
	if end < len(s) {
		cut += "…"
	}
	return strings.ToValidUTF8(cut, string(utf8.RuneError))
}

// put keeps the documents from an index on; nil for an item that is none. of tells
// its error. Safe for concurrent use.
func (n *notes) put(first int, docs []note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, d := range docs {
		at, err := n.fields.Add(d.title + d.url + d.text)
		if err == nil {
			err = n.where.Put(first+i, noted{at, [3]uint32{uint32(len(d.title)), uint32(len(d.url)), uint32(len(d.text))}})
		}
		n.err = cmp.Or(n.err, err)
	}
}

// noteOf is what is kept of a document.
func (n *notes) noteOf(doc *neardup.Document) note {
	if doc == nil {
		return note{}
	}
	kept := note{title: doc.Title, url: doc.URL}
	if n.text && !isFingerprint(doc.Text) {
		kept.text = opening(doc.Text, notedRunes)
	}
	return kept
}

// of returns the note of a document.
func (n *notes) of(item int) (note, error) {
	if n.err != nil {
		return note{}, n.err
	}
	w, err := n.where.Get(item)
	if err != nil {
		return note{}, err
	}
	title, url := w.len[0], w.len[0]+w.len[1]
	b, err := n.fields.Read(w.at, int(url+w.len[2]))
	if err != nil {
		return note{}, err
	}
	return note{string(b[:title]), string(b[title:url]), string(b[url:])}, nil
}
