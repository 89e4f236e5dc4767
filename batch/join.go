package batch

import (
	"math/bits"
	"slices"

	"github.com/neardup/neardup"
)

// join finds leaders of very hot buckets by their features, because comparing a text with each leader is
// quadratic. It uses prefix filtering by weight (Chaudhuri, Ganti and Kaushik 2006). The shared features of two
// near texts weigh at least `least` in either. Under one common order, let f be the first shared feature: in
// either text the features from f on weigh at least `least`. So a text is found under its features as long as
// the rest, from the feature on, weighs enough, and two near texts share one of these. Rare features come
// first, as counted in the first leaders of a bucket. So features of a template are in no prefix if a text has
// enough of its own. The filter never drops a near pair, whatever was counted. A heavier text must share more
// weight. So a text is found under a short prefix as the smaller of two, and under a longer one as the larger;
// it searches the opposite ones (Xiao et al., PPJoin, WWW 2008).
//
// A template makes many buckets of the same leaders. These are one group, which is searched once.
type join struct {
	method  neardup.Searchable
	buckets map[uint32]*joinedBucket // by their start in the index
	groups  uint32
	heads   []uint32      // by hash of group and feature: an entry's number plus 1
	pages   [][]joinEntry // entries
	used    int           // entries
	most    int           // entries
	full    bool          // there is no memory for more
	useless uint32        // groups
}

// least returns how many leaders a bucket must have to be joined. Making a group takes the views of hundreds of texts, so
// where groups are useless, only larger buckets are worth it.
func (j *join) least() uint32 { return joinFrom * (1 + j.useless/16) }

// joinEntry is a leader under a feature of its prefix; entries of one head are chained.
type joinEntry struct {
	tag   uint32 // of the hash; two features of one tag cost a comparison
	next  uint32 // plus 1
	index uint32 // in the index
}

// joinedBucket is a bucket whose first leaders are in a group.
type joinedBucket struct {
	group  *joinGroup
	joined uint32 // how many
}

// joinGroup holds the leaders of several buckets that have most leaders in common.
type joinGroup struct {
	number   uint64
	frequent map[uint64]uint32     // how many of the first leaders have a feature, where several do
	members  map[position]struct{} // leaders
	// A sample of leaders tests whether the search by features takes little work. If it does not for most of them,
	// the group is given up.
	tried, failed int
	useless       bool
}

const (
	joinEntryBytes = 12 + 8  // with its heads
	joinPage       = 1 << 14 // entries
)

// The first joinFrom leaders of a bucket are compared one by one. Then they determine which features are frequent.
// Variable for tests.
var joinFrom = uint32(256)

// mostFrequent is how many features of the first leaders are counted, which takes some 10 MB for a time.
const mostFrequent = 1 << 18

// prefix holds the features under which a text is found and searches.
type prefix struct{ smaller, larger []uint64 }

// anything stands for all features, if a leader may be near a text without a common feature.
var anything = prefix{smaller: []uint64{0}}

// asLarger marks a feature as one of the larger of two texts.
const asLarger = 0x5851f42d4c957f2d

// newJoin returns nil if the method has no features.
func newJoin(m neardup.Method, memory int64) *join {
	s, ok := m.(neardup.Searchable)
	if !ok {
		return nil
	}
	return &join{method: s, buckets: map[uint32]*joinedBucket{}, most: int(memory / joinEntryBytes)}
}

// bucket returns a bucket of at least joinFrom leaders, or nil if none of them can be found by its features.
func (j *join) bucket(lo, hi uint32) *joinedBucket {
	if j == nil || hi-lo < joinFrom {
		return nil
	}
	if b := j.buckets[lo]; b != nil && b.joined > 0 && !b.group.useless {
		return b
	}
	return nil
}

// at returns the head and the tag of a feature in a group.
func (j *join) at(g *joinGroup, feature uint64) (head int, tag uint32) {
	h := (feature ^ g.number*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return int(h >> (65 - bits.Len(uint(len(j.heads))))), uint32(h)
}

func (j *join) entry(n int) *joinEntry { return &j.pages[n/joinPage][n%joinPage] }

// newGroup makes a group from the counts of the first leaders.
func (j *join) newGroup(counted map[uint64]uint32) *joinGroup {
	j.groups++
	g := &joinGroup{number: uint64(j.groups), frequent: map[uint64]uint32{}, members: map[position]struct{}{}}
	for f, n := range counted {
		if n > 1 {
			g.frequent[f] = n
		}
	}
	j.most -= 2 * len(g.frequent) // their memory
	return g
}

// add puts the leader at a place into a group.
func (j *join) add(g *joinGroup, leader position, place uint32, p prefix) {
	j.full = j.full || j.used+len(p.smaller)+len(p.larger) >= j.most
	if j.full {
		return
	}
	if j.heads == nil {
		j.heads = make([]uint32, 1<<bits.Len(uint(j.most)))
	}
	for _, f := range p.smaller {
		j.addEntry(g, f, place)
	}
	for _, f := range p.larger {
		j.addEntry(g, f^asLarger, place)
	}
	g.members[leader] = struct{}{}
	j.most-- // its memory
}

func (j *join) addEntry(g *joinGroup, feature uint64, place uint32) {
	if j.used%joinPage == 0 {
		j.pages = append(j.pages, make([]joinEntry, joinPage))
	}
	head, tag := j.at(g, feature)
	*j.entry(j.used) = joinEntry{tag, j.heads[head], place}
	j.used++
	j.heads[head] = uint32(j.used)
}

const (
	tryEvery = 16 // leaders
	triesMin = 8
	// worthwhile is the share of a bucket's leaders that a search by features may look at. Beyond it, scanning the bucket
	// takes less time.
	worthwhile = 4
)

// try measures whether the search by features would take little work for a new leader.
func (j *join) try(g *joinGroup, p prefix) {
	if len(g.members)%tryEvery != 0 || len(g.members) == 0 {
		return
	}
	g.tried++
	if !j.each(g, p, len(g.members)/worthwhile, func(uint32) {}) {
		g.failed++
	}
	if g.tried >= triesMin && 2*g.failed > g.tried {
		g.useless, g.frequent = true, nil
		j.useless++
	}
}

// each calls fn with the places of leaders that share a feature of a prefix, possibly several times. It stops
// and returns false if it would look at more than most entries.
func (j *join) each(g *joinGroup, p prefix, most int, fn func(place uint32)) bool {
	most = j.eachUnder(g, anything.smaller, 0, most, fn)
	most = j.eachUnder(g, p.smaller, asLarger, most, fn)
	return j.eachUnder(g, p.larger, 0, most, fn) >= 0
}

// eachUnder looks at most entries of leaders in a role, and returns how many more there may be: less than 0 if there were too many.
func (j *join) eachUnder(g *joinGroup, features []uint64, role uint64, most int, fn func(place uint32)) int {
	for _, f := range features {
		head, tag := j.at(g, f^role)
		for n := j.heads[head]; n != 0 && most >= 0; most-- {
			e := j.entry(int(n) - 1)
			n = e.next
			if e.tag == tag {
				fn(e.index)
			}
		}
	}
	return most
}

// prefixer makes the prefixes of one text after the other. For one goroutine.
type prefixer struct {
	looked      position // at, plus 1
	featureSets []neardup.FeatureSet
	order       []uint64 // scratch
	prefix
}

// prefixIn returns the first features of the text in the order of a group. known is false if near texts may
// share none of them.
func (p *prefixer) prefixIn(g *joinGroup) (found prefix, known bool) {
	p.smaller, p.larger = p.smaller[:0], p.larger[:0]
	for i := range p.featureSets {
		o := &p.featureSets[i]
		if o.Least == 0 || o.LeastLarger == 0 {
			return prefix{}, false
		}
		p.add(g, o)
	}
	return p.prefix, true
}

// add appends features until those that are left weigh too little.
func (p *prefixer) add(g *joinGroup, o *neardup.FeatureSet) {
	left := uint64(len(o.Features))
	if o.Weights != nil {
		left = 0
		for _, w := range o.Weights {
			left += w
		}
	}
	take := func(i int) bool {
		if left >= o.LeastLarger {
			p.smaller = append(p.smaller, o.Features[i])
		}
		if left >= o.Least {
			p.larger = append(p.larger, o.Features[i])
		}
		if o.Weights == nil {
			left--
		} else {
			left -= o.Weights[i]
		}
		return left >= min(o.Least, o.LeastLarger)
	}
	p.order = p.order[:0]
	for i, f := range o.Features {
		if n := g.frequent[f]; n > 0 {
			p.order = append(p.order, uint64(n)<<32|uint64(i)) // of as frequent ones the least first
		} else if !take(i) {
			return
		}
	}
	slices.Sort(p.order)
	for _, at := range p.order {
		if !take(int(uint32(at))) {
			return
		}
	}
}
