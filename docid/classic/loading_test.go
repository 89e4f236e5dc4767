package classic_test

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neardup/neardup/docid/classic"
	"github.com/neardup/neardup/internal/services"
)

// TestOpenWhileItLoads: a Redis that reads its data after a start is waited for.
func TestOpenWhileItLoads(t *testing.T) {
	server := services.Redis(t, "--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024")
	says := func(commands string) string {
		c, err := net.Dial("tcp", server.Addr)
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		_, _ = fmt.Fprint(c, commands)
		var answer [1 << 16]byte
		n := 0
		_ = c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		for err = nil; err == nil; {
			var more int
			more, err = c.Read(answer[n:])
			n += more
		}
		return string(answer[:n])
	}
	var keys strings.Builder
	for n := range 400 {
		fmt.Fprintf(&keys, "SET key%d value\r\n", n)
	}
	says(keys.String() + "BGREWRITEAOF\r\n")
	for end := time.Now().Add(10 * time.Second); !strings.Contains(says("INFO persistence\r\n"), "aof_rewrite_in_progress:0"); {
		if time.Now().After(end) {
			t.Fatal("the log is not written anew")
		}
	}
	server.Stop()
	var starting sync.WaitGroup
	defer starting.Wait()
	starting.Go(func() { server.Start(t) })
	for end := time.Now().Add(10 * time.Second); !strings.Contains(says("PING\r\n"), "LOADING"); {
		if time.Now().After(end) {
			t.Fatal("it does not say that it loads")
		}
	}
	index(t, open(t, server, classic.Options{}))
}
