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

// Pictures are evidence besides the texts. They confirm a match that the texts leave open, and contradict a match that only
// a template causes. Pictures alone never make two articles duplicates. The evidence depends on the pictures of the two
// articles, and on which of them are common. The docId of an article has a name for each picture, so that the store can
// count the docIds of a picture. Commit refuses a decision if one of its pictures has become common since.

// The rest of the package only handles extras, which have names, and advice on a match. Only this file depends on the
// extras being pictures.

// Extras are the parts of an article besides its texts that confirm or contradict a match.
type Extras struct {
	Pictures []Picture `json:"images,omitempty"`
}

// Encode returns the extras as text, or "" if there are none.
func (x *Extras) Encode() string {
	if len(x.Pictures) == 0 {
		return ""
	}
	b, _ := json.Marshal(x.Pictures) // never fails
	return string(b)
}

// Decode reads what Encode returned.
func (x *Extras) Decode(text string) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), &x.Pictures)
}

// Picture is a picture of an article.
type Picture struct {
	Hash    image.Hash // PDQ
	Quality int        // quality of the hash, 0 to 100; below image.DefaultQuality the picture does not count
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

// maxPictures limits the pictures of an article, because their names are a column of a sink.
const maxPictures = 50

// Rated is the name of a picture, and whether the picture is common.
type Rated struct {
	Name   Name
	Common bool
}

const (
	shares      = 1_000_000 // shares are fractions of this number
	leastCommon = 5         // a picture that fewer docIds have is never common
)

// MostUncommon returns the largest number of docIds that may have a picture which is not common, if there are docIDs
// docIds.
func (q *Query) MostUncommon(docIDs int) int {
	return max(leastCommon, int(uint64(docIDs)*q.Share/shares))
}

// SameImages counts the pictures that an article shares with the leader of a docId, and names the nearest pair.
type SameImages struct {
	Leader   uint64     // the docId
	Same, Of int        // Of is the number of pictures that count in the article with more of them, or in the article itself if it has no words
	A, B     image.Hash // picture of the article and of the leader
	Distance int
}

// Advice is the contribution of extras to a decision.
type Advice struct {
	// SameImages lists the pictures that confirmed a duplicate. For a new article without words it lists the docIds that
	// have most of its pictures.
	SameImages []SameImages `json:",omitempty"`
}

// ImagesInCommon is the form of SameImages in an answer.
type ImagesInCommon struct {
	DocID    string `json:"docId,omitempty"`
	Same     int    `json:"same" doc:"Number of pictures that both articles have."`
	Of       int    `json:"of" doc:"Number of pictures that count, in the article with more of them; for an article without words, its own number."`
	Hash     string `json:"hash,omitempty" doc:"In the nearest pair, the hash of the article's picture."`
	Other    string `json:"other,omitempty" doc:"In the nearest pair, the hash of the other article's picture."`
	Distance int    `json:"distance" doc:"Number of the 256 bits that differ, at most 31."`
}

// stageImages is the stage of the names of pictures. It has no matches.
const stageImages Stage = "images"

// extrasSpec returns the parts of the spec that concern pictures.
func (s *Settings) extrasSpec() []string {
	if s.CommonPictures == 0 {
		return nil
	}
	return []string{fmt.Sprintf("images=pdq(distance=%d quality=%d common=%s)", image.MaxDistance, image.DefaultQuality,
		strconv.FormatFloat(float64(s.commonShare())/shares, 'g', -1, 64))}
}

// commonShare returns the share of docIds above which a picture is common, in the unit of shares. It returns 0 if pictures
// do not count.
func (s *Settings) commonShare() uint64 { return uint64(math.Round(s.CommonPictures * shares)) }

// validExtras checks the pictures of an article.
func (c *cascade) validExtras(x Extras) error {
	ps := x.Pictures
	switch {
	case len(ps) > 0 && c.CommonPictures == 0:
		return fmt.Errorf("%w: the index accepts no pictures", ErrInvalid)
	case len(ps) > maxPictures:
		return fmt.Errorf("%w: too many pictures (want at most %d)", ErrInvalid, maxPictures)
	}
	for _, p := range ps {
		if p.Quality < 0 || p.Quality > 100 {
			return fmt.Errorf("%w: quality %d of a picture (want 0 to 100)", ErrInvalid, p.Quality)
		}
	}
	return nil
}

// fields returns the values that identify the extras of a repeated submission.
func (x *Extras) fields() (fields []string) {
	for _, p := range x.Pictures {
		fields = append(fields, p.Hash.String(), strconv.Itoa(p.Quality))
	}
	return fields
}

// size returns the memory of the extras in bytes.
func (x *Extras) size() int { return 40 * len(x.Pictures) }

// extra is a picture that counts, with its name.
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

// aliases returns the names of the extras.
func (some extras) aliases() (names []alias) {
	for _, e := range some {
		names = append(names, alias{stageImages, e.name})
	}
	return names
}

// advice records whether the pictures of two articles confirm a match, contradict it, or neither.
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

// basis returns the text that the advice adds to the basis of a match.
func (a *advice) basis() string {
	if a.same == nil {
		return ""
	}
	return ", confirmed by pictures"
}

// likeness compares the uncommon pictures of two articles.
type likeness struct {
	mine, theirs extras
	SameImages
}

// confirms reports whether at least half of the pictures are the same.
func (l *likeness) confirms() bool { return l.Same > 0 && 2*l.Same >= l.Of }

// contradicts reports whether both articles have several pictures, and none in common.
func (l *likeness) contradicts() bool { return l.Same == 0 && len(l.mine) > 1 && len(l.theirs) > 1 }

// matchPictures pairs the pictures that two articles have in common, each at most once. The nearest pairs come first, and
// equally near pairs in their order.
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

// otherwise reports whether a picture has become common or uncommon since it was rated.
func (j *search) otherwise(common []bool) bool {
	for i, r := range j.rated {
		if r.Common != common[i] {
			return true
		}
	}
	return false
}

// rest adds the ratings of names to a query, so that Commit fails if one has changed.
func (j *search) rest(q *Query) { q.Rated, q.Share = j.rated, j.s.commonShare() }

// rate looks up which pictures are common, unless that is known.
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

// advised adjusts a match of texts by the pictures of both articles.
func (j *search) advised(ctx context.Context, m matched) (matched, error) {
	confirmable := m.Unsure && !m.Overlap // an overlap stays an overlap
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

// mostAlike limits the docIds that are named because they share pictures with an article without words.
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

// inAnswer returns s in the form of an answer.
func (s *SameImages) inAnswer() ImagesInCommon {
	return ImagesInCommon{Same: s.Same, Of: s.Of, Hash: s.A.String(), Other: s.B.String(), Distance: s.Distance}
}

// answered returns advice in the form of an answer.
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
