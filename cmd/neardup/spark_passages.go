package main

import (
	"encoding/json"
	"fmt"

	"github.com/neardup/neardup/corpus"
)

// canReplace refuses texts that are no field of their own, to which a cut could be written.
func (f *inputFlags) canReplace() error {
	asLines := *f
	if f.format != string(corpus.Lines) {
		asLines.format = string(corpus.JSONL)
	}
	_, d, err := asLines.lines()
	if err != nil {
		return err
	}
	if err := d.CanReplace(); err != nil {
		return usage("%w", err)
	}
	return nil
}

func (v *sparkVerb) reportPassages(b []byte) error {
	var s struct {
		passageSummary
		Seconds float64 `json:"seconds"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	_, err := fmt.Fprintf(v.stderr, "documents   %s (%s rejected): %s cut, %s left out\nrepeated    %s bytes, in %s spans of %s\nto cut      %s bytes; %s more would end within %s, %s would leave a heading alone\ntime        %.1fs\n",
		grouped(s.Documents), grouped(s.Rejected), grouped(s.Changed), grouped(s.Dropped), grouped(s.Repeated), grouped(s.Spans), v.cuts.what(),
		grouped(s.Cut), grouped(s.Within), v.cuts.whole, grouped(s.Headings), s.Seconds)
	return err
}
