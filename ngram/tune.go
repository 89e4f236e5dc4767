package ngram

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
)

// TuneInput is a sample from which m and the threshold are learned.
type TuneInput struct {
	// Pairs holds pairs of clean texts that are similar.
	Pairs [][2]string
	// Negatives holds pairs that are not similar. It may be empty.
	Negatives [][2]string
	// Texts holds further texts, among which work is measured. It may be empty.
	Texts []string
	// Method selects the similarity. Its Threshold, Keys and M are ignored.
	Method Config
	// Recall is the share of the pairs that the proposal must find; .95 by
	// default.
	Recall float64
}

// Report is the result of Tune.
type Report struct {
	Pairs      int     `json:"pairs"`
	Negatives  int     `json:"negatives"`
	Texts      int     `json:"texts"`
	Similarity string  `json:"similarity"`
	Recall     float64 `json:"recall"`
	// M is the greatest length of a substring, in letters and digits, that the required share of the pairs has in common.
	// It is 0 if even one rune is too long.
	M int `json:"m"`
	// Threshold is the highest one that finds the required share of the pairs. With negatives, it is the one with the best
	// F1.
	Threshold   float64          `json:"threshold"`
	ByM         []MPoint         `json:"by_m"`
	ByThreshold []ThresholdPoint `json:"by_threshold"`
}

// MPoint is the result for one length of substrings, with Keys = Any.
type MPoint struct {
	M     int     `json:"m"`
	Found int     `json:"found"` // pairs that share m runes in a row
	Share float64 `json:"share"`
	// Work is the average number of other texts of the sample in the buckets of a text, with repetitions.
	Work float64 `json:"work"`
}

// ThresholdPoint is the result for one threshold, with Keys = Exact.
type ThresholdPoint struct {
	Threshold float64 `json:"threshold"`
	Found     int     `json:"found"` // similar pairs at or above the threshold
	Share     float64 `json:"share"`
	Wrong     int     `json:"wrong"` // negatives at or above the threshold
	Work      float64 `json:"work"`
}

// ErrNoSample is returned for an input without pairs.
var ErrNoSample = errors.New("no similar pairs to learn from")

const (
	tuneLongest = 5000 // longest text, in runes, because the work grows with the square
	tuneLargest = 16   // the largest m that is measured
)

// Tune computes the longest common substring and the similarity of each pair. From these it computes how many pairs each m
// and each threshold finds, and the work on the sample. It takes O(product of the lengths) for each pair, and returns an
// error for texts of more than 5000 runes. It stops when ctx ends.
func Tune(ctx context.Context, in TuneInput) (Report, error) {
	pairs := in.Pairs
	if len(pairs) == 0 {
		return Report{}, fmt.Errorf("tune: %w", ErrNoSample)
	}
	if in.Recall == 0 {
		in.Recall = .95
	}
	if !(in.Recall > 0 && in.Recall <= 1) {
		return Report{}, fmt.Errorf("tune: recall %v: out of range (want above 0, at most 1)", in.Recall)
	}
	t := tuner{ctx: ctx, config: in.Method, texts: sampleTexts(pairs, in.Negatives, in.Texts)}
	r := Report{Pairs: len(pairs), Negatives: len(in.Negatives), Texts: len(t.texts), Recall: in.Recall}
	if err := t.train(); err != nil {
		return Report{}, fmt.Errorf("tune: %w", err)
	}
	if err := t.byM(&r, pairs); err != nil {
		return Report{}, fmt.Errorf("tune: %w", err)
	}
	if err := t.byThreshold(&r, pairs, in.Negatives); err != nil {
		return Report{}, fmt.Errorf("tune: %w", err)
	}
	r.propose()
	return r, nil
}

// sampleTexts returns all distinct texts, sorted. The order changes no result.
func sampleTexts(pairs, negatives [][2]string, more []string) []string {
	texts := slices.Clone(more)
	for _, p := range slices.Concat(pairs, negatives) {
		texts = append(texts, p[0], p[1])
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

type tuner struct {
	ctx    context.Context
	config Config
	texts  []string
	table  *rarityTable // rarity in the texts, which is the same for every threshold
}

func (t *tuner) train() error {
	c := t.config
	c.Keys, c.Threshold = Exact, 1
	method, err := New(c)
	if err != nil {
		return err
	}
	trainer := method.Trainer(0)
	for _, text := range t.texts {
		trainer.Add(text)
	}
	t.table = trainer.Method().(Method).rarity()
	return nil
}

func (t *tuner) byM(r *Report, pairs [][2]string) error {
	var found [tuneLargest + 1]int
	for _, p := range pairs {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		a, b := []rune(Alnum(p[0])), []rune(Alnum(p[1]))
		if max(len(a), len(b)) > tuneLongest {
			return fmt.Errorf("text of %d runes: too long (want at most %d)", max(len(a), len(b)), tuneLongest)
		}
		common := longestCommon(a, b)
		for m := 1; m <= tuneLargest; m++ {
			if common >= m || (len(a) > 0 && slices.Equal(a, b)) {
				found[m]++
			}
		}
	}
	for m := 1; m <= tuneLargest; m++ {
		c := t.config
		c.Keys, c.M, c.Threshold = Any, feature.Shingle{Unit: feature.Runes, K: m}, 1
		work, err := t.work(c)
		if err != nil {
			return err
		}
		r.ByM = append(r.ByM, MPoint{m, found[m], share(found[m], len(pairs)), work})
	}
	return nil
}

func (t *tuner) byThreshold(r *Report, pairs, negatives [][2]string) error {
	similar, err := t.similarities(pairs)
	if err != nil {
		return err
	}
	other, err := t.similarities(negatives)
	if err != nil {
		return err
	}
	for percent := 50; percent <= 100; percent += 5 {
		c := t.config
		c.Keys, c.Threshold = Exact, float64(percent)/100
		work, err := t.work(c)
		if err != nil {
			return err
		}
		found, wrong := atLeast(similar, c.Threshold), atLeast(other, c.Threshold)
		r.ByThreshold = append(r.ByThreshold, ThresholdPoint{c.Threshold, found, share(found, len(pairs)), wrong, work})
	}
	r.Similarity = string(t.config.Similarity)
	if r.Similarity == "" {
		r.Similarity = string(Edit)
	}
	return nil
}

// similarities measures each pair. Similarities below .5, where the curve begins, count as 0.
func (t *tuner) similarities(pairs [][2]string) ([]float64, error) {
	c := t.config
	c.Keys, c.Threshold, c.Variants = Exact, .5, false
	m, err := New(c)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(pairs))
	for i, p := range pairs {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = m.Compare(m.Prepare(p[0]), m.Prepare(p[1])).Similarity
		if p[0] == p[1] {
			out[i] = 1
		}
	}
	return out, nil
}

// work returns the average number of other texts that share a bucket with a text, using the rarity in the sample.
func (t *tuner) work(c Config) (float64, error) {
	method, err := New(c)
	if err != nil {
		return 0, err
	}
	trained := method.withTable(t.table)
	index := map[uint64]int{}
	var rec neardup.Record
	met := 0
	for i, text := range t.texts {
		if i%1024 == 0 && t.ctx.Err() != nil {
			return 0, t.ctx.Err()
		}
		trained.Record(text, &rec)
		for _, k := range rec.Probes() {
			met += index[k]
		}
		for _, k := range rec.Index {
			index[k]++
		}
	}
	return float64(met) / float64(len(t.texts)), nil
}

func (r *Report) propose() {
	for _, p := range r.ByM {
		if p.Share >= r.Recall {
			r.M = p.M
		}
	}
	best := -1.0
	for _, p := range r.ByThreshold {
		switch f1 := 2 * float64(p.Found) / float64(p.Found+p.Wrong+r.Pairs); {
		case r.Negatives == 0 && p.Share >= r.Recall:
			r.Threshold = p.Threshold
		case r.Negatives > 0 && f1 >= best:
			best, r.Threshold = f1, p.Threshold
		}
	}
}

func longestCommon(a, b []rune) int {
	row := make([]int, len(b)+1)
	longest := 0
	for _, r := range a {
		for j := len(b) - 1; j >= 0; j-- {
			if b[j] != r {
				row[j+1] = 0
				continue
			}
			row[j+1] = row[j] + 1
			longest = max(longest, row[j+1])
		}
	}
	return longest
}

func atLeast(values []float64, threshold float64) int {
	n := 0
	for _, v := range values {
		if v >= threshold {
			n++
		}
	}
	return n
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }
