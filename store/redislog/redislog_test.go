package redislog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/services"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
	"github.com/neardup/neardup/store/redislog"
)

func TestRedis(t *testing.T)  { contract(t, services.Redis(t), "") }
func TestValkey(t *testing.T) { contract(t, services.Valkey(t), "") }

// TestReplicas runs the contract with a replica.
func TestReplicas(t *testing.T) {
	primary, _ := services.Replicated(t, 1)
	contract(t, primary, "?replicas=1")
}

func contract(t *testing.T, s *services.Server, settings string) {
	storetest.RunLog(t, func(t *testing.T) docid.Log {
		client(t, s, "FLUSHALL")
		return open(t, s, settings)
	})
}

func open(t *testing.T, s *services.Server, settings string) *redislog.Log {
	t.Helper()
	l, err := redislog.Open(t.Context(), "redis://"+s.Addr+settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// client sends a command.
func client(t *testing.T, s *services.Server, command ...string) {
	t.Helper()
	if answer := services.Ask(s.Addr, command...); !strings.HasPrefix(answer, "+") {
		t.Fatalf("%s: %s", command[0], answer)
	}
}

// TestPromises checks that a Redis that may lose entries is refused with the setting. An invalid address must
// be refused without its password in the error.
func TestPromises(t *testing.T) {
	s := services.Redis(t)
	for _, c := range []struct{ name, value, loss string }{
		{"appendfsync", "everysec", "a power failure loses the last second"},
		{"appendfsync", "always", ""},
		{"maxmemory-policy", "allkeys-lru", "Redis evicts entries when its memory is full"},
		{"maxmemory-policy", "noeviction", ""},
		{"appendonly", "no", "a restart loses everything"},
	} {
		client(t, s, "CONFIG", "SET", c.name, c.value)
		l, err := redislog.Open(t.Context(), "redis://"+s.Addr)
		if (err == nil) != (c.loss == "") || (c.loss != "" && (!errors.Is(err, docid.ErrInvalid) || !strings.Contains(err.Error(), c.loss))) {
			t.Errorf("%s %s: %v", c.name, c.value, err)
		}
		if err == nil {
			_ = l.Close()
		}
	}
	client(t, s, "CONFIG", "SET", "appendonly", "yes")
	for address, says := range map[string]string{
		"redis://" + services.Redis(t, "--cluster-enabled", "yes").Addr: "a replica that lacks the last entries may become the master",
		"redis://user:secret@:bad":                                      "address of Redis",
		"redis://" + s.Addr + "?master_set=nd":                          "a failover by Sentinel could lose acknowledged entries",
		"redis://" + s.Addr + "?addr=127.0.0.1:1":                       "several addresses without master_set",
		"redis://" + s.Addr + "?replicas=some":                          "replicas=some: invalid",
		"redis://" + s.Addr + "?replicas=1":                             "want Redis 7.2 or Valkey", // the tested Redis is 7.0
	} {
		_, err := redislog.Open(t.Context(), address)
		if !errors.Is(err, docid.ErrInvalid) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestOpenWhileItLoads checks that Open waits while Redis loads its data after a start.
func TestOpenWhileItLoads(t *testing.T) {
	if end, err := open(t, services.Loading(t), "").Durable(t.Context()); err != nil || end != 0 {
		t.Errorf("it ends at %d, %v", end, err)
	}
}

// TestStore runs the contract of stores on an embedded store that follows a log in Redis.
func TestStore(t *testing.T) {
	s := services.Redis(t)
	storetest.Run(t, func(t *testing.T) storetest.Backend {
		client(t, s, "FLUSHALL")
		log, dir := storetest.Begin(t, storetest.Patient{Log: open(t, s, "")}), t.TempDir()
		return storetest.Backend{Lasting: true, Follows: true, Open: func(ctx context.Context) (docid.Store, error) {
			return pebble.Open(ctx, dir, pebble.Options{Log: log})
		}}
	})
}

// TestProof checks that Prove compares a store with its log in Redis.
func TestProof(t *testing.T) {
	s, dir := services.Redis(t), t.TempDir()
	storetest.RunProof(t, func(t *testing.T) docid.Log {
		client(t, s, "FLUSHALL")
		return storetest.Patient{Log: open(t, s, "")}
	}, func(log docid.Log) (docid.Store, error) {
		return pebble.Open(t.Context(), dir, pebble.Options{Log: log})
	}, func(log docid.Log) (int, error) {
		p, err := pebble.Prove(t.Context(), dir, pebble.Options{Log: log}, t.TempDir())
		return len(p.Problems), err
	})
}

// TestRestarted checks that a restarted Redis is another incarnation, and refuses requests until it was asked
// for its name. A Redis that lost the scripts is treated alike.
func TestRestarted(t *testing.T) {
	s := services.Redis(t)
	l := open(t, s, "")
	at := entries(t, l, docid.Anchor{}, 3)
	name, err := l.Incarnation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		do   func()
		same bool
	}{
		"restarted": {func() { s.Kill(); s.Start(t) }, false},
		"forgot":    {func() { client(t, s, "SCRIPT", "FLUSH") }, true},
	} {
		c.do()
		for range 3 { // the first may use a closed connection
			if _, err := l.Append(t.Context(), at, []byte("an entry of before")); !errors.Is(err, docid.ErrUnavailable) {
				t.Errorf("%s: append: %v", what, err)
			}
			if _, err := l.Read(t.Context(), at); !errors.Is(err, docid.ErrUnavailable) {
				t.Errorf("%s: read: %v", what, err)
			}
		}
		now, err := l.Incarnation(t.Context())
		if err != nil || (now == name) != c.same {
			t.Errorf("%s: incarnation %s, was %s: %v", what, now, name, err)
		}
		name, at = now, entries(t, l, at, 1)
	}
}

// TestWatermark checks that an older log in a running Redis is refused, because its watermark is newer.
func TestWatermark(t *testing.T) {
	s := services.Redis(t)
	l := open(t, s, "")
	first := entries(t, l, docid.Anchor{}, 3)
	_ = services.Ask(s.Addr, "COPY", "neardup:log", "older")
	entries(t, l, first, 2)
	_ = services.Ask(s.Addr, "DEL", "neardup:log")
	_ = services.Ask(s.Addr, "RENAME", "older", "neardup:log")
	if _, err := l.Append(t.Context(), first, []byte("instead of entry 4")); !errors.Is(err, docid.ErrLogLost) {
		t.Errorf("append: %v", err)
	}
	if _, err := l.Read(t.Context(), first); !errors.Is(err, docid.ErrLogLost) {
		t.Errorf("read: %v", err)
	}
	if _, err := l.Durable(t.Context()); !errors.Is(err, docid.ErrLogLost) {
		t.Errorf("durable: %v", err)
	}
}

// TestFull checks that a Redis without memory returns ErrFull and loses no entries. Trimming must make room.
func TestFull(t *testing.T) {
	s := services.Redis(t)
	l, at := open(t, s, ""), docid.Anchor{}
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

// TestSettingsChanged checks that a running Redis with unsafe settings is not read until they are restored.
func TestSettingsChanged(t *testing.T) {
	s := services.Redis(t)
	l := open(t, s, "")
	for _, c := range []struct {
		value string
		want  error
	}{{"everysec", docid.ErrUnavailable}, {"always", nil}} {
		client(t, s, "CONFIG", "SET", "appendfsync", c.value)
		var err error
		for end := time.Now().Add(time.Minute); time.Now().Before(end); { // checked every second, and a read takes a third of one
			_, err = l.Read(t.Context(), docid.Anchor{})
			if errors.Is(err, c.want) {
				break
			}
		}
		if !errors.Is(err, c.want) {
			t.Errorf("appendfsync %s: %v", c.value, err)
		}
	}
}

// entries appends n entries after an anchor, and returns the anchor of the last.
func entries(t *testing.T, l docid.Log, at docid.Anchor, n int) docid.Anchor {
	t.Helper()
	for range n {
		entry := fmt.Appendf(nil, "%016d", at.Offset+1)
		if _, err := l.Append(t.Context(), at, entry); err != nil {
			t.Fatal(err)
		}
		at = at.Next(entry)
	}
	return at
}

// TestReplicaAway checks that entries missing on a replica's disk are neither acknowledged nor read, and that
// Durable fails. They count once the replica is back.
func TestReplicaAway(t *testing.T) {
	primary, replicas := services.Replicated(t, 1)
	l, other := open(t, primary, "?replicas=1"), open(t, primary, "?replicas=1")
	at := entries(t, l, docid.Anchor{}, 3)
	if err := replicas[0].Pause(); err != nil {
		t.Fatal(err)
	}
	entry := []byte("which only one disk has")
	if _, err := l.Append(t.Context(), at, entry); !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("append: %v", err)
	}
	if page, err := other.Read(t.Context(), at); err != nil || len(page) > 0 {
		t.Errorf("another server reads %q, %v", page, err)
	}
	for n, l := range []*redislog.Log{l, other} {
		if end, err := l.Durable(t.Context()); !errors.Is(err, docid.ErrUnavailable) {
			t.Errorf("server %d is told that the log ends at %d: %v", n, end, err)
		}
		if _, err := l.Read(t.Context(), at); !errors.Is(err, docid.ErrUnavailable) {
			t.Errorf("server %d, which knows of that, reads: %v", n, err)
		}
	}
	if err := replicas[0].Resume(); err != nil {
		t.Fatal(err)
	}
	for n, l := range []*redislog.Log{l, other} {
		end, err := l.Durable(t.Context())
		for late := time.Now().Add(time.Minute); errors.Is(err, docid.ErrUnavailable) && time.Now().Before(late); { // until the replica is back
			end, err = l.Durable(t.Context())
		}
		if err != nil || end != 4 {
			t.Errorf("server %d is told that the log ends at %d: %v", n, end, err)
		}
		if page, err := l.Read(t.Context(), at); err != nil || len(page) != 1 || string(page[0]) != string(entry) {
			t.Errorf("server %d reads %q, %v", n, page, err)
		}
	}
}

// TestSentinel kills the primary, and Sentinel promotes a replica. An awaited replica must have all
// acknowledged entries, and the log goes on once it has a replica. One that was not awaited must be refused.
func TestSentinel(t *testing.T) {
	for _, c := range []struct {
		what     string
		replicas int
		lags     bool
	}{{"waited for", 1, false}, {"lags", 2, true}} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			primary, replicas := services.Replicated(t, c.replicas)
			sentinel := services.Sentinel(t, primary)
			services.Watched(t, sentinel, c.replicas)
			l := open(t, sentinel, "?master_set=nd&replicas=1")
			at := entries(t, l, docid.Anchor{}, 3)
			next := replicas[c.replicas-1]
			if c.lags {
				client(t, next, "REPLICAOF", "127.0.0.1", "1")
			}
			at = entries(t, l, at, 3)
			for _, s := range append(replicas[:c.replicas-1], primary) {
				s.Kill()
			}
			services.Promoted(t, sentinel, next)
			if _, err := l.Append(t.Context(), at, []byte("what no replica has")); err == nil {
				t.Error("append without a replica")
			}
			if !c.lags {
				primary.Start(t)
				services.Follow(t, primary, next.Addr)
			}
			if _, err := l.Read(t.Context(), at); !errors.Is(err, docid.ErrUnavailable) {
				t.Errorf("read another Redis, which nobody has asked for its name: %v", err)
			}
			for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
				_, _ = l.Incarnation(t.Context())
				_, err := l.Read(t.Context(), at)
				if (c.lags && errors.Is(err, docid.ErrLogLost)) || (!c.lags && err == nil) {
					break
				}
				if (!errors.Is(err, docid.ErrUnavailable) && err != nil) || time.Now().After(end) {
					t.Fatalf("read: %v", err)
				}
			}
			if c.lags {
				return
			}
			var page [][]byte
			for end := time.Now().Add(time.Minute); len(page) < 6; time.Sleep(10 * time.Millisecond) {
				var err error
				page, err = l.Read(t.Context(), docid.Anchor{})
				if time.Now().After(end) {
					t.Fatalf("%d entries: %v", len(page), err)
				}
			}
			for n, e := range page {
				if n < 6 && string(e) != fmt.Sprintf("%016d", n+1) {
					t.Errorf("entry %d is %q", n+1, e)
				}
			}
			for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
				if _, err := l.Append(t.Context(), at, []byte("what comes after")); err == nil {
					break
				} else if !errors.Is(err, docid.ErrUnavailable) || time.Now().After(end) {
					t.Fatalf("append: %v", err)
				}
			}
		})
	}
}

// TestSlowLink reads the log over a slow link.
func TestSlowLink(t *testing.T) {
	s := services.Redis(t)
	storetest.RunSlowLink(t, open(t, s, ""), s.Addr, func(t *testing.T, link string) docid.Log {
		return open(t, &services.Server{Addr: link}, "")
	})
}
