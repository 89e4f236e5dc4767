package batch

import (
	"context"
	"io"
	"math"
	"sync"
	"time"
	"unsafe"

	"github.com/neardup/neardup"
	"github.com/zeebo/xxh3"
)

// run is one run of the engine. Texts are numbered first in the order in
// which the input first shows them and, once the order of Keep is known, in
// that order; everything after prepare speaks of the second number.
type run struct {
	cfg    Config
	disk   *disk
	src    Source
	method neardup.Method
	router Router
	tally  neardup.Tally // not nil while a trainable method is being trained

	seen     *seenTexts
	docs     *array[docRow]
	ids      *spool
	idHashes *sorter[pair]
	texts    *array[textRow]
	spool    *spool
	postings *sorter[posting]
	order    *orderer       // nil when Keep is First
	ranked   *array[uint32] // rank -> item; nil when Keep is First
	live     *sorted[pair]  // text -> earlier texts and large buckets that may be near it
	livePost int            // index postings in live
	buckets  uint64
	states   *array[state]
	removed  bitset // the texts that are duplicates, as far as decided
	views    *viewCache
	names    *nameTable
	routes   [256]string
	allSeen  bool // no two texts are equal
	late     map[uint32][]lateMatch
	weakest  map[uint32]edge // components only
	sum      Summary
	begun    time.Time
}

// Router is a Method that sends texts to one of several; the decision names
// the one that Route returns.
type Router interface {
	Route(clean string) string
}

// docRow is what is kept of one item of the input.
type docRow struct {
	id    place
	idLen uint32
	text  uint32 // number of the text plus 1; 0: rejected
}

// textRow is what is kept of one distinct text.
type textRow struct {
	at     place
	sketch uint64
	len    uint32
	first  uint32 // rank of its first document
	member uint32 // pairs only: where its documents start in members
	route  uint8
	copies bool // has more than one document
}

// newRun divides the memory. About 60 % is planned for; the rest is for blocks
// in flight and the collector of garbage.
func newRun(src Source, cfg Config) (*run, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	tenth := cfg.Memory * 6 / 100
	d := &disk{dir: cfg.Tmp}
	r := &run{
		cfg: cfg, disk: d, src: src, method: cfg.Method, begun: time.Now(),
		seen:     newSeenTexts(tenth),
		docs:     newArray[docRow](d, tenth/2),
		ids:      newSpool(d, tenth/2),
		idHashes: newSorter[pair](d, tenth/4),
		texts:    newArray[textRow](d, tenth),
		spool:    newSpool(d, 3*tenth),
		postings: newSorter[posting](d, 3*tenth),
		states:   newArray[state](d, tenth),
		views:    newViewCache(2 * tenth),
		names:    newNameTable(),
		late:     map[uint32][]lateMatch{},
	}
	r.router, _ = cfg.Method.(Router)
	if t, ok := cfg.Method.(neardup.Trainable); ok {
		r.tally = t.Tally(2 * tenth)
	}
	if cfg.Keep != First {
		r.order = newOrderer(cfg.Keep, d, tenth)
	}
	return r, nil
}

func (r *run) close() {
	for _, c := range []io.Closer{
		closer(r.docs.close), closer(r.ids.close), closer(r.texts.close),
		closer(r.spool.close), closer(r.states.close),
	} {
		_ = c.Close() // temporary files: nothing to lose
	}
	if r.live != nil {
		_ = r.live.close()
	}
	if r.ranked != nil {
		_ = r.ranked.close()
	}
}

type closer func() error

func (c closer) Close() error { return c() }

// prepare reads everything, orders it and groups it by key.
func (r *run) prepare(ctx context.Context) error {
	if err := r.scan(ctx); err != nil {
		return err
	}
	if r.tally != nil {
		if err := r.train(ctx); err != nil {
			return err
		}
		if err := r.record(ctx); err != nil {
			return err
		}
	}
	r.sum.Method = r.method.Spec().String()
	r.sum.Texts = int64(r.texts.len())
	r.sum.ReadTime = time.Since(r.begun)
	r.allSeen = !r.seen.full()
	r.seen = nil
	if err := r.countSharedIDs(ctx); err != nil {
		return err
	}
	var posOf *array[uint32]
	if r.order != nil {
		var err error
		if posOf, err = r.rank(ctx); err != nil {
			return err
		}
		defer posOf.close()
	}
	return r.group(ctx, posOf)
}

// noteID remembers the hash of an id, to say at the end how many are shared.
func (r *run) noteID(id string) error {
	return r.idHashes.add(pair{xxh3.HashString(id), uint64(r.docs.len())})
}

func (r *run) countSharedIDs(ctx context.Context) error {
	ids, err := r.idHashes.sort()
	if err != nil {
		return err
	}
	defer ids.close()
	r.idHashes = nil
	first, last, shared := true, pair{}, math.MaxInt
	err = ids.each(ctx, func(p pair) error {
		if !first && p.key() == last.key() {
			r.sum.SharedIDs++
			shared = min(shared, int(max(p.val(), last.val())))
		}
		first, last = false, p
		return nil
	})
	if err == nil && r.sum.SharedIDs > 0 {
		r.sum.SharedID, err = r.id(uint32(shared))
	}
	return err
}

// id returns the id of an item.
func (r *run) id(item uint32) (string, error) {
	d, err := r.docs.get(int(item))
	if err != nil {
		return "", err
	}
	b, err := r.ids.read(d.id, int(d.idLen))
	return string(b), err
}

// item returns the item at a rank.
func (r *run) item(rank uint32) (uint32, error) {
	if r.ranked == nil {
		return rank, nil
	}
	return r.ranked.get(int(rank))
}

func (r *run) routeOf(clean string) uint8 {
	if r.router == nil {
		return 0
	}
	name := r.router.Route(clean)
	for i := range r.routes {
		if r.routes[i] == name {
			return uint8(i)
		}
		if r.routes[i] == "" {
			r.routes[i] = name
			return uint8(i)
		}
	}
	return 0
}

// seenTexts maps digests to the number of their text. It holds as many as
// its memory allows; what comes later is not collapsed here and is found by
// its keys instead.
type seenTexts struct {
	shards [64]struct {
		sync.Mutex
		no map[neardup.Digest]uint32 // number plus 1; 0: claimed by a worker
	}
	perShard int
}

func newSeenTexts(memory int64) *seenTexts {
	s := &seenTexts{perShard: max(int(memory/48/64), 1)}
	for i := range s.shards {
		s.shards[i].no = map[neardup.Digest]uint32{}
	}
	return s
}

// claim reports whether the caller is the first to see the text.
func (s *seenTexts) claim(d neardup.Digest) bool {
	sh := &s.shards[d[0]&63]
	sh.Lock()
	defer sh.Unlock()
	if _, ok := sh.no[d]; ok {
		return false
	}
	if len(sh.no) < s.perShard {
		sh.no[d] = 0
	}
	return true
}

func (s *seenTexts) number(d neardup.Digest) (uint32, bool) {
	sh := &s.shards[d[0]&63]
	sh.Lock()
	defer sh.Unlock()
	no := sh.no[d]
	return no - 1, no > 0
}

func (s *seenTexts) assign(d neardup.Digest, no uint32) {
	sh := &s.shards[d[0]&63]
	sh.Lock()
	defer sh.Unlock()
	if old, ok := sh.no[d]; ok && old == 0 {
		sh.no[d] = no + 1
	}
}

// full reports whether some text may have found no room.
func (s *seenTexts) full() bool {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.Lock()
		n := len(sh.no)
		sh.Unlock()
		if n >= s.perShard {
			return true
		}
	}
	return false
}

func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
