package docid

import (
	"cmp"
	"context"
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

// Pictures sets how the pictures of articles count.
type Pictures struct {
	// Common is the share of the docIds above which a picture, such as a logo, counts for nothing. 0: .001.
	Common float64
}

const defaultCommon = .001

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

// SameImages are pictures that an article has in common with the leader of a docId, and the pair of them that is nearest.
type SameImages struct {
	Leader   uint64     // the docId
	Same, Of int        // Of: of the pictures that count, of the article that has more; of one without words, its own
	A, B     image.Hash // of the article, of the leader
	Distance int
}

// ImagesInCommon is SameImages in an answer.
type ImagesInCommon struct {
	DocID    string `json:"docId,omitempty"`
	Same     int    `json:"same" doc:"How many pictures the two have in common."`
	Of       int    `json:"of" doc:"Of so many that count: of the article that has more of them; of one without words, its own."`
	Hash     string `json:"hash,omitempty" doc:"The article's picture of the nearest pair."`
	Other    string `json:"other,omitempty" doc:"The other article's."`
	Distance int    `json:"distance" doc:"How many of their 256 bits differ: at most 31."`
}

// stageImages is the stage of the names of pictures. It decides nothing.
const stageImages Stage = "images"

// basisImages is added to the basis of texts that were confirmed.
const basisImages = ", confirmed by pictures"

// pictureSpec returns how the pictures of an index count, or "" if they do not.
func (c *cascade) pictureSpec() string {
	if c.Pictures == nil {
		return ""
	}
	return fmt.Sprintf("images=pdq(distance=%d quality=%d common=%s)", image.MaxDistance, image.DefaultQuality,
		strconv.FormatFloat(float64(c.commonShare())/shares, 'g', -1, 64))
}

func (c *cascade) commonShare() uint64 {
	return uint64(math.Round(cmp.Or(c.Pictures.Common, defaultCommon) * shares))
}

func (p *Pictures) valid() error {
	if p != nil && (p.Common < 0 || p.Common > 1 || math.IsNaN(p.Common)) {
		return fmt.Errorf("%w: pictures are common from a share of %g on: it is 0 to 1", ErrInvalid, p.Common)
	}
	return nil
}

// validPictures checks the pictures of an article.
func (c *cascade) validPictures(ps []Picture) error {
	switch {
	case len(ps) > 0 && c.Pictures == nil:
		return fmt.Errorf("%w: the index takes no pictures", ErrInvalid)
	case len(ps) > maxPictures:
		return fmt.Errorf("%w: over %d pictures", ErrInvalid, maxPictures)
	}
	for _, p := range ps {
		if p.Quality < 0 || p.Quality > 100 {
			return fmt.Errorf("%w: a quality of %d is not 0 to 100", ErrInvalid, p.Quality)
		}
	}
	return nil
}

// counted returns the distinct hashes of sufficient quality.
func (c *cascade) counted(ps []Picture) (hashes []image.Hash) {
	for _, p := range ps {
		if c.Pictures != nil && p.Quality >= image.DefaultQuality && !slices.Contains(hashes, p.Hash) {
			hashes = append(hashes, p.Hash)
		}
	}
	return hashes
}

// pictureName returns the name of a picture.
func (c *cascade) pictureName(h image.Hash) Name {
	return keyed(c.nameKey, string(stageImages), h.String())
}

// pictureAliases returns the names of pictures.
func (c *cascade) pictureAliases(ps []Picture) (names []alias) {
	for _, h := range c.counted(ps) {
		names = append(names, alias{stageImages, c.pictureName(h)})
	}
	return names
}

// likeness is the evidence of the uncommon pictures of two articles.
type likeness struct {
	mine, theirs []image.Hash
	SameImages
}

// confirms: half of the pictures or more are the same.
func (l *likeness) confirms() bool { return l.Same > 0 && 2*l.Same >= l.Of }

// contradicts: both have several, and none in common.
func (l *likeness) contradicts() bool { return l.Same == 0 && len(l.mine) > 1 && len(l.theirs) > 1 }

// conflict returns the first picture of each side as evidence.
func (l *likeness) conflict() neardup.Conflict {
	return neardup.Conflict{Kind: "picture", A: l.mine[0].String(), B: l.theirs[0].String()}
}

// pair finds the pictures that two articles have in common, each with one other: the nearest first, then in their order.
func (l *likeness) pair() {
	type pair struct{ distance, a, b int }
	var near []pair
	for a := range l.mine {
		for b := range l.theirs {
			if d := l.mine[a].Distance(l.theirs[b]); d <= image.MaxDistance {
				near = append(near, pair{d, a, b})
			}
		}
	}
	slices.SortFunc(near, func(x, y pair) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	a, b := make([]bool, len(l.mine)), make([]bool, len(l.theirs))
	for _, p := range near {
		if a[p.a] || b[p.b] {
			continue
		}
		if a[p.a], b[p.b] = true, true; l.Same == 0 {
			l.A, l.B, l.Distance = l.mine[p.a], l.theirs[p.b], p.distance
		}
		l.Same++
	}
	l.Of = max(len(l.mine), len(l.theirs))
}

// likeness compares the pictures of the subject and of a leader.
func (j *search) likeness(ctx context.Context, leader uint64, pictures []Picture) (l likeness, err error) {
	theirs := j.d.counted(pictures)
	if len(j.s.pictures) == 0 || len(theirs) == 0 {
		return l, nil
	}
	if l.mine, err = j.uncommon(ctx, j.s.pictures); err != nil {
		return l, err
	}
	if l.theirs, err = j.uncommon(ctx, theirs); err != nil {
		return l, err
	}
	l.Leader = leader
	l.pair()
	return l, nil
}

// uncommon returns the pictures that are not common.
func (j *search) uncommon(ctx context.Context, hashes []image.Hash) (some []image.Hash, err error) {
	names := make([]Name, len(hashes))
	for i, h := range hashes {
		names[i] = j.d.pictureName(h)
	}
	if err := j.rate(ctx, names); err != nil {
		return nil, err
	}
	for i, h := range hashes {
		if !j.common(names[i]) {
			some = append(some, h)
		}
	}
	return some, nil
}

// share returns the share from which a picture is common, or 0 if pictures do not count.
func (c *cascade) share() uint64 {
	if c.Pictures == nil {
		return 0
	}
	return c.commonShare()
}

// otherwise reports that a name is not as it was rated.
func (j *search) otherwise(common []bool) bool {
	for i, r := range j.rated {
		if r.Common != common[i] {
			return true
		}
	}
	return false
}

// rate looks up which names are common, unless it is known.
func (j *search) rate(ctx context.Context, names []Name) error {
	q := Query{Share: j.s.share()}
	for _, n := range names {
		if !slices.ContainsFunc(j.rated, func(r Rated) bool { return r.Name == n }) {
			q.Rated = append(q.Rated, Rated{Name: n})
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

// common reports a name that was found to be.
func (p *proven) common(n Name) bool {
	return slices.ContainsFunc(p.rated, func(r Rated) bool { return r.Name == n && r.Common })
}

// pictured adjusts a match of texts by the pictures of both.
func (j *search) pictured(ctx context.Context, m matched) (matched, error) {
	confirmable := m.Unsure && !m.Overlap // an overlap stays one
	if !m.Near && !confirmable {
		return m, nil
	}
	l, err := j.likeness(ctx, m.leader, m.pictures)
	switch {
	case err != nil:
	case m.Near && l.contradicts():
		c := l.conflict()
		m.Near, m.Variant, m.apart = false, true, &c
	case confirmable && l.confirms():
		m.Near, m.Variant, m.Unsure, m.same = true, false, false, &l.SameImages
		m.Basis += basisImages
	}
	return m, err
}

// mostAlike is how many docIds are named that have pictures of an article without words.
const mostAlike = 10

// alike returns the docIds that share pictures with an article without words, the most similar first.
func alike(s *subject, p *proven) (found []SameImages) {
	if !s.wordless {
		return nil
	}
	by, of := map[uint64]*SameImages{}, 0
	for i, a := range s.names {
		if a.stage != stageImages || p.common(a.name) {
			continue
		}
		if of++; len(p.names[i]) > hotName {
			continue
		}
		for _, h := range p.names[i] {
			if h.Time < s.cutoff {
				continue
			}
			if by[h.Leader] == nil {
				by[h.Leader] = &SameImages{Leader: h.Leader, A: s.pictureOf(a.name), B: s.pictureOf(a.name)}
			}
			by[h.Leader].Same++
		}
	}
	for _, f := range by {
		f.Of = of
		found = append(found, *f)
	}
	slices.SortFunc(found, func(a, b SameImages) int { return cmp.Or(cmp.Compare(b.Same, a.Same), cmp.Compare(a.Leader, b.Leader)) })
	return found[:min(len(found), mostAlike)]
}

// pictureOf returns the picture that has a name.
func (s *subject) pictureOf(n Name) image.Hash {
	i := slices.IndexFunc(s.pictures, func(h image.Hash) bool { return s.pictureName(h) == n })
	return s.pictures[max(i, 0)]
}

// inAnswer converts s for an answer.
func (s *SameImages) inAnswer() ImagesInCommon {
	return ImagesInCommon{Same: s.Same, Of: s.Of, Hash: s.A.String(), Other: s.B.String(), Distance: s.Distance}
}

// imagesInCommon puts them into an answer.
func (d *Detector) imagesInCommon(all []SameImages) (out []ImagesInCommon) {
	for _, s := range all {
		one := s.inAnswer()
		one.DocID = d.ids.DocID(s.Leader)
		out = append(out, one)
	}
	return out
}

// InCommon returns the pictures that two articles share, or nil if either has none that count.
func (d *Detector) InCommon(a, b []Picture) *ImagesInCommon {
	l := likeness{mine: d.counted(a), theirs: d.counted(b)}
	if len(l.mine) == 0 || len(l.theirs) == 0 {
		return nil
	}
	l.pair()
	out := l.inAnswer()
	if out.Same == 0 {
		out.Hash, out.Other = "", ""
	}
	return &out
}
