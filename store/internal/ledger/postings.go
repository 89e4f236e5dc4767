package ledger

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
)

// postings holds all postings of one index. The newest are in a memtable. A full memtable becomes immutable and is written
// to rows as a segment. An empty one replaces it. So most postings only take 12 bits of memory, in a Bloom filter. A
// look-up reads the disk only for keys that pass it. One goroutine writes, any number read.
type postings struct {
	leaders chunks[leaderNo, leader]
	recent  negativeCache
	levels  atomic.Pointer[levels]
}

// levels are the parts of the postings in the order of their changes: segments, then immutable memtables, then the
// active memtable. A loaded value never changes, except for its active memtable.
type levels struct {
	segments  []*segment
	immutable []immutable
	active    *memtable
}

// immutable is an immutable memtable. It has the changes up to number to.
type immutable struct {
	*memtable
	to uint64
}

func newPostings() *postings {
	p := &postings{}
	p.levels.Store(&levels{active: newMemtable()})
	return p
}

// lead adds a leader.
func (p *postings) lead(seq, sketch uint64, time int64) leaderNo {
	return p.leaders.add(func(l *leader) { l.seq, l.sketch, l.time = seq, sketch, time })
}

// find returns a leader by its sequence number. O(log leaders).
func (p *postings) find(seq uint64) (leaderNo, *leader) {
	n := leaderNo(sort.Search(p.leaders.len(), func(i int) bool { return p.leaders.at(leaderNo(i)).seq >= seq }))
	if int(n) == p.leaders.len() || p.leaders.at(n).seq != seq {
		return 0, nil
	}
	return n, p.leaders.at(n)
}

// living returns a leader if it lived at a change, otherwise nil.
func (p *postings) living(seq, at uint64) *leader {
	_, l := p.find(seq)
	if l == nil || !l.lives(at) {
		return nil
	}
	return l
}

// post records that change seq puts leader l under keys.
func (p *postings) post(seq uint64, l leaderNo, keys ...uint64) {
	p.recent.post(seq, keys)
	p.levels.Load().active.post(seq, l, keys...)
}

// freeze starts an empty memtable. The old one holds the changes up to number to.
func (p *postings) freeze(to uint64) {
	old := p.levels.Load()
	p.levels.Store(&levels{old.segments, append(slices.Clone(old.immutable), immutable{old.active, to}), newMemtable()})
}

// replace replaces the oldest immutable memtables, or a range of segments, by a segment.
func (p *postings) replace(tables int, segments []*segment, by *segment) {
	old := p.levels.Load()
	at := len(old.segments)
	if len(segments) > 0 {
		at = slices.Index(old.segments, segments[0])
	}
	kept := slices.Replace(slices.Clone(old.segments), at, at+len(segments), by)
	p.levels.Store(&levels{kept, old.immutable[tables:], old.active})
}

// errMoved means that rows are missing because their segment was replaced.
var errMoved = errors.New("the segment was replaced")

// source calls work with a state of the rows. It has every segment of the levels that the caller loaded before.
type source func(work func(Reader) error) error

// reading calls work with the levels. It repeats the call if segments were replaced meanwhile.
func (p *postings) reading(src source, work func(*levels, Reader) error) error {
	for {
		at := p.levels.Load()
		err := src(func(r Reader) error { return work(at, r) })
		if !errors.Is(err, errMoved) {
			return err
		}
		if p.levels.Load() == at {
			return fmt.Errorf("%w: rows of a segment of postings are missing", docid.ErrCorrupt)
		}
	}
}

// each visits the leaders posted under a key by the changes since < seq <= at, newest first, while visit
// returns true. It holds no lock during a visit.
func (p *postings) each(src source, key, since, at uint64, visit func(*leader) bool) error {
	return p.reading(src, func(l *levels, r Reader) error {
		runs, err := p.runsOf(nil, l, r, key, since)
		if err != nil {
			return err
		}
		for _, run := range slices.Backward(runs) {
			for _, post := range slices.Backward(run.after(since).until(at)) {
				if l := p.leaders.at(post.leader); l.lives(at) && !visit(l) {
					return nil
				}
			}
		}
		return nil
	})
}

// runsOf appends the runs of a key. Runs of older changes come first.
func (p *postings) runsOf(runs []run, l *levels, r Reader, key, since uint64) ([]run, error) {
	add := func(r run) {
		if len(r) > 0 {
			runs = append(runs, r)
		}
	}
	for _, s := range l.segments {
		if s.To <= since {
			continue
		}
		found, err := s.find(r, key, p)
		if err != nil {
			return nil, err
		}
		add(found)
	}
	for _, f := range l.immutable {
		add(f.get(key))
	}
	add(l.active.get(key))
	return runs, nil
}

// bytes returns the approximate memory in use.
func (p *postings) bytes() int {
	l := p.levels.Load()
	n := 48*p.leaders.len() + l.active.bytes()
	for _, f := range l.immutable {
		n += f.bytes()
	}
	for _, s := range l.segments {
		n += s.bytes()
	}
	return n
}

// count returns the number of postings. It includes those of ended docIds until segments are merged.
func (p *postings) count() int {
	l := p.levels.Load()
	n := int(l.active.keys.Load())
	for _, f := range l.immutable {
		n += int(f.keys.Load())
	}
	for _, s := range l.segments {
		n += s.Postings
	}
	return n
}

// A run holds the postings of one key in a memtable or segment, in the order of their changes.
type run []posting

// after returns the postings of changes after seq.
func (r run) after(seq uint64) run { return r[r.first(seq):] }

// until returns the postings of changes up to seq.
func (r run) until(seq uint64) run { return r[:r.first(seq)] }

func (r run) first(seq uint64) int {
	return sort.Search(len(r), func(i int) bool { return r[i].seq > seq })
}
