// Package load sends articles to a running docId service in an open loop: at scheduled times, whether earlier requests were
// answered or not. The latency of a request counts from its scheduled time, so a service that stalls cannot hide it (no
// coordinated omission).
package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Result is the result of an open loop.
type Result struct {
	Sent, Failed         int
	Rate                 float64 // answered requests per second
	P50, P99, P999, Most time.Duration
	Why                  map[string]int // status or error -> number of failed requests
}

// String returns a line for a report.
func (r Result) String() string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
	failed := fmt.Sprint(r.Failed, " failed")
	if r.Failed > 0 {
		failed += " " + strings.TrimPrefix(fmt.Sprint(r.Why), "map")
	}
	return fmt.Sprintf("%d sent, %s, %.0f/s answered, p50 %s, p99 %s, p99.9 %s, longest %s",
		r.Sent, failed, r.Rate, ms(r.P50), ms(r.P99), ms(r.P999), ms(r.Most))
}

// Open sends requests made by number, from first on, at rate per second for a time, with at most workers open at once.
// Requests that are due while all workers are busy wait, and their latency grows. Arrivals are a Poisson process.
func (t *Target) Open(ctx context.Context, request func(int) Request, first int, rate float64, d time.Duration, workers int) Result {
	return t.Prepare(request, first, rate, d).Run(ctx, workers)
}

// Schedule is a prepared open loop: all requests and their times.
type Schedule struct {
	target   *Target
	due      []time.Duration
	requests [][]byte
}

// Prepare makes the requests of an open loop, so that making them is not measured. It holds all of them in memory.
func (t *Target) Prepare(request func(int) Request, first int, rate float64, d time.Duration) *Schedule {
	due := make([]time.Duration, 0, int(rate*d.Seconds()*1.1))
	r := rand.New(rand.NewPCG(uint64(first), 17))
	for at := time.Duration(0); at < d; {
		due = append(due, at)
		at += time.Duration(r.ExpFloat64() / rate * float64(time.Second))
	}
	return &Schedule{t, due, t.made(request, first, len(due))}
}

// Run sends the requests once.
func (s *Schedule) Run(ctx context.Context, workers int) Result {
	took := make([]time.Duration, len(s.due))
	var next atomic.Int64
	why := map[string]int{}
	var mu sync.Mutex // protects why
	var group sync.WaitGroup
	begin := time.Now()
	for range workers {
		group.Go(func() {
			wires := []*wire{s.target.dial()}
			for _, other := range s.target.next {
				wires = append(wires, other.dial())
			}
			defer func() {
				for _, c := range wires {
					c.close()
				}
			}()
			for {
				n := int(next.Add(1)) - 1
				if n >= len(s.due) || ctx.Err() != nil {
					return
				}
				time.Sleep(time.Until(begin.Add(s.due[n])))
				status, err := wires[n%len(wires)].do(s.requests[n])
				s.requests[n] = nil
				took[n] = time.Since(begin) - s.due[n]
				if err != nil || status != http.StatusOK {
					what := fmt.Sprint(status)
					if err != nil {
						what = err.Error()
					}
					mu.Lock()
					why[what]++
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return summary(took, why, time.Since(begin))
}

func summary(took []time.Duration, why map[string]int, total time.Duration) Result {
	failed := 0
	for _, n := range why {
		failed += n
	}
	slices.Sort(took)
	at := func(share float64) time.Duration { return took[min(len(took)-1, int(share*float64(len(took))))] }
	if len(took) == 0 {
		return Result{}
	}
	return Result{
		Sent: len(took), Failed: failed, Why: why, Rate: float64(len(took)-failed) / total.Seconds(),
		P50: at(.5), P99: at(.99), P999: at(.999), Most: took[len(took)-1],
	}
}
