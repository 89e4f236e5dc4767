package report

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/neardup/neardup/eval"
)

// A Run describes a run for the report. The caller sets its fields. Fields of Found that the caller leaves empty are
// computed from the decisions.
type Run struct {
	Made    time.Time   `json:"made"`
	Version string      `json:"version"` // version of the program
	Command string      `json:"command,omitempty"`
	Inputs  []string    `json:"inputs"`
	Set     string      `json:"set"`    // name of the set of documents in exported labels
	Method  string      `json:"method"` // the spec of the method
	Digest  string      `json:"digest,omitempty"`
	Texts   int64       `json:"texts,omitempty"` // distinct clean texts
	Rejects []Reject    `json:"rejects,omitempty"`
	Stages  []Stage     `json:"stages,omitempty"`
	Lengths []Bin       `json:"lengths,omitempty"` // lengths of all documents, in runes
	Recall  []eval.Band `json:"recall,omitempty"`  // only if it was measured

	Quality  *Quality `json:"quality,omitempty"`
	Rejected int64    `json:"rejected"`
	Found
}

// Found counts the results for the documents of a run.
type Found struct {
	Documents int64    `json:"documents"` // at least the number of decisions
	Kept      int64    `json:"kept"`
	Removed   int64    `json:"removed"`
	Equal     int64    `json:"equal,omitempty"` // removed because the clean text is equal
	Reasons   []Reason `json:"reasons"`
	// Similarity is a histogram of the similarity of removed documents to their leaders. Sizes is a histogram
	// of the documents per cluster.
	Similarity  []Bin    `json:"similarity"`
	Sizes       []Bin    `json:"sizes"`
	Clusters    int      `json:"clusters"`      // kept documents with duplicates
	Largest     int      `json:"largest"`       // documents of the largest cluster
	Groups      int      `json:"groups"`        // clusters, and kept documents that only have variants
	ShownGroups int      `json:"shownGroups"`   // groups whose texts are in the file
	Sources     []string `json:"sources"`       // sources of the shown groups, the most frequent first
	Lab         bool     `json:"lab,omitempty"` // the page has evidence for choosing a threshold
	// Simplified lists traditional characters of the shown texts, each followed by its simplified form.
	Simplified string `json:"simplified,omitempty"`
}

// A Reason counts the documents removed by one method on one basis.
type Reason struct {
	Method string `json:"method"`
	Basis  string `json:"basis"`
	Count  int64  `json:"count"`
}

// Reject counts the records rejected for one reason, with a few places.
type Reject struct {
	Reason   string   `json:"reason"`
	Count    int64    `json:"count"`
	Examples []string `json:"examples"`
}

// A Stage is the cost of one part of a run: wall time and CPU in seconds, and the peak of memory at its end.
type Stage struct {
	Name      string  `json:"name"`
	Seconds   float64 `json:"seconds"`
	CPU       float64 `json:"cpu"`
	PeakBytes int64   `json:"peakBytes"`
}

// A Bin is a bar of a histogram.
type Bin struct {
	Label string `json:"label"`
	Count int64  `json:"count"`
}

// Lengths counts documents by length, in powers of two. Add is safe for
// concurrent use.
type Lengths struct{ counts [40]atomic.Int64 }

// Add counts a document with the given number of runes.
func (l *Lengths) Add(runes int) { l.counts[min(bits.Len(uint(runes)), len(l.counts)-1)].Add(1) }

// Bins returns the histogram without empty bins at the ends.
func (l *Lengths) Bins() []Bin {
	counts := make([]int64, len(l.counts))
	for i := range counts {
		counts[i] = l.counts[i].Load()
	}
	return powers(counts)
}

// powers returns the bins of counts. Bin i begins at 2^(i-1).
func powers(counts []int64) []Bin {
	bins := []Bin{}
	for i, n := range counts {
		if n == 0 && len(bins) == 0 {
			continue
		}
		label := short(1 << i >> 1)
		switch {
		case i > 10:
			label += "–" + short(1<<i)
		case i > 1:
			label += "–" + short(1<<i-1)
		}
		bins = append(bins, Bin{label, n})
	}
	return trim(bins)
}

func trim(bins []Bin) []Bin {
	for len(bins) > 0 && bins[len(bins)-1].Count == 0 {
		bins = bins[:len(bins)-1]
	}
	return bins
}

func short(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%dM", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%dk", n>>10)
	}
	return fmt.Sprint(n)
}
