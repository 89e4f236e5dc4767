package ledger

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/neardup/neardup/docid"
)

// postings are all postings of one index. The newest lie in a table in memory;
// when it is full it is frozen, written to rows as a segment, and an empty
// one takes its place. So what is kept in memory of most postings is 12 bits
// that say which keys are not there, and a look-up goes to the disk for keys
// that are. One goroutine writes, any number read.
type postings struct {
	leaders chunks[leaderNo, leader]
	recent  recent
	levels  atomic.Pointer[levels]
}

// levels are where postings lie, each by later changes than those before it:
// segments, oldest first, then frozen tables, then the active one. What a
// reader has loaded never changes but for the active table.
type levels struct {
	segments []*segment
	frozen   []frozen
	active   *table
}

// frozen is a table that takes no more postings: all up to a change.
type frozen struct {
	*table
	to uint64
}

func newPostings() *postings {
	p := &postings{}
	p.levels.Store(&levels{active: newTable()})
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

// post records that change seq puts leader l under keys.
func (p *postings) post(seq uint64, l leaderNo, keys ...uint64) {
	p.recent.post(seq, keys)
	p.levels.Load().active.post(seq, l, keys...)
}

// drop removes a leader from a key, where it lies in memory.
func (p *postings) drop(key uint64, l leaderNo) {
	at := p.levels.Load()
	at.active.drop(key, l)
	for _, f := range at.frozen {
		f.drop(key, l)
	}
}

// freeze begins an empty table; the active one holds all up to a change.
func (p *postings) freeze(to uint64) {
	old := p.levels.Load()
	p.levels.Store(&levels{old.segments, append(slices.Clone(old.frozen), frozen{old.active, to}), newTable()})
}

// replace puts a segment in the place of the oldest frozen tables, so many, or of segments.
func (p *postings) replace(tables int, segments []*segment, by *segment) {
	old := p.levels.Load()
	at := len(old.segments)
	if len(segments) > 0 {
		at = slices.Index(old.segments, segments[0])
	}
	kept := slices.Replace(slices.Clone(old.segments), at, at+len(segments), by)
	p.levels.Store(&levels{kept, old.frozen[tables:], old.active})
}

// errMoved says that rows are gone because their segment was replaced.
var errMoved = errors.New("the segment was replaced")

// source opens a state of the rows that has every segment of the levels.
type source func() (Snapshot, error)

// lazy is a state that is opened when the first row of it is read.
type lazy struct {
	src      source
	snapshot Snapshot
}

// Get reads a row.
func (z *lazy) Get(key []byte) (value []byte, err error) {
	if z.snapshot == nil {
		if z.snapshot, err = z.src(); err != nil {
			return nil, err
		}
	}
	return z.snapshot.Get(key)
}

// Scan reads nothing: segments are read by key.
func (z *lazy) Scan(_, _ []byte, _ func(key, value []byte) error) error { return nil }

func (z *lazy) close() {
	if z.snapshot != nil {
		z.snapshot.Close()
	}
}

// reading runs work on the levels, again if they were replaced meanwhile.
func (p *postings) reading(src source, work func(*levels, Reader) error) error {
	attempt := func(at *levels) error {
		r := &lazy{src: src}
		defer r.close()
		return work(at, r)
	}
	for {
		at := p.levels.Load()
		err := attempt(at)
		if !errors.Is(err, errMoved) {
			return err
		}
		if p.levels.Load() == at {
			return fmt.Errorf("%w: rows of a segment of postings are missing", docid.ErrCorrupt)
		}
	}
}

// each visits the leaders posted under a key by the changes since < seq <= at, newest
// first, as long as visit returns true. Holds no lock while visiting.
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

// runsOf appends the runs of a key, those by older changes first.
func (p *postings) runsOf(runs []run, l *levels, r Reader, key, since uint64) ([]run, error) {
	add := func(r run) {
		if len(r) > 0 {
			runs = append(runs, r)
		}
	}
	for _, s := range l.segments {
		if s.to <= since {
			continue
		}
		found, err := s.find(r, key, p)
		if err != nil {
			return nil, err
		}
		add(found)
	}
	for _, f := range l.frozen {
		add(f.get(key))
	}
	add(l.active.get(key))
	return runs, nil
}

// bytes is the memory in use, about.
func (p *postings) bytes() int {
	l := p.levels.Load()
	n := 48*p.leaders.len() + l.active.bytes()
	for _, f := range l.frozen {
		n += f.bytes()
	}
	for _, s := range l.segments {
		n += s.bytes()
	}
	return n
}

// count is how many postings there are, those of docIds that ended included
// until segments are merged.
func (p *postings) count() int {
	l := p.levels.Load()
	n := int(l.active.keys.Load())
	for _, f := range l.frozen {
		n += int(f.keys.Load())
	}
	for _, s := range l.segments {
		n += s.postings
	}
	return n
}

// A run is postings under one key, in the order of their changes: of a table,
// or of a segment.
type run []posting

// after is the part of a run by changes after one.
func (r run) after(seq uint64) run { return r[r.first(seq):] }

// until is the part of a run by changes up to one.
func (r run) until(seq uint64) run { return r[:r.first(seq)] }

func (r run) first(seq uint64) int {
	return sort.Search(len(r), func(i int) bool { return r[i].seq > seq })
}
