package batch

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/neardup/neardup"
)

// join finds leaders of very hot buckets by their features, where comparing a text with each of
// them would cost the square: the prefix filter of the literature (Chaudhuri, Ganti
// and Kaushik 2006), by weight. What two near texts have in common weighs at least `least` in either. Put the features
// in any order that is one for both, and let all in common stand from some feature on: then in either text what stands
// from there on weighs that much. So each is found under the features from which on what is left weighs enough, and two
// near texts share one. Rare ones come first, as the first leaders of a bucket count them: what a template
// gives to all is in nobody's prefix, if enough is a text's own. It leaves out no pair that is near, whatever was counted.
//
// A template makes many buckets of the same leaders. These are one group, which is searched once.
type join struct {
	method  neardup.Overlapping
	buckets map[uint32]*joinedBucket // by their start in the index
	groups  uint32
	heads   []uint32      // by hash of group and feature: an entry's number plus 1
	pages   [][]joinEntry // entries
	used    int           // entries
	most    int           // entries
	full    bool          // there is no memory for more
}

// joinEntry is a leader under a feature of its prefix; entries of one head are chained.
type joinEntry struct {
	tag   uint32 // of the hash; two features of one tag cost a comparison
	next  uint32 // plus 1
	place uint32 // in the index
}

// joinedBucket is a bucket whose first leaders are in a group.
type joinedBucket struct {
	group  *joinGroup
	joined uint32 // how many
}

// joinGroup is the leaders of buckets that have most of theirs in common.
type joinGroup struct {
	number   uint64
	frequent map[uint64]uint32     // how many of the first leaders have a feature, where several do
	members  map[position]struct{} // leaders
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

// anything is the feature under which a leader is found that may be near a text
// with which it has nothing in common.
const anything = 0

// newJoin returns nil where the method knows no features.
func newJoin(m neardup.Method, memory int64) *join {
	o, ok := m.(neardup.Overlapping)
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
	return j.buckets[lo]
}

// at returns the head and the tag of a feature in a group.
func (j *join) at(g *joinGroup, feature uint64) (head int, tag uint32) {
	h := (feature ^ g.number*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return int(h >> (65 - bits.Len(uint(len(j.heads))))), uint32(h)
}

func (j *join) entry(n int) *joinEntry { return &j.pages[n/joinPage][n%joinPage] }

// newGroup makes a group of what was counted in first leaders.
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
func (j *join) add(g *joinGroup, leader position, place uint32, prefix []uint64) {
	if j.full = j.full || j.used+len(prefix) >= j.most; j.full {
		return
	}
	if j.heads == nil {
		j.heads = make([]uint32, 1<<bits.Len(uint(j.most)))
	}
	for _, f := range prefix {
		if j.used%joinPage == 0 {
			j.pages = append(j.pages, make([]joinEntry, joinPage))
		}
		head, tag := j.at(g, f)
		*j.entry(j.used) = joinEntry{tag, j.heads[head], place}
		j.used++
		j.heads[head] = uint32(j.used)
	}
	g.members[leader] = struct{}{}
	j.most-- // its memory
}

// each calls fn with the places of leaders that share a feature of a prefix, some of them several times. It returns
// false, too soon, where it would look at more than most entries.
func (j *join) each(g *joinGroup, prefix []uint64, most uint32, fn func(place uint32)) bool {
	seen := uint32(0)
	for _, f := range prefix {
		head, tag := j.at(g, f)
		for n := j.heads[head]; n != 0; {
			if seen++; seen > most {
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

// prefixer makes the prefixes of one text after the other. For one goroutine.
type prefixer struct {
	looked   position // at, plus 1
	overlaps []neardup.Overlap
	order    []int // scratch
	prefix   []uint64
}

// prefixIn returns the first features of the text in the order of a group; known is false where other texts may be near
// that have none of them.
func (p *prefixer) prefixIn(g *joinGroup) (prefix []uint64, known bool) {
	p.prefix = p.prefix[:0]
	for i := range p.overlaps {
		o := &p.overlaps[i]
		if o.Least == 0 {
			return nil, false
		}
		p.add(g, o)
	}
	return p.prefix, true
}

// add appends features until those that are left weigh too little.
func (p *prefixer) add(g *joinGroup, o *neardup.Overlap) {
	weight := func(int) uint64 { return 1 }
	left := uint64(len(o.Features))
	if o.Weights != nil {
		weight, left = func(i int) uint64 { return o.Weights[i] }, 0
		for _, w := range o.Weights {
			left += w
		}
	}
	p.order = p.order[:0]
	for i, f := range o.Features {
		if left < o.Least {
			return
		}
		if g.frequent[f] > 0 {
			p.order = append(p.order, i)
			continue
		}
		p.prefix = append(p.prefix, f)
		left -= weight(i)
	}
	slices.SortFunc(p.order, func(i, j int) int {
		x, y := o.Features[i], o.Features[j]
		return cmp.Or(cmp.Compare(g.frequent[x], g.frequent[y]), cmp.Compare(x, y))
	})
	for _, i := range p.order {
		if left < o.Least {
			return
		}
		p.prefix = append(p.prefix, o.Features[i])
		left -= weight(i)
	}
}
