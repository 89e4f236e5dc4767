package docid

import (
	"context"
	"sync"

	"github.com/neardup/neardup"
)

// viewKind identifies a text of a leader and the method that its view is for.
type viewKind uint8

const (
	viewContent viewKind = iota
	viewTitle
	viewTitleAgrees
	viewURLAgrees
	viewKinds = 4
)

// leaderView is the cached view of a leader.
type leaderView struct {
	neardup.Prepared
	nid    string
	digest neardup.Digest
	empty  bool
	Extras // extras of the leader
}

// equal reports whether the digests of the texts are equal. The digest is enough, because the result
// only saves a comparison for contradictions.
func (v *leaderView) equal(clean string) bool { return v.digest == neardup.DigestOf(clean) }

// viewKey combines the number of a leader and the kind of view.
type viewKey uint64

func keyOfView(leader uint64, kind viewKind) viewKey { return viewKey(leader<<2 | uint64(kind)) }

// viewCache caches recently used views, up to a number of bytes. A leader never changes, so no view becomes stale; views of
// ended leaders age like all others.
//
// Eviction uses the clock algorithm: a hand evicts the first view that was not used since its last pass. So a hit costs one
// map access, and a hot bucket needs thousands of them.
type viewCache struct {
	mu     sync.Mutex
	limit  int
	bytes  int
	cached map[viewKey]*cachedView
	ring   []*cachedView
	hand   int
}

type cachedView struct {
	key  viewKey
	used bool
	leaderView
}

// overhead is the approximate memory of an entry apart from its view.
const overhead = 200

func newViewCache(limit int) *viewCache {
	if limit <= 0 {
		limit = 64 << 20
	}
	return &viewCache{limit: limit, cached: map[viewKey]*cachedView{}}
}

// get returns a view, or nil if the cache does not have it.
func (c *viewCache) get(k viewKey) *leaderView {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.cached[k]
	if v == nil {
		return nil
	}
	v.used = true
	return &v.leaderView
}

func (c *viewCache) put(k viewKey, v leaderView) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := v.size()
	if c.cached[k] != nil || size > c.limit {
		return
	}
	for c.bytes+size > c.limit {
		c.evict()
	}
	entry := &cachedView{key: k, leaderView: v}
	c.cached[k] = entry
	c.ring = append(c.ring, entry)
	c.bytes += size
}

// evict drops the view at the hand. The last view of the ring takes its place, so it stays for a whole round.
func (c *viewCache) evict() {
	c.hand %= len(c.ring)
	for c.ring[c.hand].used {
		c.ring[c.hand].used = false
		c.hand = (c.hand + 1) % len(c.ring)
	}
	gone, last := c.ring[c.hand], len(c.ring)-1
	c.ring[c.hand], c.ring[last] = c.ring[last], nil
	c.ring = c.ring[:last]
	c.hand++
	delete(c.cached, gone.key)
	c.bytes -= gone.size()
}

// size returns the memory of a view with its metadata.
func (v *leaderView) size() int { return v.Bytes() + overhead + v.Extras.size() }

// newLeaderView makes the cached view of a leader.
func newLeaderView(nid, text string, extras Extras, v neardup.Prepared) leaderView {
	return leaderView{Prepared: v, nid: nid, digest: neardup.DigestOf(text), empty: neardup.Blank(text), Extras: extras}
}

// viewOf returns the view of a leader, from the cache or from the store. Without a method it returns only the metadata. It
// returns ErrNotFound if the docId has ended.
func (j *search) viewOf(ctx context.Context, leader uint64, kind viewKind, m neardup.Method) (*leaderView, error) {
	k := keyOfView(leader, kind)
	if v := j.d.viewCache.get(k); v != nil {
		return v, nil
	}
	mat, err := j.material(ctx, leader)
	if err != nil {
		return nil, err
	}
	text := j.d.textOf(kind, mat.Title, mat.Text)
	v := newLeaderView(mat.NID, text, mat.Extras, nil)
	if m == nil {
		return &v, nil
	}
	v.Prepared = m.Prepare(text)
	j.d.viewCache.put(k, v)
	return &v, nil
}

func (j *search) material(ctx context.Context, leader uint64) (Material, error) {
	if err := j.spend(ctx, readEffort); err != nil {
		return Material{}, err
	}
	return j.d.index.Material(ctx, leader)
}

// remember caches the views of an article that became a leader. An article with candidates has views, and later articles
// are likely to be compared with it.
func (d *Detector) remember(s *subject, e Entry) {
	for kind, v := range s.views {
		if v != nil {
			text := s.textOf(viewKind(kind), s.title, s.text)
			d.viewCache.put(keyOfView(e.Leader, viewKind(kind)), newLeaderView(e.NID, text, s.sub.Extras, v))
		}
	}
}
