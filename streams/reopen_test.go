package streams_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/streamtest"
)

// hangs is how long a test waits that would wait for ever.
const hangs = 5 * time.Minute

// told passes on the lines of a log.
type told chan string

func (c told) Write(line []byte) (int, error) {
	c <- string(bytes.TrimSpace(line))
	return len(line), nil
}

// reopened checks that a consumer whose broker is killed continues once the broker is back, and loses no
// message. If the broker's client does not wait itself, the consumer logs the failure.
func reopened(t *testing.T, s streamtest.Streams) {
	nids := sendArticles(t, s, 6)
	lines := make(told, 100)
	o, killed, reached, gone := impatient(s), false, make(chan bool), make(chan bool)
	o.Log = slog.New(slog.NewTextHandler(lines, nil))
	service := &clerk{fails: func(nid string) error {
		if nid == nids[3] && !killed {
			killed = true
			reached <- true
			<-gone
		}
		return nil
	}}
	c := open(t, service, o)
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context()) }()
	<-reached
	s.Server.Kill()
	close(gone)
	wait := 500 * time.Millisecond
	if strings.HasPrefix(s.From, "redis") {
		wait = hangs
	}
	select {
	case line := <-lines:
		if !strings.Contains(line, "a broker failed; connecting again") {
			t.Errorf("it says %s", line)
		}
	case err := <-ended:
		t.Fatalf("it ended: %v", err)
	case <-time.After(wait):
		if wait == hangs {
			t.Error("it says nothing")
		}
	}
	s.Server.Start(t)
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(hangs):
		t.Fatal("it does not go on")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	decidedOnce(t, s, nids)
}
