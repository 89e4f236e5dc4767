package main

import (
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
)

// clusterFields are options of --write clusters: what is said of each document also.
var clusterFields = []string{"relation", "title", "url", "text"}

// relationLeader is that of a leader to itself; those of others are the engine's.
const relationLeader = "leader"

// clusterWriter writes the members of clusters, one at a time, so that a cluster may be of any size.
type clusterWriter struct {
	out        *corpus.AtomicFile
	table      *corpus.Table // a row a member; nil: a line of JSON a cluster
	fields     []string      // those asked for
	notes      *notes        // nil where nothing of them is asked for
	leader     string
	size, left int
}

// newClusterWriter writes a table, or lines, by the file's name.
func newClusterWriter(out *corpus.AtomicFile, path string, fields []string, n *notes, style corpus.TableStyle) (w *clusterWriter, err error) {
	w = &clusterWriter{out: out, fields: fields, notes: n}
	if f := corpus.FormatOf(path); f == corpus.JSONL || !slices.Contains(corpus.TableFormats(), f) {
		return w, nil
	}
	columns := []corpus.Column{{Name: "leader"}, {Name: "size", Kind: corpus.Integer}, {Name: "id"}, {Name: "similarity", Kind: corpus.Number}}
	for _, name := range fields {
		columns = append(columns, corpus.Column{Name: name})
	}
	w.table, err = corpus.NewTable(out, style, codecs, columns...)
	return w, err
}

// add writes a member of a cluster of a size, the leader first.
func (w *clusterWriter) add(o batch.Outcome, size int) (err error) {
	similarity, relation, leads := o.Similarity, string(relationOf(o.Decision)), w.left == 0
	if leads {
		w.left, w.leader, w.size = size, o.ID, size
		similarity, relation = 1, relationLeader
	}
	w.left--
	var kept note
	if w.notes != nil && o.Item >= 0 {
		if kept, err = w.notes.of(o.Item); err != nil {
			return err
		}
	}
	said := map[string]string{"relation": relation, "title": kept.title, "url": kept.url, "text": kept.text}
	if w.table != nil {
		row := []any{w.leader, int64(w.size), o.ID, similarity}
		for _, f := range w.fields {
			row = append(row, said[f])
		}
		return w.table.Row(row...)
	}
	var b []byte
	if leads {
		b = appendf(appendString([]byte(`{"leader":`), o.ID), `,"size":%d`, size)
	} else {
		b = appendf(appendString([]byte(`{"id":`), o.ID), `,"similarity":%.4f`, similarity)
	}
	for _, f := range w.fields {
		if v := said[f]; v != "" && v != relationLeader {
			b = appendString(appendf(b, ",%q:", f), v)
		}
	}
	switch {
	case leads:
		b = append(b, `,"duplicates":[`...)
	case w.left > 0:
		b = append(b, "},"...)
	default:
		b = append(b, '}')
	}
	if w.left == 0 {
		b = append(b, "]}\n"...)
	}
	_, err = w.out.Write(b)
	return err
}

// relationOf says what a duplicate is to its leader.
func relationOf(d neardup.Decision) batch.Relation {
	return batch.Edge{Match: neardup.Match{Near: true, Similarity: d.Similarity, Basis: d.Basis}}.Relation()
}

// results are what is written of a run while it decides.
type results struct {
	decisions *corpus.AtomicFile // nil: none are written
	addresses bool               // of pages in archives, whose ids say nothing, in decisions
	clusters  *clusterWriter     // nil: none are written
	notes     *notes             // nil: nothing is kept of the documents
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
	out := &results{decisions: decisions, addresses: format == corpus.WARC && decisions != nil}
	if out.addresses || slices.ContainsFunc(fields, func(f string) bool { return f != "relation" }) {
		out.notes = newNotes(d.run.tmp, slices.Contains(fields, "text"))
	}
	if clusters != nil {
		out.clusters, err = newClusterWriter(clusters, d.write.path("clusters"), fields, out.notes, style)
	}
	return out, err
}

// end ends the tables; close frees what they took.
func (r *results) end() error {
	if r.clusters == nil || r.clusters.table == nil {
		return nil
	}
	return r.clusters.table.Close()
}

func (r *results) close() {
	if r.notes != nil {
		r.notes.files.Close()
	}
}

// decide writes a decision.
func (r *results) decide(o batch.Outcome) (err error) {
	if !r.addresses {
		return r.decisions.WriteJSON(o.Decision)
	}
	line := struct {
		neardup.Decision
		URL       string `json:"url,omitempty"`
		LeaderURL string `json:"leaderUrl,omitempty"`
	}{Decision: o.Decision}
	own, err := r.notes.of(o.Item)
	var leader note
	if err == nil && o.LeaderItem != o.Item && o.LeaderItem >= 0 {
		leader, err = r.notes.of(o.LeaderItem)
	}
	if err != nil {
		return err
	}
	line.URL, line.LeaderURL = own.url, leader.url
	return r.decisions.WriteJSON(line)
}
