package methods

import (
	"fmt"
	"unicode/utf8"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/text"
)

// Length is the length by which auto routes, in halves of a Chinese
// character: three for a letter or digit of an alphabet, two for any other
// rune.
func Length(clean string) int {
	runes, letters := sizes(clean)
	return lengthOf(runes, letters)
}

func lengthOf(runes, letters int) int { return 2*runes + letters }

// sizes counts the runes, and the letters and digits of alphabets among them.
func sizes(clean string) (runes, letters int) {
	for _, r := range clean {
		runes++
		switch {
		case r < utf8.RuneSelf:
			letters += int(plain[r])
		case r >= 0x4E00 && r < 0xA000: // most of Chinese
		case text.IsAlnum(r) && !text.IsCJK(r):
			letters++
		}
	}
	return runes, letters
}

// plain is 1 for a letter or digit of ASCII.
var plain = func() (p [utf8.RuneSelf]uint8) {
	for r := range p {
		if text.IsAlnum(rune(r)) {
			p[r] = 1
		}
	}
	return p
}()

// DefaultLimit, in Chinese characters, is the length below which auto takes a
// text as short: 200 letters or, with blanks, English of some 210 runes.
const DefaultLimit = 300

// auto sends short texts to one method and the others to another. A pair is
// judged by the method of its shorter text. A long text that a short one may be
// near is on the border: it carries the keys of both, so that no pair is lost.
type auto struct {
	version int
	limit   int
	short   neardup.Method
	long    neardup.Method
	params  []neardup.Param // of the judging
	// border reports whether a text that is long by its runes and letters
	// may have a near partner that is short.
	border func(runes, letters int) bool
}

// newAuto makes auto/5: texts below the limit are found by words weighted by
// idf, those above it by MinHash of pairs of words, or of runes where words are not
// parted, and both are judged by the evidence of their words.
func newAuto(c Config) (neardup.Method, error) {
	limit, err := limitOf(c)
	if err != nil {
		return nil, err
	}
	if c.Shingle == (feature.Shingle{}) {
		c.Shingle = feature.Shingle{Unit: feature.Scripts, K: 2}
	}
	if !(c.Threshold >= 0 && c.Threshold <= 1) {
		return nil, fmt.Errorf("auto: threshold %v is not in (0, 1]", c.Threshold)
	}
	short, long, err := newScored(c)
	if err != nil {
		return nil, fmt.Errorf("auto: %w", err)
	}
	return &auto{
		version: 5, limit: limit, short: short, long: long, params: short.params(),
		border: func(runes, letters int) bool { return lengthOf(runes, letters) < 2*mostLonger*limit },
	}, nil
}

// mostLonger is how many times the limit a text may be long and still be near
// a short one.
const mostLonger = 2

func limitOf(c Config) (int, error) {
	if c.Limit == 0 {
		return DefaultLimit, nil
	}
	if c.Limit < 1 || c.Limit > 4096 {
		return 0, fmt.Errorf("auto: limit %d is not in 1..4096", c.Limit)
	}
	return c.Limit, nil
}

// Spec names the limit and, by their parameters, both methods.
func (a *auto) Spec() neardup.Spec {
	s := neardup.Spec{Method: "auto", Version: a.version, Params: []neardup.Param{{Name: "limit", Value: fmt.Sprint(a.limit)}}}
	s.Params = append(s.Params, a.params...)
	for _, sub := range []neardup.Spec{a.short.Spec(), a.long.Spec()} {
		s.Params = append(s.Params, neardup.Param{Name: "method", Value: fmt.Sprintf("%s/%d", sub.Method, sub.Version)})
		s.Params = append(s.Params, sub.Params...)
	}
	return s
}

// Routes, kept in the two highest bits of the sketch. The methods' own
// sketches leave them free: ngram has a length of at most 2^14 runes there
// (texts it gets here are shorter), weighted a weight of 14 bits below them,
// minhash a count of shingles below 2^30.
const (
	routeShort  = 0 << 62
	routeBorder = 1 << 62
	routeLong   = 2 << 62
	routeBits   = 3 << 62
)

// route chooses by the Length.
func (a *auto) route(clean string) uint64 {
	if a.surelyLong(len(clean)/utf8.UTFMax) || a.surelyLong(utf8.RuneCountInString(clean)) {
		return routeLong
	}
	runes, letters := sizes(clean)
	switch {
	case lengthOf(runes, letters) < 2*a.limit:
		return routeShort
	case a.border(runes, letters):
		return routeBorder
	}
	return routeLong
}

// surelyLong reports whether a text of so many runes, or more, is long whatever its letters.
func (a *auto) surelyLong(runes int) bool {
	return runes >= 1<<14 || lengthOf(runes, 0) >= 2*a.limit && !a.border(runes, 0)
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

// viewer is a method that makes a record and a view in one.
type viewer interface {
	RecordView(clean string, rec *neardup.Record) neardup.View
}

// RecordView is Record and View in one; of texts on the border, and where a method
// has no such thing, it makes no view.
func (a *auto) RecordView(clean string, rec *neardup.Record) neardup.View {
	route := a.route(clean)
	short, okShort := a.short.(viewer)
	long, okLong := a.long.(viewer)
	switch {
	case route == routeShort && okShort:
		return short.RecordView(clean, rec)
	case route == routeLong && okLong:
		v := long.RecordView(clean, rec)
		rec.Sketch |= routeLong
		return &longRoute{v}
	}
	a.Record(clean, rec)
	return nil
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

// The view of a short text is that of the short method, which is compared most
// often and lies nearest. Those of others say so.
type (
	borderView struct{ short, long neardup.View }
	longRoute  struct{ neardup.View }
)

// Bytes is the memory of both views.
func (v *borderView) Bytes() int { return 64 + v.short.Bytes() + v.long.Bytes() }

// View holds the views of the methods that may judge the text.
func (a *auto) View(clean string) neardup.View {
	switch a.route(clean) {
	case routeShort:
		return a.short.View(clean)
	case routeBorder:
		return &borderView{short: a.short.View(clean), long: a.long.View(clean)}
	}
	return &longRoute{a.long.View(clean)}
}

// views takes a view apart: what the short and the long method judge by, nil
// for none.
func views(v neardup.View) (short, long neardup.View) {
	switch v := v.(type) {
	case *longRoute:
		return nil, v.View
	case *borderView:
		return v.short, v.long
	}
	return v, nil
}

// judging returns the method of the shorter text and what it judges by; no views
// where a text is too short for the other.
func (a *auto) judging(x, y neardup.View) (m neardup.Method, v, w neardup.View) {
	shortX, longX := views(x)
	shortY, longY := views(y)
	switch {
	case longX != nil && longY != nil:
		return a.long, longX, longY
	case shortX != nil && shortY != nil:
		return a.short, shortX, shortY
	}
	return a.short, nil, nil
}

// Compare judges by the method of the shorter text.
func (a *auto) Compare(x, y neardup.View) neardup.Match {
	m, v, w := a.judging(x, y)
	if v == nil {
		return neardup.Match{Distance: -1, Method: a.short.Spec().Method}
	}
	return m.Compare(v, w)
}

// Meet asks the method of the shorter text.
func (a *auto) Meet(x, y neardup.View) (neardup.Match, bool) {
	m, v, w := a.judging(x, y)
	if v == nil {
		return neardup.Match{Distance: -1, Method: a.short.Spec().Method}, true
	}
	return neardup.Meet(m, v, w)
}

// Judge has that method judge.
func (a *auto) Judge(x, y neardup.View, closeness float64) neardup.Match {
	m, v, w := a.judging(x, y)
	return m.(neardup.Judging).Judge(v, w, closeness)
}

// Overlaps are those of the methods that may judge the text: a text on the
// border meets short ones by the features of one, and others by those of the other.
func (a *auto) Overlaps(dst []neardup.Overlap, v neardup.View) []neardup.Overlap {
	short, long := views(v)
	if short != nil {
		dst = overlaps(dst, a.short, short)
	}
	if long != nil {
		dst = overlaps(dst, a.long, long)
	}
	return dst
}

// Template is that of a text that is short to all others.
func (a *auto) Template(v neardup.View) (template uint64, fillers []uint64) {
	short, long := views(v)
	if t, ok := a.short.(neardup.Templated); ok && short != nil && long == nil {
		return t.Template(short)
	}
	return 0, nil
}

// overlaps asks a method, which may not know.
func overlaps(dst []neardup.Overlap, m neardup.Method, v neardup.View) []neardup.Overlap {
	if o, ok := m.(neardup.Overlapping); ok {
		return o.Overlaps(dst, v)
	}
	return append(dst, neardup.Overlap{})
}

// Conflicts asks the method that judges the pair.
func (a *auto) Conflicts(x, y neardup.View) []neardup.Conflict {
	m, v, w := a.judging(x, y)
	if e, ok := m.(neardup.Explainer); ok && v != nil {
		return e.Conflicts(v, w)
	}
	return nil
}
