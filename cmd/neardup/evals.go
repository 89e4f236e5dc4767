package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/contamination"
	"github.com/neardup/neardup/corpus"
)

// evalLine is an item of an evaluation in JSON: with an id of its own, or as decon has
// them, with that of the evaluation and a number.
type evalLine struct {
	ID       json.RawMessage `json:"id"`
	Eval     json.RawMessage `json:"eval_key"`
	Number   json.RawMessage `json:"doc_id"`
	Question json.RawMessage `json:"question"`
	Answer   json.RawMessage `json:"answer"`
	Passage  json.RawMessage `json:"passage"`
}

// evalItems reads items of evaluations. A record that cannot be read is an error: what is
// not looked for would not be found.
func evalItems(r *corpus.Reader) iter.Seq2[contamination.Item, error] {
	return func(yield func(contamination.Item, error) bool) {
		dec := r.NewDecoder()
		for it, err := range r.Items() {
			var item contamination.Item
			if err == nil {
				item, err = evalItem(dec, it)
			}
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

func evalItem(dec *corpus.Decoder, it corpus.Item) (item contamination.Item, err error) {
	var line evalLine
	if json.Unmarshal(it.Raw, &line) == nil && line.Question != nil {
		item = contamination.Item{ID: plain(line.ID), Question: plain(line.Question), Answer: plain(line.Answer), Passage: plain(line.Passage)}
		switch {
		case line.Eval != nil && line.Number != nil:
			item.ID = plain(line.Eval) + "/" + plain(line.Number)
		case item.ID == "":
			item.ID = fmt.Sprintf("%s:%d", it.File, it.Line)
		}
		return item, nil
	}
	var doc neardup.Document
	if err := dec.Decode(it, &doc); err != nil {
		return item, fmt.Errorf("an item has a question or a text: %w", err)
	}
	return contamination.Item{ID: doc.ID, Text: doc.Text}, nil
}

// plain is a string of JSON, or a number as it is written; "" of anything else.
func plain(raw json.RawMessage) (s string) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || bytes.IndexByte([]byte("[{ntf"), raw[0]) >= 0:
		return ""
	case raw[0] != '"':
		return string(raw)
	case json.Unmarshal(raw, &s) != nil:
		return ""
	}
	return s
}
