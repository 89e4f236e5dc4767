package report

import "github.com/neardup/neardup/eval"

// Quality is how good a run was, measured by the run itself on samples.
type Quality struct {
	// Recall is the share of edited copies of sampled texts that the search
	// finds, of those that are near by the method's definition; Edits has the
	// kinds of edit.
	Recall eval.Rate   `json:"recall"`
	Edits  []EditShare `json:"edits"`
	// Sample is the share of the near pairs of sampled texts, found by
	// comparing Texts with Against others, that the search finds too.
	Sample  eval.Rate `json:"sample"`
	Texts   int       `json:"texts"`
	Against int64     `json:"against"`
	// Above is the share of the near pairs that are less than Border above
	// the threshold; Below, of a sample of the refused pairs, of those that
	// are as little below it.
	Above   eval.Rate `json:"above"`
	Below   eval.Rate `json:"below"`
	Border  float64   `json:"border"`
	Refused int64     `json:"refused"` // pairs compared and not near
	// Removals and Misses are pairs to look at, the least sure first.
	Removals []AuditedPair `json:"removals,omitempty"`
	Misses   []AuditedPair `json:"misses,omitempty"`
	Seconds  float64       `json:"seconds"` // that measuring took
}

// EditShare is what becomes of the edits of one kind.
type EditShare struct {
	Kind  string    `json:"kind"`
	Made  int       `json:"made"`
	Equal int       `json:"equal"` // that cleaning undoes: copies
	Near  int       `json:"near"`  // of the others, by the method's definition
	Found eval.Rate `json:"found"` // of these
}

// AuditedPair is a pair of documents to look at, with what differs.
type AuditedPair struct {
	ID         string      `json:"id"`
	Other      string      `json:"other"`
	Similarity float64     `json:"similarity"`
	Basis      string      `json:"basis,omitempty"`
	Variant    bool        `json:"variant,omitempty"`
	Differs    []Differing `json:"differs,omitempty"`
	Opening    string      `json:"opening"` // how the clean text of ID begins
}

// Differing is a place in which two texts have other words, with what these say
// of the texts being the same, in bits.
type Differing struct {
	A    string  `json:"a,omitempty"`
	B    string  `json:"b,omitempty"`
	Bits float64 `json:"bits"`
}
