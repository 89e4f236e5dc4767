package main

import (
	"encoding/csv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/parquet-go/parquet-go"
)

// clusterFields are what --cluster-fields may ask for, in the order of the
// columns.
var clusterFields = []string{"relation", "title", "url", "text"}

// parseClusterFields reads the list of --cluster-fields.
func parseClusterFields(s string) ([]string, error) {
	var fields []string
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
		case !slices.Contains(clusterFields, name):
			return nil, usage("--cluster-fields: %q is none of %s", name, strings.Join(clusterFields, ", "))
		case !slices.Contains(fields, name):
			fields = append(fields, name)
		}
	}
	return fields, nil
}

// member is a document of a cluster as a row of a table. The leader is its own
// first member.
type member struct {
	Leader     string  `parquet:"leader"`
	Size       int     `parquet:"size"`
	ID         string  `parquet:"id"`
	Similarity float64 `parquet:"similarity"`
	Relation   string  `parquet:"relation,optional"`
	Title      string  `parquet:"title,optional"`
	URL        string  `parquet:"url,optional"`
	Text       string  `parquet:"text,optional"`
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

// newClusterWriter writes in the format of the file's name: CSV, Parquet, else
// JSONL.
func newClusterWriter(out *corpus.AtomicFile, path string, fields []string, n *notes, style *csvStyle) *clusterWriter {
	w := &clusterWriter{fields: fields, notes: n}
	switch format := clusterFormat(path); format {
	case corpus.CSV:
		w.to = &memberTable{out: out, path: path, style: style, fields: fields}
	case corpus.Parquet:
		w.to = memberRows{parquet.NewGenericWriter[member](out, parquet.Compression(&parquet.Zstd))}
	default:
		w.to = &memberLines{out: out, fields: fields}
	}
	return w
}

// clusterFormat tells the format by the name; of Parquet, nothing is compressed
// as a whole.
func clusterFormat(path string) corpus.Format {
	name := strings.ToLower(path)
	if ext := filepath.Ext(name); ext == ".parquet" || ext == ".pq" {
		return corpus.Parquet
	}
	if tableFormat(name) == corpus.CSV {
		return corpus.CSV
	}
	return corpus.JSONL
}

func (w *clusterWriter) add(o batch.Outcome, size int) error {
	m := member{ID: o.ID, Similarity: o.Similarity}
	relation := string(relationOf(o.Decision))
	if w.left == 0 {
		w.left, w.leader, w.size = size, o.ID, size
		m.Similarity, relation = 1, relationLeader
	}
	w.left--
	m.Leader, m.Size = w.leader, w.size
	var kept note
	if w.notes != nil {
		var err error
		if kept, err = w.notes.of(o.Item); err != nil {
			return err
		}
	}
	for _, f := range w.fields {
		switch f {
		case "relation":
			m.Relation = relation
		case "title":
			m.Title = kept.title
		case "url":
			m.URL = kept.url
		case "text":
			m.Text = kept.text
		}
	}
	return w.to.member(m, w.left)
}

// relationOf says what a duplicate is to its leader.
func relationOf(d neardup.Decision) batch.Relation {
	return batch.Edge{Match: neardup.Match{Near: true, Similarity: d.Similarity, Basis: d.Basis}}.Relation()
}

func (m *member) field(name string) string {
	switch name {
	case "relation":
		return m.Relation
	case "title":
		return m.Title
	case "url":
		return m.URL
	}
	return m.Text
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
		b = appendString([]byte(`{"leader":`), m.ID)
		b = l.appendFields(appendf(b, `,"size":%d`, m.Size), &m)
		b = append(b, `,"duplicates":[`...)
	} else {
		b = appendString([]byte(`{"id":`), m.ID)
		b = append(l.appendFields(appendf(b, `,"similarity":%.4f`, m.Similarity), &m), '}')
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
	for _, f := range l.fields {
		if v := m.field(f); v != "" && v != relationLeader {
			b = appendString(appendf(b, ",%q:", f), v)
		}
	}
	return b
}

func (l *memberLines) close() error { return nil }

// memberTable writes CSV, a row a member.
type memberTable struct {
	out    *corpus.AtomicFile
	path   string
	style  *csvStyle
	fields []string
	w      *csv.Writer
}

func (t *memberTable) begin() (err error) {
	if t.w != nil {
		return nil
	}
	if t.w, err = t.style.begin(t.out, t.path); err != nil {
		return err
	}
	return t.w.Write(append([]string{"leader", "size", "id", "similarity"}, t.fields...))
}

func (t *memberTable) member(m member, _ int) error {
	if err := t.begin(); err != nil {
		return err
	}
	row := []string{t.style.cell(m.Leader), strconv.Itoa(m.Size), t.style.cell(m.ID), strconv.FormatFloat(m.Similarity, 'f', 4, 64)}
	for _, f := range t.fields {
		row = append(row, t.style.cell(m.field(f)))
	}
	return t.w.Write(row)
}

func (t *memberTable) close() error {
	if err := t.begin(); err != nil {
		return err
	}
	t.w.Flush()
	return t.w.Error()
}

// memberRows writes Parquet, a row a member.
type memberRows struct {
	w *parquet.GenericWriter[member]
}

func (r memberRows) member(m member, _ int) error {
	_, err := r.w.Write([]member{m})
	return err
}

func (r memberRows) close() error { return r.w.Close() }

// results are the tables of a run.
type results struct {
	notes     *notes // nil where nothing is kept of the documents
	decisions decisionWriter
	clusters  *clusterWriter // nil where nobody wants them
}

// results begins the tables that are wanted.
func (d *dedup) results(r *corpus.Reader, decisions, clusters *corpus.AtomicFile) (*results, error) {
	fields, err := parseClusterFields(d.fields)
	if err != nil {
		return nil, err
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
		out.clusters = newClusterWriter(clusters, d.clusters, fields, out.notes, &d.csv)
	}
	return out, nil
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
	if o.LeaderItem != o.Item {
		leader, err := w.notes.of(o.LeaderItem)
		if err != nil {
			return err
		}
		line.LeaderURL = leader.url
	}
	return w.out.WriteJSON(line)
}
