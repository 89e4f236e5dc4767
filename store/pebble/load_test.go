package pebble_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/store/pebble"
)

// words makes an article of about 3 KB. A third are copies of earlier ones with one word in a hundred replaced.
func words(n int) string {
	family, copied := n, n%3 == 2
	if copied {
		family = n - 2
	}
	r := rand.New(rand.NewPCG(uint64(family), 11))
	change := rand.New(rand.NewPCG(uint64(n), 12))
	var b strings.Builder
	for b.Len() < 3000 {
		w := r.IntN(20000)
		if copied && change.IntN(100) == 0 {
			w = change.IntN(20000)
		}
		b.WriteString("w" + strconv.FormatInt(int64(w)*7919, 36) + " ")
	}
	return b.String()
}

// BenchmarkLoad adds b.N articles with 64 clients, durable, and reopens the
// folder. NEARDUP_LOAD_DIR keeps the folder, on the disk to measure.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv("NEARDUP_LOAD_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	s, err := pebble.Open(b.Context(), dir, pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	set := docid.Settings{URL: docid.Exact, Title: docid.Off, Content: docid.Near,
		ContentMethod: func(seed uint64, _ []byte) (neardup.Method, error) { return minhash.New(minhash.Config{Seed: seed}) }}
	d, err := docid.NewDetector(b.Context(), s, "load", set)
	if err != nil {
		b.Fatal(err)
	}
	st, err := d.Index().Catalog().Stats(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	var next atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	var clients sync.WaitGroup
	for range 64 {
		clients.Go(func() {
			var mine []time.Duration
			for {
				n := int(next.Add(1)) - 1
				if n >= b.N {
					break
				}
				var sub docid.Submission
				n += int(st.Seq)
				sub.ID, sub.Text = fmt.Sprintf("n%d", n), words(n)
				sub.URL = fmt.Sprintf("https://example.org/%d", n)
				from := time.Now()
				if _, err := d.Add(b.Context(), sub); err != nil {
					b.Error(err)
					return
				}
				mine = append(mine, time.Since(from))
			}
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	clients.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "docs/s")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	st, _ = d.Index().Catalog().Stats(b.Context())
	engine, _ := d.Index().Catalog().Engine(b.Context())
	b.ReportMetric(float64(engine["memory"])/float64(st.Leaders), "table-B/leader")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	from := time.Now()
	s, err = pebble.Open(b.Context(), dir, pebble.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(from).Seconds(), "reopen-s")
	b.ReportMetric(float64(st.Members), "members")
	b.ReportMetric(float64(s.Metrics().DiskSpaceUsage())/float64(st.Members), "disk-B/doc")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
