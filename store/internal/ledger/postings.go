package ledger

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
)

// postings finds the leaders of one index by key. Each posting is a row, and the newest of a key come first. The postings
// of the newest changes are in a memtable until it is full, because rows that are written in order cost half. Most look-ups
// ask for keys that no leader has, so a Bloom filter has the keys and names of all leaders. One goroutine writes, any
// number read.
type postings struct {
	leaders chunks[leaderNo, leader]
	keys    bloom
	recent  negativeCache
	hot     hotRuns
	tables  atomic.Pointer[tables]
}

// postingKey returns the row of a posting. Its value is empty.
func postingKey(tenant uint32, key, leader uint64) []byte {
	return keyOf(spacePosting, tenant, key, ^leader)
}

// lead adds a leader, and posts it in memory under keys.
func (p *postings) lead(seq, sketch uint64, time int64, keys []uint64) *leader {
	n, l := p.leaders.add(func(l *leader) { l.seq, l.sketch, l.time = seq, sketch, time })
	p.tables.Load().active.post(n, keys)
	return l
}

// find returns a leader by its sequence number. O(log leaders).
func (p *postings) find(seq uint64) (leaderNo, *leader) {
	n := leaderNo(sort.Search(p.leaders.len(), func(i int) bool { return p.leaders.at(leaderNo(i)).seq >= seq }))
	if int(n) == p.leaders.len() || p.leaders.at(n).seq != seq {
		return 0, nil
	}
	return n, p.leaders.at(n)
}

// living returns a leader that lives at a change, or nil.
func (p *postings) living(seq, at uint64) *leader {
	if _, l := p.find(seq); l != nil && l.lives(at) {
		return l
	}
	return nil
}

// post records that the last change, seq, posts keys or names. It must be called before their rows are readable.
func (p *postings) post(seq uint64, keys ...uint64) {
	p.recent.post(seq, keys)
	p.keys.add(keys...)
}

// bytes returns the approximate memory in use.
func (p *postings) bytes() int {
	return 48*p.leaders.len() + p.keys.bytes() + p.hot.bytes() + p.tables.Load().bytes()
}

// newestFirst visits the rows of a key or name that changes since < seq <= at posted, newest first. It passes what
// follows the change in the row's key.
func newestFirst(r Reader, prefix []byte, since, at uint64, visit func(seq uint64, tail []byte) error) error {
	bound := func(seq uint64) []byte { return binary.BigEndian.AppendUint64(slices.Clip(prefix), ^seq) }
	return enough(r.Scan(bound(at), bound(since), func(k, _ []byte) error {
		return visit(^binary.BigEndian.Uint64(k[len(prefix):]), k[len(prefix)+8:])
	}))
}

// byKey visits the leaders of a key.
func (ix *index) byKey(r Reader, key, since, at uint64, visit func(leader uint64) error) error {
	return newestFirst(r, ix.key(spacePosting, key), since, at, func(seq uint64, _ []byte) error { return visit(seq) })
}

// byName visits the docIds of a name.
func (ix *index) byName(r Reader, n docid.Name, since, at uint64, visit func(leader uint64) error) error {
	return newestFirst(r, append(keyOf(spaceAlias, ix.id), n[:]...), since, at, func(_ uint64, tail []byte) error {
		return visit(binary.BigEndian.Uint64(tail))
	})
}

// run returns at most limit leaders that changes since < seq <= at posted under a key, newest first. Ended ones may be
// among them. The tables must have been loaded before the state of the rows.
func (ix *index) run(r Reader, t *tables, key, since, at uint64, limit int) (run []leaderNo, err error) {
	p, rows := &ix.posts, 0
	if !p.keys.has(key) {
		return nil, nil
	}
	add := func(all []leaderNo) {
		for _, n := range all {
			if seq := p.leaders.at(n).seq; seq > since && seq <= at && len(run) < limit {
				run = append(run, n)
			}
		}
	}
	read := func(since, at uint64) error {
		if since >= at || len(run) == limit {
			return nil
		}
		return ix.byKey(r, key, since, at, func(leader uint64) error {
			rows++
			if n, l := p.find(leader); l != nil {
				run = append(run, n)
			}
			if len(run) == limit {
				return errStop
			}
			return nil
		})
	}
	add(t.get(key))
	at = min(at, t.flushed)
	fresh, hot := len(run), p.hot.get(key, at)
	if err := read(max(since, hot.to), at); err != nil {
		return nil, err
	}
	add(hot.leaders)
	if err := read(since, hot.from); err != nil {
		return nil, err
	}
	if rows >= hotRun {
		if len(run) == limit {
			since = p.leaders.at(run[limit-1]).seq - 1
		}
		p.hot.put(key, hotLeaders{slices.Clip(run[fresh:]), since, at})
	}
	return run, nil
}

// checkNewer returns ErrConflict if a change after the query posted a living leader under one of its names or keys.
func (ix *index) checkNewer(r Reader, t *tables, q *docid.Query) error {
	conflict := func(leader uint64) error {
		if ix.posts.living(leader, math.MaxUint64) != nil {
			return docid.ErrConflict
		}
		return nil
	}
	for _, n := range q.Names {
		if !ix.posts.recent.none(nameHash(n), q.Since) {
			if err := ix.byName(r, n, q.Since, math.MaxUint64, conflict); err != nil {
				return err
			}
		}
	}
	for _, s := range q.KeySets {
		for _, k := range s.Keys {
			if ix.posts.recent.none(k, q.Since) {
				continue
			}
			run, err := ix.run(r, t, k, q.Since, math.MaxUint64, math.MaxInt)
			for _, n := range run {
				err = errors.Join(err, conflict(ix.posts.leaders.at(n).seq))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// hotRuns caches the leaders of keys that many leaders have.
type hotRuns struct {
	mu   sync.Mutex
	runs map[uint64]hotLeaders
	held int // leaders in the cache
}

// hotLeaders are the leaders that changes from < seq <= to posted under a key, newest first.
type hotLeaders struct {
	leaders  []leaderNo
	from, to uint64
}

// A run of which hotRun rows were read is cached. The cache has at most hotHeld leaders.
const (
	hotRun  = 32
	hotHeld = 1 << 20
)

// get returns what the cache has of a key up to a change.
func (h *hotRuns) get(key, at uint64) hotLeaders {
	h.mu.Lock()
	run, there := h.runs[key]
	h.mu.Unlock()
	if !there {
		return hotLeaders{nil, at, at}
	}
	run.from, run.to = min(run.from, at), min(run.to, at)
	return run
}

func (h *hotRuns) put(key uint64, run hotLeaders) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held += len(run.leaders) - len(h.runs[key].leaders)
	if h.runs == nil || h.held > hotHeld {
		h.runs, h.held = map[uint64]hotLeaders{}, len(run.leaders)
	}
	h.runs[key] = run
}

func (h *hotRuns) bytes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return 4 * h.held
}

// recentSlots is the number of slots of an index: 64 KiB, enough for thousands of changes.
const recentSlots = 1 << 13

// negativeCache finds keys that no change has posted since another, without reading rows. For each group of keys
// with the same low bits it records the last change that posted one. A judgement is checked against few later
// changes, so this decides nearly all its keys. One goroutine writes, any number read.
type negativeCache struct {
	from  uint64 // only later changes are recorded
	slots atomic.Pointer[[recentSlots]atomic.Uint64]
}

// post records that seq, the last change, posts keys.
func (r *negativeCache) post(seq uint64, keys []uint64) {
	slots := r.slots.Load()
	if slots == nil {
		slots = new([recentSlots]atomic.Uint64)
		r.slots.Store(slots)
	}
	for _, k := range keys {
		slots[k%recentSlots].Store(seq)
	}
}

// none reports whether certainly no change after since has posted a key.
func (r *negativeCache) none(key, since uint64) bool {
	slots := r.slots.Load()
	return since >= r.from && (slots == nil || slots[key%recentSlots].Load() <= since)
}

// leaderNo numbers the leaders of an index in memory, in the order of their changes. Outside memory, changes
// and leaders have uint64 numbers.
type leaderNo uint32

// leader holds what a look-up returns of a leader without reading a row.
type leader struct {
	seq    uint64
	sketch uint64
	time   int64
	ended  atomic.Uint64 // change that ended it, or 0 if it lives
	size   atomic.Int64  // durable members
}

// lives reports whether the leader lived at change at.
func (l *leader) lives(at uint64) bool {
	e := l.ended.Load()
	return e == 0 || e > at
}

// hit returns the leader as a look-up that found it under a number of keys.
func (l *leader) hit(shared int) docid.Hit {
	return docid.Hit{Leader: l.seq, Sketch: l.sketch, Time: l.time, Shared: shared}
}

// chunks is an array that grows without moving, so readers need no lock. An element may be read once its number
// is known.
type chunks[N ~uint32, T any] struct {
	list atomic.Pointer[[]*[chunkLen]T]
	n    atomic.Int64
}

const chunkLen = 4096

func (c *chunks[N, T]) len() int { return int(c.n.Load()) }

func (c *chunks[N, T]) at(i N) *T { return &(*c.list.Load())[i/chunkLen][i%chunkLen] }

// add appends a T that fill sets. It calls fill before it raises the length, so readers see only complete elements.
func (c *chunks[N, T]) add(fill func(*T)) (N, *T) {
	n := int(c.n.Load())
	if n%chunkLen == 0 {
		var list []*[chunkLen]T
		if old := c.list.Load(); old != nil {
			list = *old
		}
		list = append(list[:len(list):len(list)], new([chunkLen]T))
		c.list.Store(&list)
	}
	to := c.at(N(n))
	fill(to)
	c.n.Add(1)
	return N(n), to
}
