package ledger

import (
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"

	"github.com/neardup/neardup/docid"
)

// A segment is a sorted run of postings in rows, ordered by key and change. It consists of chunks of 128 postings, pieces
// with the first key of each chunk and the filter (also in memory), and a header, which makes it valid. One atomic batch
// installs it in place of memtables or older segments. Postings can be derived again from leaders and names.
type segment struct {
	tenant uint32
	number uint64
	header
	firsts []uint64 // first key of each chunk
	filter filter

	mu   sync.Mutex
	hot  map[uint64]run // cache of long runs
	held int            // postings in the cache
}

const (
	chunkPostings = 128
	firstPiece    = 1 << 32  // number of the first piece, after those of all chunks
	pieceWords    = 16 << 10 // words per row of first keys and filter
	// A run of at least hotRun postings is cached after a read. The cache of a segment has at most hotHeld
	// postings.
	hotRun  = 32
	hotHeld = 256 << 10
)

// filter is a Bloom filter with 12 bits per key, in blocks of one cache line. Its false-positive rate is 1 in 200.
type filter []uint64

func newFilter(n int) filter { return make(filter, 8*((12*n+511)/512+1)) }

func (f filter) bits(key uint64, visit func(word int, bit uint64) bool) bool {
	h := key * 0xff51afd7ed558ccd
	h ^= h >> 33
	at := 8 * int((h>>32)*uint64(len(f)/8)>>32)
	h = (h ^ key) * 0xc4ceb9fe1a85ec53
	for range 7 {
		if !visit(at+int(h>>61), 1<<(h>>55&63)) {
			return false
		}
		h <<= 9
	}
	return true
}

func (f filter) add(key uint64) {
	f.bits(key, func(word int, bit uint64) bool { f[word] |= bit; return true })
}

func (f filter) has(key uint64) bool {
	return f.bits(key, func(word int, bit uint64) bool { return f[word]&bit != 0 })
}

func (s *segment) bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 8*(len(s.firsts)+len(s.filter)) + 16*s.held
}

func (s *segment) key(space byte, numbers ...uint64) []byte {
	return keyOf(space, s.tenant, append([]uint64{s.number}, numbers...)...)
}

// find returns the postings of living leaders under a key. For most absent keys it reads no rows.
func (s *segment) find(r Reader, key uint64, p *postings) (run, error) {
	if !s.filter.has(key) {
		return nil, nil
	}
	s.mu.Lock()
	all, held := s.hot[key]
	s.mu.Unlock()
	if held {
		return all, nil
	}
	last := sort.Search(len(s.firsts), func(i int) bool { return s.firsts[i] > key }) - 1
	first := last
	for first > 0 && s.firsts[first] == key {
		first--
	}
	for c := max(first, 0); c <= last; c++ {
		err := s.chunk(r, c, func(at segmented) bool {
			if at.key == key {
				if n, l := p.find(at.leader); l != nil {
					all = append(all, posting{at.seq, n})
				}
			}
			return at.key <= key
		})
		if err != nil {
			return nil, err
		}
	}
	s.hold(key, all)
	return all, nil
}

// hold puts a long run into the cache.
func (s *segment) hold(key uint64, all run) {
	if len(all) < hotRun {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hot == nil || s.held+len(all) > hotHeld {
		s.hot, s.held = map[uint64]run{}, 0
	}
	if _, there := s.hot[key]; !there {
		s.hot[key], s.held = all, s.held+len(all)
	}
}

// chunk visits the postings of a chunk in order, until visit returns false.
func (s *segment) chunk(r Reader, n int, visit func(segmented) bool) error {
	key := s.key(spacePosting, uint64(n))
	value, err := r.Get(key)
	if err != nil {
		return err
	}
	if value == nil {
		return errMoved
	}
	return decodeChunk(key, value, visit)
}

func decodeChunk(key, value []byte, visit func(segmented) bool) error {
	c, err := open(key, value)
	if err != nil {
		return err
	}
	k := uint64(0)
	for len(c.b) > 0 && c.err == nil {
		k += c.getUint()
		seq := c.getUint()
		if leader := seq - c.getUint(); c.err == nil && !visit(segmented{k, seq, leader}) {
			return nil
		}
	}
	return c.close(key)
}

// header is the row of a segment, which holds the postings of the changes from < seq <= to.
type header struct {
	From, To         uint64
	Postings, Chunks int
	Words            int // words of first keys and filter
}

// openSegment reads the first keys and the filter of a segment.
func openSegment(r Reader, tenant uint32, number uint64, h header) (*segment, error) {
	s := &segment{tenant: tenant, number: number, header: h}
	words := make([]uint64, 0, h.Words)
	err := r.Scan(s.key(spacePosting, firstPiece), after(s.key(spacePosting)), func(k, v []byte) error {
		var piece []uint64
		err := decode(k, v, &piece)
		words = append(words, piece...)
		return err
	})
	if err == nil && (len(words) != h.Words || h.Chunks > h.Words) {
		err = fmt.Errorf("%w: segment %d of postings: %d words (want %d)", docid.ErrCorrupt, number, len(words), h.Words)
	}
	if err != nil {
		return nil, err
	}
	s.firsts, s.filter = words[:h.Chunks:h.Chunks], filter(words[h.Chunks:])
	return s, nil
}

// builder writes a segment from sorted postings. It writes rows in batches, which are ignored until the header
// is written.
type builder struct {
	*segment
	write func([]row) error
	rows  []row
	chunk coder
	in    int    // postings in the current chunk
	last  uint64 // the previous key
}

const rowsAtOnce = 32

func (b *builder) add(p segmented) error {
	if b.in == chunkPostings {
		if err := b.flush(); err != nil {
			return err
		}
	}
	if b.in == 0 {
		b.firsts, b.last = append(b.firsts, p.key), 0
	}
	b.chunk.putUint(p.key - b.last)
	b.chunk.putUint(p.seq)
	b.chunk.putUint(p.seq - p.leader)
	b.filter.add(p.key)
	b.last = p.key
	b.in++
	b.Postings++
	return nil
}

// flush ends a chunk.
func (b *builder) flush() error {
	if b.in == 0 {
		return nil
	}
	key := b.key(spacePosting, uint64(len(b.firsts)-1))
	b.rows = append(b.rows, row{key, b.chunk.seal(key)})
	b.chunk, b.in = coder{}, 0
	return b.hand(rowsAtOnce)
}

func (b *builder) hand(most int) error {
	if len(b.rows) < most || len(b.rows) == 0 {
		return nil
	}
	rows := b.rows
	b.rows = nil
	return b.write(rows)
}

// finish writes the remaining rows except the header.
func (b *builder) finish() error {
	if err := b.flush(); err != nil {
		return err
	}
	words := append(append(make([]uint64, 0, len(b.firsts)+len(b.filter)), b.firsts...), b.filter...)
	for n := 0; n*pieceWords < len(words); n++ {
		key := b.key(spacePosting, firstPiece+uint64(n))
		piece := words[n*pieceWords : min(len(words), (n+1)*pieceWords)]
		b.rows = append(b.rows, row{key, sealed(key, &piece)})
		if err := b.hand(1); err != nil {
			return err
		}
	}
	b.Chunks, b.Words = len(b.firsts), len(words)
	return b.hand(1)
}

// all returns a function that reads the postings in order, for external.NewCursor.
func (s *segment) all(r Reader) func(*segmented) error {
	chunk, left, page := 0, []segmented(nil), make([]segmented, 0, chunkPostings)
	return func(to *segmented) error {
		if len(left) == 0 {
			if chunk == len(s.firsts) {
				return io.EOF
			}
			page = page[:0]
			err := s.chunk(r, chunk, func(p segmented) bool {
				page = append(page, p)
				return true
			})
			if errors.Is(err, errMoved) || (err == nil && len(page) == 0) {
				err = fmt.Errorf("%w: chunk %d of segment %d of postings: missing", docid.ErrCorrupt, chunk, s.number)
			}
			if err != nil {
				return err
			}
			left, chunk = page, chunk+1
		}
		*to, left = left[0], left[1:]
		return nil
	}
}
