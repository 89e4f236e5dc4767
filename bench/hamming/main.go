//go:build unix

// Command hamming measures the Hamming index and the self-join on random fingerprints. A share of them (-near) is within 3
// bits of an earlier one:
//
//	go run -C bench ./hamming -job online -n 1000000 -k 3
//	go run -C bench ./hamming -job join -n 10000000 -k 3 -workers 1
//
// It prints the CPU seconds (user + system) of the work, and the peak resident set of the process.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/neardup/neardup/internal/test/featuretest"
	"github.com/neardup/neardup/simhash"
)

func main() {
	job := flag.String("job", "join", "online or join")
	n := flag.Int("n", 1_000_000, "fingerprints: loaded before the measurement (online), joined (join)")
	k := flag.Int("k", 3, "distance")
	ops := flag.Int("ops", 1_000_000, "online: queries")
	near := flag.Float64("near", 0.01, "share of fingerprints within 3 bits of an earlier one")
	workers := flag.Int("workers", 1, "join: workers")
	flag.Parse()
	var err error
	switch *job {
	case "online":
		err = online(fingerprints(*n+*ops, *near), *n, *k)
	case "join":
		err = join(fingerprints(*n, *near), *k, simhash.JoinOptions{Workers: *workers})
	default:
		err = fmt.Errorf("job %q: want online or join", *job)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// fingerprints returns n fingerprints, a share of which is within a distance of 3 of an earlier one.
func fingerprints(n int, near float64) []uint64 {
	rng := rand.New(rand.NewPCG(1, 2))
	fps := make([]uint64, n)
	for i := range fps {
		fps[i] = rng.Uint64()
		if i > 0 && rng.Float64() < near {
			fps[i] = fps[rng.IntN(i)]
			for range rng.IntN(4) {
				fps[i] ^= 1 << rng.IntN(64)
			}
		}
	}
	return fps
}

func online(fps []uint64, n, k int) error {
	ops := len(fps) - n
	start, since := featuretest.CPU(), time.Now()
	x, err := simhash.NewIndex(context.Background(), fps[:n], k, 1)
	if err != nil {
		return err
	}
	loaded := featuretest.CPU() - start
	fmt.Printf("online k=%d: loaded %d in %.2f CPU s (%.2f s)\n", k, n, loaded.Seconds(), time.Since(since).Seconds())
	var near []simhash.Neighbor
	found := 0
	start, since = featuretest.CPU(), time.Now()
	for _, fp := range fps[n:] {
		near, err = x.Query(near[:0], fp, k)
		if err != nil {
			return err
		}
		found += len(near)
	}
	used := featuretest.CPU() - start
	fmt.Printf("  %d queries in %.2f CPU s (%.2f s): %.3fM/s; %d found, peak %d MB\n",
		ops, used.Seconds(), time.Since(since).Seconds(), float64(ops)/used.Seconds()/1e6, found, peak())
	return nil
}

func join(fps []uint64, k int, o simhash.JoinOptions) error {
	debug.FreeOSMemory()
	pairs, sum := 0, uint64(0)
	start, since := featuretest.CPU(), time.Now()
	err := simhash.SelfJoin(context.Background(), fps, k, o, func(p simhash.Pair) error {
		pairs++
		sum += uint64(p.A)*1_000_003 ^ uint64(p.B)
		return nil
	})
	if err != nil {
		return err
	}
	used := featuretest.CPU() - start
	fmt.Printf("join k=%d n=%d workers=%d: %.2f CPU s (%.2f s), %d pairs (checksum %x), peak %d MB with %d MB of input\n",
		k, len(fps), o.Workers, used.Seconds(), time.Since(since).Seconds(), pairs, sum, peak(), len(fps)*8>>20)
	return nil
}

// peak returns the largest resident set so far in MB, from the KB that Linux reports.
func peak() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return int64(u.Maxrss) >> 10
}
