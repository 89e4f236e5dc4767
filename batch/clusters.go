package batch

import (
	"context"
	"math"
	"slices"

	"github.com/neardup/neardup/internal/external"
)

// clusters describes the leaders that have duplicates. sizes holds the number of documents of each cluster.
type clusters struct {
	*job
	*verdicts
	sizes external.TypedArray[position, uint32]
}

// each calls fn for the documents of each cluster that has at least two. The leader comes first, then the others in the
// order of Keep.
func (c *clusters) each(ctx context.Context, fn func(Outcome, int) error) error {
	byLeader := external.NewSorter[keyValue](c.disk, c.memory(60))
	err := c.eachFrom(ctx, 0, func(r rank, i item, p position) error {
		_, leader, err := c.outcome(r, i, p)
		if err != nil {
			return err
		}
		n, err := c.sizes.Get(leader)
		if err != nil || n < 2 {
			return err
		}
		return byLeader.Add(keyValue{uint64(leader)<<32 | uint64(r), uint64(p)})
	})
	if err != nil {
		return err
	}
	list, err := byLeader.Sort()
	if err != nil {
		return err
	}
	defer list.Close()
	return list.Each(ctx, func(p keyValue) error {
		n, err := c.sizes.Get(position(p.Key() >> 32))
		if err != nil {
			return err
		}
		i, err := c.itemAt(rank(p.Key()))
		if err != nil {
			return err
		}
		o, leader, err := c.outcome(rank(p.Key()), i, position(p.Val()))
		if err != nil {
			return err
		}
		if int(p.Key()&math.MaxUint32) < c.recalled.Len() {
			o.Item, o.LeaderItem = -1, -1
			if err := c.known(&o, leader); err != nil {
				return err
			}
		}
		return fn(o, int(n))
	})
}

// largestClusters is the number of clusters in a summary. sharing is the number of members per cluster that are searched
// for a common text.
const (
	largestClusters = 5
	sharing         = 8
)

// largest names the largest clusters and what their members share.
func (c *clusters) largest(ctx context.Context) error {
	type sized struct {
		leader position
		n      uint32
	}
	var top []sized
	for p := range position(c.sizes.Len()) {
		n, err := c.sizes.Get(p)
		if err != nil {
			return err
		}
		if n < 2 {
			continue
		}
		c.sum.Clusters++
		if len(top) == largestClusters && n <= top[len(top)-1].n {
			continue
		}
		top = append(top, sized{p, n})
		slices.SortStableFunc(top, func(a, b sized) int { return int(b.n) - int(a.n) })
		top = top[:min(len(top), largestClusters)]
	}
	members := map[position][]position{}
	for _, t := range top {
		members[t.leader] = nil
	}
	for p := range position(c.texts.Len()) {
		st, err := c.states.Get(p)
		if err != nil {
			return err
		}
		list, ok := members[st.leader]
		if ok && st.duplicate() && len(list) < sharing {
			members[st.leader] = append(list, p)
		}
	}
	for _, t := range top {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		cluster, err := c.describe(t.leader, int(t.n), members[t.leader])
		if err != nil {
			return err
		}
		c.sum.Largest = append(c.sum.Largest, cluster)
	}
	return nil
}

func (c *clusters) describe(leader position, size int, members []position) (Cluster, error) {
	out := Cluster{Size: size}
	i, err := c.firstOf(leader)
	if err != nil {
		return out, err
	}
	out.Leader, err = c.id(i)
	if err != nil {
		return out, err
	}
	clean, err := c.text(leader)
	if err != nil {
		return out, err
	}
	out.Opening = opening(clean)
	out.Weakest, err = c.weakestLink(leader)
	if err != nil {
		return out, err
	}
	var others []string
	for _, m := range members {
		s, err := c.text(m)
		if err != nil {
			return out, err
		}
		others = append(others, s)
	}
	out.Shared = opening(longestShared(clean, others))
	return out, nil
}
