package batch

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/neardup/neardup"
)

// overlapping is a Method whose near texts have features in common.
type overlapping interface {
	// Overlap returns the features of a view, each once, and how many of them
	// any text has too that Compare finds near or a variant, at least.
	Overlap(v neardup.View) (features []uint64, least int)
}

// join finds leaders of very hot buckets by their features, where comparing a text with each of
// them would cost the square: the prefix filter of the literature (Chaudhuri, Ganti
// and Kaushik 2006). Two near sets share at least `least` features, so in any order that is
// one for both, the first n-least+1 of each share one. Rare ones come first, as the first leaders of the bucket count them: what a template
// gives to all is in nobody's prefix, if enough is a text's own. It leaves out no pair that is near, whatever was counted.
type join struct {
	method  overlapping
	buckets map[uint32]*joinedBucket // by their start in the index
	heads   []uint32                 // by hash of bucket and feature: an entry's number plus 1
	pages   [][]joinEntry            // entries
	used    int                      // entries
	most    int                      // entries
}

// joinEntry is a leader under a feature of its prefix; entries of one head are chained.
type joinEntry struct {
	tag   uint32 // of the hash; two features of one tag cost a comparison
	next  uint32 // plus 1
	place uint32 // in the index
}

// joinedBucket is a bucket whose first leaders are found by their features.
type joinedBucket struct {
	start    uint32
	joined   uint32            // how many
	full     bool              // there is no memory for more
	frequent map[uint64]uint32 // how many of the first leaders have a feature, where several do
}

const (
	joinEntryBytes = 12 + 8  // with its heads
	joinPage       = 1 << 14 // entries
)

// joinFrom is how many leaders of a bucket are compared one by one, and then
// say what features are frequent. Variable for tests.
var joinFrom = uint32(256)

// mostFrequent is how many features of first leaders are counted: some 10 MB while it lasts.
const mostFrequent = 1 << 18

// newJoin returns nil where the method knows no features.
func newJoin(m neardup.Method, memory int64) *join {
	o, ok := m.(overlapping)
	if !ok {
		return nil
	}
	return &join{method: o, buckets: map[uint32]*joinedBucket{}, most: int(memory / joinEntryBytes)}
}

// bucket returns a bucket of at least joinFrom leaders, nil where none was joined.
func (j *join) bucket(lo, hi uint32) *joinedBucket {
	if j == nil || hi-lo < joinFrom {
		return nil
	}
	if b := j.buckets[lo]; b != nil && b.joined > 0 {
		return b
	}
	return nil
}

// prefix appends the first features of a view in the order of the bucket.
func (j *join) prefix(dst []uint64, b *joinedBucket, v neardup.View) []uint64 {
	features, least := j.method.Overlap(v)
	n := len(features) - least + 1
	for _, f := range features {
		if len(dst) == n {
			return dst
		}
		if b.frequent[f] == 0 {
			dst = append(dst, f)
		}
	}
	if len(dst) >= n {
		return dst
	}
	rare := len(dst)
	for _, f := range features {
		if b.frequent[f] > 0 {
			dst = append(dst, f)
		}
	}
	slices.SortFunc(dst[rare:], func(x, y uint64) int {
		return cmp.Or(cmp.Compare(b.frequent[x], b.frequent[y]), cmp.Compare(x, y))
	})
	return dst[:n]
}

// at returns the head and the tag of a feature in a bucket.
func (j *join) at(b *joinedBucket, feature uint64) (head int, tag uint32) {
	h := (feature ^ uint64(b.start)*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return int(h >> (65 - bits.Len(uint(len(j.heads))))), uint32(h)
}

func (j *join) entry(n int) *joinEntry { return &j.pages[n/joinPage][n%joinPage] }

// add joins the leader at a place.
func (j *join) add(b *joinedBucket, place uint32, prefix []uint64) {
	if b.full = b.full || j.used+len(prefix) > j.most; b.full {
		return
	}
	if j.heads == nil {
		j.heads = make([]uint32, 1<<bits.Len(uint(j.most)))
	}
	for _, f := range prefix {
		if j.used%joinPage == 0 {
			j.pages = append(j.pages, make([]joinEntry, joinPage))
		}
		head, tag := j.at(b, f)
		*j.entry(j.used) = joinEntry{tag, j.heads[head], place}
		j.used++
		j.heads[head] = uint32(j.used)
	}
	b.joined++
}

// each calls fn with the places of leaders that share a feature of a prefix, some of them several times. It returns
// false, too soon, where that is more work than to look at all of them.
func (j *join) each(b *joinedBucket, prefix []uint64, fn func(place uint32)) bool {
	seen := uint32(0)
	for _, f := range prefix {
		head, tag := j.at(b, f)
		for n := j.heads[head]; n != 0; {
			if seen++; seen > b.joined {
				return false
			}
			e := j.entry(int(n) - 1)
			if n = e.next; e.tag == tag {
				fn(e.place)
			}
		}
	}
	return true
}

// joinLeaders joins those leaders of a bucket that are not yet.
func (s *search) joinLeaders(bucket uint32) error {
	j := s.x.join
	lo, hi := s.x.find(bucket)
	if j == nil || hi-lo < joinFrom {
		return nil
	}
	b := j.buckets[lo]
	if b == nil {
		b = &joinedBucket{start: lo, frequent: map[uint64]uint32{}}
		for _, p := range s.x.pos[lo:hi] {
			v, err := s.view(p)
			if err != nil {
				return err
			}
			features, _ := j.method.Overlap(v)
			for _, f := range features {
				if n := b.frequent[f]; n > 0 || len(b.frequent) < mostFrequent {
					b.frequent[f] = n + 1
				}
			}
		}
		for f, n := range b.frequent {
			if n == 1 {
				delete(b.frequent, f)
			}
		}
		j.buckets[lo] = b
	}
	for place := lo + b.joined; place < hi && !b.full; place++ {
		v, err := s.view(s.x.pos[place])
		if err != nil {
			return err
		}
		s.prefix = j.prefix(s.prefix[:0], b, v)
		j.add(b, place, s.prefix)
	}
	return nil
}

// gatherJoined collects the plausible leaders of a bucket that share a feature of the prefix of t. It returns how
// many of the first leaders need no other look: 0 where that would have been more work.
func (s *search) gatherJoined(t position, sketch uint64, b *joinedBucket, where span) (uint32, error) {
	v, err := s.view(t)
	if err != nil {
		return 0, err
	}
	s.prefix = s.x.join.prefix(s.prefix[:0], b, v)
	before := len(s.found)
	met := int64(0)
	if !s.x.join.each(b, s.prefix, func(place uint32) {
		met++
		if p := s.x.pos[place]; p >= where.from && p < where.to && (sketch == s.x.sketch[place] || s.method.Plausible(sketch, s.x.sketch[place])) {
			s.found = append(s.found, p)
		}
	}) {
		s.found = s.found[:before]
		return 0, nil
	}
	s.work.Candidates += met
	return b.joined, nil
}
