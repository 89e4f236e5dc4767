package methods

import (
	"strconv"
	"sync"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/token"
	"github.com/neardup/neardup/weighted"
)

// Basis of what auto decides.
const Basis = "probability by the evidence of the words"

// DefaultProbability is the least probability of near texts; Unsure is from where on
// below it a person should look. The floors are the least similarity of texts that are judged:
// of words by weight in short texts, of pairs of words in long ones.
const (
	DefaultProbability = .5
	Unsure             = .3
	shortFloor         = .5
	longFloor          = .4
)

// scored judges by evidence what another method finds.
type scored struct {
	neardup.Overlapping // finds what is similar enough to be looked at
	name                string
	probability         float64
	bias                float64
	scorer              *evidence.Scorer
}

// pairOf is two views of a search as they are scored; not ok: one says nothing, or is not of its kind.
func pairOf(a, b neardup.View) (text, leader evidence.View, ok bool) {
	switch x := a.(type) {
	case *token.View:
		y, ok := b.(*token.View)
		return x, y, ok && x.Total > 0 && y.Total > 0
	case *longView:
		if y, ok := b.(*longView); ok {
			return x.view(), y.view(), true
		}
	}
	return nil, nil, false
}

// Judge scores what is similar enough.
func (s *scored) Judge(a, b neardup.View, closeness float64) neardup.Match {
	x, y, _ := pairOf(a, b)
	return s.match(closeness, s.scorer.Score(x, y))
}

// Conflicts is the evidence, whatever the similarity.
func (s *scored) Conflicts(a, b neardup.View) []neardup.Conflict {
	x, y, ok := pairOf(a, b)
	if !ok {
		return nil
	}
	return conflicts(s.scorer.Explain(x, y))
}

func (s *scored) vector(a, b neardup.View) (v evidence.Vector, ok bool) {
	x, y, ok := pairOf(a, b)
	if ok {
		v = s.scorer.Vector(x, y)
	}
	return v, ok
}

// sure reports whether the texts are the same beyond doubt.
func (s *scored) sure(a, b neardup.View) bool {
	x, y, ok := pairOf(a, b)
	return ok && s.scorer.Score(x, y).Sure
}

// params are what the judging adds to the Spec of the search.
func (s *scored) params() []neardup.Param {
	params := []neardup.Param{{Name: "threshold", Value: strconv.FormatFloat(s.probability, 'g', -1, 64)}}
	if s.bias != 0 {
		params = append(params, neardup.Param{Name: "bias", Value: strconv.FormatFloat(s.bias, 'g', -1, 64)})
	}
	return append(params, neardup.Param{Name: "evidence", Value: s.scorer.Label()})
}

// match returns what a score means: near from the probability on; else, of texts
// that are as similar, a variant where something stands in the place of something
// else, an overlap where one text says more than the other.
func (s *scored) match(closeness float64, r evidence.Result) neardup.Match {
	m := neardup.Match{Distance: -1, Method: s.name, Basis: Basis, Similarity: r.Probability(), Closeness: closeness}
	m.Near = m.Similarity >= s.probability
	if m.Near {
		return m
	}
	m.Unsure = m.Similarity >= Unsure
	m.Contained = r.FirstHeld
	m.Overlap = r.First || r.Second || r.FirstHeld
	m.Variant = r.Replaced || m.Overlap || m.Unsure
	return m
}

// met is what a search found: to be judged where it is similar enough.
func met(m neardup.Match) (neardup.Match, bool) {
	if !m.Near {
		return m, true
	}
	return neardup.Match{Closeness: m.Similarity}, false
}

func compare(j neardup.Judging, a, b neardup.View) neardup.Match {
	m, judged := j.Meet(a, b)
	if judged {
		return m
	}
	return j.Judge(a, b, m.Closeness)
}

// conflicts returns the evidence as it is reported. What one text says more comes first if it is the reason that
// the texts are not the same.
func conflicts(r evidence.Result, list []evidence.Evidence) []neardup.Conflict {
	out := make([]neardup.Conflict, len(list))
	more := 0
	for i, e := range list {
		kind := e.Feature.String()
		if e.Feature == evidence.Insertion {
			kind, more = neardup.KindMore, i
		}
		out[i] = neardup.Conflict{Kind: kind, A: e.A, B: e.B, Bits: e.Bits}
	}
	if len(out) > 1 && !r.Replaced && out[more].Kind == neardup.KindMore {
		first := out[more]
		if r.FirstHeld {
			first.Kind = neardup.KindContained
		}
		copy(out[1:more+1], out[:more])
		out[0] = first
	}
	return out
}

// shortText finds by words weighted by idf. Its views are those of the words.
type shortText struct {
	scored
	words *weighted.Method
}

// RecordView cuts the text once.
func (s *shortText) RecordView(clean string, rec *neardup.Record) neardup.View {
	return s.words.RecordView(clean, rec)
}

// Meet compares the words, by weight.
func (s *shortText) Meet(a, b neardup.View) (neardup.Match, bool) { return met(s.words.Compare(a, b)) }

// Compare is both.
func (s *shortText) Compare(a, b neardup.View) neardup.Match { return compare(s, a, b) }

// Template is the text without its numbers.
func (s *shortText) Template(v neardup.View) (template uint64, fillers []uint64) {
	own, ok := v.(*token.View)
	if !ok {
		return 0, nil
	}
	template, fillers = own.Template()
	for n := range fillers {
		if s.scorer.OtherNumbers(own, n+1).Probability() >= s.probability {
			return 0, nil
		}
	}
	return template, fillers
}

// longText finds by MinHash.
type longText struct{ scored }

// longView is the shingles of a text and its words, which are cut when they are first
// wanted: most texts are like no other.
type longView struct {
	shingles neardup.View
	clean    string
	cut      sync.Once
	words    *evidence.LongView
}

// Bytes is the memory of both: there are about as many words as shingles.
func (v *longView) Bytes() int { return 160 + 2*v.shingles.Bytes() + len(v.clean) }

func (v *longView) view() *evidence.LongView {
	v.cut.Do(func() { v.words = evidence.NewLongView(v.clean) })
	return v.words
}

// View is that of the search and the words.
func (l *longText) View(clean string) neardup.View {
	return &longView{shingles: l.Overlapping.View(clean), clean: clean}
}

// RecordView cuts the text into shingles once.
func (l *longText) RecordView(clean string, rec *neardup.Record) neardup.View {
	return &longView{shingles: l.Overlapping.(viewer).RecordView(clean, rec), clean: clean}
}

// Meet compares the shingles.
func (l *longText) Meet(a, b neardup.View) (neardup.Match, bool) {
	x, okX := a.(*longView)
	y, okY := b.(*longView)
	if !okX || !okY {
		return l.Overlapping.Compare(a, b), true
	}
	return met(l.Overlapping.Compare(x.shingles, y.shingles))
}

// Compare is both.
func (l *longText) Compare(a, b neardup.View) neardup.Match { return compare(l, a, b) }

// Overlaps are those of the search.
func (l *longText) Overlaps(dst []neardup.Overlap, v neardup.View) []neardup.Overlap {
	if own, ok := v.(*longView); ok {
		v = own.shingles
	}
	return l.Overlapping.Overlaps(dst, v)
}

// newScored makes both halves of auto.
func newScored(c Config) (short *shortText, long *longText, err error) {
	if c.Threshold == 0 {
		c.Threshold = DefaultProbability
	}
	lexicon, err := token.NewLexicon(c.IDF)
	if err != nil {
		return nil, nil, err
	}
	weights := c.Weights
	if weights == nil {
		w, err := evidence.Shipped()
		if err != nil {
			return nil, nil, err
		}
		weights = &w
	}
	s := scored{probability: c.Threshold, bias: c.Bias, scorer: evidence.New(lexicon, weights.Shifted(c.Bias))}
	words, err := weighted.New(weighted.Config{Threshold: shortFloor, Lexicon: lexicon, Seed: c.Seed})
	if err != nil {
		return nil, nil, err
	}
	shingles, err := minhash.New(minhash.Config{Shingle: c.Shingle, Threshold: longFloor, Recall: c.Recall, Seed: c.Seed})
	if err != nil {
		return nil, nil, err
	}
	short, long = &shortText{s, words}, &longText{s}
	short.Overlapping, short.name = words, weighted.Name
	long.Overlapping, long.name = shingles, minhash.Name
	return short, long, nil
}
