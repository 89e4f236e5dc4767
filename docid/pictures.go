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

// Pictures of articles say something beside their texts: they confirm what a text leaves open, and contradict what a
// template makes equal; alone they make no two articles one. What they say rests on those of the two articles, and
// on which of them are common. An article's docId has a name for each, so that the store can count
// the docIds of a picture; Commit refuses a judgement of a picture that has become common since.

// Picture is one of an article's.
type Picture struct {
	Hash    image.Hash // PDQ
	Quality int        // of the hash, 0 to 100; below image.DefaultQuality it counts for nothing
}

// MarshalText is how a list of pictures has one: pdq:HASH quality:N.
func (p Picture) MarshalText() ([]byte, error) {
	f := image.Fingerprint{Quality: p.Quality}
	f.Hashes[0] = p.Hash
	return []byte(f.String()), nil
}

// UnmarshalText reads that.
func (p *Picture) UnmarshalText(text []byte) error {
	f, err := image.Parse(string(text))
	if err == nil {
		*p = Picture{f.Hashes[0], f.Quality}
	}
	return err
}

// maxPictures is how many pictures an article may have: their names, too, are a column of a sink.
const maxPictures = 50

// Pictures says how those of articles count.
type Pictures struct {
	// Common is the share of the docIds: what more of them have, such as a logo, counts for nothing.
	// 0: .001.
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

// MostUncommon is how many docIds of so many may have a picture that is not common.
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

// stageImages is that of the names of pictures: it decides nothing.
const stageImages Stage = "images"

// basisImages is added to the basis of texts that were confirmed.
const basisImages = ", confirmed by pictures"

// pictureSpec is how the pictures of an index count; "" where they do not.
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

// validPictures checks those of an article.
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

// counted are the hashes that say something, each once.
func (c *cascade) counted(ps []Picture) (hashes []image.Hash) {
	for _, p := range ps {
		if c.Pictures != nil && p.Quality >= image.DefaultQuality && !slices.Contains(hashes, p.Hash) {
			hashes = append(hashes, p.Hash)
		}
	}
	return hashes
}

// pictureName is the name of a picture.
func (c *cascade) pictureName(h image.Hash) Name {
	return keyed(c.nameKey, string(stageImages), h.String())
}

// pictureAliases are the names of pictures.
func (c *cascade) pictureAliases(ps []Picture) (names []alias) {
	for _, h := range c.counted(ps) {
		names = append(names, alias{stageImages, c.pictureName(h)})
	}
	return names
}

// likeness is what the pictures of two articles say that are not common.
type likeness struct {
	mine, theirs []image.Hash
	SameImages
}

// confirms: half of the pictures or more are the same.
func (l *likeness) confirms() bool { return l.Same > 0 && 2*l.Same >= l.Of }

// contradicts: both have several, and none in common.
func (l *likeness) contradicts() bool { return l.Same == 0 && len(l.mine) > 1 && len(l.theirs) > 1 }

// conflict says so.
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

// uncommon are those of some pictures that are not common.
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

// share is that from which on a picture is common; 0 where pictures do not count.
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

// rate asks which names are common, those of which it is not known.
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

// pictured is what becomes of a match of texts by the pictures of both.
func (j *search) pictured(ctx context.Context, m matched) (matched, error) {
	confirmable := m.Unsure && !m.Overlap // one that says more stays
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

// alike are the docIds that have pictures of an article that has nothing else, those that have most of them first.
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

// pictureOf is the picture that has a name.
func (s *subject) pictureOf(n Name) image.Hash {
	i := slices.IndexFunc(s.pictures, func(h image.Hash) bool { return s.pictureName(h) == n })
	return s.pictures[max(i, 0)]
}

// inAnswer is how an answer has it.
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

// InCommon are the pictures that two articles have in common, common ones among them; nil where one has none that count.
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
