package report

import "github.com/neardup/neardup/eval"

// Quality is the quality of a run, measured by the run itself on samples.
type Quality struct {
	// Recall is the share of edited copies of sampled texts that the search finds, among those that are near
	// by the method's definition. Edits has the shares by kind of edit.
	Recall eval.Rate   `json:"recall"`
	Edits  []EditShare `json:"edits"`
	// Sample is the share of near pairs that the search finds. The pairs were found by comparing Texts
	// sampled texts with Against other texts.
	Sample  eval.Rate `json:"sample"`
	Texts   int       `json:"texts"`
	Against int64     `json:"against"`
	// Above is the share of the near pairs that are less than Border above the threshold. Below is the share
	// of sampled refused pairs that are less than Border below it.
	Above   eval.Rate `json:"above"`
	Below   eval.Rate `json:"below"`
	Border  float64   `json:"border"`
	Refused int64     `json:"refused"` // compared pairs that are not near
	// Removals and Misses are pairs to inspect, the least certain first.
	Removals []AuditedPair `json:"removals,omitempty"`
	Misses   []AuditedPair `json:"misses,omitempty"`
	Seconds  float64       `json:"seconds"` // duration of the measurement
}

// An EditShare is the result for the edits of one kind.
type EditShare struct {
	Kind  string    `json:"kind"`
	Made  int       `json:"made"`
	Equal int       `json:"equal"` // copies that cleaning makes equal
	Near  int       `json:"near"`  // copies near by the method's definition, without Equal
	Found eval.Rate `json:"found"` // those of Near that the search finds
}

// An AuditedPair is a pair of documents to inspect, with its differences.
type AuditedPair struct {
	ID         string      `json:"id"`
	Other      string      `json:"other"`
	Similarity float64     `json:"similarity"`
	Basis      string      `json:"basis,omitempty"`
	Variant    bool        `json:"variant,omitempty"`
	Differs    []Differing `json:"differs,omitempty"`
	Opening    string      `json:"opening"` // beginning of the clean text of ID
}

// Differing is a difference between two texts. Bits is the evidence of these words for equal meaning.
type Differing struct {
	A    string  `json:"a,omitempty"`
	B    string  `json:"b,omitempty"`
	Bits float64 `json:"bits"`
}
