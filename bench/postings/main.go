// Command postings compares layouts for the postings of an index. own is the layout of the store. The others are rows of
// Pebble, found by its filters: a row for each posting (rows), a row for each key to which Pebble appends (merged), or rows
// sorted by key from a table in memory (sorted).
//
//	go run -C bench ./postings -layout own|none|rows|merged|sorted [-n 1000000]
//
// "none" is the store without keys, so the cost of own is its difference from none. The other layouts store nothing but
// postings. Ninety percent of the keys that are looked up do not exist.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	engine "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/pebble"
)

const keysEach = 30

// keysOf returns the keys of an article. One in ten also occurs in other articles.
func keysOf(seed, n, of uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, n))
	keys := make([]uint64, keysEach)
	for i := range keys {
		keys[i] = r.Uint64()
		if r.IntN(10) == 0 {
			keys[i] = rand.New(rand.NewPCG(0, r.Uint64N(of/5))).Uint64()
		}
	}
	return keys
}

// layout is a way of storing postings.
type layout interface {
	commit(n uint64, keys []uint64) error
	find(keys []uint64) (found int, err error)
	close() error
	open() error
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// settle waits until no background work is running.
func settle() {
	for quiet := 0; quiet < 4; quiet++ {
		from := cpu()
		time.Sleep(500 * time.Millisecond)
		if cpu()-from > 10*time.Millisecond {
			quiet = -1
		}
	}
}

func resident() string {
	b, _ := os.ReadFile("/proc/self/status")
	var out []string
	for l := range strings.Lines(string(b)) {
		if strings.HasPrefix(l, "VmRSS") || strings.HasPrefix(l, "VmHWM") {
			out = append(out, strings.Join(strings.Fields(l), " "))
		}
	}
	return strings.Join(out, ", ")
}

func diskOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil {
			if i, err := e.Info(); err == nil && !e.IsDir() {
				n += i.Size()
			}
		}
		return nil
	})
	return n
}

func main() {
	name := flag.String("layout", "own", "own, none, rows, merged or sorted")
	n := flag.Uint64("n", 1_000_000, "articles")
	cache := flag.Int64("cache", 64<<20, "bytes of the cache")
	flag.Parse()
	dir, err := os.MkdirTemp("", "postings")
	if err == nil {
		err = measure(*name, dir, *n, *cache)
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(name, dir string, n uint64, cache int64) error {
	var l layout
	switch name {
	case "own", "none":
		l = &store{dir: dir, cache: cache, none: name == "none"}
	default:
		l = &rows{dir: dir, cache: cache, kind: name}
	}
	if err := l.open(); err != nil {
		return err
	}
	from := cpu()
	for i := range n {
		_ = keysOf(1, i, n)
	}
	making := cpu() - from
	from = cpu()
	var next atomic.Uint64
	var failed error
	var mu sync.Mutex
	var clients sync.WaitGroup
	for range 64 {
		clients.Go(func() {
			for {
				i := next.Add(1)
				if i > n {
					return
				}
				if err := l.commit(i, keysOf(1, i, n)); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
			}
		})
	}
	clients.Wait()
	if failed != nil {
		return failed
	}
	now := cpu() - from - making
	settle()
	fmt.Printf("%s: commit %.1f us, %.1f with what follows, ", name, float64(now.Microseconds())/float64(n), float64((cpu()-from-making).Microseconds())/float64(n))
	const looks = 100_000
	for range 2 {
		from = cpu()
		found := 0
		for i := range uint64(looks) {
			f, err := l.find(keysOf(2, i, n))
			if err != nil {
				return err
			}
			found += f
		}
		took := cpu() - from
		from = cpu()
		for i := range uint64(looks) {
			_ = keysOf(2, i, n)
		}
		took -= cpu() - from
		fmt.Printf("look-up %.1f us (%.2f found), ", float64(took.Microseconds())/looks, float64(found)/looks)
	}
	runtime.GC()
	fmt.Print(resident(), ", ")
	from = cpu()
	if err := l.close(); err != nil {
		return err
	}
	fmt.Printf("close %.1f s, disk %.1f B an article, ", (cpu() - from).Seconds(), float64(diskOf(dir))/float64(n))
	from = cpu()
	if err := l.open(); err != nil {
		return err
	}
	fmt.Printf("start %.2f s\n", (cpu() - from).Seconds())
	return l.close()
}

// store is the store of the product.
type store struct {
	dir   string
	cache int64
	none  bool
	s     *pebble.Store
	ix    docid.Index
}

func (s *store) open() (err error) {
	s.s, err = pebble.Open(context.Background(), s.dir, pebble.Options{CacheBytes: s.cache})
	if err != nil {
		return err
	}
	s.ix, err = s.s.Index(context.Background(), "t", func() (docid.Identity, error) { return docid.Identity{Seed: 1}, nil })
	return err
}

func (s *store) close() error { return s.s.Close() }

func (s *store) commit(n uint64, keys []uint64) error {
	if s.none {
		keys = nil
	}
	_, err := s.ix.Commit(context.Background(), &docid.Change{
		Entry: docid.Entry{Kind: docid.KindNew, NID: fmt.Sprint(n)}, Article: &docid.Article{},
		NewLeader: &docid.NewLeader{Keys: keys, Sketch: n}, Query: docid.Query{Since: 1 << 40, KeySets: []docid.KeySet{{Keys: keys}}},
	})
	return err
}

func (s *store) find(keys []uint64) (int, error) {
	if s.none {
		keys = nil
	}
	f, err := s.ix.Lookup(context.Background(), docid.Query{KeySets: []docid.KeySet{{Keys: keys}}})
	if err != nil {
		return 0, err
	}
	return len(f.KeySets[0]), nil
}

// rows stores postings as rows of Pebble.
type rows struct {
	dir   string
	cache int64
	kind  string
	db    *engine.DB
	mu    sync.Mutex
	b     *engine.Batch
	in    int
	table []posting // only for sorted: the postings in memory
}

type posting struct{ key, n uint64 }

// prefixed returns the comparer for byte order, with filters on keys without their change.
func prefixed() *engine.Comparer {
	c := *engine.DefaultComparer
	c.Split = func(k []byte) int { return min(len(k), 13) }
	c.Name = "postings"
	return &c
}

func (r *rows) open() (err error) {
	o := &engine.Options{
		CacheSize: r.cache + 4*32<<20, FormatMajorVersion: engine.FormatNewest, MemTableSize: 32 << 20, MemTableStopWritesThreshold: 4,
		L0CompactionThreshold: 4, L0StopWritesThreshold: 24, BytesPerSync: 512 << 10, Logger: quiet{},
		CompactionConcurrencyRange: func() (int, int) { return 1, 1 },
	}
	if r.kind == "rows" {
		o.Comparer = prefixed()
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		o.Levels[i].BlockSize = 16 << 10
	}
	r.db, err = engine.Open(r.dir, o)
	return err
}

type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func (r *rows) close() error { return r.db.Close() }

func rowKey(key uint64, n ...uint64) []byte {
	k := make([]byte, 5, 21)
	k[0] = 'p'
	k = binary.BigEndian.AppendUint64(k, key)
	for _, n := range n {
		k = binary.BigEndian.AppendUint64(k, n)
	}
	return k
}

// groupOf is the number of articles that are committed together, as the store does under load.
const groupOf = 32

func (r *rows) commit(n uint64, keys []uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kind == "sorted" {
		for _, k := range keys {
			r.table = append(r.table, posting{k, n})
		}
		if len(r.table) < 256<<10 {
			return nil
		}
		slices.SortFunc(r.table, func(a, b posting) int {
			if a.key < b.key {
				return -1
			} else if a.key > b.key {
				return 1
			}
			return int(a.n) - int(b.n)
		})
		b := r.db.NewBatch()
		for _, p := range r.table {
			if err := b.Merge(rowKey(p.key), binary.AppendUvarint(nil, p.n), nil); err != nil {
				return err
			}
			if b.Len() > 1<<20 {
				if err := b.Commit(engine.NoSync); err != nil {
					return err
				}
				b = r.db.NewBatch()
			}
		}
		r.table = r.table[:0]
		return b.Commit(engine.NoSync)
	}
	if r.b == nil {
		r.b = r.db.NewIndexedBatch()
	}
	for _, k := range keys {
		var err error
		if r.kind == "rows" {
			err = r.b.Set(rowKey(k, n), nil, nil)
		} else {
			err = r.b.Merge(rowKey(k), binary.AppendUvarint(nil, n), nil)
		}
		if err != nil {
			return err
		}
	}
	r.in++
	if r.in < groupOf {
		return nil
	}
	err := r.b.Commit(engine.NoSync)
	_ = r.b.Close()
	r.b, r.in = nil, 0
	return err
}

func (r *rows) find(keys []uint64) (found int, err error) {
	if r.kind == "rows" {
		it, err := r.db.NewIter(nil)
		if err != nil {
			return 0, err
		}
		for _, k := range keys {
			for ok := it.SeekPrefixGE(rowKey(k)); ok; ok = it.Next() {
				found++
			}
		}
		return found, it.Close()
	}
	for _, k := range keys {
		v, c, err := r.db.Get(rowKey(k))
		if errors.Is(err, engine.ErrNotFound) {
			continue
		} else if err != nil {
			return found, err
		}
		for len(v) > 0 {
			_, n := binary.Uvarint(v)
			v = v[n:]
			found++
		}
		if err := c.Close(); err != nil {
			return found, err
		}
	}
	return found, nil
}
