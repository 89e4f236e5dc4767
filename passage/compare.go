package passage

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"sort"

	"github.com/neardup/neardup/internal/external"
	"github.com/zeebo/xxh3"
)

// comparer compares the windows of buckets, one bucket after the other. It is for one goroutine at a time.
type comparer struct {
	*job
	ctx context.Context
	// The compared windows of each row are those that begin lo to hi units before the anchor. If lo equals hi, rows of one
	// key most likely have the same window.
	lo, hi int
	kept   []occurrence // occurrences of the bucket that have the first occurrence of some window
	spare  occurrence
	// With Config.First: windows that overlap their first occurrence. They are reported when another occurrence follows.
	overlapping []overlappingWindow
	found       []anchorRow // buffer for matches
}

func newComparer(ctx context.Context, j *job, lo, hi int) *comparer {
	return &comparer{job: j, ctx: ctx, lo: lo, hi: hi}
}

type overlappingWindow struct {
	of firstWindow
	at uint64
}

// occurrence is an anchor with the text of all its windows.
type occurrence struct {
	at      uint64 // offset of the text in the store
	text    []byte
	left    int // bytes of text before the anchor
	windows []window
	from    []firstWindow // first occurrence of each window
	copied  []uint64      // for each window: offset of its next occurrence, plus 1, or 0
}

// window is a window in the text of an occurrence.
type window struct{ start, end int }

// firstWindow locates the first occurrence of a window: the kept occurrence and the window in it.
type firstWindow struct{ kept, window int }

// unknown marks a window that no kept occurrence has.
var unknown = firstWindow{kept: -1}

// maxKept is the number of kept occurrences at which a bucket is divided.
const maxKept = 16

var errCrowded = errors.New("too many different windows")

// bucket reports the matches of all windows of a bucket. It compares each occurrence with kept ones, which have the first
// occurrence of some window. If all occurrences are equal, one is kept; at most maxKept are.
func (c *comparer) bucket(rows bucket) error {
	c.kept, c.overlapping = c.kept[:0], c.overlapping[:0]
	err := rows(c.occurrence)
	if err != nil && !errors.Is(err, errCrowded) {
		return err
	}
	if err := c.firsts(); err != nil {
		return err
	}
	if err != nil {
		mid := (c.lo + c.hi + 1) / 2
		return errors.Join(c.divide(rows, mid, c.hi), c.divide(rows, c.lo, mid-1))
	}
	return nil
}

// divide divides a bucket whose windows differ. It sorts the windows that begin lo to hi units before the anchor by the
// text that they all share, and compares those with equal text. Matches that were already reported stay valid, and are
// reported again.
func (c *comparer) divide(rows bucket, lo, hi int) error {
	some := external.NewSorter[anchorRow](c.disk, c.memory(100)/int64(c.cfg.Workers+1)*int64(hi-lo+1)/int64(c.cfg.Least.N))
	err := rows(func(r anchorRow) error {
		o := &c.spare
		if err := c.read(o, r); err != nil {
			return err
		}
		if r, ok := o.part(c.cfg.Least, lo, hi); ok {
			return some.Add(r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	sorted, err := some.Sort()
	if err != nil {
		return err
	}
	inner := newComparer(c.ctx, c.job, lo, hi)
	err = c.eachBucket(c.ctx, sorted, inner.task, inner.bucket)
	return errors.Join(err, inner.flush(), sorted.Close())
}

// part returns the row of the windows that begin lo to hi units before the anchor, or false if there are none.
func (o *occurrence) part(l Length, lo, hi int) (anchorRow, bool) {
	units := l.units(nil, o.text)
	anchor := sort.Search(len(units), func(i int) bool { return units[i].start >= o.left })
	first, last := max(anchor-hi, 0), min(anchor-lo, len(o.windows)-1)
	if first > last {
		return anchorRow{}, false
	}
	common := o.text[units[anchor-lo].start:units[anchor-hi+l.N-1].end]
	return newRow(xxh3.Hash(common), o.at+uint64(o.left), o.left-o.windows[first].start, o.windows[last].end-o.left), true
}

func (c *comparer) read(o *occurrence, r anchorRow) error {
	o.left = r.before()
	o.at = r[1] - uint64(o.left)
	n := o.left + r.behind()
	if cap(o.text) < n {
		o.text = make([]byte, n)
	}
	o.text = o.text[:n]
	if _, err := c.store.text.ReadAt(o.text, int64(o.at)); err != nil {
		return err
	}
	o.windows = c.windows(o.windows[:0], o.text)
	o.from = o.from[:0]
	for range o.windows {
		o.from = append(o.from, unknown)
	}
	o.copied = o.copied[:0]
	return nil
}

// windows appends the windows of a text that begins and ends with a unit.
func (l Length) windows(dst []window, text []byte) []window {
	dst = l.units(dst, text)
	n := max(len(dst)-l.N+1, 0)
	for i := range n {
		dst[i].end = dst[i+l.N-1].end
	}
	return dst[:n]
}

func (l Length) units(dst []window, text []byte) []window {
	if l.Unit == Bytes {
		for i := range text {
			dst = append(dst, window{i, i + 1})
		}
		return dst
	}
	l.Unit.each(string(text), func(start, end int, _ uint64) { dst = append(dst, window{start, end}) })
	return dst
}

// occurrence processes the next occurrence of the bucket, and reports its repeated windows.
func (c *comparer) occurrence(r anchorRow) error {
	o := &c.spare
	if err := c.read(o, r); err != nil {
		return err
	}
	left := len(o.windows)
	for i := range c.kept {
		left -= o.claim(&c.kept[i], i)
		if left == 0 {
			break
		}
	}
	if err := c.repeated(o); err != nil || left == 0 {
		return err
	}
	n := len(c.kept)
	if n == maxKept && c.lo < c.hi {
		return errCrowded
	}
	if n == cap(c.kept) {
		c.kept = append(c.kept, occurrence{})
	}
	c.kept = c.kept[:n+1]
	c.kept[n], c.spare = c.spare, c.kept[n]
	return nil
}

// claim finds the windows of o that the earlier occurrence k has at the same distance from the anchor. It returns how many
// of them no other occurrence has claimed.
func (o *occurrence) claim(k *occurrence, number int) (claimed int) {
	lo := o.left - commonSuffix(o.text[:o.left], k.text[:k.left])
	hi := o.left + commonPrefix(o.text[o.left:], k.text[k.left:])
	shift := k.left - o.left
	i := sort.Search(len(o.windows), func(i int) bool { return o.windows[i].start >= lo })
	if i == len(o.windows) {
		return 0
	}
	first := o.windows[i].start + shift
	n := sort.Search(len(k.windows), func(n int) bool { return k.windows[n].start >= first })
	for ; i < len(o.windows) && o.windows[i].end <= hi; i++ {
		w := window{o.windows[i].start + shift, o.windows[i].end + shift}
		for n < len(k.windows) && k.windows[n].start < w.start {
			n++
		}
		if n < len(k.windows) && k.windows[n] == w && o.from[i] == unknown {
			o.from[i] = firstWindow{number, n}
			claimed++
		}
	}
	return claimed
}

// repeated reports the windows of o that begin after the end of their first occurrence.
func (c *comparer) repeated(o *occurrence) error {
	var m anchorRow // the current match: windows that are consecutive in both texts
	for i, from := range o.from {
		if from == unknown {
			continue
		}
		k, w := &c.kept[from.kept], o.windows[i]
		at, first := o.at+uint64(w.start), k.at+uint64(k.windows[from.window].start)
		if first+uint64(w.end-w.start) > at {
			if c.cfg.First {
				c.overlapping = append(c.overlapping, overlappingWindow{from, at})
			}
			continue
		}
		if c.cfg.First {
			k.copy(from.window, at)
		}
		if err := c.grow(&m, at, first, w.end-w.start, i > 0 && o.from[i-1].kept == from.kept); err != nil {
			return err
		}
	}
	return c.addMatch(m)
}

// copy records the offset where a first window is repeated.
func (o *occurrence) copy(window int, at uint64) {
	for len(o.copied) < len(o.windows) {
		o.copied = append(o.copied, 0)
	}
	if o.copied[window] == 0 {
		o.copied[window] = at + 1
	}
}

// firsts reports the windows in kept occurrences that are repeated later, and those that overlap their first occurrence.
func (c *comparer) firsts() error {
	for k := range c.kept {
		var m anchorRow
		o := &c.kept[k]
		for i, next := range o.copied {
			if next == 0 {
				continue
			}
			w := o.windows[i]
			if err := c.grow(&m, o.at+uint64(w.start), next-1, w.end-w.start, i > 0 && o.copied[i-1] != 0); err != nil {
				return err
			}
		}
		if err := c.addMatch(m); err != nil {
			return err
		}
	}
	for _, v := range c.overlapping {
		o := &c.kept[v.of.kept]
		if v.of.window >= len(o.copied) || o.copied[v.of.window] == 0 {
			continue
		}
		w := o.windows[v.of.window]
		if err := c.addMatch(anchorRow{v.at, uint64(w.end - w.start), o.copied[v.of.window] - 1}); err != nil {
			return err
		}
	}
	return nil
}

// grow adds a window to a match if it continues the match in both texts. Otherwise it reports the match and begins another.
func (c *comparer) grow(m *anchorRow, at, from uint64, n int, follows bool) error {
	if follows && m[1] != 0 && at-m[0] == from-m[2] {
		m[1] = at + uint64(n) - m[0]
		return nil
	}
	told := *m
	*m = anchorRow{at, uint64(n), from}
	return c.addMatch(told)
}

// addMatch adds a match: its start, its length, and the start of the first occurrence.
func (c *comparer) addMatch(m anchorRow) error {
	if m[1] == 0 {
		return nil
	}
	c.found = append(c.found, m)
	if len(c.found) < taskRows {
		return nil
	}
	return c.flush()
}

func (c *comparer) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.found {
		if err := c.matches.Add(m); err != nil {
			return err
		}
	}
	c.found = c.found[:0]
	return nil
}

// commonPrefix returns the number of equal bytes at the beginning of a and b.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonSuffix returns the number of equal bytes at the end of a and b.
func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	for ; n >= 8; n -= 8 {
		if x := binary.LittleEndian.Uint64(a[n-8:]) ^ binary.LittleEndian.Uint64(b[n-8:]); x != 0 {
			return len(a) - n + bits.LeadingZeros64(x)/8
		}
	}
	for n > 0 && a[n-1] == b[n-1] {
		n--
	}
	return len(a) - n
}
