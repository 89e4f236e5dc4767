package batch

import (
	"math/bits"
	"slices"

	"github.com/neardup/neardup"
)

// join finds leaders of very hot buckets by their features, because comparing a text with each leader takes quadratic time.
// It uses prefix filtering by weight (Chaudhuri, Ganti and Kaushik 2006).
//
// The shared features of two near texts weigh at least `least` in either text. Sort the features of both in one order, and
// let f be the first shared feature. Then the features from f on weigh at least `least` in either text. So it is enough to
// enter a text under those features f: two near texts share one of them. Rare features
// come first, as counted in the first leaders of a bucket. So no feature of a template is in the prefix of a text that has
// enough features of its own. The filter never drops a near pair, whatever the counts are.
//
// A heavier text must share more weight. So a text has a short prefix as the smaller of two, and a longer one as the
// larger. It is searched with each prefix among the other kind (Xiao et al., PPJoin, WWW 2008).
//
// A template makes many buckets with the same leaders. These form one group, which is searched once.
type join struct {
	method  neardup.Searchable
	buckets map[uint32]*joinedBucket // keyed by their first cell in the index
	groups  uint32
	heads   []uint32      // hash of group and feature -> number of an entry, plus 1
	pages   [][]joinEntry // the entries
	used    int           // entries in use
	most    int           // largest number of entries
	full    bool          // no memory is left for more entries
	useless uint32        // groups that did not help
}

// least returns how many leaders a bucket must have to be joined. Making a group takes the views of hundreds of texts. So
// the more groups are useless, the larger a bucket must be.
func (j *join) least() uint32 { return joinFrom * (1 + j.useless/16) }

// joinEntry is a leader under a feature of its prefix. Entries with one head form a chain.
type joinEntry struct {
	tag   uint32 // part of the hash; two features with one tag only cost an extra comparison
	next  uint32 // number of the next entry, plus 1
	index uint32 // cell of the leader in the index
}

// joinedBucket is a bucket whose first leaders are in a group.
type joinedBucket struct {
	group  *joinGroup
	joined uint32 // number of these leaders
}

// joinGroup holds the leaders of several buckets that have most leaders in common.
type joinGroup struct {
	number   uint64
	frequent map[uint64]uint32     // how many of the first leaders have a feature, for features that several have
	members  map[position]struct{} // its leaders
	// Some leaders are sampled to test whether the search by features is cheap. If it is not for most of them, the group is
	// abandoned.
	tried, failed int
	useless       bool
}

const (
	joinEntryBytes = 12 + 8  // including its heads
	joinPage       = 1 << 14 // entries in a page
)

// The first joinFrom leaders of a bucket are compared one by one. They also determine which features are frequent. It is a
// variable for tests.
var joinFrom = uint32(256)

// mostFrequent limits the features that are counted in the first leaders. The counts take about 10 MB while they are
// needed.
const mostFrequent = 1 << 18

// prefix holds the features under which a text is entered and searched.
type prefix struct{ smaller, larger []uint64 }

// anything is the prefix of a leader that may be near a text without a common feature.
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

// at returns the head of a feature in a group, and its tag.
func (j *join) at(g *joinGroup, feature uint64) (head int, tag uint32) {
	h := (feature ^ g.number*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return int(h >> (65 - bits.Len(uint(len(j.heads))))), uint32(h)
}

func (j *join) entry(n int) *joinEntry { return &j.pages[n/joinPage][n%joinPage] }

// newGroup makes a group from the counted features of the first leaders.
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

// add puts the leader in a cell into a group.
func (j *join) add(g *joinGroup, leader position, cell uint32, p prefix) {
	j.full = j.full || j.used+len(p.smaller)+len(p.larger) >= j.most
	if j.full {
		return
	}
	if j.heads == nil {
		j.heads = make([]uint32, 1<<bits.Len(uint(j.most)))
	}
	for _, f := range p.smaller {
		j.addEntry(g, f, cell)
	}
	for _, f := range p.larger {
		j.addEntry(g, f^asLarger, cell)
	}
	g.members[leader] = struct{}{}
	j.most-- // its memory
}

func (j *join) addEntry(g *joinGroup, feature uint64, cell uint32) {
	if j.used%joinPage == 0 {
		j.pages = append(j.pages, make([]joinEntry, joinPage))
	}
	head, tag := j.at(g, feature)
	*j.entry(j.used) = joinEntry{tag, j.heads[head], cell}
	j.used++
	j.heads[head] = uint32(j.used)
}

const (
	tryEvery = 16 // one leader in tryEvery is sampled
	triesMin = 8
	// A search by features may look at 1/worthwhile of a bucket's leaders. If it looks at more, scanning the bucket takes
	// less time.
	worthwhile = 4
)

// try measures whether the search by features is cheap for a new leader.
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

// each calls fn with the cells of leaders that share a feature of a prefix, possibly several times. If it would look at
// more than most entries, it stops and returns false.
func (j *join) each(g *joinGroup, p prefix, most int, fn func(cell uint32)) bool {
	most = j.eachUnder(g, anything.smaller, 0, most, fn)
	most = j.eachUnder(g, p.smaller, asLarger, most, fn)
	return j.eachUnder(g, p.larger, 0, most, fn) >= 0
}

// eachUnder looks at up to most entries of leaders in a role. It returns the remaining number of entries, which is negative
// if there were too many.
func (j *join) eachUnder(g *joinGroup, features []uint64, role uint64, most int, fn func(cell uint32)) int {
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

// prefixer makes the prefixes of texts, one after the other. It is for one goroutine.
type prefixer struct {
	looked      position // at, plus 1
	featureSets []neardup.FeatureSet
	order       []uint64 // scratch
	prefix
}

// prefixIn returns the first features of the text in the order of a group. known is false if the text may be near one with
// which it shares none of them.
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

// add appends features until the rest weighs too little.
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
			p.order = append(p.order, uint64(n)<<32|uint64(i)) // among equally frequent features, the smallest first
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
