package batch

import (
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup"
)

// knownTexts maps the digests of texts to their numbers. It holds as many as its memory allows. Texts that do not fit are
// not collapsed here; equal ones are found by their keys.
type knownTexts struct {
	shards [64]struct {
		sync.Mutex
		no map[neardup.Digest]textNo // number plus 1; 0 if a worker has claimed the text
	}
	perShard int
	full     atomic.Bool // a text may have been left out for lack of memory
}

func newKnownTexts(memory int64) *knownTexts {
	s := &knownTexts{perShard: max(int(memory/48/64), 1)}
	for i := range s.shards {
		s.shards[i].no = map[neardup.Digest]textNo{}
	}
	return s
}

// claim reports whether the caller is the first to claim the text.
func (k *knownTexts) claim(d neardup.Digest) bool {
	sh := &k.shards[d[0]&63]
	sh.Lock()
	defer sh.Unlock()
	if _, ok := sh.no[d]; ok {
		return false
	}
	if len(sh.no) < k.perShard {
		sh.no[d] = 0
	}
	if len(sh.no) >= k.perShard {
		k.full.Store(true)
	}
	return true
}

func (k *knownTexts) number(d neardup.Digest) (textNo, bool) {
	sh := &k.shards[d[0]&63]
	sh.Lock()
	defer sh.Unlock()
	no := sh.no[d]
	return no - 1, no > 0
}

func (k *knownTexts) assign(d neardup.Digest, no textNo) {
	sh := &k.shards[d[0]&63]
	sh.Lock()
	defer sh.Unlock()
	if old, ok := sh.no[d]; ok && old == 0 {
		sh.no[d] = no + 1
	}
}
