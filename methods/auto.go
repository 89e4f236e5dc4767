package methods

import (
	"fmt"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/ngram"
	"github.com/neardup/neardup/text"
)

// Length is the length by which auto routes, in halves of a Chinese
// character: three for a letter or digit of an alphabet, two for any other
// rune. Edit similarity finds much more than Jaccard at every length up to 600
// runes in all scripts, but in an alphabet what pieces two short texts have in
// common very many others have too, so that there it costs ten times as much
// (docs/short-texts.md).
func Length(clean string) int {
	runes, letters := sizes(clean)
	return lengthOf(runes, letters)
}

func lengthOf(runes, letters int) int { return 2*runes + letters }

// sizes counts the runes, and the letters and digits of alphabets among them.
func sizes(clean string) (runes, letters int) {
	for _, r := range clean {
		runes++
		if text.IsAlnum(r) && !text.IsCJK(r) {
			letters++
		}
	}
	return runes, letters
}

// DefaultLimit, in Chinese characters, is the length below which auto takes a
// text as short: 200 letters or, with blanks, English of some 210 runes.
const DefaultLimit = 300

// auto sends short texts to ngram with edit similarity and the others to
// minhash. A pair is judged by the method of the shorter text. A long text
// that may be within reach of a short one is on the border: it carries the
// keys of both, so that no pair is lost.
type auto struct {
	limit     int
	threshold float64 // of ngram
	short     neardup.Method
	long      *minhash.Method
}

func newAuto(c Config) (neardup.Method, error) {
	limit := c.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if limit < 1 || limit > 4096 {
		return nil, fmt.Errorf("auto: limit %d is not in 1..4096", limit)
	}
	short, err := ngram.New(ngram.Config{Similarity: ngram.Edit, Threshold: c.Threshold, Seed: c.Seed, Variants: c.Variants})
	if err != nil {
		return nil, err
	}
	long, err := minhash.New(minhash.Config{Shingle: c.Shingle, Threshold: c.Threshold, Recall: c.Recall, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	a := &auto{limit: limit, threshold: c.Threshold, short: short, long: long}
	if a.threshold == 0 {
		a.threshold = .8
	}
	return a, nil
}

// Spec names the limit and, by their parameters, both methods.
func (a *auto) Spec() neardup.Spec {
	s := neardup.Spec{Method: "auto", Version: 2, Params: []neardup.Param{{Name: "limit", Value: fmt.Sprint(a.limit)}}}
	for _, sub := range []neardup.Spec{a.short.Spec(), a.long.Spec()} {
		s.Params = append(s.Params, neardup.Param{Name: "method", Value: fmt.Sprintf("%s/%d", sub.Method, sub.Version)})
		s.Params = append(s.Params, sub.Params...)
	}
	return s
}

// Routes, kept in the two highest bits of the sketch. The methods' own
// sketches leave them free: ngram has a length of at most 2^14 runes there
// (texts it gets here are shorter), minhash a count of shingles below 2^30.
const (
	routeShort  = 0 << 62
	routeBorder = 1 << 62
	routeLong   = 2 << 62
	routeBits   = 3 << 62
)

// route chooses by the Length. A text is on the border if a near partner can
// be short: of n runes at most (1-t)n are edited, one more for the rounding, and
// each takes away a rune, a letter where there is one. (A partner of more runes
// needs an edit for each, which does not make it shorter.)
func (a *auto) route(clean string) uint64 {
	runes := utf8.RuneCountInString(clean)
	edits := int((1-a.threshold)*float64(runes)) + 1
	if runes-edits >= a.limit || runes >= 1<<14 {
		return routeLong // whatever its letters
	}
	runes, letters := sizes(clean)
	length := lengthOf(runes, letters)
	switch {
	case length < 2*a.limit:
		return routeShort
	case length-lengthOf(edits, min(edits, letters)) < 2*a.limit:
		return routeBorder
	}
	return routeLong
}

// Route names the method that judges a text among its like.
func (a *auto) Route(clean string) string {
	if a.route(clean) == routeShort {
		return a.short.Spec().Method
	}
	return a.long.Spec().Method
}

// Record carries the keys of the route, of both methods on the border.
func (a *auto) Record(clean string, rec *neardup.Record) {
	switch route := a.route(clean); route {
	case routeShort:
		a.short.Record(clean, rec)
	case routeLong:
		a.long.Record(clean, rec)
		rec.Sketch |= routeLong
	default:
		var long neardup.Record
		a.long.Record(clean, &long)
		a.short.Record(clean, rec)
		if rec.Probe != nil {
			rec.Probe = append(rec.Probe, long.Probes()...)
		}
		rec.Index = append(rec.Index, long.Index...)
		rec.Sketch |= routeBorder
	}
}

// Plausible asks the method that would judge the pair. Between texts on the
// border, and of one with a long one, the sketches do not tell.
func (a *auto) Plausible(x, y uint64) bool {
	rx, ry := x&routeBits, y&routeBits
	switch {
	case rx == routeLong && ry == routeLong:
		return a.long.Plausible(x&^routeBits, y&^routeBits)
	case rx == routeShort || ry == routeShort:
		return rx != routeLong && ry != routeLong && a.short.Plausible(x&^routeBits, y&^routeBits)
	}
	return true
}

// autoView is the view of a text that ngram may judge. That of a long text is
// the view of minhash itself.
type autoView struct {
	border      bool
	short, long neardup.View // long on the border only
}

// Bytes is the memory of both views.
func (v *autoView) Bytes() int {
	n := 48 + v.short.Bytes()
	if v.long != nil {
		n += v.long.Bytes()
	}
	return n
}

// View holds the views of the methods that may judge the text.
func (a *auto) View(clean string) neardup.View {
	switch a.route(clean) {
	case routeShort:
		return &autoView{short: a.short.View(clean)}
	case routeBorder:
		return &autoView{border: true, short: a.short.View(clean), long: a.long.View(clean)}
	}
	return a.long.View(clean)
}

// views takes a view apart: what ngram and what minhash judges by, nil for
// none, and whether the text is short.
func views(v neardup.View) (short, long neardup.View, isShort bool) {
	if both, ok := v.(*autoView); ok {
		return both.short, both.long, !both.border
	}
	return nil, v, false
}

// Compare judges by the method of the shorter text.
func (a *auto) Compare(x, y neardup.View) neardup.Match {
	shortX, longX, isShortX := views(x)
	shortY, longY, isShortY := views(y)
	if !isShortX && !isShortY {
		return a.long.Compare(longX, longY)
	}
	if shortX == nil || shortY == nil { // out of reach of each other
		return neardup.Match{Distance: -1, Method: a.short.Spec().Method}
	}
	return a.short.Compare(shortX, shortY)
}

// Tally counts what ngram wants to know, in the texts it sees.
func (a *auto) Tally(memory int64) neardup.Tally {
	return &autoTally{a, a.short.(neardup.Trainable).Tally(memory)}
}

type autoTally struct {
	auto  *auto
	short neardup.Tally
}

// Add counts a text that carries ngram keys.
func (t *autoTally) Add(clean string) {
	if t.auto.route(clean) != routeLong {
		t.short.Add(clean)
	}
}

// Again goes on where ngram wants to see its texts once more.
func (t *autoTally) Again() neardup.Tally {
	if short, ok := t.short.(neardup.Repeated); ok {
		if next := short.Again(); next != nil {
			return &autoTally{t.auto, next}
		}
	}
	return nil
}

// Method returns auto with the trained ngram.
func (t *autoTally) Method() neardup.Method {
	trained := *t.auto
	trained.short = t.short.Method()
	return &trained
}
