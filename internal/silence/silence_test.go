package silence_test

import (
	"crypto/tls"
	"net"
	"testing"
	"time"

	"github.com/neardup/neardup/internal/silence"
)

// TestSilentHandshake: a server that accepts a connection and says nothing takes no longer than Connect.
func TestSilentHandshake(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialer := silence.Dialer{Connect: 50 * time.Millisecond, TLS: &tls.Config{}}
	if c, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String()); err == nil {
		c.Close()
		t.Error("connected to a server without TLS")
	}
}
