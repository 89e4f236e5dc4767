// Command postings measures what the postings of an index cost: commits, look-ups, memory, disk and a start.
//
//	go run -C bench ./postings [-none] [-n 1000000]
//
// With -none the changes have no keys, so the difference is what postings cost. Of the keys that are looked up, no
// leader has ninety in a hundred.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/pebble"
)

const keysEach = 30

// keysOf returns the keys of an article, of which one in ten occurs in others.
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

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// settle waits until nothing goes on.
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
	none := flag.Bool("none", false, "commit no keys")
	n := flag.Uint64("n", 1_000_000, "articles")
	cache := flag.Int64("cache", 64<<20, "bytes of the cache")
	flag.Parse()
	dir, err := os.MkdirTemp("", "postings")
	if err == nil {
		err = measure(&store{dir: dir, cache: *cache, none: *none}, *n)
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(l *store, n uint64) error {
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
	fmt.Printf("commit %.1f us, %.1f with what follows, ", float64(now.Microseconds())/float64(n), float64((cpu()-from-making).Microseconds())/float64(n))
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
	fmt.Printf("close %.1f s, disk %.1f B an article, ", (cpu() - from).Seconds(), float64(diskOf(l.dir))/float64(n))
	from = cpu()
	if err := l.open(); err != nil {
		return err
	}
	fmt.Printf("start %.2f s\n", (cpu() - from).Seconds())
	return l.close()
}

// store is a store of the product.
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
