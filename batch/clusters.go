package batch

import (
	"context"
	"slices"

	"github.com/neardup/neardup/feature"
)

// clusters groups the documents by leader and calls fn for those of each
// cluster of several, the leader first, then in the order of Keep.
func (r *run) clusters(ctx context.Context, sizes *array[uint32], fn func(Outcome, int) error) error {
	byLeader := newSorter[pair](r.disk, r.cfg.Memory*6/100)
	err := r.eachDocument(ctx, func(rank, item, pos uint32) error {
		_, leader, err := r.outcome(rank, item, pos)
		if err != nil {
			return err
		}
		n, err := sizes.get(int(leader))
		if err != nil || n < 2 {
			return err
		}
		return byLeader.add(pair{uint64(leader)<<32 | uint64(rank), uint64(pos)})
	})
	if err != nil {
		return err
	}
	list, err := byLeader.sort()
	if err != nil {
		return err
	}
	defer list.close()
	return list.each(ctx, func(p pair) error {
		n, err := sizes.get(int(p.key() >> 32))
		if err != nil {
			return err
		}
		item, err := r.item(uint32(p.key()))
		if err != nil {
			return err
		}
		o, _, err := r.outcome(uint32(p.key()), item, uint32(p.val()))
		if err != nil {
			return err
		}
		return fn(o, int(n))
	})
}

// largestClusters is how many clusters a summary names; sharing is how many
// members of each are looked at to say what they share.
const (
	largestClusters = 5
	sharing         = 8
)

// largest names the largest clusters and what their members share.
func (r *run) largest(ctx context.Context, sizes *array[uint32]) error {
	type sized struct{ pos, n uint32 }
	var top []sized
	for pos := range sizes.len() {
		n, err := sizes.get(pos)
		if err != nil {
			return err
		}
		if n < 2 {
			continue
		}
		r.sum.Clusters++
		if len(top) == largestClusters && n <= top[len(top)-1].n {
			continue
		}
		top = append(top, sized{uint32(pos), n})
		slices.SortStableFunc(top, func(a, b sized) int { return int(b.n) - int(a.n) })
		top = top[:min(len(top), largestClusters)]
	}
	members := map[uint32][]uint32{}
	for _, c := range top {
		members[c.pos] = nil
	}
	for pos := range r.texts.len() {
		st, err := r.states.get(pos)
		if err != nil {
			return err
		}
		list, ok := members[st.leader]
		if ok && st.duplicate && len(list) < sharing {
			members[st.leader] = append(list, uint32(pos))
		}
	}
	for _, c := range top {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		cluster, err := r.describe(c.pos, int(c.n), members[c.pos])
		if err != nil {
			return err
		}
		r.sum.Largest = append(r.sum.Largest, cluster)
	}
	return nil
}

func (r *run) describe(pos uint32, size int, members []uint32) (Cluster, error) {
	c := Cluster{Size: size}
	item, err := r.firstOf(pos)
	if err != nil {
		return c, err
	}
	if c.Leader, err = r.id(item); err != nil {
		return c, err
	}
	leader, err := r.text(pos)
	if err != nil {
		return c, err
	}
	c.Opening = opening(leader)
	if c.Weakest, err = r.weakestLink(pos); err != nil {
		return c, err
	}
	var others []string
	for _, m := range members {
		s, err := r.text(m)
		if err != nil {
			return c, err
		}
		others = append(others, s)
	}
	c.Shared = opening(longestShared(leader, others))
	return c, nil
}

// sharedRunes is how many runes of a text are looked at for what it shares.
const sharedRunes = 5000

// longestShared returns the longest stretch of a text of whose runs of 8
// runes each occurs in every other text: nearly always a stretch that all
// have in common, and for a description that is enough.
func longestShared(s string, others []string) string {
	const run = 8
	grams := feature.Shingle{Unit: feature.Runes, K: run}
	s = head(s)
	own := grams.Append(nil, s, 0)
	if len(others) == 0 || len(own) == 0 {
		return s
	}
	in := make([]int, len(own))
	for _, o := range others {
		has := feature.Set(grams.Append(nil, head(o), 0))
		for i, h := range own {
			if _, ok := slices.BinarySearch(has, h); ok {
				in[i]++
			}
		}
	}
	start, best, from := 0, 0, 0
	for i := range in {
		if in[i] < len(others) {
			start = i + 1
		} else if i+1-start > best {
			best, from = i+1-start, start
		}
	}
	if best == 0 {
		return ""
	}
	return alphanumerics(s, from, from+best+run-1)
}
