package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/neardup/neardup"
)

// notes keep of every document what a result shall say of it, in temporary
// files: a file of notes, and one that says where each begins.
type notes struct {
	text bool // else only title and url
	mu   sync.Mutex
	data *os.File
	at   int64
	err  error    // the first of put
	from *os.File // 8 bytes an item
}

// note is what is kept of a document.
type note struct{ title, url, text string }

// notedRunes is how much of a text is kept.
const notedRunes = 300

func newNotes(dir string, text bool) (*notes, error) {
	n := &notes{text: text}
	for _, f := range []**os.File{&n.data, &n.from} {
		file, err := os.CreateTemp(dir, ".neardup-notes-*")
		if err != nil {
			return nil, errors.Join(err, n.close())
		}
		*f = file
		os.Remove(file.Name()) // where the system allows it, so that nothing is left behind
	}
	return n, nil
}

func (n *notes) close() error {
	var err error
	for _, f := range []*os.File{n.data, n.from} {
		if f != nil {
			err = errors.Join(err, f.Close())
			os.Remove(f.Name())
		}
	}
	return err
}

// notePage is what is kept of the items of one block.
type notePage struct {
	data []byte
	from []byte // relative to the page
}

// add keeps a document; nil for an item that is none.
func (p *notePage) add(doc *neardup.Document, text bool) {
	p.from = binary.LittleEndian.AppendUint64(p.from, uint64(len(p.data)))
	if doc == nil {
		return
	}
	cut := ""
	if text {
		cut = opening(doc.Text, notedRunes)
	}
	for _, s := range []string{doc.Title, doc.URL, cut} {
		p.data = binary.AppendUvarint(p.data, uint64(len(s)))
		p.data = append(p.data, s...)
	}
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

// put writes a page whose first item is the one of the index; of tells its
// error. Safe for concurrent use.
func (n *notes) put(first int, p notePage) {
	n.mu.Lock()
	at := n.at
	n.at += int64(len(p.data))
	n.mu.Unlock()
	for i := 0; i < len(p.from); i += 8 {
		binary.LittleEndian.PutUint64(p.from[i:], uint64(at)+binary.LittleEndian.Uint64(p.from[i:]))
	}
	_, err := n.data.WriteAt(p.data, at)
	if err == nil {
		_, err = n.from.WriteAt(p.from, 8*int64(first))
	}
	if err != nil {
		n.mu.Lock()
		n.err = cmp.Or(n.err, err)
		n.mu.Unlock()
	}
}

// of returns the note of a document.
func (n *notes) of(item int) (note, error) {
	if n.err != nil {
		return note{}, n.err
	}
	var where [8]byte
	if _, err := n.from.ReadAt(where[:], 8*int64(item)); err != nil {
		return note{}, err
	}
	at := int64(binary.LittleEndian.Uint64(where[:]))
	var fields [3]string
	for i := range fields {
		var head [binary.MaxVarintLen64]byte
		got, err := n.data.ReadAt(head[:], at)
		size, used := binary.Uvarint(head[:got])
		if used <= 0 {
			return note{}, errors.Join(errors.New("a note cannot be read"), err)
		}
		b := make([]byte, size)
		if got, err := n.data.ReadAt(b, at+int64(used)); got < len(b) {
			return note{}, err
		}
		fields[i], at = string(b), at+int64(used)+int64(size)
	}
	return note{fields[0], fields[1], fields[2]}, nil
}
