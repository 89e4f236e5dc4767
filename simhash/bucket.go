package simhash

import "math/bits"

// lineCells is how many fingerprints fit in a line.
const lineCells = 5

// line is one cache line of a bucket: fingerprints with their entry numbers,
// filled from the left, and the next line of the same bucket.
type line struct {
	fp    [lineCells]uint64
	entry [lineCells]uint32 // 0 is an empty cell
	next  uint32            // in the spill arena; 0 is none
}

// full reports whether no cell is free.
func (l *line) full() bool { return l.entry[lineCells-1] != 0 }

// len returns the number of cells in use, without a branch.
func (l *line) len() int {
	n := uint32(0)
	for _, e := range &l.entry {
		n += (e | -e) >> 31
	}
	return int(n)
}

// within reports whether a cell may be within k bits of fp. It looks at empty
// cells too, which saves a branch that cannot be predicted.
func (l *line) within(fp uint64, k int) bool {
	return bits.OnesCount64(l.fp[0]^fp) <= k ||
		bits.OnesCount64(l.fp[1]^fp) <= k ||
		bits.OnesCount64(l.fp[2]^fp) <= k ||
		bits.OnesCount64(l.fp[3]^fp) <= k ||
		bits.OnesCount64(l.fp[4]^fp) <= k
}

// chunkBits: arenas grow by chunks of 2^12 lines, 256 KB, so that growing
// never copies and never pauses.
const chunkBits = 12

// arena is a growing array of lines that never move.
type arena struct{ chunks []*[1 << chunkBits]line }

func (a *arena) at(i uint32) *line {
	return &a.chunks[i>>chunkBits][i&(1<<chunkBits-1)]
}

// reserve makes lines 0..n-1 exist.
func (a *arena) reserve(n uint32) {
	for uint32(len(a.chunks))<<chunkBits < n {
		a.chunks = append(a.chunks, new([1 << chunkBits]line))
	}
}

// spill holds the lines of buckets beyond their first. Line 0 stays empty.
type spill struct {
	arena
	used uint32 // lines handed out, line 0 included
	free uint32 // list of lines given back
}

// take returns the number of an empty line.
func (s *spill) take() uint32 {
	if i := s.free; i != 0 {
		s.free = s.at(i).next
		*s.at(i) = line{}
		return i
	}
	s.used = max(s.used, 1) + 1
	s.reserve(s.used)
	return s.used - 1
}

// give takes a line back.
func (s *spill) give(i uint32) {
	*s.at(i) = line{next: s.free}
	s.free = i
}

// fill is the mean number of cells of a bucket at which a table grows.
const fill = 2

// buckets is a hash table from the keys of one table to fingerprints. It
// grows by one bucket at a time (Litwin, "Linear Hashing", VLDB 1980), up to
// one bucket a key. All lines of a bucket but the first two are full.
type buckets struct {
	*table
	first arena
	n     uint32 // buckets
	low   uint32 // 2^level - 1, where 2^level <= n < 2^(level+1)
	limit uint32 // n stops here
	cells int
}

func newBuckets(t *table) *buckets {
	b := &buckets{table: t, n: 1, limit: 1 << min(t.bits, 31)}
	b.first.reserve(1)
	return b
}

// spread makes a hash of a key. It is a bijection, so that as many buckets as keys means one key a bucket.
func (b *buckets) spread(key uint64) uint64 {
	return (key ^ key>>(uint(b.bits)/2)) * 0x9e3779b97f4a7c15
}

// bucket returns the number of the bucket of a key. Without a branch: whether
// a bucket is divided yet cannot be predicted.
func (b *buckets) bucket(key uint64) uint32 {
	i := uint32(b.spread(key)) & (b.low<<1 | 1)
	divided := uint32((int64(i) - int64(b.n)) >> 63) // all ones if i < n
	return i & (b.low | divided)
}

// line returns the first line of the bucket of a key.
func (b *buckets) line(key uint64) *line { return b.first.at(b.bucket(key)) }

// insert adds a cell to the bucket with this first line, which has used cells in use, and grows the table when
// due. O(1).
func (b *buckets) insert(fp uint64, entry uint32, first *line, used int, s *spill) {
	put(fp, entry, first, used, s)
	if b.cells++; b.cells > fill*int(b.n) && b.n < b.limit {
		b.split(s)
	}
}

func put(fp uint64, entry uint32, l *line, used int, s *spill) {
	if used == lineCells {
		head := l
		if l.next == 0 || s.at(l.next).full() {
			i := s.take()
			s.at(i).next = head.next
			head.next = i
		}
		l = s.at(head.next)
		used = l.len()
	}
	l.fp[used], l.entry[used] = fp, entry
}

// split divides the oldest undivided bucket in two.
func (b *buckets) split(s *spill) {
	from := b.n & b.low
	if b.n == b.low<<1|1 { // the level is complete after this one
		defer func() { b.low = b.low<<1 | 1 }()
	}
	b.n++
	b.first.reserve(b.n)
	head := b.first.at(from)
	old := *head
	*head = line{}
	for {
		for i := range old.len() {
			to := b.line(b.key(old.fp[i]))
			put(old.fp[i], old.entry[i], to, to.len(), s)
		}
		next := old.next
		if next == 0 {
			return
		}
		old = *s.at(next)
		s.give(next)
	}
}

// find returns the cell of exactly this fingerprint, or nil.
func (b *buckets) find(fp uint64, s *spill) (*line, int) {
	l := b.line(b.key(fp))
	for {
		for i := range lineCells {
			if l.fp[i] == fp && l.entry[i] != 0 {
				return l, i
			}
		}
		if l.next == 0 {
			return nil, 0
		}
		l = s.at(l.next)
	}
}
