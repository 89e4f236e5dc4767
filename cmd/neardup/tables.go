package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/external"
)

// clusterFields are the options of --write clusters. Each adds a field of every document.
var clusterFields = []string{"relation", "title", "url", "text"}

// relationLeader is the relation of a leader to itself. The engine defines the other relations.
const relationLeader = "leader"

// clusterWriter writes the members of clusters one at a time, so that a cluster may be of any size.
type clusterWriter struct {
	out        *corpus.AtomicFile
	table      *corpus.Table // one row per member; if nil, one JSON line per cluster
	fields     []string      // the fields selected by options
	notes      *notes        // nil if no field needs notes
	leader     string
	size, left int
}

// newClusters makes a writer of a table or of JSON lines, according to the file's name. It returns nil without
// a file.
func (w *dedupRun) newClusters(out *corpus.AtomicFile, fields []string) (c *clusterWriter, err error) {
	style, err := w.write.style("clusters")
	if out == nil || err != nil {
		return nil, err
	}
	c = &clusterWriter{out: out, fields: fields, notes: w.notes}
	if f := corpus.FormatOf(w.write.path("clusters")); f == corpus.JSONL || !slices.Contains(corpus.TableFormats(), f) {
		return c, nil
	}
	columns := []corpus.Column{{Name: "leader"}, {Name: "size", Kind: corpus.Integer}, {Name: "id"}, {Name: "similarity", Kind: corpus.Number}}
	for _, name := range fields {
		columns = append(columns, corpus.Column{Name: name})
	}
	c.table, err = corpus.NewTable(out, style, codecs, columns...)
	return c, err
}

// add writes a member of a cluster of a size, the leader first.
func (w *clusterWriter) add(o batch.Outcome, size int) (err error) {
	similarity, relation, leads := o.Similarity, "", w.left == 0
	if leads {
		w.left, w.leader, w.size = size, o.ID, size
		similarity, relation = 1, relationLeader
	} else {
		relation = string(neardup.Match{Near: true, Basis: o.Basis}.Relation())
	}
	w.left--
	var kept note
	if w.notes != nil && o.Item >= 0 {
		kept, err = w.notes.of(o.Item)
		if err != nil {
			return err
		}
	}
	said := map[string]string{"relation": relation, "title": kept.Title, "url": kept.URL, "text": kept.Text}
	if w.table != nil {
		row := []any{w.leader, int64(w.size), o.ID, similarity}
		for _, f := range w.fields {
			row = append(row, said[f])
		}
		return w.table.Row(row...)
	}
	b := fmt.Appendf(nil, `{"id":%s,"similarity":%.4f`, jsonText(o.ID), similarity)
	end := "},"
	switch {
	case leads:
		b, end = fmt.Appendf(nil, `{"leader":%s,"size":%d`, jsonText(o.ID), size), `,"duplicates":[`
	case w.left == 0:
		end = "}]}\n"
	}
	for _, f := range w.fields {
		if v := said[f]; v != "" && v != relationLeader {
			b = fmt.Appendf(b, ",%q:%s", f, jsonText(v))
		}
	}
	_, err = w.out.Write(append(b, end...))
	return err
}

// groupWriter writes a table of every document with its group, which is the number of its kept record. With
// --against, a column holds the id of a leader from the index, and the group is the number of its first record.
type groupWriter struct {
	table *corpus.Table
	*members
}

// members stores the group of each document that is not alone in it.
type members struct {
	known   *external.Array[groupMember] // indexed by item
	leaders *external.Spool              // ids of leaders from the index; nil without --against
	group   groupMember                  // the values that all members of the current group share
	left    int64
}

// newGroups begins the table of --write groups. It returns nil without a file.
func (w *dedupRun) newGroups(out *corpus.AtomicFile) (*groupWriter, error) {
	style, err := w.write.style("groups")
	if out == nil || err != nil {
		return nil, err
	}
	columns := []corpus.Column{
		{Name: "group", Kind: corpus.Integer}, {Name: "size", Kind: corpus.Integer}, {Name: "decision"}, {Name: "similarity", Kind: corpus.Number},
	}
	g := &groupWriter{members: w.members}
	if g.leaders != nil {
		columns = append(columns, corpus.Column{Name: "leader"})
	}
	g.table, err = corpus.NewTable(out, style, codecs, columns...)
	if err == nil {
		err = g.table.Suits(w.r)
	}
	return g, err
}

// A groupMember describes a member of a group of at least two documents.
type groupMember struct {
	group, size int64 // group is the item of its kept document
	similarity  float64
	leader      external.Ref // its id of idLen bytes if the leader belongs to the index
	idLen       int64
}

// add records a document of a group of at least two, the leader first.
func (g *members) add(o batch.Outcome, size int) (err error) {
	g.left--
	if g.left >= 0 {
		if g.group.group < 0 {
			g.group.group = int64(o.Item)
		}
		m := g.group
		m.similarity = o.Similarity
		return g.known.Put(o.Item, m)
	}
	g.group, g.left = groupMember{group: int64(o.Item), size: int64(size), similarity: 1}, int64(size)-1
	if o.Item >= 0 {
		return g.known.Put(o.Item, g.group)
	}
	g.group.idLen = int64(len(o.ID))
	g.group.leader, err = g.leaders.Add(o.ID)
	return err
}

// of returns the group of a document.
func (g *members) of(item int) (m groupMember, err error) {
	if item < g.known.Len() {
		m, err = g.known.Get(item)
	}
	if m.size == 0 {
		m = groupMember{group: int64(item), size: 1}
	}
	return m, err
}

// row writes a document with its group and its original columns.
func (g *groupWriter) row(item int, m groupMember, it corpus.Item, dec *corpus.Decoder) error {
	decision, similarity := neardup.New, any(nil)
	if m.group != int64(item) || m.idLen > 0 {
		decision, similarity = neardup.Duplicate, m.similarity
	}
	values := []any{m.group + 1, m.size, string(decision), similarity}
	if g.leaders != nil {
		var leader any
		if m.idLen > 0 {
			id, err := g.leaders.Read(m.leader, int(m.idLen))
			if err != nil {
				return err
			}
			leader = string(id)
		}
		values = append(values, leader)
	}
	return g.table.Item(it, dec, values...)
}

// notes stores fields of every document for the results, in temporary files.
type notes struct {
	text   bool // if false, only title and url are stored
	mu     sync.Mutex
	err    error // the first error of put
	fields *external.Spool
	where  *external.Array[noted] // indexed by item
}

// noted locates the note of an item, as JSON.
type noted struct {
	at  external.Ref
	len int64
}

// A note holds the stored fields of a document.
type note struct{ Title, URL, Text string }

// notedRunes is the length of the stored opening of a text.
const notedRunes = 300

// notesMemory bounds the memory for notes and for their index, in bytes each.
const notesMemory = 4 << 20

func newNotes(f *external.Files, text bool) *notes {
	return &notes{text: text, fields: external.NewSpool(f, notesMemory), where: external.NewArray[noted](f, notesMemory)}
}

// opening returns the beginning of a text in one line.
func opening(s string, runes int) string {
	begin := prefix(s, 2*runes) // extra runes, because white space may be removed
	cut := strings.Join(strings.Fields(begin), " ")
	short := prefix(cut, runes)
	if len(short) < len(cut) || len(begin) < len(s) {
		short += "…"
	}
	return strings.ToValidUTF8(short, string(utf8.RuneError))
}

// prefix returns the first runes of a text.
func prefix(s string, runes int) string {
	for i := range s {
		runes--
		if runes < 0 {
			return s[:i]
		}
	}
	return s
}

// put stores the notes of docs for the items from first on. If it fails, a later call of the method "of" returns the error.
// It is safe for concurrent use.
func (n *notes) put(first int, docs []note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, d := range docs {
		b, _ := json.Marshal(d) // strings always marshal
		at, err := n.fields.Add(string(b))
		if err == nil {
			err = n.where.Put(first+i, noted{at, int64(len(b))})
		}
		n.err = cmp.Or(n.err, err)
	}
}

// noteOf returns the fields of a document to store, or an empty note for nil.
func (n *notes) noteOf(doc *neardup.Document) note {
	if doc == nil {
		return note{}
	}
	kept := note{Title: doc.Title, URL: doc.URL}
	if n.text && !isFingerprint(doc.Text) {
		kept.Text = opening(doc.Text, notedRunes)
	}
	return kept
}

// of returns the note of a document.
func (n *notes) of(item int) (kept note, err error) {
	if n.err != nil {
		return kept, n.err
	}
	w, err := n.where.Get(item)
	if err != nil {
		return kept, err
	}
	b, err := n.fields.Read(w.at, int(w.len))
	if err != nil {
		return kept, err
	}
	return kept, json.Unmarshal(b, &kept)
}
