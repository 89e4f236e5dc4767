package main

import (
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/interop"
	"github.com/spf13/pflag"
)

// interopFlags say in which forms of other tools a command tells what it found.
type interopFlags struct{ dolma, datatrove, removed string }

func (f *interopFlags) add(fs *pflag.FlagSet) {
	bind(fs, "", flags{"dolma": &f.dolma, "datatrove": &f.datatrove, "removed": &f.removed})
}

// paths are the outputs, for openFor.
func (f *interopFlags) paths() []string { return []string{f.dolma, f.datatrove, f.removed} }

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

// removed tells of a record whether all of it goes. One that is rejected does neither.
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
