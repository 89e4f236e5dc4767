package neardup

import (
	"container/list"
	"context"
	"sync"
)

// viewKind says which text of a leader a view is of, and for whom.
type viewKind uint8

const (
	viewContent viewKind = iota
	viewTitle
	viewAgrees
)

func (k viewKind) text(title, text string) string {
	if k == viewTitle {
		return title
	}
	return text
}

// leaderView is the cached view of a leader.
type leaderView struct {
	View
	nid    string
	digest Digest
	empty  bool
}

// equal reports an equal text, by its digest: good enough for texts that
// merely must not contradict each other.
func (v leaderView) equal(clean string) bool { return v.digest == DigestOf(clean) }

type viewKey struct {
	leader uint64
	kind   viewKind
}

// views keeps the views used last, within a number of bytes. A leader never
// changes, so nothing is ever stale; what ended is simply used no more.
type views struct {
	mu    sync.Mutex
	limit int
	bytes int
	order *list.List // of *viewItem, the last used in front
	items map[viewKey]*list.Element
}

type viewItem struct {
	key  viewKey
	view leaderView
}

// overhead is what an item costs beside its view, about.
const overhead = 250

func newViews(limit int) *views {
	if limit <= 0 {
		limit = 64 << 20
	}
	return &views{limit: limit, order: list.New(), items: map[viewKey]*list.Element{}}
}

func (c *views) get(k viewKey) (leaderView, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		return leaderView{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*viewItem).view, true
}

func (c *views) put(k viewKey, v leaderView) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[k]; ok || v.Bytes() > c.limit {
		return
	}
	c.items[k] = c.order.PushFront(&viewItem{k, v})
	c.bytes += v.Bytes() + overhead
	for c.bytes > c.limit {
		last := c.order.Back()
		item := last.Value.(*viewItem)
		c.order.Remove(last)
		delete(c.items, item.key)
		c.bytes -= item.view.Bytes() + overhead
	}
}

// viewOf returns the view of a leader, from the cache or from the store.
func (d *Detector) viewOf(ctx context.Context, leader uint64, kind viewKind, m Method) (leaderView, error) {
	k := viewKey{leader, kind}
	if v, ok := d.views.get(k); ok {
		return v, nil
	}
	mat, err := d.index.Material(ctx, leader)
	if err != nil {
		return leaderView{}, err
	}
	text := kind.text(mat.Title, mat.Text)
	v := leaderView{View: m.View(text), nid: mat.NID, digest: DigestOf(text), empty: blank(text)}
	d.views.put(k, v)
	return v, nil
}
