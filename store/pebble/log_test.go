package pebble

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/storetest"
)

// server is one of several over a log, with a folder in memory.
type server struct {
	*Store
	*docid.Detector
	fs *vfs.MemFS
}

func serve(t *testing.T, fs *vfs.MemFS, log docid.Log) (server, error) {
	t.Helper()
	s, err := Open(t.Context(), "d", Options{FS: fs, Log: log})
	if err != nil {
		return server{}, err
	}
	t.Cleanup(func() { _ = s.Close() })
	d, err := docid.NewDetector(t.Context(), s, "tenant", storetest.Settings())
	return server{s, d, fs}, err
}

func (s server) add(t *testing.T, nid, text string) (docid.Answer, error) {
	t.Helper()
	var sub docid.Submission
	sub.ID, sub.Text = nid, text
	return s.Add(t.Context(), sub)
}

// TestLogIsHeldTo: a store follows the log that it has followed, from where it was, or says by name
// why not. It is the same at a start and while it runs.
func TestLogIsHeldTo(t *testing.T) {
	add := func(l *storetest.Log, entries ...string) {
		t.Helper()
		anchor := docid.Anchor{}
		for _, e := range entries {
			if _, err := l.Append(t.Context(), anchor, []byte(e)); err != nil {
				t.Fatal(err)
			}
			anchor = anchor.Next([]byte(e))
		}
	}
	for _, c := range []struct {
		what   string
		fresh  bool // the store is empty
		log    func(l *storetest.Log) *storetest.Log
		starts error
	}{
		{"the same", false, func(l *storetest.Log) *storetest.Log { return l }, nil},
		{"a new server", true, func(l *storetest.Log) *storetest.Log { return l }, nil},
		{"emptied", false, func(*storetest.Log) *storetest.Log { return storetest.NewLog() }, docid.ErrLogLost},
		{"an older state", false, func(l *storetest.Log) *storetest.Log { return l.Before(2) }, docid.ErrLogLost},
		{"another, as long", false, func(*storetest.Log) *storetest.Log {
			l := storetest.NewLog()
			add(l, strings.Repeat("a", 20), strings.Repeat("b", 20), strings.Repeat("c", 20), strings.Repeat("d", 20))
			return l
		}, docid.ErrLogLost},
		{"trimmed, and the store is past that", false, func(l *storetest.Log) *storetest.Log { ok(t, l.Trim(t.Context(), 100)); return l }, nil},
		{"trimmed, and the store is empty", true, func(l *storetest.Log) *storetest.Log { ok(t, l.Trim(t.Context(), 100)); return l }, docid.ErrLogLost},
		{"no log of this program", true, func(*storetest.Log) *storetest.Log {
			l := storetest.NewLog()
			add(l, strings.Repeat("a", 20))
			return l
		}, docid.ErrNewerFormat},
		{"begins without its genesis", true, func(*storetest.Log) *storetest.Log {
			l := storetest.NewLog()
			add(l, "0123456789abcdef\x01 not compressed")
			return l
		}, docid.ErrUnavailable},
	} {
		t.Run(c.what, func(t *testing.T) {
			log, fs := storetest.NewLog(), vfs.NewMem()
			s, err := serve(t, fs, log)
			ok(t, err)
			for n := range 3 {
				if _, err := s.add(t, fmt.Sprint(n), storetest.Base(n)); err != nil {
					t.Fatal(err)
				}
			}
			ok(t, s.Close())
			if c.fresh {
				fs = vfs.NewMem()
			}
			s, err = serve(t, fs, c.log(log))
			if !errors.Is(err, c.starts) || c.starts == nil && err != nil {
				t.Fatalf("opened with %v", err)
			}
			if err == nil {
				if a, err := s.add(t, "again", storetest.Base(1)); err != nil || a.Decision.Decision != neardup.Duplicate {
					t.Errorf("a copy is %+v, %v", a.Decision, err)
				}
			}
		})
	}
}

// TestFolderAndLog: what follows a log is not served without it, and what does not is not with it.
func TestFolderAndLog(t *testing.T) {
	log, fs := storetest.NewLog(), vfs.NewMem()
	s, err := serve(t, fs, log)
	ok(t, err)
	ok(t, s.Close())
	if _, err := Open(t.Context(), "d", Options{FS: fs}); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("without its log: %v", err)
	}
	fs = vfs.NewMem()
	if s, err = serve(t, fs, nil); err != nil {
		t.Fatal(err)
	}
	ok(t, s.Close())
	if _, err := Open(t.Context(), "d", Options{FS: fs, Log: log}); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("with a log that it never followed: %v", err)
	}
}

// TestUnreadableEntries: an entry that nobody can read changes nothing and ends no server; one of other
// rules stops every server that does not know them.
func TestUnreadableEntries(t *testing.T) {
	log := storetest.NewLog()
	a, err := serve(t, vfs.NewMem(), log)
	ok(t, err)
	if _, err := a.add(t, "a", storetest.Base(1)); err != nil {
		t.Fatal(err)
	}
	for _, junk := range []string{
		"0123456789abcdef", "1123456789abcdef\x01", "2123456789abcdef\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "3123456789abcdef\x01\x04\x0c\x00\x01x\x09",
	} {
		ok(t, log.Force([]byte(junk)))
	}
	b, err := serve(t, vfs.NewMem(), log)
	ok(t, err)
	for nid, s := range map[string]server{"b": a, "c": b} {
		if x, err := s.add(t, nid, storetest.Base(1)); err != nil || x.LeaderSeq != 1 {
			t.Errorf("%s: %+v, %v", nid, x, err)
		}
	}
	ok(t, log.Force([]byte("4123456789abcdef\x02what a later version says")))
	for _, s := range []server{a, b} {
		for end := time.Now().Add(10 * time.Second); s.Poisoned() == nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
		if _, err := s.add(t, "d", storetest.Base(2)); !errors.Is(err, docid.ErrNewerFormat) {
			t.Errorf("after an entry of other rules: %v", err)
		}
	}
	if _, err := serve(t, vfs.NewMem(), log); !errors.Is(err, docid.ErrNewerFormat) {
		t.Errorf("a new server, after an entry of other rules: %v", err)
	}
}

// TestWriteHereReadThere: what one server has answered the others have.
func TestWriteHereReadThere(t *testing.T) {
	log := storetest.NewLog()
	var servers []server
	for range 3 {
		s, err := serve(t, vfs.NewMem(), log)
		ok(t, err)
		servers = append(servers, s)
	}
	for n := range 200 {
		nid := fmt.Sprint(n)
		a, err := servers[n%3].add(t, nid, storetest.Base(n))
		ok(t, err)
		there := servers[(n+1)%3]
		if _, docID, err := there.Member(t.Context(), nid); err != nil || docID != a.DocID {
			t.Errorf("%s is %s, elsewhere %s, %v", nid, a.DocID, docID, err)
		}
		var sub docid.Submission
		sub.Text = storetest.Base(n)
		if c, err := servers[(n+2)%3].Check(t.Context(), sub); err != nil || c.DocID != a.DocID {
			t.Errorf("a check of %s says %s, not %s, %v", nid, c.DocID, a.DocID, err)
		}
		if again, err := there.add(t, nid, storetest.Base(n)); err != nil || !again.Replayed || again.Seq != a.Seq {
			t.Errorf("a retry of %s: %+v, %v", nid, again, err)
		}
	}
}

// TestBurstOverLog: of near copies that come to three servers at one moment one is new, and what
// is proposed in vain does not make the log much longer.
func TestBurstOverLog(t *testing.T) {
	const rounds, copies = 100, 16
	log := storetest.NewLog()
	var servers []server
	for range 3 {
		s, err := serve(t, vfs.NewMem(), log)
		ok(t, err)
		servers = append(servers, s)
	}
	before, err := log.Durable(t.Context())
	ok(t, err)
	for round := range rounds {
		ids := make([]string, copies)
		var all sync.WaitGroup
		for c := range copies {
			all.Go(func() {
				text := []byte(storetest.Base(1000 + round))
				text[c*7] = '#'
				a, err := servers[c%3].add(t, fmt.Sprint(round, "-", c), string(text))
				if err != nil {
					t.Error(err)
				}
				ids[c] = a.DocID
			})
		}
		all.Wait()
		for _, id := range ids {
			if id != ids[0] {
				t.Fatalf("round %d: docIds %s and %s", round, id, ids[0])
			}
		}
	}
	end, err := log.Durable(t.Context())
	ok(t, err)
	if entries := float64(end-before) / (rounds * copies); entries > 1.2 {
		t.Errorf("%.2f entries an article", entries)
	}
}

// TestCloseOverLog: whoever waits for the log when the server stops is answered.
func TestCloseOverLog(t *testing.T) {
	log := &stuck{Log: storetest.NewLog()}
	s, err := serve(t, vfs.NewMem(), log)
	ok(t, err)
	log.mu.Lock()
	log.off = true
	log.mu.Unlock()
	done := make(chan error)
	go func() {
		_, err := s.add(t, "a", storetest.Base(1))
		done <- err
	}()
	if err := <-done; !errors.Is(err, docid.ErrUnavailable) {
		t.Errorf("while the log is away: %v", err)
	}
	for end := time.Now().Add(10 * time.Second); s.Poisoned() == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the server is ready while the log is away")
		}
	}
	ok(t, s.Close())
}

// stuck is a log that can be away.
type stuck struct {
	*storetest.Log
	mu  sync.Mutex
	off bool
}

func (l *stuck) away() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.off {
		return errors.New("connection refused")
	}
	return nil
}

func (l *stuck) Append(ctx context.Context, a docid.Anchor, entry []byte) (uint64, error) {
	if err := l.away(); err != nil {
		return 0, err
	}
	return l.Log.Append(ctx, a, entry)
}

func (l *stuck) Read(ctx context.Context, a docid.Anchor) ([][]byte, error) {
	if err := l.away(); err != nil {
		return nil, err
	}
	return l.Log.Read(ctx, a)
}

func (l *stuck) Durable(ctx context.Context) (uint64, error) {
	if err := l.away(); err != nil {
		return 0, err
	}
	return l.Log.Durable(ctx)
}
