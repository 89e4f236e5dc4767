package tier_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/bench/harness"
	"github.com/neardup/neardup/internal/test/services"
)

// pairs is how many pairs are sent: NEARDUP_PAIRS, or a hundred.
func pairs() int {
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_PAIRS")); err == nil {
		return n
	}
	return 100
}

// TestSameMoment: two servers over one log get two near-identical articles at the
// same moment, again and again. One of the two is new, the other its duplicate.
func TestSameMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	bin, err := harness.Build(t.Context(), filepath.Join("..", "..", ".."), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	redis := services.Redis(t)
	if err := harness.BeginLog(t.Context(), bin, "redis://"+redis.Addr); err != nil {
		t.Fatal(err)
	}
	var servers [2]*harness.Service
	for n := range servers {
		p, err := harness.Start(bin, filepath.Join(t.TempDir(), "data"), "--log", "redis://"+redis.Addr, "--log-level", "warn")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		url, err := p.Ready(ctx)
		if err != nil {
			t.Fatal(err)
		}
		token, err := p.Token()
		if err != nil {
			t.Fatal(err)
		}
		servers[n] = &harness.Service{URL: url, Token: token, HTTP: &http.Client{Timeout: 20 * time.Second}}
	}
	met := 0
	for n := range pairs() {
		var answers [2]harness.Answer
		var failed [2]error
		start, done := make(chan bool), make(chan bool)
		for i, s := range servers {
			words := make([]string, 120)
			for w := range words {
				words[w] = harness.Word(uint64(n*1000+w) * 2654435761 % 4294967291)
			}
			words[40+i] += " also"
			a := harness.Article{NID: fmt.Sprint(n, "-", i), Content: strings.Join(words, " ")}
			go func() {
				<-start
				answers[i], failed[i] = s.Submit(t.Context(), a, "")
				done <- true
			}()
		}
		close(start)
		<-done
		<-done
		if failed[0] != nil || failed[1] != nil {
			t.Fatalf("pair %d: %v, %v", n, failed[0], failed[1])
		}
		a, b := answers[0], answers[1]
		if a.DocID != b.DocID || (a.Decision == "new") == (b.Decision == "new") {
			t.Fatalf("pair %d: %+v and %+v", n, a, b)
		}
		if a.Decision == "duplicate" { // the second server was first
			met++
		}
	}
	t.Logf("%d pairs, one docId each; the second server was first in %d", pairs(), met)
	if met == 0 || met == pairs() {
		t.Errorf("one server was always first: they never met")
	}
}
