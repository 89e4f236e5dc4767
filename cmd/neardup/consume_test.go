//go:build full

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/streamtest"
	"github.com/neardup/neardup/server/api"
)

// startServer serves a folder until the test ends, and returns its URL.
func startServer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "addr")
	cmd := exec.Command("neardup", "serve", "--data", filepath.Join(dir, "data"), "--addr", "127.0.0.1:0", "--addr-file", file, "--metrics-addr", "off")
	fatal(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if addr, err := os.ReadFile(file); err == nil {
			return "http://" + strings.TrimSpace(string(addr))
		}
	}
	t.Fatal("the server does not start")
	return ""
}

// A streamLife is a stream with a server, whose consumers are killed.
type streamLife struct {
	*testing.T
	streamtest.Streams
	server    string
	rng       *rand.Rand
	nids      []string
	bad, sent int
}

// send adds messages: versions of a few articles, and sometimes a message that is not an article.
func (l *streamLife) send(n int) {
	for range n {
		message := []byte("no article")
		if l.rng.IntN(20) == 0 {
			l.bad++
		} else {
			nid := fmt.Sprint("n", l.sent)
			l.nids = append(l.nids, nid)
			message = fmt.Appendf(nil, `{"nid":%q,"content":"The council of town %d will vote about the new bridge over the river before the summer, its speaker said today. %s"}`,
				nid, l.rng.IntN(40), strings.Repeat("And more. ", l.rng.IntN(3)))
		}
		l.Send(l, l.sent, message)
		l.sent++
	}
}

func (l *streamLife) command(more ...string) *exec.Cmd {
	return exec.Command("neardup", append([]string{"consume", "--from", l.From, "--to", l.To, "--bad", l.Bad, "--server", l.server, "--claim-after", "1s"}, more...)...)
}

// stored returns the number of articles on the server.
func (l *streamLife) stored() int {
	l.Helper()
	client, err := api.NewClient(l.server, api.Options{})
	fatal(l.T, err)
	defer client.Close()
	stats, err := client.Stats(l.Context())
	fatal(l.T, err)
	return stats.Articles
}

// settle consumes all messages.
func (l *streamLife) settle() {
	l.Helper()
	if out, err := l.command("--to-end").CombinedOutput(); err != nil {
		l.Fatalf("%v: %s", err, out)
	}
}

// streamed is a record of either kind.
type streamed struct {
	Topic       string
	Partition   int
	Offset      string
	ID, DocID   string
	Seq         uint64
	NID, Reason string
}

// records reads an output by its documented rule. If exactly is true, there must be nothing to drop.
func (l *streamLife) records(address string, exactly bool) (all []streamed) {
	l.Helper()
	seen := map[string]bool{}
	for _, value := range l.Read(l, address) {
		var r streamed
		fatal(l.T, json.Unmarshal(value, &r))
		position := fmt.Sprint(r.Topic, "/", r.Partition, "/", r.Offset)
		if !seen[position] {
			all = append(all, r)
		} else if exactly {
			l.Errorf("%s is there twice", position)
		}
		seen[position] = true
	}
	return all
}

// audit compares the output with the sent messages and with the server.
func (l *streamLife) audit(exactly bool) {
	l.Helper()
	client, err := api.NewClient(l.server, api.Options{})
	fatal(l.T, err)
	defer client.Close()
	docIDs := map[string]string{}
	for _, r := range l.records(l.To, exactly) {
		if docIDs[r.ID] != "" {
			l.Errorf("%s has two decisions", r.ID)
		}
		docIDs[r.ID] = r.DocID
	}
	for _, nid := range l.nids {
		a, err := client.Article(l.Context(), nid)
		if err != nil || a.DocID != docIDs[nid] {
			l.Errorf("article %s: the server says %s, %v, the stream %q", nid, a.DocID, err, docIDs[nid])
		}
	}
	bad := l.records(l.Bad, exactly)
	if stored := l.stored(); stored != len(l.nids) || len(docIDs) != len(l.nids) || len(bad) != l.bad {
		l.Errorf("sent: %d articles, %d others; decided: %d, refused: %d; stored: %d", len(l.nids), l.bad, len(docIDs), len(bad), stored)
	}
}

// Consumers are killed (NEARDUP_KILLS times per broker) at seeded moments. Every message is answered and
// written exactly once.
func TestKilledConsumersGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("the processes are not watched by the race detector more than in TestConsume")
	}
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("NEARDUP_KILLS")); err == nil {
		kills = n
	}
	for name, start := range streamtest.Brokers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &streamLife{T: t, Streams: start(t)(t), server: startServer(t), rng: rand.New(rand.NewPCG(28, 4))}
			l.send(120) // more than a page
			l.settle()
			asking := 0
			for range kills {
				before := len(l.nids)
				l.send(120)
				cmd := l.command()
				fatal(t, cmd.Start())
				until := before + l.rng.IntN(len(l.nids)-before+1)
				for end := time.Now().Add(patience); l.stored() < until; time.Sleep(time.Millisecond) {
					if time.Now().After(end) {
						_ = cmd.Process.Kill()
						t.Fatalf("%d of %d articles are stored: messages are lost", l.stored(), len(l.nids))
					}
				}
				time.Sleep(time.Duration(l.rng.Int64N(int64(50 * time.Millisecond)))) // the last ones are written, and acknowledged
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				if len(l.records(l.To, false)) < l.stored() {
					asking++
				}
			}
			l.settle()
			l.audit(name != "nats")
			t.Logf("%d kills, %d of them with articles that were answered and not written; %d messages", kills, asking, l.sent)
		})
	}
}

// TestConsume checks the metrics of consume, and that it ends cleanly on SIGTERM.
func TestConsume(t *testing.T) {
	l := &streamLife{T: t, Streams: streamtest.Redis(t)(t), server: startServer(t), rng: rand.New(rand.NewPCG(1, 1))}
	l.send(40)
	cmd := l.command("--metrics-addr", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	fatal(t, err)
	fatal(t, cmd.Start())
	var said struct{ Msg, Addr string }
	lines := json.NewDecoder(stderr)
	for said.Msg != "metrics" {
		fatal(t, lines.Decode(&said))
	}
	want := []string{
		fmt.Sprint("neardup_consume_read_total ", l.sent), fmt.Sprint("neardup_consume_decided_total ", len(l.nids)),
		fmt.Sprint("neardup_consume_refused_total ", l.bad), "neardup_consume_lag 0", "neardup_consume_in_flight 0", "neardup_consume_waiting 0",
	}
	var figures []byte
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get("http://" + said.Addr + "/metrics")
		fatal(t, err)
		figures, err = io.ReadAll(resp.Body)
		fatal(t, err)
		resp.Body.Close()
		missing := ""
		for _, w := range want {
			if !bytes.Contains(figures, []byte("\n"+w+"\n")) {
				missing = w
			}
		}
		if missing == "" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no %s in %s", missing, figures)
		}
	}
	fatal(t, cmd.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(io.MultiReader(lines.Buffered(), stderr))
	fatal(t, err)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), fmt.Sprintf(`"msg":"done","read":%d,"decided":%d,"refused":%d,"again":0`, l.sent, len(l.nids), l.bad)) {
		t.Errorf("after SIGTERM: %v, %s", err, rest)
	}
	l.audit(true)
}

// TestConsumeMistakes checks exit codes and messages of wrong calls, which must not contain a password.
func TestConsumeMistakes(t *testing.T) {
	good := map[string]string{"from": "redis-stream://127.0.0.1:1/a", "to": "-", "server": "http://127.0.0.1:1"}
	for _, test := range []struct {
		flag, value string
		code        int
		says        string
	}{
		{"from", "", exitUsage, "--from is missing"},
		{"to", "", exitUsage, "--to is missing"},
		{"server", "", exitUsage, "--server is missing"},
		{"from", "articles.jsonl", exitUsage, "source: invalid address of a stream"},
		{"from", "amqp://u:secret@host/a", exitUsage, "source: invalid address of a stream"},
		{"from", "kafka://u:secret@host", exitUsage, "source: invalid address of a stream"},
		{"to", "kafka://", exitUsage, "output: invalid address of a stream"},
		{"bad", "-", exitUsage, "--to and --bad name the same output (want two)"},
		{"in-flight", "0", exitUsage, "--in-flight 0: too small (want at least 1)"},
		{"claim-after", "5ms", exitUsage, "--claim-after 5ms: too small (want at least 1s)"},
		{"from", "redis-stream://:secret@127.0.0.1:1/a", exitFailed, "connect to Redis"},
		{"from", "nats://u:secret@127.0.0.1:1/a", exitFailed, "connect to NATS"},
		{"to", t.TempDir() + "/no/file", exitFailed, "no/file.lock: no such file or directory"},
	} {
		args := []string{"consume"}
		for name, value := range good {
			if name != test.flag {
				args = append(args, "--"+name, value)
			}
		}
		var stderr strings.Builder
		code := run(t.Context(), append(args, "--"+test.flag, test.value), strings.NewReader(""), io.Discard, &stderr)
		if code != test.code || !strings.Contains(stderr.String(), test.says) || strings.Contains(stderr.String(), "secret") {
			t.Errorf("--%s %s: %d, %s, want %d, %s", test.flag, test.value, code, stderr.String(), test.code, test.says)
		}
	}
}
