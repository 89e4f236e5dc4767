package docid

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/image"
)

// Pictures are evidence besides the texts: they confirm what a text leaves open, and contradict what a template
// makes equal. Pictures alone never make two articles duplicates. The evidence rests on the pictures of the two
// articles, and on which of them are common. An article's docId has a name for each, so that the store can
// count the docIds of a picture. Commit refuses a judgement if one of its pictures has become common since.

// The rest of the package handles only extras, which have names, and advice on a match. Only this file depends on the
// extras being pictures.

// Extras are what an article carries besides its texts: evidence that confirms or contradicts a match.
type Extras struct {
	Pictures []Picture `json:"images,omitempty"`
}

// Encode returns the extras as text, or "" if there are none.
func (x *Extras) Encode() string {
	if len(x.Pictures) == 0 {
		return ""
	}
	b, _ := json.Marshal(x.Pictures) // cannot fail
	return string(b)
}

// Decode reads what Encode returned.
func (x *Extras) Decode(text string) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), &x.Pictures)
}

// Picture is one of an article's.
type Picture struct {
	Hash    image.Hash // PDQ
	Quality int        // of the hash, 0 to 100; below image.DefaultQuality it counts for nothing
}

// MarshalText encodes a picture as in a list of pictures: pdq:HASH quality:N.
func (p Picture) MarshalText() ([]byte, error) {
	f := image.Fingerprint{Quality: p.Quality}
	f.Hashes[0] = p.Hash
	return []byte(f.String()), nil
}

// UnmarshalText decodes pdq:HASH quality:N.
func (p *Picture) UnmarshalText(text []byte) error {
	f, err := image.Parse(string(text))
	if err == nil {
		*p = Picture{f.Hashes[0], f.Quality}
	}
	return err
}

// maxPictures bounds the pictures of an article, whose names are a column of a sink.
const maxPictures = 50

// Rated is a name of a picture, and whether it is common.
type Rated struct {
	Name   Name
	Common bool
}

const (
	shares      = 1_000_000 // to the whole: shares are whole numbers
	leastCommon = 5         // docIds have a picture before it can be common
)

// MostUncommon returns how many of docIDs docIds may have a picture before it is common.
func (q *Query) MostUncommon(docIDs int) int {
	return max(leastCommon, int(uint64(docIDs)*q.Share/shares))
}

// SameImages counts the pictures that an article has in common with the leader of a docId, and names the nearest pair.
type SameImages struct {
	Leader   uint64     // the docId
	Same, Of int        // Of: of the pictures that count, of the article that has more; of one without words, its own
	A, B     image.Hash // of the article, of the leader
	Distance int
}

// Advice is what extras contributed to a decision.
type Advice struct {
	// SameImages are the pictures that confirmed a duplicate. For a new article without words they are the
	// docIds that have most of its pictures.
	SameImages []SameImages `json:",omitempty"`
}

// ImagesInCommon is SameImages in an answer.
type ImagesInCommon struct {
	DocID    string `json:"docId,omitempty"`
	Same     int    `json:"same" doc:"How many pictures the two have in common."`
	Of       int    `json:"of" doc:"The number of pictures that count, of the article that has more; of one without words, its own."`
	Hash     string `json:"hash,omitempty" doc:"The article's picture of the nearest pair."`
	Other    string `json:"other,omitempty" doc:"The other article's."`
	Distance int    `json:"distance" doc:"How many of their 256 bits differ: at most 31."`
}

// stageImages is the stage of the names of pictures. It decides nothing.
const stageImages Stage = "images"

// extrasSpec returns the parts of the spec that describe how pictures count.
func (s *Settings) extrasSpec() []string {
	if s.CommonPictures == 0 {
		return nil
	}
	return []string{fmt.Sprintf("images=pdq(distance=%d quality=%d common=%s)", image.MaxDistance, image.DefaultQuality,
		strconv.FormatFloat(float64(s.commonShare())/shares, 'g', -1, 64))}
}

// commonShare returns the share from which a picture is common, or 0 if pictures do not count.
func (s *Settings) commonShare() uint64 { return uint64(math.Round(s.CommonPictures * shares)) }

// validExtras checks the pictures of an article.
func (c *cascade) validExtras(x Extras) error {
	ps := x.Pictures
	switch {
	case len(ps) > 0 && c.CommonPictures == 0:
		return fmt.Errorf("%w: the index takes no pictures", ErrInvalid)
	case len(ps) > maxPictures:
		return fmt.Errorf("%w: over %d pictures", ErrInvalid, maxPictures)
	}
	for _, p := range ps {
		if p.Quality < 0 || p.Quality > 100 {
			return fmt.Errorf("%w: quality %d of a picture (want 0 to 100)", ErrInvalid, p.Quality)
		}
	}
	return nil
}

// fields returns what identifies the extras of a repeated submission.
func (x *Extras) fields() (fields []string) {
	for _, p := range x.Pictures {
		fields = append(fields, p.Hash.String(), strconv.Itoa(p.Quality))
	}
	return fields
}

// size returns the memory of the extras.
func (x *Extras) size() int { return 40 * len(x.Pictures) }

// extra is a picture that counts, and its name.
type extra struct {
	image.Hash
	name Name
}

type extras []extra

// extras returns the distinct pictures of sufficient quality.
func (c *cascade) extras(x Extras) (some extras) {
	for _, p := range x.Pictures {
		e := extra{p.Hash, keyed(c.nameKey, string(stageImages), p.Hash.String())}
		if c.CommonPictures > 0 && p.Quality >= image.DefaultQuality && !slices.Contains(some, e) {
			some = append(some, e)
		}
	}
	return some
}

// aliases returns the names of pictures.
func (some extras) aliases() (names []alias) {
	for _, e := range some {
		names = append(names, alias{stageImages, e.name})
	}
	return names
}

// advice states whether the pictures of two articles confirm a match, contradict it, or neither.
type advice struct {
	same  *SameImages
	apart *neardup.Conflict
}

// recorded converts the advice for a change.
func (a *advice) recorded() (out Advice) {
	if a.same != nil {
		out.SameImages = []SameImages{*a.same}
	}
	return out
}

// basis returns what the advice adds to the basis of a match.
func (a *advice) basis() string {
	if a.same == nil {
		return ""
	}
	return ", confirmed by pictures"
}

// likeness is the evidence of the uncommon pictures of two articles.
type likeness struct {
	mine, theirs extras
	SameImages
}

// confirms reports whether half of the pictures or more are the same.
func (l *likeness) confirms() bool { return l.Same > 0 && 2*l.Same >= l.Of }

// contradicts reports whether both have several pictures, and none in common.
func (l *likeness) contradicts() bool { return l.Same == 0 && len(l.mine) > 1 && len(l.theirs) > 1 }

// matchPictures finds the pictures that two articles have in common, each with one other: the nearest first, then in their order.
func (l *likeness) matchPictures() {
	type picturePair struct{ distance, a, b int }
	var near []picturePair
	for a := range l.mine {
		for b := range l.theirs {
			if d := l.mine[a].Distance(l.theirs[b].Hash); d <= image.MaxDistance {
				near = append(near, picturePair{d, a, b})
			}
		}
	}
	slices.SortFunc(near, func(x, y picturePair) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	a, b := make([]bool, len(l.mine)), make([]bool, len(l.theirs))
	for _, p := range near {
		if a[p.a] || b[p.b] {
			continue
		}
		a[p.a], b[p.b] = true, true
		if l.Same == 0 {
			l.A, l.B, l.Distance = l.mine[p.a].Hash, l.theirs[p.b].Hash, p.distance
		}
		l.Same++
	}
	l.Of = max(len(l.mine), len(l.theirs))
}

// advise compares the pictures of the subject and of a leader.
func (j *search) advise(ctx context.Context, leader uint64, of Extras) (a advice, err error) {
	if len(j.s.extras) == 0 || len(of.Pictures) == 0 {
		return a, nil
	}
	l := likeness{theirs: j.d.extras(of), SameImages: SameImages{Leader: leader}}
	if len(l.theirs) == 0 {
		return a, nil
	}
	l.mine, err = j.uncommon(ctx, j.s.extras)
	if err != nil {
		return a, err
	}
	l.theirs, err = j.uncommon(ctx, l.theirs)
	if err != nil {
		return a, err
	}
	l.matchPictures()
	switch {
	case l.contradicts():
		a.apart = &neardup.Conflict{Kind: "picture", A: l.mine[0].String(), B: l.theirs[0].String()}
	case l.confirms():
		a.same = &l.SameImages
	}
	return a, nil
}

// uncommon returns the pictures that are not common.
func (j *search) uncommon(ctx context.Context, all extras) (some extras, err error) {
	if err := j.rate(ctx, all); err != nil {
		return nil, err
	}
	for _, e := range all {
		if !j.common(e.name) {
			some = append(some, e)
		}
	}
	return some, nil
}

// otherwise reports whether a rated name is no longer as it was: common, or uncommon.
func (j *search) otherwise(common []bool) bool {
	for i, r := range j.rated {
		if r.Common != common[i] {
			return true
		}
	}
	return false
}

// rest adds the ratings of names to a query, so that the commit fails if one has changed.
func (j *search) rest(q *Query) { q.Rated, q.Share = j.rated, j.s.commonShare() }

// rate looks up which pictures are common, unless it is known.
func (j *search) rate(ctx context.Context, all extras) error {
	q := Query{Share: j.s.commonShare()}
	for _, e := range all {
		if !slices.ContainsFunc(j.rated, func(r Rated) bool { return r.Name == e.name }) {
			q.Rated = append(q.Rated, Rated{Name: e.name})
		}
	}
	if len(q.Rated) == 0 {
		return nil
	}
	f, err := j.d.index.Lookup(ctx, q)
	if err != nil {
		return err
	}
	for i := range q.Rated {
		q.Rated[i].Common = f.Common[i]
	}
	j.rated = append(j.rated, q.Rated...)
	return nil
}

// common reports whether a name was rated as common.
func (p *proven) common(n Name) bool {
	return slices.ContainsFunc(p.rated, func(r Rated) bool { return r.Name == n && r.Common })
}

// advised adjusts a match of texts by the pictures of both.
func (j *search) advised(ctx context.Context, m matched) (matched, error) {
	confirmable := m.Unsure && !m.Overlap // an overlap stays one
	if !m.Near && !confirmable {
		return m, nil
	}
	a, err := j.advise(ctx, m.leader, m.Extras)
	switch {
	case m.Near && a.apart != nil:
		m.Near, m.Variant, m.apart = false, true, a.apart
	case confirmable && a.same != nil:
		m.Near, m.Variant, m.Unsure, m.same = true, false, false, a.same
		m.Basis += a.basis()
	}
	return m, err
}

// mostAlike bounds the docIds that are named because they share pictures with an article without words.
const mostAlike = 10

// alike returns the docIds that share pictures with an article without words, the most similar first.
func alike(s *subject, p *proven) (found Advice) {
	if !s.wordless {
		return found
	}
	by, of := map[uint64]*SameImages{}, 0
	for i, a := range s.names {
		if a.stage != stageImages || p.common(a.name) {
			continue
		}
		of++
		if len(p.names[i]) > hotName {
			continue
		}
		for _, h := range p.names[i] {
			if h.Time < s.cutoff {
				continue
			}
			if by[h.Leader] == nil {
				own := s.extras[slices.IndexFunc(s.extras, func(e extra) bool { return e.name == a.name })].Hash
				by[h.Leader] = &SameImages{Leader: h.Leader, A: own, B: own}
			}
			by[h.Leader].Same++
		}
	}
	for _, f := range by {
		f.Of = of
		found.SameImages = append(found.SameImages, *f)
	}
	slices.SortFunc(found.SameImages, func(a, b SameImages) int { return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(a.Leader, b.Leader)) })
	found.SameImages = found.SameImages[:min(len(found.SameImages), mostAlike)]
	return found
}

// inAnswer converts s for an answer.
func (s *SameImages) inAnswer() ImagesInCommon {
	return ImagesInCommon{Same: s.Same, Of: s.Of, Hash: s.A.String(), Other: s.B.String(), Distance: s.Distance}
}

// answered converts advice for an answer.
func (d *Detector) answered(a Advice) (out []ImagesInCommon) {
	for _, s := range a.SameImages {
		one := s.inAnswer()
		one.DocID = d.ids.DocID(s.Leader)
		out = append(out, one)
	}
	return out
}

// compareExtras returns the pictures that two articles share, or nil if either has none that count.
func (d *Detector) compareExtras(a, b Extras) *ImagesInCommon {
	l := likeness{mine: d.extras(a), theirs: d.extras(b)}
	if len(l.mine) == 0 || len(l.theirs) == 0 {
		return nil
	}
	l.matchPictures()
	out := l.inAnswer()
	if out.Same == 0 {
		out.Hash, out.Other = "", ""
	}
	return &out
}
