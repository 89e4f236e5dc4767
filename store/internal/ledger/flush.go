package ledger

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/neardup/neardup/internal/external"
)

// maxInMemory is the default limit of the active memtable, in postings. About 15,000 leaders fill it.
const maxInMemory = 256 << 10

// maxTail limits the changes that a start has to read again.
const maxTail = 256 << 10

// fanout is the number of segments of similar size that are merged into one.
const fanout = 4

// flushAndCompact writes immutable memtables to rows and merges segments until the store closes or stops writing.
func (s *Store) flushAndCompact() {
	defer close(s.settled)
	for {
		select {
		case <-s.closed:
		case <-s.full:
		}
		for _, ix := range s.allIndexes() {
			if err := ix.flushAndCompact(); err != nil && !errors.Is(err, errStop) {
				return // writes have stopped, or readers will report the damage
			}
		}
		if s.leaving() {
			for _, ix := range s.allIndexes() {
				if ix.flushOnClose() != nil {
					break // the same reasons, and the next start reads more changes
				}
			}
			return
		}
	}
}

// leaving reports whether Close was called.
func (s *Store) leaving() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

func (s *Store) allIndexes() []*index {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.indexes))
}

// freeze turns the active memtable into an immutable one if it is full. The writer calls it when the changes of the
// memtable are durable.
func (ix *index) freeze() {
	if int(ix.posts.levels.Load().active.keys.Load()) < ix.store.inMemory && ix.head < ix.settled+maxTail {
		return
	}
	ix.freezeNow()
	ix.store.wake()
}

func (ix *index) freezeNow() {
	ix.settled = ix.head
	ix.posts.freeze(ix.head)
}

func (s *Store) wake() { signal(s.full) }

// signal sends to a channel that holds one signal, unless it already does.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// flushAndCompact writes the immutable memtables, oldest first, and merges segments.
func (ix *index) flushAndCompact() error {
	if err := ix.flushMemtables(); err != nil {
		return err
	}
	return ix.merge()
}

// flushOnClose flushes the memtables, unless the next start can read them from the log as fast.
func (ix *index) flushOnClose() error {
	if ix.store.volatile {
		return nil
	}
	if int(ix.posts.levels.Load().active.keys.Load()) > ix.store.inMemory/fewPostings {
		err := ix.store.do(context.Background(), func(*writes) (func(), error) { return ix.freezeNow, nil })
		if err != nil {
			return err
		}
	}
	return ix.flushMemtables()
}

// A clean stop does not flush less than 1/fewPostings of a full memtable.
const fewPostings = 8

func (ix *index) flushMemtables() error {
	for l := ix.posts.levels.Load(); len(l.immutable) > 0; l = ix.posts.levels.Load() {
		if err := ix.flushMemtable(l.immutable[0]); err != nil {
			return err
		}
	}
	return nil
}

// flushMemtable writes a segment from the oldest immutable memtable.
func (ix *index) flushMemtable(f immutable) error {
	all := f.sorted(ix.posts)
	from := uint64(0)
	if segments := ix.posts.levels.Load().segments; len(segments) > 0 {
		from = segments[len(segments)-1].To
	}
	b := ix.build(from, f.to, len(all))
	for _, p := range all {
		if err := b.add(p); err != nil {
			return err
		}
	}
	return ix.swap(b, 1, nil)
}

// segmented is a posting of a segment.
type segmented struct{ key, seq, leader uint64 }

func (a segmented) compare(b segmented) int {
	if a.key != b.key { // the usual case
		return cmp.Compare(a.key, b.key)
	}
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.leader, b.leader))
}

// build begins a segment of at most n postings.
func (ix *index) build(from, to uint64, postings int) *builder {
	ix.segments++
	s := &segment{tenant: ix.id, number: ix.segments, header: header{From: from, To: to}, filter: newFilter(postings)}
	return &builder{segment: s, write: func(rows []row) error {
		return ix.store.put(context.Background(), func(b *writes) {
			for _, r := range rows {
				r.write(b)
			}
		})
	}}
}

// swap writes the header and installs the segment in place of its sources, in one atomic batch. A later batch removes the
// rows of the old segments, so that readers that miss them can tell why.
func (ix *index) swap(b *builder, tables int, old []*segment) error {
	if err := b.finish(); err != nil {
		return err
	}
	err := ix.store.do(context.Background(), func(w *writes) (func(), error) {
		w.set(b.key(spaceSegment), &b.header)
		for _, s := range old {
			w.Delete(s.key(spaceSegment))
		}
		return func() { ix.posts.replace(tables, old, b.segment) }, nil
	})
	if err != nil || len(old) == 0 {
		return err
	}
	return ix.store.put(context.Background(), func(w *writes) {
		for _, s := range old {
			w.DeleteRange(s.key(spacePosting), after(s.key(spacePosting)))
		}
	})
}

// merge merges the newest segments while enough have a similar size.
func (ix *index) merge() error {
	for {
		segments := ix.posts.levels.Load().segments
		n := len(segments)
		if n < fanout {
			return nil
		}
		total := 0
		for _, s := range segments[n-fanout:] {
			total += s.Postings
		}
		if segments[n-fanout].Postings > total*3/fanout { // one is much larger than the others
			return nil
		}
		if err := ix.mergeInto(segments[n-fanout:], total); err != nil {
			return err
		}
	}
}

// mergeInto merges segments into one, without ended docIds.
func (ix *index) mergeInto(from []*segment, total int) error {
	to := from[len(from)-1].To
	lives, b := ix.living(to), ix.build(from[0].From, to, total)
	add := func(p segmented) error {
		if b.in == chunkPostings {
			if ix.store.leaving() { // the next start ignores the written rows, because they have no header, and merges again
				return errStop
			}
			if err := ix.flushMemtables(); err != nil { // a merge may take long, and immutable memtables take memory
				return err
			}
		}
		if !lives(p.leader) {
			return nil
		}
		return b.add(p)
	}
	err := atSnapshot(ix.store.kv, func(v Snapshot) error {
		cursors := make([]*external.Cursor[segmented], len(from))
		for i, s := range from {
			cursors[i] = external.NewCursor(s.all(v))
		}
		return external.Merge(context.Background(), cursors, func(a, b *segmented) bool { return a.compare(*b) < 0 }, add)
	})
	if err != nil {
		return err
	}
	return ix.swap(b, 0, from)
}

// living returns a function that reports whether a leader up to a change lives. It needs 1 bit for each change, but none
// for skipped numbers.
func (ix *index) living(to uint64) func(seq uint64) bool {
	gaps := *ix.gaps.Load()
	place := func(seq uint64) uint64 {
		at := seq
		for _, g := range gaps {
			at -= min(g.to, seq) - min(g.from, seq)
		}
		return at
	}
	n := ix.posts.leaders.len()
	set := []uint64{}
	for i := range n {
		l := ix.posts.leaders.at(leaderNo(i))
		if l.seq > to {
			break
		}
		if at := place(l.seq); l.ended.Load() == 0 {
			for int(at/64) >= len(set) {
				set = append(set, make([]uint64, len(set)+64)...)
			}
			set[at/64] |= 1 << (at % 64)
		}
	}
	return func(seq uint64) bool {
		at := place(seq)
		return int(at/64) < len(set) && set[at/64]&(1<<(at%64)) != 0
	}
}
