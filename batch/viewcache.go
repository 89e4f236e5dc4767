package batch

import (
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup"
)

// viewCache keeps the views of compared texts, as many as fit its memory. It is direct-mapped: each text has
// one slot and evicts the previous view there. So a look-up is one load and needs no lock.
type viewCache struct {
	slots  []atomic.Pointer[cachedView]
	memory int64
	used   atomic.Int64
	mu     sync.Mutex // protects hand
	hand   int
	early  []*cachedView // views that were made during reading, before the slots exist
}

type cachedView struct {
	pos  position
	size int64
	view neardup.Prepared
}

// reset allocates slots for n texts, or fewer if the memory is small.
func (c *viewCache) reset(n int) {
	c.slots = make([]atomic.Pointer[cachedView], max(min(n, int(c.memory/64)), 1))
	c.used.Store(0)
	for _, v := range c.early {
		c.slots[int(v.pos)%len(c.slots)].Store(v)
		c.used.Add(v.size)
	}
	c.early = nil
}

// recordPreparer is a Method that can make the record and the view of a text together for less than both cost separately.
// It returns a nil view if that is not cheaper.
type recordPreparer interface {
	RecordPrepare(clean string, rec *neardup.Record) neardup.Prepared
}

// outliner is a Method that rules out most pairs by small outlines of their texts. Two texts with unlike outlines are
// neither near nor variants. Some texts have a nil outline; a text with an outline has no Template.
type outliner interface {
	RecordOutline(clean string, rec *neardup.Record) []uint64
	Outline(view neardup.Prepared) []uint64
	Unlike(a, b []uint64) bool
}

// outlines holds the outlines of the first texts, as many as fit its memory.
type outlines struct {
	of     [][]uint64
	texts  int
	memory int64
}

// add adds the outline of the next text.
func (o *outlines) add(outline []uint64) {
	o.texts++
	if outline == nil || o.memory <= 0 {
		return
	}
	without := make([][]uint64, o.texts-1-len(o.of))
	o.of = append(append(o.of, without...), outline)
	o.memory -= int64(24 + 24*len(without) + 9*len(outline))
}

// at returns the outline of a text, or nil.
func (o *outlines) at(i int) []uint64 {
	if i < len(o.of) {
		return o.of[i]
	}
	return nil
}

// room reports whether the cache has room for a view that is made early.
func (c *viewCache) room() bool { return c.used.Load() < c.memory*7/8 }

// keep stores a view before reset. Positions must ascend.
func (c *viewCache) keep(pos position, view neardup.Prepared) {
	if size := int64(view.Bytes()) + 64; size <= c.memory/8 && c.room() {
		c.early = append(c.early, &cachedView{pos, size, view})
		c.used.Add(size)
	}
}

func (c *viewCache) get(pos position) neardup.Prepared {
	if v := c.slots[int(pos)%len(c.slots)].Load(); v != nil && v.pos == pos {
		return v.view
	}
	return nil
}

func (c *viewCache) put(pos position, view neardup.Prepared) {
	size := int64(view.Bytes()) + 64
	if size > c.memory/4 {
		return
	}
	old := c.slots[int(pos)%len(c.slots)].Swap(&cachedView{pos, size, view})
	if old != nil {
		size -= old.size
	}
	if c.used.Add(size) > c.memory {
		c.evict()
	}
}

// evict empties slots in turn until an eighth of the memory is free.
func (c *viewCache) evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range c.slots {
		if c.used.Load() <= c.memory*7/8 {
			return
		}
		c.hand = (c.hand + 1) % len(c.slots)
		if old := c.slots[c.hand].Swap(nil); old != nil {
			c.used.Add(-old.size)
		}
	}
}
