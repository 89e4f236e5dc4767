package redis

import (
	"fmt"
	"net"
	"strconv"
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
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		role, err := ask(t, p.servers[1], "INFO", "replication") // Sentinel ends connections to who is promoted
		if strings.Contains(role, "role:master") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the replica is not promoted: %v", err)
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
	nodes := services.Cluster(t, services.Redis, 0)
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

// TestClusterFailover: the node that has a tenant is killed, and the Cluster gives its
// slots to the replica. What was answered is there, an epoch begins, nothing is answered
// that one disk alone has, and tenants of other nodes notice nothing.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	nodes := services.Cluster(t, services.Valkey, 1)
	s, err := Open(ctx, Options{Address: "redis://" + nodes[0].Addr + "?addr=" + nodes[1].Addr, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.wait = 300 * time.Millisecond
	// has is the primary with the index of a tenant.
	has := func(tenant string) *services.Server {
		for _, n := range nodes {
			if strings.Contains(admin(t, n, "ROLE"), "master") && admin(t, n, "KEYS", prefix(tenant)+"i") != "[]" {
				return n
			}
		}
		t.Fatalf("nobody has %s", tenant)
		return nil
	}
	var ds []*docid.Detector
	var names []string
	answered := map[uint64]docid.Answer{}
	for n := 0; len(ds) < 2; n++ { // two tenants of two nodes
		name := fmt.Sprint("tenant", n)
		settings := storetest.Settings()
		settings.Now = nil
		d, err := docid.NewDetector(ctx, s, name, settings)
		if err != nil {
			t.Fatal(err)
		}
		if ds == nil || has(name) != has(names[0]) {
			ds, names = append(ds, d), append(names, name)
			first(t, d)
		}
	}
	for n := range 20 {
		a, err := submit(ctx, ds[0], fmt.Sprint(n), 10+n)
		if err != nil {
			t.Fatal(err)
		}
		answered[a.Seq] = a
	}
	killed := has(names[0])
	killed.Kill()
	until := func(what string, do func() error) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			err := do()
			if err == nil {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	until("the replica is not promoted", func() error {
		_, err := ds[0].Stats(ctx)
		return err
	})
	if a, err := submit(ctx, ds[0], "alone", 2); err == nil {
		t.Errorf("without a replica: %+v", a)
	}
	killed.Start(t) // it follows the one that took its place
	var after docid.Answer
	until("it does not go on", func() (err error) {
		after, err = submit(ctx, ds[0], "after", 3)
		return err
	})
	if old, given := answered[after.Seq]; given {
		t.Errorf("%+v has the number of %+v", after, old)
	}
	for seq, a := range answered {
		if again, err := submit(ctx, ds[0], a.ID, 10+atoi(t, a.ID)); err != nil || !again.Replayed || again.Seq != seq || again.DocID != a.DocID {
			t.Errorf("%+v is %+v after the failover (%v)", a, again, err)
		}
	}
	epochs, err := ds[0].Index().Catalog().Epochs(ctx)
	if err != nil || len(epochs) != 1 || epochs[0].First >= after.Seq {
		t.Errorf("epochs %v before change %d, %v", epochs, after.Seq, err)
	}
	other, err := ds[1].Index().Catalog().Epochs(ctx)
	if err != nil || len(other) != 0 {
		t.Errorf("a tenant of another node has epochs %v, %v", other, err)
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
