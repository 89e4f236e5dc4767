package simhash

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// Neighbor is an answer to a query.
type Neighbor struct {
	ID          uint64
	Fingerprint uint64
	Distance    int
}

// IndexOptions configures an index. The zero value is a small index of distance 0.
type IndexOptions struct {
	K      int    // largest distance of any query, 0..MaxK
	Expect int    // entries to choose a layout for; 0 is a million
	Layout string // a name of ParseLayout instead of a choice
}

// Index finds the fingerprints within k bits of another, exactly, while it
// grows. It stays exact with more entries than expected and only
// becomes slower. Equal fingerprints share one place in the tables, so a
// million copies of one page cost a million ids and no more.
//
// Concurrent queries are safe; Insert needs the index to itself. Memory: see Layout and docs/benchmarks.md; growth is by one bucket
// at a time and never pauses.
type Index struct {
	layout Layout
	tables []*buckets
	probes []probe
	spill  spill
	ids    ids
}

// NewIndex returns an empty index. It fails if K is out of range, the layout
// is none for K.
func NewIndex(o IndexOptions) (*Index, error) {
	var l Layout
	var err error
	if o.Layout != "" {
		l, err = ParseLayout(o.Layout, o.K)
	} else {
		n := cmp.Or(max(o.Expect, 0), 1_000_000)
		l, err = cheapest(o.K, func(l *Layout) float64 { return l.cost(n) })
	}
	if err != nil {
		return nil, fmt.Errorf("hamming index: %w", err)
	}
	x := &Index{layout: l}
	x.spill.reserve(1)
	for i := range l.tables {
		t := &x.layout.tables[i]
		x.tables = append(x.tables, newBuckets(t))
		for _, f := range t.flips {
			x.probes = append(x.probes, probe{table: i, flip: f})
		}
	}
	return x, nil
}

// probe is one bucket that a query looks at: in a table, the bucket of the query's key with these bits flipped.
type probe struct {
	table int
	flip  uint64
}

// Layout returns the layout in use; its K is the largest distance.
func (x *Index) Layout() Layout { return x.layout }

// Len returns the number of entries.
func (x *Index) Len() int { return int(x.ids.count) }

// Distinct returns the number of different fingerprints.
func (x *Index) Distinct() int { return x.tables[0].cells }

// ErrFull is returned when 2^32-1 entries are in the index.
var ErrFull = errors.New("the hamming index is full")

// Insert adds an entry. The same entry twice is there twice. O(tables).
func (x *Index) Insert(id, fp uint64) error {
	l, i := x.tables[0].find(fp, &x.spill)
	if l != nil {
		return x.ids.chain(l.entry[i], id)
	}
	entry, err := x.ids.add(id)
	if err != nil {
		return err
	}
	var first [maxTables]*line
	var used [maxTables]int
	for i, t := range x.tables { // prefetch all before the first is needed
		first[i] = t.line(t.key(fp))
		used[i] = first[i].len()
	}
	for i, t := range x.tables {
		t.insert(fp, entry, first[i], used[i], &x.spill)
	}
	return nil
}

// ErrDistance is returned if a query exceeds the distance of the index.
var ErrDistance = errors.New("distance out of range")

// Query appends all entries within k bits of fp to dst, in no particular
// order, each once. k is at most the K of the index.
func (x *Index) Query(dst []Neighbor, fp uint64, k int) ([]Neighbor, error) {
	if k < 0 || k > x.layout.k {
		return dst, fmt.Errorf("%w: %d, the index is for 0..%d", ErrDistance, k, x.layout.k)
	}
	var keys [maxTables]uint64
	for n, t := range x.tables {
		keys[n] = t.key(fp)
	}
	for probes := x.probes; len(probes) > 0; {
		ahead := min(len(probes), lookAhead)
		dst = x.look(dst, fp, k, &keys, probes[:ahead])
		probes = probes[ahead:]
	}
	return dst, nil
}

// lookAhead lines are prefetched before the first is read.
const lookAhead = 32

// look searches at most lookAhead buckets: the first lines of all, then the
// second lines of those that have one, and so on. A badly predicted branch
// would wait for the memory, so there is none on what has just been read.
func (x *Index) look(dst []Neighbor, fp uint64, k int, keys *[maxTables]uint64, probes []probe) []Neighbor {
	var lines [lookAhead]*line
	var next [lookAhead]uint32
	var which [lookAhead]uint8
	for i, p := range probes {
		lines[i%lookAhead] = x.tables[p.table].line(keys[p.table] ^ p.flip)
		which[i%lookAhead] = uint8(i)
	}
	for n := len(probes); n > 0; {
		for i, l := range lines[:n] {
			next[i] = l.next
		}
		more := 0
		for i, l := range lines[:n] {
			if l.within(fp, k) {
				dst = x.collect(dst, l, fp, k, probes[which[i]])
			}
			e := next[i]
			lines[more%lookAhead], which[more%lookAhead] = x.spill.at(e), which[i]
			more += int((e | -e) >> 31)
		}
		n = more
	}
	return dst
}

// collect appends the cells of a line that are within k bits. It takes only those found under this flip (a
// bucket holds several keys) and in no earlier table.
func (x *Index) collect(dst []Neighbor, l *line, fp uint64, k int, p probe) []Neighbor {
	for i, entry := range l.entry {
		difference := l.fp[i] ^ fp
		d := Distance(difference, 0)
		if entry == 0 || d > k || x.tables[p.table].key(difference) != p.flip || !x.layout.first(p.table, difference) {
			continue
		}
		for ; entry != 0; entry = x.ids.next(entry) {
			dst = append(dst, Neighbor{ID: x.ids.id(entry), Fingerprint: l.fp[i], Distance: d})
		}
	}
	return dst
}

// Bytes returns the memory that the index holds.
func (x *Index) Bytes() int64 {
	const chunk = 64 << chunkBits
	n := int64(len(x.spill.chunks)) * chunk
	for _, t := range x.tables {
		n += int64(len(t.first.chunks)) * chunk
	}
	return n + int64(len(x.ids.chunks))*12<<chunkBits
}

// ids holds the ids of entries 1, 2, ... and links those of one fingerprint.
type ids struct {
	chunks []*idChunk
	count  uint32
}

type idChunk struct {
	id   [1 << chunkBits]uint64
	next [1 << chunkBits]uint32
}

func (s *ids) at(e uint32) (*uint64, *uint32) {
	c := s.chunks[e>>chunkBits]
	return &c.id[e&(1<<chunkBits-1)], &c.next[e&(1<<chunkBits-1)]
}

func (s *ids) id(e uint32) uint64   { id, _ := s.at(e); return *id }
func (s *ids) next(e uint32) uint32 { _, next := s.at(e); return *next }

// add makes an entry.
func (s *ids) add(id uint64) (uint32, error) {
	if s.count == math.MaxUint32 {
		return 0, ErrFull
	}
	s.count++
	if int(s.count>>chunkBits) >= len(s.chunks) {
		s.chunks = append(s.chunks, new(idChunk))
	}
	where, _ := s.at(s.count)
	*where = id
	return s.count, nil
}

// chain adds an id to the fingerprint of an entry.
func (s *ids) chain(head uint32, id uint64) error {
	e, err := s.add(id)
	if err != nil {
		return err
	}
	_, first := s.at(head)
	_, next := s.at(e)
	*first, *next = e, *first
	return nil
}
