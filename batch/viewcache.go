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
