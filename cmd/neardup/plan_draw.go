package main

import (
	"bytes"
	"math/rand/v2"

	"github.com/neardup/neardup/corpus"
)

// sampledRecord is a record of the sample.
type sampledRecord struct {
	at int64 // among all records
	it corpus.Item
}

const (
	usualSample = 20000 // documents
	// smallInput is how many bytes of records are looked at as a whole: to
	// decide them takes about a second, and nothing is left to chance.
	smallInput = 4 << 20
)

// reservoir keeps a sample of the records that go by, each with the same chance
// (Vitter's algorithm R); all of them as long as they are few or small.
type reservoir struct {
	rng   *rand.Rand
	most  int // records
	small int // bytes that are kept whatever the records
	bytes int
	full  bool // not all are kept
	drawn []sampledRecord
}

// newReservoir makes one for so many records, exactly; 0: as many as are usual, and all of a small input.
func newReservoir(records int) *reservoir {
	r := &reservoir{rng: rand.New(rand.NewPCG(1, 1)), most: records}
	if records == 0 {
		r.most, r.small = usualSample, smallInput
	}
	return r
}

// add keeps a record, or not; its bytes are copied.
func (r *reservoir) add(d sampledRecord) {
	at := len(r.drawn)
	if r.full {
		if at = int(r.rng.Int64N(d.at + 1)); at >= r.most {
			return
		}
	}
	d.it.Raw = bytes.Clone(d.it.Raw)
	if r.full {
		r.drawn[at] = d
		return
	}
	r.drawn, r.bytes = append(r.drawn, d), r.bytes+len(d.it.Raw)
	if len(r.drawn) > r.most && r.bytes > r.small {
		r.rng.Shuffle(len(r.drawn), func(i, j int) { r.drawn[i], r.drawn[j] = r.drawn[j], r.drawn[i] })
		clear(r.drawn[r.most:])
		r.drawn, r.full = r.drawn[:r.most], true
	}
}
