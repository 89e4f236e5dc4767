package main

import (
	"bytes"
	"index/suffixarray"
	"math/bits"
	"reflect"
	"unsafe"
)

// windows holds the passages of the least length that occur in several places.
type windows struct {
	least        int
	first, later set // starts of first occurrences, and of repetitions that do not overlap them
	overlap      set // starts of repetitions that overlap the first occurrence
}

// repeated finds the repeated windows. Equal windows are adjacent in the suffix array of all documents. Windows that cross
// documents are left out.
func (c *texts) repeated(least int) *windows {
	order := suffixes(c.text)
	same := c.common(order, least)
	inside := newSet(len(c.text))
	for i := range len(c.begin) - 1 {
		for at := c.begin[i]; at+least <= c.begin[i+1]; at++ {
			inside.add(at)
		}
	}
	w := &windows{least, newSet(len(c.text)), newSet(len(c.text)), newSet(len(c.text))}
	for len(order) > 0 {
		n := 1
		for n < len(order) && same.has(int(order[n])) {
			n++
		}
		w.group(c, inside, order[:n])
		order = order[n:]
	}
	return w
}

// group adds all places of one window.
func (w *windows) group(c *texts, inside set, places []int32) {
	first := -1
	for _, p := range places {
		if inside.has(int(p)) && (first < 0 || int(p) < first) {
			first = int(p)
		}
	}
	if first < 0 {
		return
	}
	end, apart := c.end(first), false
	after := func(p int) bool { return p >= end || p >= first+w.least }
	for _, p := range places {
		if inside.has(int(p)) && after(int(p)) {
			w.later.add(int(p))
			apart = true
		}
	}
	if !apart {
		return
	}
	w.first.add(first)
	for _, p := range places {
		if p := int(p); inside.has(p) && p != first && !after(p) {
			w.overlap.add(p)
		}
	}
}

// end returns where the document of a place ends.
func (c *texts) end(at int) int {
	lo, hi := 0, len(c.begin)-1
	for lo+1 < hi {
		if mid := (lo + hi) / 2; c.begin[mid] <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return c.begin[lo+1]
}

// cover returns the set of the bytes of the windows.
func (c *texts) cover(w *windows, first bool) set {
	all, end := newSet(len(c.text)), 0
	for at := range c.text {
		if w.later.has(at) || (first && (w.first.has(at) || w.overlap.has(at))) {
			end = at + w.least
		}
		if at < end {
			all.add(at)
		}
	}
	return all
}

// suffixes returns the suffix array of the standard library, which does not export it.
func suffixes(text []byte) []int32 {
	v := reflect.ValueOf(suffixarray.New(text)).Elem().FieldByName("sa").FieldByName("int32")
	return unsafe.Slice((*int32)(v.UnsafePointer()), v.Len())
}

// common returns the set of the suffixes that begin with the same n bytes or more as the previous one in the array
// (Kärkkäinen, Manzini and Puglisi 2009). It goes through the text in order, because the common length of the next suffix
// is at least one byte less.
func (c *texts) common(order []int32, least int) set {
	before := make([]int32, len(order))
	last := int32(-1)
	for _, p := range order {
		before[p], last = last, p
	}
	same, n := newSet(len(c.text)), 0
	for at, b := range before {
		if b < 0 {
			n = 0
			continue
		}
		x, y := c.text[at+n:], c.text[int(b)+n:]
		for len(x) >= 64 && len(y) >= 64 && bytes.Equal(x[:64], y[:64]) {
			x, y, n = x[64:], y[64:], n+64
		}
		for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
			x, y, n = x[1:], y[1:], n+1
		}
		if n >= least {
			same.add(at)
		}
		n = max(n-1, 0)
	}
	return same
}

// set is a set of places.
type set []uint64

func newSet(n int) set       { return make(set, n/64+1) }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) clear(i int)    { s[i/64] &^= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}
