package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/interop"
)

// formKinds are the kinds of --write that other tools read, and dedupKinds all that dedup has.
var (
	formKinds  = []string{"datatrove", "dolma", "removed"}
	dedupKinds = append([]string{"clusters", "groups", "report"}, formKinds...)
)

// writeOptions are the options of the kinds.
var writeOptions = map[string][]string{
	"clusters": append([]string{"bom", "raw", "sep"}, clusterFields...), "groups": {"bom", "raw", "sep"}, "report": {"floor", "labels"},
}

// writes is the value of --write: the further results of a run, each as KIND[,OPTION...]:FILE.
type writes struct {
	kinds []string // that the command has
	files map[string]written
}

// written is one of them.
type written struct {
	path    string
	options [][2]string // name and value
}

// Type of the flag's value, for the help.
func (w *writes) Type() string { return "KIND:FILE" }

// String is empty, because what is repeated has no default.
func (w *writes) String() string { return "" }

// Set adds a result.
func (w *writes) Set(v string) error {
	what, path, ok := strings.Cut(v, ":")
	words := strings.Split(what, ",")
	kind, to := words[0], written{path: path}
	switch {
	case !slices.Contains(w.kinds, kind):
		return fmt.Errorf("%q: want KIND:FILE, of the kinds %s", v, strings.Join(w.kinds, ", "))
	case !ok || path == "":
		return fmt.Errorf("%q: want %s:FILE", v, kind)
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

// path returns the file of a kind, "" if it is not written.
func (w *writes) path(kind string) string { return w.files[kind].path }

// paths returns the files of all kinds.
func (w *writes) paths() (all []string) {
	for to := range maps.Values(w.files) {
		all = append(all, to.path)
	}
	return all
}

// option returns the value of an option, "" if it is not given.
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
		return s, usage("--write %s: bom, raw and sep have an effect on .csv and .tsv only", kind)
	}
	return s, nil
}

// interopWriters write in all the forms that are wanted.
type interopWriters []interop.Writer

func (ws interopWriters) add(d *interop.Document) error {
	for _, w := range ws {
		if err := w.Add(d); err != nil {
			return err
		}
	}
	return nil
}

// removed tells whether a record is removed. A rejected record is left out.
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
