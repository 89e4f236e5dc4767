//go:build js && wasm

// Command wasm is neardup for JavaScript. It sets functions in globalThis.neardup, which npm/index.js calls. Each function
// takes two callbacks, one for the answer as JSON and one for an error, and then its arguments.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/tables"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func main() {
	debug.SetGCPercent(200) // collect less often, because one thread works and collects
	host := js.Global().Get("neardup")
	tables.Load = func(name string) ([]byte, error) { return load(host, name) }
	for name, do := range map[string]func([]js.Value) (any, error){"dedup": dedup, "compare": compareTexts, "check": check} {
		host.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
			go answer(args[0], args[1], func() (any, error) { return do(args[2:]) })
			return nil
		}))
	}
	select {}
}

// answer calls one of the callbacks.
func answer(resolve, reject js.Value, do func() (any, error)) {
	result, err := do()
	var encoded []byte
	if err == nil {
		encoded, err = json.Marshal(result)
	}
	if err != nil {
		reject.Invoke(err.Error())
		return
	}
	resolve.Invoke(string(encoded))
}

// load waits for a table. The host passes it with an error message or "".
func load(host js.Value, name string) (data []byte, err error) {
	done := make(chan struct{})
	take := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if problem := args[1].String(); problem != "" {
			err = fmt.Errorf("table %s: %s", name, problem)
		} else {
			data = bytesOf(args[0])
		}
		close(done)
		return nil
	})
	defer take.Release()
	host.Call("load", name, take)
	<-done
	return data, err
}

// bytesOf copies a Uint8Array.
func bytesOf(v js.Value) []byte {
	b := make([]byte, v.Length())
	js.CopyBytesToGo(b, v)
	return b
}

// options are the options of a call, in JSON.
type options struct {
	Method string `json:"method"` // the spec of the method
	Keep   string `json:"keep"`
	// Only for files: the format, the names of the fields, and whether the texts and the kept records are returned.
	Format string `json:"format"`
	ID     string `json:"id"`
	Text   string `json:"text"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Time   string `json:"time"`
	File   bool   `json:"file"`
}

// engine is a method, which may implement optional interfaces, with the cleaner of texts.
type engine struct {
	method neardup.Method
	text.Normalizer
}

// last holds the options of the last call, because callers rarely change them.
var last struct {
	encoded string
	options
	engine
}

// parse reads options and makes their method.
func parse(v js.Value) (options, engine, error) {
	encoded := v.String()
	if last.method != nil && last.encoded == encoded {
		return last.options, last.engine, nil
	}
	var o options
	d := json.NewDecoder(strings.NewReader(encoded))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return o, engine{}, fmt.Errorf("options: %w", err)
	}
	m, err := methods.New(o.Method)
	if err != nil {
		return o, engine{}, err
	}
	last.encoded, last.options, last.engine = encoded, o, engine{m, text.Default()}
	return o, last.engine, nil
}

// clean returns a text prepared for comparison.
func (e engine) clean(s string) batch.Text {
	clean := e.Clean(s)
	return batch.Text{Clean: clean, Prepared: e.method.Prepare(clean)}
}

// comparison is the relation of one text to another, with the evidence.
type comparison struct {
	Relation    neardup.Relation   `json:"relation"`
	Equal       bool               `json:"equal"`
	Probability float64            `json:"probability"` // probability that they mean the same, according to the evidence
	Evidence    []neardup.Conflict `json:"evidence"`
	neardup.Match
}

func comparisonOf(m neardup.Match) comparison {
	return comparison{m.Relation(), m.Basis == neardup.BasisEqual, m.Similarity, append([]neardup.Conflict{}, m.Evidence...), m}
}

// compare returns the relation of a to b.
func (e engine) compare(a, b batch.Text) comparison {
	if a.Clean == b.Clean || neardup.Blank(a.Clean) || neardup.Blank(b.Clean) {
		return comparisonOf(batch.Verify(e.method, a, b))
	}
	c := comparisonOf(neardup.Explain(e.method, a.Prepared, b.Prepared))
	if c.Relation != neardup.Other {
		return c
	}
	if back := batch.Explain(e.method, b, a); back.Relation() == neardup.ContainedIn {
		c.Match, c.Relation = back, neardup.Contains
	}
	return c
}

// compareTexts compares two texts. args holds the texts and the options.
func compareTexts(args []js.Value) (any, error) {
	_, e, err := parse(args[2])
	if err != nil {
		return nil, err
	}
	return e.compare(e.clean(args[0].String()), e.clean(args[1].String())), nil
}

// checked is the verdict on a text, with the index of the known text that it is most like, or -1.
type checked struct {
	Known int `json:"known"`
	comparison
}

// check compares a text with known texts. args holds the text, the known texts as JSON, and the options. The text is
// compared with every known one. As in a batch, the strongest evidence determines the answer.
func check(args []js.Value) (any, error) {
	_, e, err := parse(args[2])
	if err != nil {
		return nil, err
	}
	var known []string
	if err := json.Unmarshal([]byte(args[1].String()), &known); err != nil {
		return nil, fmt.Errorf("known: %w", err)
	}
	found, err := batch.Check(context.Background(), args[0].String(), known, batch.Config{Method: e.method, Clean: e.Normalizer})
	return checked{found.At, comparisonOf(found.Match)}, err
}

// A decided document has the number of its record, from 0, next to its decision.
type decided struct {
	Item int `json:"item"`
	neardup.Decision
}

// deduplicated is the result of dedup. Decisions are in the order of the records.
type deduplicated struct {
	Decisions []decided             `json:"decisions"`
	Rejects   []*corpus.RejectError `json:"rejects"`
	Summary   *batch.Summary        `json:"summary"`
	Texts     []string              `json:"texts,omitempty"` // texts of Decisions
	Kept      []byte                `json:"kept,omitempty"`  // the kept records, in their format
}

// dedup deduplicates a file. args holds the bytes of the file, the options, and a function for the progress.
func dedup(args []js.Value) (any, error) {
	o, e, err := parse(args[1])
	if err != nil {
		return nil, err
	}
	r, err := corpus.Open([]string{corpus.Stdin}, corpus.Options{
		Format: corpus.Format(o.Format), IDField: o.ID, TextField: o.Text, TitleField: o.Title, URLField: o.URL, TimeField: o.Time,
		Fields: batch.Keep(o.Keep).Fields(), Stdin: bytes.NewReader(bytesOf(args[0])),
	})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f := file{r: r, progress: args[2]}
	if err := f.read(); err != nil {
		return nil, err
	}
	if err := f.decide(batch.Config{Method: e.method, Clean: e.Normalizer, Keep: batch.Keep(o.Keep)}); err != nil {
		return nil, err
	}
	if o.File {
		err = f.rest()
	}
	return f.out, err
}

// file is a file being deduplicated.
type file struct {
	r        *corpus.Reader
	progress js.Value
	items    []corpus.Item
	docs     []neardup.Document
	rows     []int // numbers of the records
	out      deduplicated
}

// read decodes all records.
func (f *file) read() error {
	f.out.Rejects = []*corpus.RejectError{}
	decoder := f.r.NewDecoder()
	row := 0
	for it, err := range f.r.Items() {
		var doc neardup.Document
		if err == nil {
			err = decoder.Decode(it, &doc)
		}
		switch reject := corpus.Rejected(err); {
		case reject != nil:
			f.out.Rejects = append(f.out.Rejects, reject)
		case err != nil:
			return err
		default:
			f.items, f.docs, f.rows = append(f.items, it), append(f.docs, doc), append(f.rows, row)
		}
		row++
	}
	return nil
}

// decide decides on all documents.
func (f *file) decide(cfg batch.Config) (err error) {
	cfg.Progress = func(p batch.Progress) { f.progress.Invoke(p.Phase, p.Documents, p.Total) }
	f.out.Decisions = make([]decided, len(f.docs))
	f.out.Summary, err = batch.Dedup(context.Background(), batch.Documents(f.docs), cfg, func(o batch.Outcome) error {
		f.out.Decisions[o.Item] = decided{f.rows[o.Item], o.Decision}
		return nil
	})
	return err
}

// rest adds the texts and the kept records.
func (f *file) rest() error {
	var kept bytes.Buffer
	w, err := corpus.NewWriterTo(&kept, f.r)
	if err != nil {
		return err
	}
	f.out.Texts = make([]string, len(f.docs))
	for i, d := range f.out.Decisions {
		f.out.Texts[i] = f.docs[i].Text
		if d.Decision.Decision == neardup.New {
			err = errors.Join(err, w.Write(f.items[i]))
		}
	}
	err = errors.Join(err, w.Commit())
	f.out.Kept = kept.Bytes()
	return err
}
