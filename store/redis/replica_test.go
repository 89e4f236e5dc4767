package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/storetest"
	"github.com/redis/rueidis"
)

// pair is a primary with a replica, and a store on each.
type pair struct {
	servers [2]*services.Server
	stores  [2]*Store
}

func newPair(t *testing.T, o Options, start func(testing.TB, ...string) *services.Server) *pair {
	t.Helper()
	p := &pair{}
	for i := range p.servers {
		p.servers[i] = start(t, "--repl-diskless-sync-delay", "0")
	}
	host, port, err := net.SplitHostPort(p.servers[0].Addr)
	if err != nil {
		t.Fatal(err)
	}
	admin(t, p.servers[1], "REPLICAOF", host, port)
	for end := time.Now().Add(time.Minute); !strings.Contains(admin(t, p.servers[0], "INFO", "replication"), "state=online"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the replica does not follow")
		}
	}
	p.stores[0] = p.open(t, 0, o)
	return p
}

func (p *pair) open(t *testing.T, i int, o Options) *Store {
	t.Helper()
	o.Address = "redis://" + p.servers[i].Addr
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.wait = 300 * time.Millisecond
	return s
}

// admin gives a server one command.
func admin(t *testing.T, s *services.Server, words ...string) string {
	t.Helper()
	answer, err := ask(t, s, words...)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// ask is admin of a server that may not answer.
func ask(t *testing.T, s *services.Server, words ...string) (string, error) {
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.Addr}, DisableCache: true, ForceSingleClient: true})
	if err != nil {
		return "", err
	}
	defer c.Close()
	answer, err := c.Do(t.Context(), c.B().Arbitrary(words...).Build()).ToAny()
	return fmt.Sprint(answer), err
}

// first submits an article until the replica is there to have it too: one that joins
// writes its log anew first.
func first(t *testing.T, d *docid.Detector) docid.Answer {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		a, err := submit(t.Context(), d, "kept", 1)
		if err == nil {
			return a
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func detect(t *testing.T, s *Store) *docid.Detector {
	t.Helper()
	settings := storetest.Settings()
	settings.Now = nil
	d, err := docid.NewDetector(t.Context(), s, "tenant", settings)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func submit(ctx context.Context, d *docid.Detector, nid string, text int) (docid.Answer, error) {
	var sub docid.Submission
	sub.ID, sub.Text = nid, storetest.Base(text)
	return d.Add(ctx, sub)
}

// TestUnreplicated: what a replica does not have is told to nobody: not to who
// sent it, not when it is sent again, not to readers, not to a sink.
func TestUnreplicated(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := newPair(t, Options{Replicas: 1}, services.Valkey)
	d := detect(t, p.stores[0])
	box := d.Index().Outbox()
	kept := first(t, d)
	if _, err := box.Attach(ctx, "rows"); err != nil {
		t.Fatal(err)
	}
	if err := p.servers[1].Pause(); err != nil {
		t.Fatal(err)
	}
	told := map[string]error{}
	_, told["who sent it"] = submit(ctx, d, "late", 2)
	_, told["who sends it again"] = submit(ctx, d, "late", 2)
	_, told["who reads the article"] = d.Index().Catalog().Member(ctx, "late")
	_, told["who reads the docId"] = d.Index().Catalog().Group(ctx, 2, 0, 1)
	_, told["who reads the log"] = d.Index().Catalog().Log(ctx, 0, 10)
	_, told["a sink"] = box.Pending(ctx, 0, 10)
	for who, err := range told {
		if !errors.Is(err, docid.ErrUnavailable) {
			t.Errorf("%s is told of a change that is on one disk (%v)", who, err)
		}
	}
	if es, err := d.Index().Catalog().Log(ctx, 0, 1); err != nil || len(es) != 1 {
		t.Errorf("the log up to what the replica has: %v, %v", es, err)
	}
	if err := p.servers[1].Resume(); err != nil {
		t.Fatal(err)
	}
	a, err := submit(ctx, d, "late", 2)
	if err != nil || !a.Replayed || a.Seq != kept.Seq+1 {
		t.Errorf("once the replica is back: %+v, %v", a, err)
	}
	if ds, err := box.Pending(ctx, 0, 10); err != nil || len(ds) != 2 {
		t.Errorf("a sink gets %d changes, %v", len(ds), err)
	}
}

// TestPromoted: a replica that lags is promoted. Where nobody waited for it, answers
// are lost; where somebody did, none is. No number and no docId is given twice, though
// the first server that asks had not seen what was lost.
func TestPromoted(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      Options
		start  func(testing.TB, ...string) *services.Server
		answer bool
	}{
		{"Redis, losses accepted", Options{AcceptLoss: true}, services.Redis, true},
		{"Valkey, one replica waited for", Options{Replicas: 1}, services.Valkey, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			p := newPair(t, c.o, c.start)
			d := detect(t, p.stores[0])
			kept := first(t, d)
			for end := time.Now().Add(time.Minute); admin(t, p.servers[1], "EXISTS", prefix("tenant")+"nkept") == "0"; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the replica gets nothing")
				}
			}
			admin(t, p.servers[1], "REPLICAOF", "NO", "ONE")
			lost, err := submit(ctx, d, "lost", 2)
			if (err == nil) != c.answer {
				t.Fatalf("the old primary answers %v", err)
			}
			p.servers[0].Kill()
			o := c.o
			o.Replicas = 0 // there is none now
			after := detect(t, p.open(t, 1, o))
			if a, err := submit(ctx, after, "copy", 1); err != nil || a.DocID != kept.DocID {
				t.Errorf("a copy of what was kept: %+v, %v", a, err)
			}
			a, err := submit(ctx, after, "new", 3)
			if err != nil || a.Seq <= lost.Seq || a.DocID == lost.DocID {
				t.Errorf("the promoted one answers %+v (%v), the old one had answered %+v", a, err, lost)
			}
			epochs, err := after.Index().Catalog().Epochs(ctx)
			if err != nil || len(epochs) != 1 {
				t.Errorf("epochs %v, %v", epochs, err)
			}
		})
	}
}
