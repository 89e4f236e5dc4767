package pebble

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
)

// TestFollowers runs the contract on a store that follows a log. A second store is fed by the log alone and
// reopened at random moments. After each test both must have the same rows.
func TestFollowers(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Backend {
		log, dir := storetest.Begin(t, storetest.NewLog()), t.TempDir()
		first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
		over := make(chan struct{})
		var beside sync.WaitGroup
		t.Cleanup(func() {
			close(over)
			beside.Wait()
			if end, _ := log.Durable(context.Background()); end > 0 {
				sameRows(t, first, second, log)
			}
		})
		beside.Go(func() {
			for r := rand.New(rand.NewPCG(1, 2)); ; {
				s, err := Open(context.Background(), second, Options{Postings: 256, Log: log})
				if err != nil {
					t.Errorf("open the second server: %v", err)
					return
				}
				select {
				case <-over:
				case <-time.After(time.Duration(r.IntN(300)) * time.Millisecond):
				}
				if err := s.Close(); err != nil {
					t.Errorf("close the second server: %v", err)
					return
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
		return storetest.Backend{Lasting: true, Follows: true, Open: func(ctx context.Context) (docid.Store, error) {
			return Open(ctx, first, Options{Postings: 1024, Log: log})
		}}
	})
}

// sameRows brings both stores to the end of the log and compares them with a replay.
func sameRows(t *testing.T, first, second string, log docid.Log) {
	t.Helper()
	for i, dir := range []string{first, second} {
		s, err := Open(context.Background(), dir, Options{Log: log})
		if err != nil {
			t.Fatalf("open server %d: %v", i+1, err)
		}
		ok(t, s.Close())
		p, err := Prove(context.Background(), dir, Options{Log: log}, t.TempDir())
		if err != nil || len(p.Problems) > 0 {
			t.Errorf("server %d: %v, %v", i+1, p.Problems, err)
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
