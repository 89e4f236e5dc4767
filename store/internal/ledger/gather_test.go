package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/internal/ledger"
)

// read is a log that counts its reads.
type read struct {
	*storetest.Log
	times atomic.Int64
}

func (l *read) Read(ctx context.Context, a docid.Anchor) ([][]byte, error) {
	l.times.Add(1)
	return l.Log.Read(ctx, a)
}

// TestEntriesGather checks that entries of other servers are read together, and awaited entries at once. It
// uses the clock of synctest.
func TestEntriesGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &read{Log: storetest.Begin(t, storetest.NewLog())}
		s, err := ledger.Open(t.Context(), &rows{}, ledger.Options{Log: log})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		began, before := time.Now(), log.times.Load()
		for n := range 100 {
			if err := log.Force(fmt.Appendf(nil, "%016d\x01junk", n)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if n := log.times.Load() - before; n > 12 {
			t.Errorf("100 entries in %v were read in %d reads", time.Since(began), n)
		}
		if err := log.Force(fmt.Appendf(nil, "%016d\x01junk", 100)); err != nil {
			t.Fatal(err)
		}
		for what, ask := range map[string]func() error{
			"who looks something up": func() error { _, err := s.Index(t.Context(), "t", nil); return err },
			"who proposes something": func() error {
				_, err := s.Index(t.Context(), "t", func() (docid.Identity, error) { return docid.Identity{}, nil })
				return err
			},
		} {
			began := time.Now()
			if err := ask(); err != nil && !errors.Is(err, docid.ErrNotFound) {
				t.Error(err)
			}
			if waited := time.Since(began); waited > 5*time.Millisecond {
				t.Errorf("%s waits for %v", what, waited)
			}
		}
		if at := s.Applied(); at < 102 {
			t.Errorf("applied up to %d", at)
		}
	})
}

// TestServersBeginNoLog checks that a server appends nothing to an empty log. Its entry would take the place of
// the genesis, and no server could follow the log.
func TestServersBeginNoLog(t *testing.T) {
	log := storetest.NewLog()
	s, err := ledger.Open(t.Context(), &rows{}, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := ledger.MakeSure(ctx, s, log); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("an empty log: %v", err)
	}
	if end, err := log.Durable(t.Context()); err != nil || end != 0 {
		t.Errorf("the log has %d entries, %v", end, err)
	}
}
