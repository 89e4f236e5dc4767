package harness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/store/pebble"
)

const (
	clients     = 16
	killsOfLife = 12 // then the folder is audited and a new one begun
	groups      = 40
)

// kills is how many times the service is killed: as often as the environment
// says in NEARDUP_KILLS (3,000 in bench/reliability), 60 times, or 24 under -short.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 24
	}
	return 60
}

func binary(t *testing.T) string {
	t.Helper()
	bin, err := harness.Build(t.Context(), filepath.Join("..", ".."), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// TestKill kills -9 the service at random moments, start-up and shutdown
// included, while 16 clients send near-identical articles, and holds it to
// every answer it gave.
func TestKill(t *testing.T) {
	bin := binary(t)
	total := counts{}
	for n := 0; total.kills < kills(); n++ {
		l := newLife(t, bin, uint64(n))
		for range min(killsOfLife, kills()-total.kills) {
			l.cycle(&total)
		}
		l.audit(&total)
		if t.Failed() {
			return
		}
	}
	t.Logf("%+v", total)
}

// counts are what a run did.
type counts struct {
	kills, atStart, atWork, atStop, answers, changes int
	slowest                                          time.Duration // start to ready
}

// life is one folder with its clients, from the first start to the audit.
type life struct {
	t           *testing.T
	bin, data   string
	r           *rand.Rand
	journal     *harness.Journal
	journalPath string
	clients     []*harness.Client
	http        *http.Client
}

func newLife(t *testing.T, bin string, n uint64) *life {
	dir := t.TempDir()
	l := &life{t: t, bin: bin, data: filepath.Join(dir, "data"), journalPath: filepath.Join(dir, "journal"), r: rand.New(rand.NewPCG(n, 5))}
	var err error
	l.journal, err = harness.NewJournal(l.journalPath)
	if err != nil {
		t.Fatal(err)
	}
	for c := range clients {
		l.clients = append(l.clients, harness.NewClient(c, n, groups, l.journal))
	}
	l.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: 20 * time.Second}
	return l
}

func (l *life) start() *harness.Process {
	l.t.Helper()
	// By likeness alone: what else auto takes for another text is no matter of this.
	p, err := harness.Start(l.bin, l.data, "--method", "minhash", "--threshold", ".6")
	if err != nil {
		l.t.Fatal(err)
	}
	return p
}

// ready waits and returns a way to ask.
func (l *life) ready(p *harness.Process) *harness.Service {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 5*time.Minute) // it ends a test that hangs
	defer cancel()
	url, err := p.Ready(ctx)
	if err == nil {
		var token string
		token, err = p.Token()
		if err == nil {
			return &harness.Service{URL: url, Token: token, HTTP: l.http}
		}
	}
	p.Kill()
	l.t.Fatal(err)
	return nil
}

// cycle starts the service and kills it: a fifth of the times while it starts,
// a fifth while it stops, else while it works.
func (l *life) cycle(total *counts) {
	l.t.Helper()
	begin, p := time.Now(), l.start()
	total.kills++
	moment := l.r.IntN(5)
	if moment == 0 {
		time.Sleep(time.Duration(l.r.IntN(60_000)) * time.Microsecond)
		p.Kill()
		total.atStart++
		return
	}
	s := l.ready(p)
	total.slowest = max(total.slowest, time.Since(begin))
	var working sync.WaitGroup
	for _, c := range l.clients {
		working.Go(func() {
			if err := c.Run(l.t.Context(), s); err != nil {
				l.t.Errorf("%v", err)
			}
		})
	}
	time.Sleep(time.Duration(l.r.IntN(200_000)) * time.Microsecond)
	if moment == 1 {
		p.Terminate()
		time.Sleep(time.Duration(l.r.IntN(20_000)) * time.Microsecond)
		total.atStop++
	} else {
		total.atWork++
	}
	p.Kill()
	working.Wait()
	l.http.CloseIdleConnections()
}

// audit starts the service once more, has the clients get an answer to what
// was open, reads the log, stops, and checks everything: log against answers,
// and every row of the folder.
func (l *life) audit(total *counts) {
	l.t.Helper()
	p := l.start()
	s := l.ready(p)
	ctx, stop := context.WithTimeout(l.t.Context(), 100*time.Millisecond)
	defer stop()
	var working sync.WaitGroup
	for _, c := range l.clients {
		working.Go(func() {
			if err := c.Run(ctx, s); err != nil {
				l.t.Errorf("%v", err)
			}
		})
	}
	working.Wait()
	log, err := s.Log(l.t.Context())
	if err != nil {
		l.t.Errorf("log: %v", err)
	}
	if _, err := p.Stop(); err != nil {
		l.t.Errorf("stop: %v", err)
	}
	if err := l.journal.Close(); err != nil {
		l.t.Fatal(err)
	}
	records, err := harness.ReadJournal(l.journalPath)
	if err != nil {
		l.t.Fatal(err)
	}
	for i, v := range harness.Audit(records, log).Violations {
		l.t.Error(v)
		if i == 10 {
			break
		}
	}
	report, err := pebble.Check(l.t.Context(), filepath.Join(l.data, "store"), pebble.Options{})
	if err != nil || len(report.Problems) > 0 {
		l.t.Errorf("check: %v %v", report.Problems, err)
	}
	for _, r := range records {
		if r.Answer != nil {
			total.answers++
		}
	}
	total.changes += len(log)
	if err := os.RemoveAll(l.data); err != nil {
		l.t.Error(err)
	}
}

// String says what a run did in one line.
func (t counts) String() string {
	return fmt.Sprintf("%d kills (%d at start-up, %d at work, %d at shutdown), %d answers, %d changes, slowest start %s",
		t.kills, t.atStart, t.atWork, t.atStop, t.answers, t.changes, t.slowest.Round(time.Millisecond))
}
