package api

import (
	"time"

	"github.com/neardup/neardup"
)

// Caller says who a token is.
type Caller struct {
	Name   string   `json:"name,omitempty" doc:"Who has the token."`
	Tenant string   `json:"tenant"`
	Roles  []string `json:"roles" nullable:"false"`
}

// Live are the figures of a server at a moment.
type Live struct {
	Time    time.Time `json:"time"`
	Metrics []Metric  `json:"metrics" nullable:"false"`
}

// Metric is one figure: a value, or a histogram.
type Metric struct {
	Name    string            `json:"name"`
	Labels  map[string]string `json:"labels,omitempty"`
	Value   float64           `json:"value,omitempty"`
	Count   uint64            `json:"count,omitempty"`
	Sum     float64           `json:"sum,omitempty"`
	Buckets []Bucket          `json:"buckets,omitempty" doc:"Of a histogram, without the last, which holds all."`
}

// Bucket counts what was at most Upper.
type Bucket struct {
	Upper float64 `json:"upper"`
	Count uint64  `json:"count"`
}

// Texts are two texts to inspect, as they are.
type Texts struct {
	A string `json:"a"`
	B string `json:"b"`
}

// Measured is what two texts are to each other, on every scale.
type Measured struct {
	Equal   bool          `json:"equal" doc:"Once clean."`
	Runes   [2]int        `json:"runes" doc:"Of clean text."`
	Scales  []Scale       `json:"scales" nullable:"false"`
	Hamming int           `json:"hammingDistance"`
	Edits   *int          `json:"editDistance,omitempty"`
	Verdict neardup.Match `json:"verdict" doc:"Of method auto."`
}

// Inspection also says what the two texts are made of.
type Inspection struct {
	Measured
	// Conflicts are the evidence that keeps a variant from being a duplicate.
	Conflicts    []neardup.Conflict `json:"conflicts,omitempty"`
	Fingerprints [2]string          `json:"fingerprints" doc:"16 hex digits each, made with the public seed 0, never that of an index."`
	Keywords     [2][]Keyword       `json:"keywords"`
}

// Scale is one way to measure similarity.
type Scale struct {
	Name       string  `json:"name"`
	Similarity float64 `json:"similarity"`
}

// Keyword is a word with the weight it has for its text.
type Keyword struct {
	Word   string `json:"word"`
	Weight int    `json:"weight"`
}
