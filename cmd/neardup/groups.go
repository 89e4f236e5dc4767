package main

import (
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/external"
)

// groupWriter writes a table of every document with its group: the number of
// the record that is kept of it. A document without a size among the members is
// alone. Against an index there is a column for the id of a leader that is of it; such a
// group has the number of its first record.
type groupWriter struct {
	table   *corpus.Table
	files   *external.Files
	known   *external.Array[groupMember] // by item
	leaders *external.Spool              // ids of those of the index; nil: there is none
	of      groupMember                  // what members of the group at hand have in common
	left    int64
}

func newGroupWriter(out *corpus.AtomicFile, tmp string, style corpus.TableStyle, r *corpus.Reader, against bool) (*groupWriter, error) {
	columns := []corpus.Column{
		{Name: "group", Kind: corpus.Integer}, {Name: "size", Kind: corpus.Integer}, {Name: "decision"}, {Name: "similarity", Kind: corpus.Number},
	}
	f := external.NewFiles(tmp)
	w := &groupWriter{files: f, known: external.NewArray[groupMember](f, notesMemory)}
	if against {
		columns, w.leaders = append(columns, corpus.Column{Name: "leader"}), external.NewSpool(f, notesMemory)
	}
	table, err := corpus.NewTable(out, style, codecs, columns...)
	if err == nil {
		err = table.Suits(r)
	}
	if err != nil {
		return nil, err
	}
	w.table = table
	return w, nil
}

// groupMember is what is noted of a member of a group of several.
type groupMember struct {
	group, size int64 // group is an item
	similarity  float64
	leader      external.Ref // its id, of so many bytes; 0: it is of the input
	idLen       int64
}

// member notes a document of a group of several, its leader first.
func (g *groupWriter) member(o batch.Outcome, size int) (err error) {
	if g.left--; g.left >= 0 {
		if g.of.group < 0 {
			g.of.group = int64(o.Item)
		}
		m := g.of
		m.similarity = o.Similarity
		return g.known.Put(o.Item, m)
	}
	g.of, g.left = groupMember{group: int64(o.Item), size: int64(size), similarity: 1}, int64(size)-1
	if o.Item >= 0 {
		return g.known.Put(o.Item, g.of)
	}
	g.of.idLen = int64(len(o.ID))
	g.of.leader, err = g.leaders.Add(o.ID)
	return err
}

// row writes a document, with the columns that it came with.
func (g *groupWriter) row(item int, it corpus.Item, dec *corpus.Decoder) error {
	m := groupMember{group: int64(item), size: 1}
	if item < g.known.Len() {
		noted, err := g.known.Get(item)
		if err != nil {
			return err
		}
		if noted.size > 0 {
			m = noted
		}
	}
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
