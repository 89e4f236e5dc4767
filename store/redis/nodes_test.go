package redis

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/services"
	"github.com/neardup/neardup/store/storetest"
)

// TestSentinel: the primary is killed, Sentinel promotes the replica, and the same
// store goes on there: what was answered is there, an epoch begins, and nothing is
// answered before the old primary is back as a replica.
func TestSentinel(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	p := newPair(t, Options{AcceptLoss: true}, services.Valkey)
	sentinel := services.Sentinel(t, p.servers[0])
	s, err := Open(ctx, Options{Address: "redis://" + sentinel.Addr + "?master_set=nd", Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.wait = 300 * time.Millisecond
	d := detect(t, s)
	kept := first(t, d)
	for end := time.Now().Add(time.Minute); !strings.Contains(admin(t, sentinel, "INFO", "sentinel"), "slaves=1"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("Sentinel does not find the replica")
		}
	}
	p.servers[0].Kill()
	for end := time.Now().Add(time.Minute); !strings.Contains(admin(t, p.servers[1], "INFO", "replication"), "role:master"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the replica is not promoted")
		}
	}
	if a, err := submit(ctx, d, "alone", 2); err == nil {
		t.Errorf("without a replica: %+v", a)
	}
	p.servers[0].Start(t)
	host, port, _ := net.SplitHostPort(p.servers[1].Addr)
	admin(t, p.servers[0], "REPLICAOF", host, port) // Sentinel does it too, within 10 s
	var after docid.Answer
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if after, err = submit(ctx, d, "after", 3); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if a, err := submit(ctx, d, "copy", 1); err != nil || a.DocID != kept.DocID {
		t.Errorf("a copy of what was kept: %+v, %v; want %+v", a, err, kept)
	}
	if epochs, err := d.Index().Catalog().Epochs(ctx); err != nil || len(epochs) != 1 || epochs[0].First >= after.Seq {
		t.Errorf("epochs %v before change %d, %v", epochs, after.Seq, err)
	}
}

// TestCluster: tenants lie on the nodes of a Cluster, each on one, and each is an
// index like any other.
func TestCluster(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	nodes := services.Cluster(t)
	s, err := Open(ctx, Options{Address: "redis://" + nodes[0].Addr + "?addr=" + nodes[1].Addr})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for n := range 6 {
		d, err := docid.NewDetector(ctx, s, fmt.Sprint("tenant", n), storetest.Settings())
		if err != nil {
			t.Fatal(err)
		}
		a, err := submit(ctx, d, "a", 1)
		if err != nil || a.Seq != 1 {
			t.Fatalf("tenant %d: %+v, %v", n, a, err)
		}
		if b, err := submit(ctx, d, "b", 1); err != nil || b.DocID != a.DocID {
			t.Errorf("tenant %d: a copy: %+v, %v", n, b, err)
		}
	}
	if names, err := s.Tenants(ctx); err != nil || len(names) != 6 {
		t.Errorf("tenants %q, %v", names, err)
	}
	for _, n := range nodes {
		if admin(t, n, "KEYS", "nd{*}:i") == "[]" {
			t.Errorf("node %s has no tenant", n.Addr)
		}
	}
}
