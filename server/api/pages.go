package api

import (
	"time"

	"github.com/neardup/neardup"
)

// Caller describes the token of a request.
type Caller struct {
	Name   string   `json:"name,omitempty" doc:"Name of the token's owner."`
	Tenant string   `json:"tenant"`
	Roles  []string `json:"roles" nullable:"false"`
}

// Live holds the metrics of a server at one moment.
type Live struct {
	Time    time.Time `json:"time"`
	Metrics []Metric  `json:"metrics" nullable:"false"`
}

// Metric is one metric: a value or a histogram.
type Metric struct {
	Name    string            `json:"name"`
	Labels  map[string]string `json:"labels,omitempty"`
	Value   float64           `json:"value,omitempty"`
	Count   uint64            `json:"count,omitempty"`
	Sum     float64           `json:"sum,omitempty"`
	Buckets []Bucket          `json:"buckets,omitempty" doc:"Buckets of a histogram, without the last one, which counts everything."`
}

// Bucket counts the values of at most Upper.
type Bucket struct {
	Upper float64 `json:"upper"`
	Count uint64  `json:"count"`
}

// Texts holds two texts to inspect.
type Texts struct {
	A string `json:"a" example:"The ferry leaves at nine."`
	B string `json:"b" example:"The ferry leaves at ten."`
}

// Measured compares two texts on every scale.
type Measured struct {
	Equal   bool          `json:"equal" doc:"The clean texts are equal."`
	Runes   [2]int        `json:"runes" doc:"Length of the clean texts in runes."`
	Scales  []Scale       `json:"scales" nullable:"false"`
	Hamming int           `json:"hammingDistance"`
	Edits   *int          `json:"editDistance,omitempty"`
	Verdict neardup.Match `json:"verdict" doc:"Verdict of method auto."`
}

// Inspection also holds the features of the two texts.
type Inspection struct {
	Measured
	// Conflicts is the evidence that makes a variant instead of a duplicate.
	Conflicts    []neardup.Conflict `json:"conflicts,omitempty"`
	Fingerprints [2]string          `json:"fingerprints" doc:"16 hex digits each, with the public seed 0, not the seed of an index."`
	Keywords     [2][]Keyword       `json:"keywords"`
}

// Scale is one measure of similarity.
type Scale struct {
	Name       string  `json:"name"`
	Similarity float64 `json:"similarity"`
}

// Keyword is a word with its weight in its text.
type Keyword struct {
	Word   string `json:"word"`
	Weight int    `json:"weight"`
}
