package redis

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"github.com/neardup/neardup/docid"
	"github.com/redis/rueidis"
)

// A look-up reads buckets and rows by itself, so that Redis, which has one thread,
// does no more for it than to hand them out: as whole strings, many by a call. What it
// finds is as of the change that was the last before it began to read, for what is newer
// is left out, and nothing older comes later. A commit sees what is newer, and refuses.

// look is a look-up while it is made.
type look struct {
	*index
	q         docid.Query
	fields    []string // the names, then the keys
	spots     []spot   // of each field
	at, ruled uint64
	names     [][]uint64 // leaders of each, the newest first
	runs      [][]uint64 // changes of each key in order, which are leaders
	rest      uint64     // the oldest change that was read, where not all were
	rows      map[uint64]string
	note      *note
}

// Lookup finds leaders by name and key: the buckets are one trip to Redis, rows of
// what is found are a second, before which hot fields take another.
func (ix *index) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	l := &look{index: ix, q: q, rows: map[uint64]string{}}
	if err := ctx.Err(); err != nil {
		return docid.Found{}, err
	}
	l.note = &note{fields: fieldsOf(&q)}
	for s := l.note.fields; s != ""; {
		size := keyBytes
		if len(l.fields) < len(q.Names) {
			size = nameBytes
		}
		l.fields = append(l.fields, s[:size])
		s = s[size:]
	}
	if err := l.read(ctx); err != nil {
		return docid.Found{}, err
	}
	return l.found(ctx)
}

// read reads what is posted under the fields.
func (l *look) read(ctx context.Context) error {
	for {
		e := extents{extentOf(0), extentOf(0)}
		if seen := l.extents.Load(); seen != nil {
			e = *seen
		}
		l.spots = l.spotsIn(e)
		values, now, err := l.buckets(ctx, e)
		if err != nil {
			return err
		}
		if now != e {
			l.extents.Store(&now)
		}
		if e == now || slices.Equal(l.spots, l.spotsIn(now)) {
			return l.gather(ctx, values)
		} // a bucket that was split has lost what now lies elsewhere
	}
}

// spot is where a field lies: its bucket, and how many bytes of it an entry there begins with.
type spot struct {
	bucket uint64
	head   int
}

// spotsIn are those of all fields where there are so many buckets.
func (l *look) spotsIn(e extents) []spot {
	spots := make([]spot, len(l.fields))
	for i, f := range l.fields {
		spots[i].bucket, spots[i].head = e.of(kindOf(f)).place(f)
	}
	return spots
}

// buckets reads the state, then the buckets of the fields by their keys, then how many
// buckets there are: it is one trip, and nothing is missed where the fields still lie in these.
func (l *look) buckets(ctx context.Context, e extents) ([]string, extents, error) {
	keys, values := make([]string, len(l.fields)), make([]string, len(l.fields))
	for i, f := range l.fields {
		keys[i] = l.p + kindOf(f).letter + decimal(l.spots[i].bucket)
	}
	l.note.keys = keys
	b := l.s.c.B()
	cmds := rueidis.Commands{b.Hmget().Key(l.p+"s").Field("seq", "ruled", "unfinished").Build()}
	if len(keys) > 0 {
		cmds = append(cmds, b.Mget().Key(keys...).Build())
	}
	cmds = append(cmds, b.Hmget().Key(l.p+"s").Field("kn", "an").Build(), l.markNow())
	results := l.s.c.DoMulti(ctx, cmds...)
	if err := l.has(ctx, results[len(cmds)-1]); err != nil {
		return nil, e, err
	}
	var parts [][]rueidis.RedisMessage
	for _, r := range results[:len(cmds)-1] {
		m, err := r.ToArray()
		if err != nil {
			return nil, e, l.s.fail(err)
		}
		parts = append(parts, m)
	}
	if err := l.state(parts[0]); err != nil {
		return nil, e, err
	}
	for i, key := range keys {
		v, err := parts[1][i].ToString()
		if err != nil && !rueidis.IsRedisNil(err) {
			return nil, e, fmt.Errorf("%w: bucket %s: %w", docid.ErrCorrupt, key, err)
		}
		values[i] = v
	}
	counts, err := numbers(parts[len(parts)-1])
	if err != nil {
		return nil, e, fmt.Errorf("%w: the number of buckets: %w", docid.ErrCorrupt, err)
	}
	return values, extents{extentOf(counts[0]), extentOf(counts[1])}, nil
}

// state reads how far the index is.
func (l *look) state(m []rueidis.RedisMessage) error {
	n, err := numbers(m)
	switch {
	case err != nil:
		return fmt.Errorf("%w: the state of the index: %w", docid.ErrCorrupt, err)
	case n[2] != 0:
		return docid.ErrUnfinished
	case n[0] < l.q.Seen:
		return docid.ErrBehind
	}
	l.at, l.ruled = n[0], n[1]
	return nil
}

// numbers reads decimal ones; 0 for what is not there.
func numbers(m []rueidis.RedisMessage) ([]uint64, error) {
	out := make([]uint64, len(m))
	for i := range m {
		s, err := m[i].ToString()
		if rueidis.IsRedisNil(err) {
			continue
		}
		if err == nil {
			out[i], err = strconv.ParseUint(s, 10, 64)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// gather finds the postings of the fields in their buckets, and reads those of hot ones.
func (l *look) gather(ctx context.Context, values []string) error {
	found := make([]string, len(l.fields))
	postings, _ := l.q.Bounds()
	var cmds rueidis.Commands
	var hot []int
	for i, f := range l.fields {
		v, isHot := records(values[i], f, l.spots[i].head)
		if found[i] = v; !isHot {
			continue
		}
		hot = append(hot, i)
		if key := l.p + "h" + f; kindOf(f) == keyKind && l.q.Before == 0 {
			cmds = append(cmds, l.s.c.B().Getrange().Key(key).Start(-int64(keyRecord*(postings+1))).End(-1).Build())
		} else { // in the pages after the first the newest are skipped, so all are read
			cmds = append(cmds, l.s.c.B().Get().Key(key).Build())
		}
	}
	for i, r := range l.s.c.DoMulti(ctx, cmds...) {
		v, err := r.ToString()
		if err != nil && !rueidis.IsRedisNil(err) {
			return l.s.fail(err)
		}
		found[hot[i]] = joined(v, found[hot[i]], kindOf(l.fields[hot[i]]).record)
	}
	for i, f := range l.fields {
		if kindOf(f) == nameKind {
			l.names = append(l.names, leadersOf(found[i], l.at))
		} else {
			l.runs = append(l.runs, l.run(found[i]))
		}
	}
	l.note.see(l, values)
	l.limit(postings)
	return nil
}

// joined are records of a hot field and those that its bucket had, which may have gone
// there meanwhile.
func joined(old, young string, record int) string {
	for ; old != "" && young != "" && six(young) <= six(old[len(old)-record:]); young = young[record:] {
	}
	return old + young
}

// leadersOf are those of a name up to a change, the newest first.
func leadersOf(records string, at uint64) []uint64 {
	var out []uint64
	for i := len(records) - nameRecord; i >= 0; i -= nameRecord {
		if leader := six(records[i+6:]); six(records[i:]) <= at && !slices.Contains(out, leader) {
			out = append(out, leader)
		}
	}
	return out
}

// run are the changes of a key that are asked for.
func (l *look) run(records string) []uint64 {
	out := make([]uint64, 0, len(records)/keyRecord)
	for ; len(records) >= keyRecord; records = records[keyRecord:] {
		out = append(out, six(records))
	}
	to := l.at
	if l.q.Before != 0 {
		to = min(to, l.q.Before-1)
	}
	out = out[:after(out, to)]
	return out[after(out, l.q.Since):]
}

// after is where the changes after one begin.
func after(run []uint64, seq uint64) int {
	return sort.Search(len(run), func(i int) bool { return run[i] > seq })
}

// limit leaves the newest postings of all, so many at most but whole changes.
func (l *look) limit(most int) {
	total, last := 0, uint64(0)
	for _, run := range l.runs {
		if total += len(run); len(run) > 0 {
			last = max(last, run[len(run)-1])
		}
	}
	if total <= most {
		return
	}
	// The change after which so many are left at most, or those of one change.
	lo := l.q.Since + uint64(sort.Search(int(l.at-l.q.Since), func(i int) bool {
		n := 0
		for _, run := range l.runs {
			n += len(run) - after(run, l.q.Since+uint64(i))
		}
		return n <= most
	}))
	lo = min(lo, last-1)
	oldest, left := last, 0
	for i, run := range l.runs {
		l.runs[i] = run[after(run, lo):]
		if left += len(l.runs[i]); len(l.runs[i]) > 0 {
			oldest = min(oldest, l.runs[i][0])
		}
	}
	if left < total { // or one change made them all
		l.rest = oldest
	}
}

// found reads the rows of leaders and makes hits of those that live.
func (l *look) found(ctx context.Context) (docid.Found, error) {
	f := docid.Found{At: l.at, Rest: l.rest, Ruled: l.ruled, Note: l.note}
	_, most := l.q.Bounds()
	wanted := slices.Concat(l.runs...)
	for _, n := range l.names {
		wanted = append(wanted, n[:min(len(n), most)]...)
	}
	if err := l.fetch(ctx, wanted); err != nil {
		return f, err
	}
	for _, n := range l.names {
		hits, err := l.living(ctx, n, most)
		if err != nil {
			return f, err
		}
		f.Names = append(f.Names, hits)
	}
	for _, p := range l.q.KeySets {
		f.KeySets = append(f.KeySets, l.hits(l.runs[:len(p.Keys)], p.Plausible))
		l.runs = l.runs[len(p.Keys):]
	}
	return f, nil
}

// fetch reads rows, which never change; who ended has none.
func (l *look) fetch(ctx context.Context, leaders []uint64) error {
	groups := map[uint64][]string{} // by hash
	for _, leader := range leaders {
		if _, known := l.rows[leader]; !known {
			l.rows[leader] = ""
			groups[leader/128] = append(groups[leader/128], decimal(leader))
		}
	}
	var cmds rueidis.Commands
	var asked [][]string
	for g, fields := range groups {
		cmds = append(cmds, l.s.c.B().Hmget().Key(l.p+"d"+decimal(g)).Field(fields...).Build())
		asked = append(asked, fields)
	}
	for i, r := range l.s.c.DoMulti(ctx, cmds...) {
		values, err := r.ToArray()
		if err != nil {
			return l.s.fail(err)
		}
		for j, v := range values {
			row, err := v.ToString()
			if rueidis.IsRedisNil(err) {
				continue
			}
			leader, parsed := strconv.ParseUint(asked[i][j], 10, 64)
			if err != nil || parsed != nil || len(row) != rowBytes {
				return fmt.Errorf("%w: row of leader %s", docid.ErrCorrupt, asked[i][j])
			}
			l.rows[leader] = row
		}
	}
	return nil
}

// rowBytes of a leader: sketch 8, time 8, expiry 8.
const rowBytes = 24

// living are the first leaders of a name that live, so many at most.
func (l *look) living(ctx context.Context, leaders []uint64, most int) ([]docid.Hit, error) {
	var hits []docid.Hit
	for len(leaders) > 0 && len(hits) < most {
		some := leaders[:min(len(leaders), most)]
		leaders = leaders[len(some):]
		if err := l.fetch(ctx, some); err != nil {
			return nil, err
		}
		for _, leader := range some {
			if row := l.rows[leader]; row != "" && len(hits) < most {
				hits = append(hits, hitOf(leader, row, 1))
			}
		}
	}
	return hits, nil
}

func hitOf(leader uint64, row string, shared int) docid.Hit {
	return docid.Hit{Leader: leader, Sketch: binary.BigEndian.Uint64([]byte(row)), Time: unordered(row[8:16]), Shared: shared}
}

// hits are the living leaders of the runs of one key set.
func (l *look) hits(runs [][]uint64, plausible func(uint64) bool) []docid.Hit {
	var hits []docid.Hit
	at := map[uint64]int{}
	for _, run := range runs {
		for _, leader := range run {
			if i, ok := at[leader]; ok {
				if i >= 0 {
					hits[i].Shared++
				}
				continue
			}
			at[leader] = -1
			row := l.rows[leader]
			if row == "" {
				continue
			}
			h := hitOf(leader, row, 1)
			if plausible == nil || plausible(h.Sketch) {
				at[leader] = len(hits)
				hits = append(hits, h)
			}
		}
	}
	return hits
}
