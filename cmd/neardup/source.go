package main

import (
	"errors"
	"io"
	"sync/atomic"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/report"

	"github.com/neardup/neardup/batch"
)

// blockBytes and blockItems bound what one worker decodes at a time.
const (
	blockBytes = 256 << 10
	blockItems = 1024
)

// source reads a corpus for the batch engine. A rejected record counts as an
// item too, so that a second reading can count along.
type source struct {
	r       *corpus.Reader
	decoder *decoders
	ended   bool
	items   int // given so far
	passing
}

// passing says what is done with documents as they pass; nil: it is not done.
type passing struct {
	notes   *notes          // something is kept of them
	lengths *report.Lengths // it is counted how long they are
	copies  *bitmap         // these items are left out, for an earlier one has their text
}

func newSource(r *corpus.Reader) *source {
	return &source{r: r, decoder: &decoders{r: r, free: make(chan *corpus.Decoder, 64)}}
}

// decoders lends each worker a decoder of its own.
type decoders struct {
	r    *corpus.Reader
	free chan *corpus.Decoder
	met  atomic.Bool // all fields that were asked for
}

func (d *decoders) get() *corpus.Decoder {
	select {
	case dec := <-d.free:
		return dec
	default:
		return d.r.NewDecoder()
	}
}

func (d *decoders) put(dec *corpus.Decoder) {
	select {
	case d.free <- dec:
	default:
	}
}

// entry is a record or the reason why there is none.
type entry struct {
	item   corpus.Item
	reject error
}

type block struct {
	entries []entry
	decoder *decoders
	first   int // index of the first entry
	passing
}

// Next returns the next records.
func (s *source) Next() (batch.Block, error) { return s.next() }

func (s *source) next() (*block, error) {
	if s.ended {
		return nil, io.EOF
	}
	b := &block{decoder: s.decoder, first: s.items, passing: s.passing}
	defer func() { s.items += len(b.entries) }()
	for bytes := 0; bytes < blockBytes && len(b.entries) < blockItems; {
		it, err := s.r.Next()
		switch {
		case err == nil, corpus.Rejected(err) != nil:
			b.entries = append(b.entries, entry{it, err})
			bytes += len(it.Raw)
		case errors.Is(err, io.EOF):
			s.ended = true
			if len(b.entries) == 0 {
				return nil, io.EOF
			}
			return b, nil
		default:
			return nil, err
		}
	}
	return b, nil
}

// errCopy stands for a document that is left out: an earlier one has its text.
var errCopy = errors.New("a copy")

// Decode decodes the records, and does what is to be done as they pass.
func (b *block) Decode(item func(*neardup.Document, error)) {
	var kept []note
	at := b.first
	b.each(func(_ corpus.Item, doc *neardup.Document, err error) {
		if b.notes != nil {
			kept = append(kept, b.notes.noteOf(doc))
		}
		if b.lengths != nil && doc != nil {
			b.lengths.Add(utf8.RuneCountInString(doc.Text))
		}
		if b.copies != nil && doc != nil && b.copies.has(at) {
			doc, err = nil, errCopy
		}
		at++
		item(doc, err)
	})
	if b.notes != nil {
		b.notes.put(b.first, kept)
	}
}

// each decodes the records and says where each is from.
func (b *block) each(do func(corpus.Item, *neardup.Document, error)) {
	dec := b.decoder.get()
	defer b.decoder.put(dec)
	for _, e := range b.entries {
		var doc neardup.Document
		err := e.reject
		if err == nil {
			err = dec.Decode(e.item, &doc)
		}
		if err != nil {
			do(e.item, nil, err)
			continue
		}
		do(e.item, &doc, nil)
	}
	b.entries = nil
}
