package silence

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestSteadyAnswer: an answer may take longer than the deadline if each of its bytes comes within it.
func TestSteadyAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		defer a.Close()
		defer b.Close()
		go func() {
			for range 5 {
				time.Sleep(3 * time.Second)
				_, _ = b.Write([]byte{1})
			}
		}()
		c := &conn{Conn: a}
		if err := c.SetReadDeadline(time.Now().Add(4 * time.Second)); err != nil {
			t.Fatal(err)
		}
		for n := range 5 {
			if _, err := c.Read(make([]byte, 1)); err != nil {
				t.Fatalf("byte %d: %v", n, err)
			}
		}
		began := time.Now()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 4*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
