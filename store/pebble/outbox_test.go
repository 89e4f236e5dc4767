package pebble_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/store/pebble"
)

// drained passes the folder to a child process of TestOutboxThroughKills.
const drained = "NEARDUP_TEST_DRAINED"

// TestOutboxThroughKills kills a process at random moments that takes articles and feeds two sinks. In the end
// each sink must have every change exactly once, and no acknowledged article may be missing.
func TestOutboxThroughKills(t *testing.T) {
	if dir := os.Getenv(drained); dir != "" {
		t.Fatal(drain(t.Context(), dir))
	}
	dir := t.TempDir()
	kills, r := 8, rand.New(rand.NewPCG(4, 2))
	if os.Getenv("NEARDUP_LONG") != "" {
		kills = 100
	}
	var acknowledged []string
	for range kills {
		acknowledged = append(acknowledged, runAndKill(t, dir, time.Duration(20+r.IntN(200))*time.Millisecond)...)
	}
	if len(acknowledged) == 0 {
		t.Fatal("no article was acknowledged")
	}
	s, d := openDrained(t.Context(), dir)
	sent := map[string]string{}
	for _, nid := range acknowledged {
		if _, _, err := d.Member(t.Context(), nid); err != nil {
			t.Errorf("acknowledged: %v", err)
		}
	}
	entries, err := d.Index().Catalog().Log(t.Context(), 0, 1<<20)
	ok(t, err)
	for _, e := range entries {
		sent[e.NID] = textOf(e.NID)
	}
	for _, name := range sinks {
		path := filepath.Join(dir, name)
		sink, err := storetest.OpenFileSink(path)
		ok(t, err)
		relay, err := d.Relay(t.Context(), name, sink)
		ok(t, err)
		before, _ := sink.Cursor(t.Context(), "tenant")
		_, err = relay.Drain(t.Context())
		ok(t, errors.Join(err, sink.Close()))
		storetest.CheckLines(t, d, path, sent)
		t.Logf("%s: %d changes, %d of them after the last of %d kills", name, len(entries), len(entries)-int(before), kills)
	}
	ok(t, s.Close())
	report, err := pebble.Check(t.Context(), filepath.Join(dir, "store"), pebble.Options{})
	ok(t, err)
	if len(report.Problems) > 0 {
		t.Errorf("problems: %+v", report.Problems)
	}
}

var sinks = []string{"rows", "kept"}

func textOf(nid string) string { return "the text of " + nid }

// runAndKill kills a child some time after its first answer, and returns the nids that it had answered.
func runAndKill(t *testing.T, dir string, after time.Duration) (nids []string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOutboxThroughKills$")
	child.Env = append(os.Environ(), drained+"="+dir)
	out, err := child.StdoutPipe()
	ok(t, err)
	ok(t, child.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		nid, isNID := strings.CutPrefix(lines.Text(), "stored ")
		if !isNID {
			t.Log(lines.Text())
			continue
		}
		nids = append(nids, nid)
		if len(nids) == 1 {
			time.AfterFunc(after, func() { _ = child.Process.Kill() }) // the child may have ended
		}
	}
	_ = child.Wait() // it was killed
	return nids
}

func openDrained(ctx context.Context, dir string) (*pebble.Store, *docid.Detector) {
	s, err := pebble.Open(ctx, filepath.Join(dir, "store"), pebble.Options{})
	if err != nil {
		panic(err)
	}
	d, err := docid.NewDetector(ctx, s, "tenant", docid.Settings{Content: docid.Exact})
	if err != nil {
		panic(err)
	}
	return s, d
}

// drain runs in the child. It submits articles and relays them, the first once both sinks are attached.
func drain(ctx context.Context, dir string) error {
	_, d := openDrained(ctx, dir)
	for _, name := range sinks {
		sink, err := storetest.OpenFileSink(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		relay, err := d.Relay(ctx, name, sink)
		if err != nil {
			return err
		}
		go func() { _ = relay.Run(ctx) }()
	}
	for n := 0; ; n++ {
		var sub docid.Submission
		sub.ID = fmt.Sprintf("%d-%d", os.Getpid(), n)
		sub.Text = textOf(sub.ID)
		if _, err := d.Add(ctx, sub); err != nil {
			return err
		}
		fmt.Println("stored " + sub.ID)
	}
}
