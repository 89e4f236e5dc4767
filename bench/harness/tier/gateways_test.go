package tier_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// gatewayFails has one of two gateways of HBase killed, stopped where it stands, and
// answer nonsense, while requests come at a constant rate: each is answered, the sinks go on, and
// the times are logged.
func gatewayFails(t *testing.T, b *backends) {
	l := newLife(t, b, "gateways", seed())
	second, gate := l.gateways[1], l.gates[1]
	long, rate := away()
	long = min(long/2, 20*time.Second)
	nonsense := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer nonsense.Close()
	l.requests(long, rate)
	for _, f := range []struct {
		name       string
		fail, mend func()
	}{
		{"both are there", func() {}, func() {}},
		{"one killed", second.Kill, func() { second.Start(t) }},
		{"one hangs", func() {
			if err := second.Pause(); err != nil {
				t.Error(err)
			}
		}, func() {
			if err := second.Resume(); err != nil {
				t.Error(err)
			}
		}},
		{"one answers nonsense", func() { gate.target.Store(nonsense.Listener.Addr().String()); gate.cut() },
			func() { gate.target.Store(second.Addr); gate.cut() }},
	} {
		f.fail()
		meanwhile := l.requests(long, rate)
		log, err := l.servers[0].reach().Log(t.Context())
		if err != nil || len(log) == 0 {
			t.Fatalf("log: %v", err)
		}
		begin := time.Now()
		l.waitSinks(log[len(log)-1].Seq, patience) // before it is mended
		t.Logf("%s: %s; stored %s after", f.name, meanwhile, time.Since(begin).Round(time.Millisecond))
		if meanwhile.failed > 0 {
			t.Errorf("%s: %d of %d requests were not answered: %v", f.name, meanwhile.failed, meanwhile.failed+len(meanwhile.took), meanwhile.why)
		}
		f.mend()
	}
	l.audit(&counts{kinds: map[string]int{}})
}
