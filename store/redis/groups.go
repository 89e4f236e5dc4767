package redis

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// Groups lists living docIds by size: first those that the sorted set g has with two
// members and more, then those that it has not, which have one, by the rows of
// leaders, then those it has without any.
func (c catalog) Groups(ctx context.Context, page docid.GroupPage) ([]docid.GroupSize, error) {
	var out []docid.GroupSize
	first, after := page.After.Leader == 0, page.After
	if err := ctx.Err(); err != nil || page.Limit <= 0 {
		return nil, err
	}
	if first || after.Size > 1 {
		large, err := c.listed(ctx, after, page.Limit)
		if err != nil {
			return nil, err
		}
		out = slices.DeleteFunc(large, func(g docid.GroupSize) bool { return g.Size < 1 })
		first, after = true, docid.GroupSize{}
	}
	if left := page.Limit - len(out); left > 0 && page.MinSize < 2 && (first || after.Size == 1) {
		single, err := c.single(ctx, after.Leader, left)
		if err != nil {
			return nil, err
		}
		out = append(out, single...)
		after = docid.GroupSize{Size: 1, Leader: math.MaxUint64}
	}
	if left := page.Limit - len(out); left > 0 && page.MinSize < 1 {
		empty, err := c.listed(ctx, after, left)
		if err != nil {
			return nil, err
		}
		out = append(out, empty...)
	}
	if n := slices.IndexFunc(out, func(g docid.GroupSize) bool { return g.Size < page.MinSize }); n >= 0 {
		out = out[:n]
	}
	return out, c.there(ctx)
}

// listed are docIds that g has, in its order, after one.
func (c catalog) listed(ctx context.Context, after docid.GroupSize, limit int) ([]docid.GroupSize, error) {
	from := 0
	if after.Leader != 0 {
		var err error
		if from, err = c.rank(ctx, after); err != nil {
			return nil, err
		}
	}
	return c.sizes(ctx, from, limit)
}

// Rows of so many hashes of leaders are looked through by one call.
const rowPage = 64

// single are docIds of one member by age, those after one. O(changes/128) in the worst
// case, where none of many lives.
func (c catalog) single(ctx context.Context, after uint64, limit int) (out []docid.GroupSize, err error) {
	last, err := c.count(ctx, "seq")
	if err != nil {
		return nil, err
	}
	gaps, err := c.gaps(ctx)
	if err != nil {
		return nil, err
	}
	for at := after / 128; len(out) < limit && at <= last/128; {
		var hashes []uint64
		for ; len(hashes) < rowPage && at <= last/128; at++ {
			for ; len(gaps) > 0 && at*128 >= gaps[0].from; gaps = gaps[1:] { // nothing was made of numbers that were lost
				at = max(at, gaps[0].to/128)
			}
			hashes = append(hashes, at)
		}
		leaders, err := c.leaders(ctx, hashes, after)
		if err != nil {
			return nil, err
		}
		if leaders, err = c.unlisted(ctx, leaders); err != nil {
			return nil, err
		}
		for _, leader := range leaders[:min(len(leaders), limit-len(out))] {
			out = append(out, docid.GroupSize{Leader: leader, Size: 1})
		}
	}
	return out, nil
}

// leaders are those of the hashes that live, in order, after one.
func (c catalog) leaders(ctx context.Context, hashes []uint64, after uint64) (out []uint64, err error) {
	cmds := make(rueidis.Commands, len(hashes))
	for i, h := range hashes {
		cmds[i] = c.b().Hkeys().Key(c.p + "d" + decimal(h)).Build()
	}
	for _, r := range c.s.c.DoMulti(ctx, cmds...) {
		fields, err := r.AsStrSlice()
		if err != nil {
			return nil, c.s.fail(err)
		}
		for _, f := range fields {
			leader, err := strconv.ParseUint(f, 10, 64)
			if err != nil {
				return nil, err
			}
			if leader > after {
				out = append(out, leader)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// unlisted are those of the leaders that g has not.
func (c catalog) unlisted(ctx context.Context, leaders []uint64) (out []uint64, err error) {
	if len(leaders) == 0 {
		return nil, nil
	}
	members := make([]string, len(leaders))
	for i, leader := range leaders {
		members[i] = packSeq(leader)
	}
	scores, err := c.do(ctx, c.b().Zmscore().Key(c.p+"g").Member(members...).Build()).ToArray()
	if err != nil {
		return nil, c.s.fail(err)
	}
	for i, s := range scores {
		if s.IsNil() {
			out = append(out, leaders[i])
		}
	}
	return out, nil
}

// rank is how many docIds stand before or at one in the order of Groups, also
// where its size is another by now. O(log n) calls.
func (c catalog) rank(ctx context.Context, after docid.GroupSize) (int, error) {
	n, err := c.do(ctx, c.b().Zcard().Key(c.p+"g").Build()).AsInt64()
	if err != nil {
		return 0, c.s.fail(err)
	}
	var failed error
	return sort.Search(int(n), func(i int) bool {
		at, err := c.sizes(ctx, i, 1)
		if err != nil || len(at) == 0 {
			failed = err
			return true
		}
		g := at[0]
		return g.Size < after.Size || g.Size == after.Size && g.Leader > after.Leader
	}), failed
}

func (c catalog) sizes(ctx context.Context, from, limit int) ([]docid.GroupSize, error) {
	stop := strconv.Itoa(from + min(limit, math.MaxInt32) - 1)
	zs, err := c.do(ctx, c.b().Zrange().Key(c.p+"g").Min(strconv.Itoa(from)).Max(stop).Withscores().Build()).AsZScores()
	if err != nil {
		return nil, c.s.fail(err)
	}
	out := make([]docid.GroupSize, len(zs))
	for i, z := range zs {
		out[i] = docid.GroupSize{Leader: six(z.Member), Size: -int(z.Score)}
	}
	return out, nil
}
