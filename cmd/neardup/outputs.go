package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/interop"
	"github.com/neardup/neardup/report"
)

// outputs are the results of one run, which are committed together or not at all. After the first failure,
// err is set and further outputs are nil.
type outputs struct {
	*app
	json  bool                        // standard output is used by the summary
	keeps bool                        // set if files must not be replaced
	check func(paths ...string) error // rejects a path that is also another output or an input; nil without inputs
	paths []string
	begun []corpus.Output // the outputs in the order they were begun
	ends  []func() error  // functions called before the commit
	last  []corpus.Output // outputs committed after all others
	next  []func() error  // functions called after the commit

	closes []io.Closer // closed at the end
	err    error
}

// begin begins an output at a path. It returns the zero value for an empty path.
func begin[O corpus.Output](o *outputs, path string, open func() (O, error)) (out O) {
	if path == "" || o.err != nil {
		return out
	}
	o.paths = append(o.paths, path)
	if info, err := os.Stat(path); o.keeps && err == nil && info.Mode().IsRegular() && info.Size() > 0 {
		o.err = usage("%s: the file exists (want --overwrite to replace it)", path)
		return out
	}
	if o.check != nil {
		if err := o.check(o.paths...); err != nil {
			o.err = usage("%w", err)
			return out
		}
	}
	if path == corpus.Stdin {
		if o.json {
			o.err = usage("standard output: two results would be written there (want a file for all but one; --json also prints there)")
			return out
		}
		o.json = true
	}
	made, err := open()
	if errors.Is(err, corpus.ErrName) {
		err = usage("%w", err)
	}
	o.err = err
	if err != nil {
		return out
	}
	o.begun = append(o.begun, made)
	return made
}

// open begins a file, or standard output for "-". The file's name must match one of the formats. An output whose only
// format is JSONL becomes a table if the name has the ending of one.
func (o *outputs) open(path string, formats ...corpus.Format) *corpus.AtomicFile {
	return begin(o, path, func() (*corpus.AtomicFile, error) {
		if path == corpus.Stdin {
			return corpus.NewStream(o.stdout), nil
		}
		format := corpus.FormatOf(path)
		objects := slices.Equal(formats, []corpus.Format{corpus.JSONL}) && format != corpus.JSONL && slices.Contains(corpus.TableFormats(), format)
		if objects {
			formats = corpus.TableFormats()
		}
		if err := corpus.CheckName(path, formats...); err != nil {
			return nil, err
		}
		f, err := corpus.CreateAtomic(path)
		if err == nil && objects {
			err = f.Objects(codecs)
		}
		return f, err
	})
}

// records begins an output for records of r. Each record is written after the values of columns.
func (o *outputs) records(path string, r *corpus.Reader, columns ...corpus.Column) *corpus.Writer {
	return begin(o, path, func() (*corpus.Writer, error) { return corpus.NewWriter(path, r, columns...) })
}

// forms begins the outputs in the formats of other tools. label names what the command finds.
func (o *outputs) forms(f *writes, label string, r *corpus.Reader) (ws interopWriters) {
	add := func(path string, open func() (interop.Writer, error)) {
		if w := begin(o, path, open); w != nil {
			ws, o.ends = append(ws, w), append(o.ends, w.Close)
		}
	}
	add(f.path("dolma"), func() (interop.Writer, error) { return interop.NewDolma(f.path("dolma"), label, r) })
	add(f.path("datatrove"), func() (interop.Writer, error) { return interop.NewDatatrove(f.path("datatrove"), r) })
	add(f.path("removed"), func() (interop.Writer, error) { return interop.NewIDs(f.path("removed"), codecs) })
	return ws
}

// commit commits all outputs.
func (o *outputs) commit() error {
	for _, end := range o.ends {
		if err := end(); err != nil {
			return err
		}
	}
	return corpus.CommitAll(append(o.begun, o.last...)...)
}

// end removes uncommitted outputs, and closes the inputs.
func (o *outputs) end() {
	for _, out := range o.begun {
		out.Abort()
	}
	for _, c := range o.closes {
		_ = c.Close() // errors of closing an input do not matter
	}
}

// formKinds are the kinds of --write that other tools read. dedupKinds are all kinds of dedup.
var (
	formKinds  = []string{"datatrove", "dolma", "removed"}
	dedupKinds = append([]string{"clusters", "groups", "report"}, formKinds...)
)

// writeOptions maps each kind to its options.
var writeOptions = map[string][]string{
	"clusters": append([]string{"bom", "raw", "sep"}, clusterFields...), "groups": {"bom", "raw", "sep"}, "report": {"floor", "labels"},
}

// writes is the value of --write: additional results of a run, each as KIND[,OPTION...]:FILE.
type writes struct {
	kinds []string // the kinds that the command supports
	files map[string]written
}

// written is one result of --write.
type written struct {
	path    string
	options [][2]string // names and values
}

// Type returns the name of the value's type for the help.
func (w *writes) Type() string { return "KIND:FILE" }

// String names the kinds that are written.
func (w *writes) String() string { return strings.Join(slices.Sorted(maps.Keys(w.files)), ",") }

// Set adds a result.
func (w *writes) Set(v string) error {
	what, path, ok := strings.Cut(v, ":")
	words := strings.Split(what, ",")
	kind, to := words[0], written{path: path}
	switch {
	case !slices.Contains(w.kinds, kind):
		return fmt.Errorf("%q: invalid (want KIND:FILE, with KIND one of %s)", v, strings.Join(w.kinds, ", "))
	case !ok || path == "":
		return fmt.Errorf("%q: invalid (want %s:FILE)", v, kind)
	case w.path(kind) != "":
		return fmt.Errorf("%s is given twice", kind)
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		if !slices.Contains(writeOptions[kind], name) {
			return fmt.Errorf("%s has no option %q (want any of %q)", kind, name, writeOptions[kind])
		}
		to.options = append(to.options, [2]string{name, value})
	}
	if w.files == nil {
		w.files = map[string]written{}
	}
	w.files[kind] = to
	return nil
}

// path returns the file of a kind, or "" if the kind is not written.
func (w *writes) path(kind string) string { return w.files[kind].path }

// option returns the value of an option, or "" if it is not given.
func (w *writes) option(kind, name string) string {
	for _, o := range w.files[kind].options {
		if o[0] == name {
			return o[1]
		}
	}
	return ""
}

// style returns how a table for spreadsheets is written.
func (w *writes) style(kind string) (s corpus.TableStyle, err error) {
	for _, o := range w.files[kind].options {
		switch o[0] {
		case "bom":
			s.BOM = true
		case "raw":
			s.Raw = true
		case "sep":
			c, err := corpus.ParseDelimiter(o[1])
			if err != nil {
				return s, usage("--write %s,sep=%s: %w", kind, o[1], err)
			}
			s.Comma = rune(c)
		}
	}
	if f := corpus.FormatOf(w.path(kind)); s != (corpus.TableStyle{}) && f != corpus.CSV && f != corpus.TSV {
		return s, usage("--write %s: bom, raw and sep have no effect (want .csv or .tsv)", kind)
	}
	return s, nil
}

// interopWriters write in all selected formats.
type interopWriters []interop.Writer

func (ws interopWriters) add(d *interop.Document) error {
	for _, w := range ws {
		if err := w.Add(d); err != nil {
			return err
		}
	}
	return nil
}

// removed writes to every format whether a record is removed. It skips rejected records.
func (ws interopWriters) removed(it corpus.Item, dec *corpus.Decoder, goes bool) error {
	if ws == nil {
		return nil
	}
	var doc neardup.Document
	if ok, err := decoded(dec, it, &doc); !ok {
		return err
	}
	return ws.add(&interop.Document{File: it.File, ID: doc.ID, Runes: utf8.RuneCountInString(doc.Text), Removed: goes})
}

// rejects collects the rejected records of a run by reason, also for the report. It lists them in a file, or prints
// each reason once, with its first record. It prints only after a document was read, because otherwise the run's own
// error reports the reason.
type rejects struct {
	file  *corpus.AtomicFile
	w     io.Writer
	count int64
	first error
	kinds []report.Reject // ordered by their first record
	shown int
}

const (
	shownRejects = 5  // reasons printed if no file lists the records
	mostReasons  = 50 // distinct reasons
	mostExamples = 3
)

func (r *rejects) add(err error) error {
	r.count++
	if r.count == 1 {
		r.first = err
	}
	one := cmp.Or(corpus.Rejected(err), &corpus.RejectError{Reason: err.Error()})
	i := slices.IndexFunc(r.kinds, func(x report.Reject) bool { return x.Reason == one.Reason })
	switch {
	case i >= 0:
	case len(r.kinds) == mostReasons:
		i = mostReasons - 1
		r.kinds[i].Reason = "other"
	default:
		i, r.kinds = len(r.kinds), append(r.kinds, report.Reject{Reason: one.Reason})
	}
	kind := &r.kinds[i]
	kind.Count++
	if len(kind.Examples) < mostExamples {
		place := corpus.RejectError{File: one.File, Line: one.Line}
		kind.Examples = append(kind.Examples, strings.TrimSuffix(place.Error(), ": "))
	}
	return r.file.WriteJSON(one)
}

// list returns the reasons for the report, the most frequent first.
func (r *rejects) list() []report.Reject {
	return slices.SortedStableFunc(slices.Values(r.kinds), func(a, b report.Reject) int { return cmp.Compare(b.Count, a.Count) })
}

// waits reports whether a reason has not been printed.
func (r *rejects) waits() bool { return r.file == nil && r.shown < min(len(r.kinds), shownRejects+1) }

// tell prints the reasons that have not been printed.
func (r *rejects) tell() {
	for ; r.waits(); r.shown++ {
		if r.shown == shownRejects {
			fmt.Fprintln(r.w, "more records were rejected; --rejects FILE lists all of them")
			continue
		}
		kind := r.kinds[r.shown]
		fmt.Fprintf(r.w, "rejected %s\n", oneLine(strings.TrimPrefix(kind.Examples[0]+": "+kind.Reason, ": ")))
	}
}

// end prints the remaining reasons, and how often each printed reason recurred.
func (r *rejects) end() {
	r.tell()
	for _, kind := range r.kinds[:min(len(r.kinds), shownRejects)] {
		if r.file == nil && kind.Count > 1 {
			fmt.Fprintf(r.w, "rejected %s: %s more for the same reason\n", oneLine(kind.Examples[0]), grouped(kind.Count-1))
		}
	}
}
