package redislog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/store/redislog"
	"github.com/neardup/neardup/store/storetest"
	"github.com/redis/rueidis"
)

func TestRedis(t *testing.T)  { contract(t, services.Redis(t)) }
func TestValkey(t *testing.T) { contract(t, services.Valkey(t)) }

func contract(t *testing.T, s *services.Server) {
	storetest.RunLog(t, func(t *testing.T) docid.Log {
		client(t, s, "FLUSHALL")
		return open(t, s)
	})
}

func open(t *testing.T, s *services.Server) *redislog.Log {
	t.Helper()
	l, err := redislog.Open(t.Context(), "redis://"+s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// client sends a command.
func client(t *testing.T, s *services.Server, command ...string) {
	t.Helper()
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.Addr}, DisableCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Do(t.Context(), c.B().Arbitrary(command...).Build()).Error(); err != nil {
		t.Fatal(err)
	}
}

// TestPromises: a Redis that may lose what it acknowledged is refused, and says by which setting; so is an address
// that cannot be read, without its password.
func TestPromises(t *testing.T) {
	s := services.Redis(t)
	for _, c := range []struct{ name, value, loss string }{
		{"appendfsync", "everysec", "a power failure loses the last second"},
		{"appendfsync", "always", ""},
		{"maxmemory-policy", "allkeys-lru", "a full Redis forgets entries"},
		{"maxmemory-policy", "noeviction", ""},
		{"appendonly", "no", "a restart loses everything"},
	} {
		client(t, s, "CONFIG", "SET", c.name, c.value)
		l, err := redislog.Open(t.Context(), "redis://"+s.Addr)
		if (err == nil) != (c.loss == "") || c.loss != "" && (!errors.Is(err, docid.ErrInvalid) || !strings.Contains(err.Error(), c.loss)) {
			t.Errorf("%s %s: %v", c.name, c.value, err)
		}
		if err == nil {
			_ = l.Close()
		}
	}
	for _, address := range []string{"redis://user:secret@:bad", "redis://" + s.Addr + "?master_set=nd", "redis://" + s.Addr + "?addr=127.0.0.1:1"} {
		if _, err := redislog.Open(t.Context(), address); !errors.Is(err, docid.ErrInvalid) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestStore holds an embedded store that follows a log in Redis to the contract of stores.
func TestStore(t *testing.T) {
	s := services.Redis(t)
	storetest.Run(t, func(t *testing.T) storetest.Place {
		client(t, s, "FLUSHALL")
		log, dir := open(t, s), t.TempDir()
		return storetest.Place{Lasting: true, Follows: true, Open: func(ctx context.Context) (docid.Store, error) {
			return pebble.Open(ctx, dir, pebble.Options{Log: log})
		}}
	})
}

// TestFull: a Redis without memory takes nothing, says so, and loses nothing; what is trimmed makes room.
func TestFull(t *testing.T) {
	s := services.Redis(t)
	l, at := open(t, s), docid.Anchor{}
	entry := func(n uint64) []byte { return fmt.Appendf(nil, "%016d%s", n, strings.Repeat("x", 100_000)) }
	client(t, s, "CONFIG", "SET", "maxmemory", "8mb")
	for n := uint64(1); ; n++ {
		if _, err := l.Append(t.Context(), at, entry(n)); errors.Is(err, docid.ErrFull) {
			break
		} else if err != nil || n > 1000 {
			t.Fatalf("entry %d: %v", n, err)
		}
		at = at.Next(entry(n))
	}
	if end, err := l.Durable(t.Context()); err != nil || end != at.Offset {
		t.Errorf("the log ends at %d, not %d: %v", end, at.Offset, err)
	}
	if err := l.Trim(t.Context(), at.Offset-2); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), at, entry(0)); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}

// TestSettingsChanged: a running Redis that is set to lose answers is read no more until it is set back.
func TestSettingsChanged(t *testing.T) {
	s := services.Redis(t)
	l := open(t, s)
	for _, c := range []struct {
		value string
		want  error
	}{{"everysec", docid.ErrUnavailable}, {"always", nil}} {
		client(t, s, "CONFIG", "SET", "appendfsync", c.value)
		var err error
		for range 10 { // it is looked every second, and a read takes a third of one
			if _, err = l.Read(t.Context(), docid.Anchor{}); errors.Is(err, c.want) {
				break
			}
		}
		if !errors.Is(err, c.want) {
			t.Errorf("appendfsync %s: %v", c.value, err)
		}
	}
}
