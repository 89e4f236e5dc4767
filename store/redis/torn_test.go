package redis

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/services"
)

// TestTornChange: the machine died while Redis wrote a change to its log. Redis leaves
// the begin of such a change in its file, and carries it out when it reads the file
// again after something was written behind it: half a change. The index has it write
// its log anew before anything is.
func TestTornChange(t *testing.T) {
	server, s := opened(t)
	ctx := t.Context()
	d := detect(t, s)
	kept, err := submit(ctx, d, "kept", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.End(ctx, kept.DocID); err != nil {
		t.Fatal(err)
	}
	written(t, server)
	server.Kill()
	logs, err := filepath.Glob(filepath.Join(server.Dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs %q, %v", logs, err)
	}
	last := logs[len(logs)-1]
	log, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(log, []byte("XADD")) // its commands before that are whole
	if err := os.Truncate(last, int64(at)+2); err != nil {
		t.Fatal(err)
	}
	server.Start(t)
	if a, err := submit(ctx, d, "between", 2); err != nil {
		t.Fatalf("%+v, %v", a, err)
	}
	written(t, server) // until then Redis would refuse to start, which is no lie
	server.Kill()
	server.Start(t)
	if a, err := submit(ctx, d, "copy", 1); err != nil || a.DocID != kept.DocID {
		t.Errorf("a copy of an article whose docId was half ended, and nobody was told, is %+v, %v; want docId %s", a, err, kept.DocID)
	}
	if _, err := d.Index().Catalog().Member(ctx, "kept"); err != nil {
		t.Errorf("its row: %v", err)
	}
}

// written waits until no log is written anew.
func written(t *testing.T, s *services.Server) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(admin(t, s, "INFO", "persistence"), "aof_rewrite_in_progress:0"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the log is not written anew")
		}
	}
}
