//go:build full

package main

import (
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/test/services"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestProduction runs the transcripts of the production tier, each over servers
// of its own: $REDIS, $MYSQL and $HBASE are their addresses, $GATEWAY is that of
// HBase's gateway, $MYSQL_PORT the port of MariaDB.
func TestProduction(t *testing.T) {
	if testing.Short() {
		t.Skip("the servers are processes of their own")
	}
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/production",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ready": ready, "ask": askServer, "terminate": terminate, "until": until},
		Setup: func(e *testscript.Env) error {
			redis, maria, hbase := services.Redis(t), services.MariaDB(t), services.StartHBase(t)
			e.Setenv("REDIS", "redis://"+redis.Addr)
			e.Setenv("MYSQL", "mysql://root:@"+maria.Addr+"/neardup")
			e.Setenv("HBASE", "hbase+http://"+hbase.Gateway.Addr)
			e.Setenv("GATEWAY", hbase.URL())
			e.Setenv("MYSQL_PORT", regexp.MustCompile(`\d+$`).FindString(maria.Addr))
			return nil
		},
	})
}

// until implements "until PATTERN COMMAND...". It repeats the command until its output matches.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until pattern command...")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	var out []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		cmd := exec.Command(args[1], args[2:]...)
		cmd.Dir = ts.Getenv("WORK")
		out, err = cmd.CombinedOutput()
		if want.Match(out) {
			return
		}
	}
	ts.Fatalf("%q never printed %s: %v\n%s", args[1:], want, err, out)
}
