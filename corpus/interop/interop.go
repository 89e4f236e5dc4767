// Package interop writes results in formats that other tools read, so that they can clean their corpus with them. These are
// dolma's attributes, datatrove's .remove files, and lists of ids, which NeMo Curator reads as Parquet.
package interop

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neardup/neardup/corpus"
)

// Span is a part of a text, in runes, with a score from 0 to 1.
type Span struct {
	Start, End int
	Score      float64
}

// Document is the result for a record.
type Document struct {
	File    string // the name that the reader gives it
	ID      string
	Runes   int    // length of its text
	Spans   []Span // the parts that were found, in order
	Removed bool   // the record should be left out
}

// Writer receives every document that could be read, in the order of the inputs. It is for one goroutine at a time.
type Writer interface {
	Add(d *Document) error
	// Close ends the output. Afterwards corpus.CommitAll makes it appear.
	Close() error
	corpus.Output
}

// NewDolma writes dolma's attributes into a folder, which must be new or empty. For each input it writes a file of the same
// name below documents/, with a line for each document. Dolma finds attributes by replacing documents/ with
// attributes/NAME/ in the path of its documents, so the folder should be attributes/NAME. The attributes are
// NAME__label__spans, and NAME__label__removed over the whole text of a removed document.
func NewDolma(dir, label string, r *corpus.Reader) (Writer, error) {
	if f, ok := r.Format(); !ok || f != corpus.JSONL {
		return nil, fmt.Errorf("%s: not JSONL (dolma's attributes are only for JSONL)", dir)
	}
	d, err := r.CreateDir(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(filepath.Clean(dir)) + "__" + label + "__"
	paths, names := r.Inputs(), r.Relative()
	for i, path := range paths {
		if at := strings.LastIndex(path, "documents/"); at >= 0 {
			names[i] = path[at+len("documents/"):]
		} else if len(paths) == 1 {
			names[i] = filepath.Base(path)
		}
	}
	return &dolma{files{AtomicDir: d, paths: paths, names: names}, name + "spans", name + "removed"}, nil
}

type dolma struct {
	files
	spans, removed string
}

// dolmaSpan is [start, end, score].
type dolmaSpan [3]any

func (w *dolma) Add(d *Document) error {
	if err := w.reach(d.File); err != nil {
		return err
	}
	spans, removed := []dolmaSpan{}, []dolmaSpan{}
	for _, s := range d.Spans {
		spans = append(spans, dolmaSpan{s.Start, s.End, s.Score})
	}
	if d.Removed {
		removed = append(removed, dolmaSpan{0, d.Runes, 1})
	}
	return w.out.WriteJSON(struct {
		ID         string                 `json:"id"`
		Attributes map[string][]dolmaSpan `json:"attributes"`
	}{d.ID, map[string][]dolmaSpan{w.spans: spans, w.removed: removed}})
}

// NewDatatrove writes the files that datatrove's MinhashDedupFilter reads. For the n-th input, in the order of the names,
// it writes n.remove with the numbers of the removed documents. So the pipeline must have as many tasks as there are files.
// Documents without a text do not count, because datatrove's readers skip them.
func NewDatatrove(dir string, r *corpus.Reader) (Writer, error) {
	d, err := corpus.CreateDir(dir)
	if err != nil {
		return nil, err
	}
	paths := r.Inputs()
	sorted := slices.Sorted(slices.Values(paths))
	var names []string
	for _, path := range paths {
		rank, _ := slices.BinarySearch(sorted, path)
		names = append(names, fmt.Sprintf("%06d.remove", rank))
	}
	return &datatrove{files: files{AtomicDir: d, paths: paths, names: names}}, nil
}

type datatrove struct {
	files
	file   string
	number uint32 // number in file of the next document with a text
}

func (w *datatrove) Add(d *Document) error {
	if d.File != w.file {
		w.file, w.number = d.File, 0
	}
	if err := w.reach(d.File); err != nil || d.Runes == 0 {
		return err
	}
	number := w.number
	w.number++
	if !d.Removed {
		return nil
	}
	_, err := w.out.Write(binary.LittleEndian.AppendUint32(nil, number))
	return err
}

// NewIDs writes the ids of removed documents as a table of one column, id. The name of the file selects one of
// corpus.TableFormats.
func NewIDs(path string, codecs []corpus.Codec) (Writer, error) {
	f, err := corpus.CreateAtomic(path)
	if err != nil {
		return nil, err
	}
	t, err := corpus.NewTable(f, corpus.TableStyle{Raw: true}, codecs, corpus.Column{Name: "id"})
	if err != nil {
		f.Abort()
		return nil, err
	}
	return &ids{f, t}, nil
}

type ids struct {
	*corpus.AtomicFile
	table *corpus.Table
}

func (w *ids) Add(d *Document) error {
	if !d.Removed {
		return nil
	}
	return w.table.Row(d.ID)
}

func (w *ids) Close() error { return w.table.Close() }

// files writes one file in a directory for each input, one after the other.
type files struct {
	*corpus.AtomicDir
	paths []string // paths of the inputs, in the order of reading
	names []string // names of their output files
	at    int      // index of the current input
	out   *corpus.AtomicFile
}

// reach starts the file of an input. First it writes the files of earlier inputs without documents.
func (f *files) reach(path string) error {
	for f.out == nil || f.paths[f.at] != path {
		if f.out != nil {
			if err := f.out.Commit(); err != nil {
				return err
			}
			f.out = nil
			f.at++
		}
		if f.at == len(f.paths) {
			return fmt.Errorf("%s: not an input, or its documents were added before", path)
		}
		var err error
		f.out, err = f.Create(f.names[f.at])
		if err != nil {
			return err
		}
	}
	return nil
}

// Close ends the current file and writes those of the remaining inputs.
func (f *files) Close() error {
	if len(f.paths) == 0 {
		return nil
	}
	if err := f.reach(f.paths[len(f.paths)-1]); err != nil {
		return err
	}
	return f.out.Commit()
}

// Abort removes what was written.
func (f *files) Abort() {
	if f.out != nil {
		f.out.Abort()
	}
	f.AtomicDir.Abort()
}
