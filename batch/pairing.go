package batch

import (
	"cmp"
	"slices"
	"sync"

	"github.com/neardup/neardup"
)

// Flags of a posting: under its key a text is found, searched, or both. What
// has neither in live is a text instead of a bucket.
const (
	indexed = 1 << iota
	probing
	flagBits = indexed | probing
)

// posting is a key, the sketch of the text that has it, and the number of the
// text with the flags of the key: all that is needed to pair a bucket.
type posting [3]uint64

func newPosting(key, sketch uint64, text uint32, flags uint64) posting {
	return posting{key, sketch, uint64(text)<<2 | flags}
}

func (p posting) key() uint64    { return p[0] }
func (p posting) sketch() uint64 { return p[1] }
func (p posting) text() uint32   { return uint32(p[2] >> 2) }
func (p posting) flags() uint64  { return p[2] & flagBits }

// of returns the posting with another number for its text.
func (p posting) of(text uint32) posting { return newPosting(p.key(), p.sketch(), text, p.flags()) }

// manyAlike is how many plausible pairs a posting a paired bucket may have.
// Where there are more, its texts are mostly near each other, and comparing
// all of them with the leaders is less work than with each other.
const manyAlike = 4

// pairing takes buckets and gives what live is made of. Safe for concurrent
// use. What becomes of a bucket depends on nothing but its postings.
type pairing struct {
	method neardup.Method

	mu      sync.Mutex
	live    *sorter[pair]
	large   uint64 // large buckets so far
	indexed int    // postings of these that are found
	stats   Work
}

// reserve returns the number of a new large bucket.
func (l *pairing) reserve() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.large++
	return l.large - 1
}

// keep adds postings of a large bucket to live.
func (l *pairing) keep(bucket uint64, postings []posting) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range postings {
		if p.flags()&indexed != 0 {
			l.indexed++
		}
		if err := l.live.add(pair{uint64(p.text()), bucket<<2 | p.flags()}); err != nil {
			return err
		}
	}
	return nil
}

// pair compares the texts of each bucket with each other.
func (l *pairing) pair(c *chunk) error {
	w := bucketWork{method: l.method}
	from := 0
	for _, end := range c.ends {
		bucket := c.postings[from:end]
		from = end
		if w.pair(bucket) {
			continue
		}
		if err := l.keep(l.reserve(), bucket); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Candidates += w.tried
	for _, p := range w.found {
		if err := l.live.add(p); err != nil {
			return err
		}
	}
	return nil
}

// bucketWork pairs buckets one after the other.
type bucketWork struct {
	method neardup.Method
	found  []pair // a later text, which searches, and an earlier one, which is found
	tried  int64

	// the postings of a bucket that are found, so far
	sketches []uint64
	texts    []uint32
}

// pair adds the pairs of a bucket whose sketches do not rule them out; false,
// and none, if they are too many. O(n^2) for n postings, 2 ns each.
func (w *bucketWork) pair(bucket []posting) bool {
	slices.SortFunc(bucket, func(a, b posting) int { return cmp.Compare(a.text(), b.text()) })
	before, most := len(w.found), len(w.found)+manyAlike*len(bucket)
	w.sketches, w.texts = w.sketches[:0], w.texts[:0]
	for _, p := range bucket {
		if p.flags()&probing != 0 {
			w.search(p)
			if len(w.found) > most {
				w.found = w.found[:before]
				return false
			}
		}
		if p.flags()&indexed != 0 {
			w.sketches, w.texts = append(w.sketches, p.sketch()), append(w.texts, p.text())
		}
	}
	return true
}

// search pairs a posting with those before it.
func (w *bucketWork) search(p posting) {
	sketch, n := p.sketch(), len(w.texts)
	for n > 0 && w.texts[n-1] == p.text() {
		n--
	}
	w.tried += int64(n)
	for i, other := range w.sketches[:n] {
		// Equal texts have equal sketches, and no method judges them.
		if sketch == other || w.method.Plausible(sketch, other) {
			w.found = append(w.found, pair{uint64(p.text()), uint64(w.texts[i]) << 2})
		}
	}
}
