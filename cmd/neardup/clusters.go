package main

import (
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
)

// clusterFields are options of --write clusters: what is said of each document also.
var clusterFields = []string{"relation", "title", "url", "text"}

// member is a document of a cluster. The leader is its own first member.
type member struct {
	leader     string
	size       int
	id         string
	similarity float64
	fields     []string // those asked for
}

// relationLeader is that of a leader to itself; those of others are the engine's.
const relationLeader = "leader"

// memberWriter writes the members of clusters, one at a time, so that a cluster
// may be of any size.
type memberWriter interface {
	// member writes one; left is how many follow in its cluster.
	member(m member, left int) error
	close() error
}

// clusterWriter makes members of what the engine tells.
type clusterWriter struct {
	fields []string
	notes  *notes // nil where nothing of them is asked for
	to     memberWriter
	left   int
	leader string
	size   int
}

// newClusterWriter writes a table, or a line of JSON a cluster, by the file's name.
func newClusterWriter(out *corpus.AtomicFile, path string, fields []string, n *notes, style corpus.TableStyle) (*clusterWriter, error) {
	w := &clusterWriter{fields: fields, notes: n, to: &memberLines{out: out, fields: fields}}
	if f := corpus.FormatOf(path); f == corpus.JSONL || !slices.Contains(corpus.TableFormats(), f) {
		return w, nil
	}
	columns := []corpus.Column{{Name: "leader"}, {Name: "size", Kind: corpus.Integer}, {Name: "id"}, {Name: "similarity", Kind: corpus.Number}}
	for _, name := range fields {
		columns = append(columns, corpus.Column{Name: name})
	}
	table, err := corpus.NewTable(out, style, codecs, columns...)
	w.to = memberRows{table}
	return w, err
}

func (w *clusterWriter) add(o batch.Outcome, size int) error {
	m := member{id: o.ID, similarity: o.Similarity}
	relation := string(relationOf(o.Decision))
	if w.left == 0 {
		w.left, w.leader, w.size = size, o.ID, size
		m.similarity, relation = 1, relationLeader
	}
	w.left--
	m.leader, m.size = w.leader, w.size
	var kept note
	if w.notes != nil && o.Item >= 0 {
		var err error
		if kept, err = w.notes.of(o.Item); err != nil {
			return err
		}
	}
	for _, f := range w.fields {
		value := map[string]string{"relation": relation, "title": kept.title, "url": kept.url, "text": kept.text}[f]
		m.fields = append(m.fields, value)
	}
	return w.to.member(m, w.left)
}

// relationOf says what a duplicate is to its leader.
func relationOf(d neardup.Decision) batch.Relation {
	return batch.Edge{Match: neardup.Match{Near: true, Similarity: d.Similarity, Basis: d.Basis}}.Relation()
}

// memberLines writes a line a cluster: the leader, and the others with their
// similarities.
type memberLines struct {
	out    *corpus.AtomicFile
	fields []string
	inside bool
}

func (l *memberLines) member(m member, left int) error {
	var b []byte
	if !l.inside {
		l.inside = true
		b = appendString([]byte(`{"leader":`), m.id)
		b = l.appendFields(appendf(b, `,"size":%d`, m.size), &m)
		b = append(b, `,"duplicates":[`...)
	} else {
		b = appendString([]byte(`{"id":`), m.id)
		b = append(l.appendFields(appendf(b, `,"similarity":%.4f`, m.similarity), &m), '}')
		if left > 0 {
			b = append(b, ',')
		}
	}
	if left == 0 {
		b = append(b, "]}\n"...)
		l.inside = false
	}
	_, err := l.out.Write(b)
	return err
}

func (l *memberLines) appendFields(b []byte, m *member) []byte {
	for i, v := range m.fields {
		if v != "" && v != relationLeader {
			b = appendString(appendf(b, ",%q:", l.fields[i]), v)
		}
	}
	return b
}

func (l *memberLines) close() error { return nil }

// memberRows writes a row a member.
type memberRows struct{ table *corpus.Table }

func (r memberRows) member(m member, _ int) error {
	values := []any{m.leader, int64(m.size), m.id, m.similarity}
	for _, v := range m.fields {
		values = append(values, v)
	}
	return r.table.Row(values...)
}

func (r memberRows) close() error { return r.table.Close() }

// results are the tables of a run.
type results struct {
	notes     *notes // nil where nothing is kept of the documents
	decisions decisionWriter
	clusters  *clusterWriter // nil where nobody wants them
}

// results begins the tables that are wanted.
func (d *dedup) results(r *corpus.Reader, decisions, clusters *corpus.AtomicFile) (*results, error) {
	style, err := d.write.style("clusters")
	if err != nil {
		return nil, err
	}
	var fields []string
	for _, o := range d.write.files["clusters"].options {
		if slices.Contains(clusterFields, o[0]) && !slices.Contains(fields, o[0]) {
			fields = append(fields, o[0])
		}
	}
	format, _ := r.Format()
	addresses := format == corpus.WARC && decisions != nil
	ofDocuments := slices.ContainsFunc(fields, func(f string) bool { return f != "relation" })
	out := &results{decisions: decisionWriter{out: decisions}}
	if addresses || ofDocuments {
		out.notes = newNotes(d.run.tmp, slices.Contains(fields, "text"))
	}
	if addresses {
		out.decisions.notes = out.notes
	}
	if clusters != nil {
		out.clusters, err = newClusterWriter(clusters, d.write.path("clusters"), fields, out.notes, style)
	}
	return out, err
}

// end ends the tables; close frees what they took.
func (r *results) end() error {
	if r.clusters == nil {
		return nil
	}
	return r.clusters.to.close()
}

func (r *results) close() {
	if r.notes != nil {
		r.notes.files.Close()
	}
}

// decisionWriter writes a line a decision; of archives, whose ids tell nobody
// anything, with the addresses of the pages.
type decisionWriter struct {
	out   *corpus.AtomicFile
	notes *notes // nil: no addresses
}

func (w decisionWriter) write(o batch.Outcome) error {
	if w.out == nil {
		return nil
	}
	if w.notes == nil {
		return w.out.WriteJSON(o.Decision)
	}
	line := struct {
		neardup.Decision
		URL       string `json:"url,omitempty"`
		LeaderURL string `json:"leaderUrl,omitempty"`
	}{Decision: o.Decision}
	own, err := w.notes.of(o.Item)
	if err != nil {
		return err
	}
	line.URL = own.url
	if o.LeaderItem != o.Item && o.LeaderItem >= 0 {
		leader, err := w.notes.of(o.LeaderItem)
		if err != nil {
			return err
		}
		line.LeaderURL = leader.url
	}
	return w.out.WriteJSON(line)
}
