package methods

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/token"
	"github.com/neardup/neardup/weighted"
)

// Length returns the length that decides the route of auto, in halves of a Chinese character. A letter or digit of an
// alphabet counts three, any other rune two.
func Length(clean string) int {
	length, _ := lengthUpTo(clean, math.MaxInt)
	return length
}

// lengthUpTo returns the Length and the number of runes of the shortest prefix whose Length is at least most, or of the
// whole text.
func lengthUpTo(clean string, most int) (length, runes int) {
	letters := 0
	for _, r := range clean {
		if 2*runes+letters >= most {
			break
		}
		runes++
		switch {
		case r < utf8.RuneSelf:
			letters += int(plain[r])
		case r >= 0x4E00 && r < 0xA000: // most Chinese characters
		case text.IsAlnum(r) && !text.IsCJK(r):
			letters++
		}
	}
	return 2*runes + letters, runes
}

// plain has a 1 for each ASCII letter and digit.
var plain = func() (p [utf8.RuneSelf]uint8) {
	for r := range p {
		if text.IsAlnum(rune(r)) {
			p[r] = 1
		}
	}
	return p
}()

// DefaultLimit is the length, in Chinese characters, below which auto takes a text as short. It equals 200 letters or, with
// blanks, some 210 runes of English.
const DefaultLimit = 300

// The basis of decisions of auto. A pair is sure if each text has .95 of the words of the other, by weight, and no word is
// replaced.
const (
	Basis     = "probability by the evidence of the words"
	BasisSure = "sure by the evidence of the words"
)

// DefaultProbability is the least probability of near texts. From Unsure up to it, a person should decide. The floors are
// the least similarities of texts that are scored. Short texts are compared by the weight of their words. Long texts are
// compared by pairs of words, and also by words, because OCR copies share few pairs of words, but many words.
const (
	DefaultProbability = .5
	Unsure             = .3
	shortFloor         = .5
	longFloor          = .4
	wordFloor          = .6
)

const autoVersion = 5

// auto finds short texts by words weighted by idf. It finds other texts by MinHash of pairs of words, or of pairs of runes in
// scripts without spaces. It decides candidates by the evidence of the words. A pair is found by the method for its shorter
// text. A long text that may be near a short one is on the border: it has the keys of both methods, so no pair is lost.
type auto struct {
	limit       int
	probability float64
	bias        float64
	words       *weighted.Method
	shingles    *minhash.Method
	units       int  // units of a shingle, if these are the coarse words of the evidence; otherwise 0
	onePass     bool // shingles and coarse words are made in one pass
	scorer      *evidence.Scorer
}

func newAuto(c Choice) (neardup.Method, error) {
	a := &auto{limit: cmp.Or(c.int("limit"), DefaultLimit), probability: cmp.Or(c.float("threshold"), DefaultProbability), bias: c.float("bias")}
	lexicon, err := c.lexicon()
	if err != nil {
		return nil, err
	}
	a.scorer = evidence.New(lexicon, evidence.Shipped.Shifted(a.bias))
	a.words, err = weighted.New(weighted.Config{Threshold: shortFloor, Lexicon: lexicon, Seed: c.seed()})
	if err != nil {
		return nil, err
	}
	shingle := cmp.Or(c.shingle("shingle"), feature.Shingle{Unit: feature.Scripts, K: 2})
	a.shingles, err = minhash.New(minhash.Config{Shingle: shingle, Threshold: longFloor, Recall: c.float("recall"), Seed: c.seed()})
	if err != nil {
		return nil, fmt.Errorf("auto: %w", err)
	}
	if shingle.Unit == feature.Scripts {
		a.units, a.onePass = shingle.K, c.seed() == 0
	}
	return a, nil
}

// mostLonger is the greatest length, as a multiple of the limit, of a text that can be near a short one.
const mostLonger = 2

// Spec returns the limit, the weights and tables of the score, and the parameters of both search methods.
func (a *auto) Spec() neardup.Spec {
	s := neardup.Spec{Method: "auto", Version: autoVersion, Params: []neardup.Param{
		{Name: "limit", Value: strconv.Itoa(a.limit)}, {Name: "threshold", Value: number(a.probability)},
	}}
	if a.bias != 0 {
		s.Params = append(s.Params, neardup.Param{Name: "bias", Value: number(a.bias)})
	}
	s.Params = append(s.Params, neardup.Param{Name: "evidence", Value: a.scorer.Label()})
	for _, sub := range []neardup.Spec{a.words.Spec(), a.shingles.Spec()} {
		s.Params = append(s.Params, neardup.Param{Name: "method", Value: fmt.Sprintf("%s/%d", sub.Method, sub.Version)})
		s.Params = append(s.Params, sub.Params...)
	}
	return s
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// The two highest bits of the sketch hold the route. The sketches of the methods leave them free. The sketch of ngram
// begins with a length of at most 2^14 runes (texts it gets here are shorter), that of weighted with a weight of 14 bits
// below them, and that of minhash with a number of shingles below 2^30.
const (
	routeShort  = 0 << 62
	routeBorder = 1 << 62
	routeLong   = 2 << 62
	routeBits   = 3 << 62
)

// route returns the route of a text by its Length. It reads the text only up to the border.
func (a *auto) route(clean string) uint64 {
	least := 2 * mostLonger * a.limit // the least Length of long texts
	if len(clean)/utf8.UTFMax >= least/2 {
		return routeLong
	}
	length, runes := lengthUpTo(clean, least)
	switch {
	case length >= least || runes >= 1<<14:
		return routeLong
	case length >= 2*a.limit:
		return routeBorder
	}
	return routeShort
}

// Route returns the name of the method that finds a text among others of its length.
func (a *auto) Route(clean string) string {
	if a.route(clean) == routeShort {
		return weighted.Name
	}
	return minhash.Name
}

// Record makes the keys of the route. On the border these are the keys of both methods.
func (a *auto) Record(clean string, rec *neardup.Record) {
	a.record(clean, a.route(clean), rec, a.shingles.Record)
}

// record makes the record of a text on a route. byShingles makes the part by shingles.
func (a *auto) record(clean string, route uint64, rec *neardup.Record, byShingles func(string, *neardup.Record)) {
	if route == routeLong {
		byShingles(clean, rec)
	} else {
		a.words.Record(clean, rec)
	}
	if route == routeBorder {
		var long neardup.Record
		byShingles(clean, &long)
		rec.Index = append(rec.Index, long.Index...)
	}
	rec.Sketch |= route
}

// RecordPrepare does the work of Record and Prepare in one pass. It returns no view for texts on the border.
func (a *auto) RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared {
	switch a.route(clean) {
	case routeShort:
		return newShort(a.words.RecordPrepare(clean, rec))
	case routeLong:
		v := a.newLong(clean, rec)
		rec.Sketch |= routeLong
		return v
	}
	a.Record(clean, rec)
	return nil
}

// RecordOutline makes the record and, unless the text is short, the outline for Unlike.
func (a *auto) RecordOutline(clean string, rec *neardup.Record) (outline []uint64) {
	a.record(clean, a.route(clean), rec, func(clean string, rec *neardup.Record) {
		outline = a.shingles.RecordOutline(clean, rec)
	})
	return outline
}

// Outline returns the outline of a view, or nil if it has none.
func (a *auto) Outline(v neardup.Prepared) []uint64 {
	if own, ok := v.(*view); ok && own.early {
		return own.shingles.Outline
	}
	return nil
}

// Unlike reports whether two outlines show that Screen rules the pair out.
func (a *auto) Unlike(x, y []uint64) bool { return a.shingles.Unlike(x, y) }

// Plausible calls the method that finds the pair. It returns true for two texts on the border, and for a long one with one
// on the border, because their sketches rule nothing out.
func (a *auto) Plausible(x, y uint64) bool {
	rx, ry := x&routeBits, y&routeBits
	switch {
	case rx == routeLong && ry == routeLong:
		return a.alikeInWords(x&^routeBits, y&^routeBits) && a.shingles.Plausible(x&^routeBits, y&^routeBits)
	case rx == routeShort || ry == routeShort:
		return rx != routeLong && ry != routeLong && a.words.Plausible(x&^routeBits, y&^routeBits)
	}
	return true
}

// alikeInWords reports whether two long texts may reach wordFloor, judging by their numbers of words. The high half of a
// sketch of minhash is the number of shingles.
func (a *auto) alikeInWords(x, y uint64) bool {
	m, n := min(x, y)>>32, max(x, y)>>32
	if a.units == 0 || m < 2 { // a text of one shingle may have fewer words
		return true
	}
	m, n = m+uint64(a.units)-1, n+uint64(a.units)-1
	return float64(m)/float64(n) >= wordFloor
}

// view is a text prepared for search and comparison. It stores the words of a short text inline, because they are compared
// most often.
type view struct {
	token.View
	short    bool               // a short text may be near it
	border   func() *token.View // returns the words of a text on the border, which are rarely needed; nil if View has them
	shingles *minhash.View      // nil if no long text is near it
	clean    string             // text of the shingles
	early    bool               // long was made together with the shingles
	cut      sync.Once          // otherwise it is made on first use
	long     *evidence.LongView
}

func newShort(words neardup.Prepared) *view { return &view{View: *words.(*token.View), short: true} }

// newLong makes the view of a text that is not short. If rec is not nil, it also makes the record by shingles.
func (a *auto) newLong(clean string, rec *neardup.Record) *view {
	v := &view{clean: clean, early: a.onePass}
	switch {
	case a.onePass:
		shingles, hashes, starts := a.shingles.RecordUnits(clean, rec)
		v.shingles, v.long = shingles, evidence.NewLongViewOf(clean, hashes, starts)
	case rec != nil:
		v.shingles = a.shingles.RecordPrepare(clean, rec).(*minhash.View)
	default:
		v.shingles = a.shingles.Prepare(clean).(*minhash.View)
	}
	return v
}

// Bytes returns the memory of the view. A long text has about as many words as shingles.
func (v *view) Bytes() int {
	n := 64 + v.View.Bytes()
	if v.shingles != nil {
		n += 2*v.shingles.Bytes() + len(v.clean)
	}
	return n
}

// words returns the words that are compared with those of short texts.
func (v *view) words() *token.View {
	if v.border != nil {
		return v.border()
	}
	return &v.View
}

func (v *view) longWords() *evidence.LongView {
	if !v.early {
		v.cut.Do(func() { v.long = evidence.NewLongView(v.clean) })
	}
	return v.long
}

// Prepare makes a view with what the search methods of the text need.
func (a *auto) Prepare(clean string) neardup.Prepared {
	switch a.route(clean) {
	case routeShort:
		return newShort(a.words.Prepare(clean))
	case routeLong:
		return a.newLong(clean, nil)
	}
	v := a.newLong(clean, nil)
	v.short, v.border = true, sync.OnceValue(func() *token.View { return a.words.Prepare(clean).(*token.View) })
	return v
}

// pairing is the way in which two texts are compared.
type pairing uint8

const (
	unlike     pairing = iota // one text is too short for the other
	shortTexts                // at least one text is short
	longTexts
)

func pairingOf(a, b neardup.Prepared) (x, y *view, how pairing) {
	x, okX := a.(*view)
	y, okY := b.(*view)
	switch {
	case !okX || !okY:
	case x.shingles != nil && y.shingles != nil:
		how = longTexts
	case x.short && y.short:
		how = shortTexts
	}
	return x, y, how
}

// Screen compares short texts by weighted words and long ones by shingles. Cheap tests that reject most long texts come first.
func (a *auto) Screen(x, y neardup.Prepared) (neardup.Match, bool) {
	if v, w, how := pairingOf(x, y); how == longTexts && v.early && w.early && a.shingles.Unlike(v.shingles.Outline, w.shingles.Outline) {
		return neardup.Match{Distance: -1, Method: minhash.Name}, true
	}
	return a.screen(x, y)
}

// screen does the work of Screen, and also measures the similarity of a pair that it rejects.
func (a *auto) screen(x, y neardup.Prepared) (neardup.Match, bool) {
	m := neardup.Match{Distance: -1, Method: weighted.Name}
	switch v, w, how := pairingOf(x, y); how {
	case shortTexts:
		m = a.words.Compare(v.words(), w.words())
	case longTexts:
		m = a.shingles.Compare(v.shingles, w.shingles)
		m.Near = m.Near && (a.surelyAlike(m.Similarity, v, w) || a.scorer.Resemblance(v.longWords(), w.longWords()) >= wordFloor)
	}
	if !m.Near {
		return m, true
	}
	return neardup.Match{Closeness: m.Similarity}, false
}

// surelyAlike reports whether the similarity of the shingles implies that the words reach wordFloor. Different shingles
// begin at different words, so two texts have at least as many words in common as shingles.
func (a *auto) surelyAlike(similarity float64, v, w *view) bool {
	if a.units == 0 {
		return false
	}
	shared := similarity/(1+similarity)*float64(v.shingles.Len()+w.shingles.Len()) - 1 // may be rounded
	return shared/(float64(v.longWords().Len()+w.longWords().Len())-shared) >= wordFloor
}

// Decide scores a pair that Screen left open.
func (a *auto) Decide(x, y neardup.Prepared, closeness float64) neardup.Match {
	v, w, how := pairingOf(x, y)
	if how == longTexts {
		return a.match(minhash.Name, closeness, a.scorer.Score(v.longWords(), w.longWords()))
	}
	return a.match(weighted.Name, closeness, a.scorer.Score(v.words(), w.words()))
}

// Compare runs Screen and Decide.
func (a *auto) Compare(x, y neardup.Prepared) neardup.Match {
	m, decided := a.screen(x, y)
	if decided {
		return m
	}
	return a.Decide(x, y, m.Closeness)
}

// scored returns two views in the form that is scored. ok is false if one text is too short for the other, or has no words.
func scored(a, b neardup.Prepared) (x, y evidence.View, ok bool) {
	v, w, how := pairingOf(a, b)
	if how == longTexts {
		return v.longWords(), w.longWords(), true
	}
	if how == unlike || v.words().Total == 0 || w.words().Total == 0 {
		return nil, nil, false
	}
	return v.words(), w.words(), true
}

// Explain returns the match with the evidence and the probability, whatever the similarity.
func (a *auto) Explain(x, y neardup.Prepared) neardup.Match {
	m, decided := a.screen(x, y)
	v, w, ok := scored(x, y)
	if !ok {
		return m
	}
	r, list := a.scorer.Explain(v, w)
	if !decided {
		name := weighted.Name
		if _, long := v.(*evidence.LongView); long {
			name = minhash.Name
		}
		m = a.match(name, m.Closeness, r)
	}
	m.Similarity, m.Basis, m.Evidence = r.Probability(), cmp.Or(m.Basis, Basis), conflicts(r, list)
	return m
}

// match returns the match for a score. It is near if the probability is high enough. Otherwise it is a variant if something
// is replaced, and an overlap if one text is longer.
func (a *auto) match(name string, closeness float64, r evidence.Result) neardup.Match {
	m := neardup.Match{Distance: -1, Method: name, Basis: Basis, Similarity: r.Probability(), Closeness: closeness}
	m.Near = m.Similarity >= a.probability
	if m.Near {
		if r.Sure {
			m.Basis = BasisSure
		}
		return m
	}
	m.Unsure = m.Similarity >= Unsure
	m.Contained = r.FirstHeld
	m.Overlap = r.First || r.Second || r.FirstHeld
	m.Variant = r.Replaced || m.Overlap || m.Unsure
	return m
}

// conflicts converts the evidence for a report. If extra words of the longer text are the reason why the texts are not the
// same, these come first.
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

// FeatureSets appends the sets of the search methods of the text. A text on the border has the sets of both: one finds it
// among short texts, the other among long ones.
func (a *auto) FeatureSets(dst []neardup.FeatureSet, v neardup.Prepared) []neardup.FeatureSet {
	own, ok := v.(*view)
	if !ok {
		return dst
	}
	if own.short {
		dst = a.words.FeatureSets(dst, own.words())
	}
	if own.shingles != nil {
		dst = a.shingles.FeatureSets(dst, own.shingles)
	}
	return dst
}

// Measure returns the Similarity of Compare, which is the probability. For texts that the search would not find it is 0.
func (a *auto) Measure(x, y neardup.Prepared) float64 { return a.Compare(x, y).Similarity }

// Template returns the text without its numbers and codes, if the text is short whatever it is compared with.
func (a *auto) Template(v neardup.Prepared) (template uint64, fillers []uint64) {
	own, ok := v.(*view)
	if !ok || own.shingles != nil {
		return 0, nil
	}
	return own.View.Template()
}
