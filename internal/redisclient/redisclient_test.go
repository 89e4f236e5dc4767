package redisclient_test

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomodule/redigo/redis"
	"github.com/neardup/neardup/internal/redisclient"
	"github.com/neardup/neardup/internal/test/services"
)

// TestParseURL checks the options of addresses, and that no error contains the password.
func TestParseURL(t *testing.T) {
	for _, c := range []struct{ address, hosts, master, problem string }{
		{"redis://host", "host", "", ""},
		{"redis://u:secret@host:1/2", "host:1", "", ""},
		{"rediss://[::1]:7", "[::1]:7", "", ""},
		{"redis://a:26379?master_set=nd&addr=b:26379&addr=c", "a:26379 b:26379 c", "nd", ""},
		{"redis://u:secret@host:none", "", "", "address of Redis: invalid port"},
	} {
		o, err := redisclient.ParseURL(c.address)
		if err != nil {
			if c.problem == "" || !strings.HasPrefix(err.Error(), c.problem) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", c.address, err)
			}
			continue
		}
		if hosts := strings.Join(o.Hosts, " "); c.problem != "" || hosts != c.hosts || o.MasterSet != c.master {
			t.Errorf("%s: %s, %s", c.address, hosts, o.MasterSet)
		}
	}
}

func connect(t *testing.T, address string) (*redisclient.Client, error) {
	t.Helper()
	o, err := redisclient.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	c, err := redisclient.Connect(t.Context(), o)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

// TestUser: a user has a name, a password and a database, and a wrong password is refused without being repeated.
func TestUser(t *testing.T) {
	s := services.Redis(t)
	if said := services.Ask(s.Addr, "ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all"); !strings.HasPrefix(said, "+OK") {
		t.Fatal(said)
	}
	c, err := connect(t, "redis://ann:secret@"+s.Addr+"/3")
	if err != nil {
		t.Fatal(err)
	}
	info, err := redis.String(c.Do(t.Context(), "CLIENT", "INFO"))
	for _, want := range []string{"user=ann", "db=3", "name=neardup"} {
		if err != nil || !slices.Contains(strings.Fields(info), want) {
			t.Errorf("%s is not in %s, %v", want, info, err)
		}
	}
	if _, err := connect(t, "redis://ann:mistaken@"+s.Addr); err == nil || !strings.Contains(err.Error(), "WRONGPASS") || strings.Contains(err.Error(), "mistaken") {
		t.Errorf("a wrong password: %v", err)
	}
}

// TestTLS: rediss speaks TLS, and refuses a server whose certificate is not of its name.
func TestTLS(t *testing.T) {
	s := services.Redis(t)
	certificates := httptest.NewTLSServer(nil)
	defer certificates.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	of := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificates.Certificate().Raw})
	if err := os.WriteFile(file, of, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", file) // no other test here loads the authorities of the system
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certificates.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go forward(l, s.Addr)
	if _, err := connect(t, "rediss://"+l.Addr().String()); err != nil { // 127.0.0.1, which the certificate names
		t.Error(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	var unknown *tls.CertificateVerificationError
	if _, err := connect(t, "rediss://localhost:"+port); !errors.As(err, &unknown) {
		t.Errorf("a certificate of another name: %v", err)
	}
	if _, err := connect(t, "rediss://"+s.Addr); err == nil {
		t.Error("a server without TLS is spoken to")
	}
}

// forward copies between what connects to a listener and an address, until the listener closes.
func forward(l net.Listener, addr string) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", addr)
		if err != nil {
			_ = from.Close()
			continue
		}
		for _, c := range [][2]net.Conn{{from, to}, {to, from}} {
			go func() {
				_, _ = io.Copy(c[0], c[1]) // its end is the end of both
				_, _ = c[0].Close(), c[1].Close()
			}()
		}
	}
}

// TestRestart: after a restart of Redis at most one command fails, however many connections there were.
func TestRestart(t *testing.T) {
	s := services.Redis(t)
	c, err := connect(t, "redis://"+s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	const many = 8
	var all sync.WaitGroup
	conns := make(chan *redisclient.Conn, many)
	for range many {
		all.Go(func() {
			conn, err := c.Conn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			conns <- conn
		})
	}
	all.Wait()
	close(conns)
	for conn := range conns {
		conn.Close()
	}
	s.Kill()
	s.Start(t)
	failures := 0
	for range many {
		if _, err := c.Do(t.Context(), "PING"); err != nil {
			failures++
		}
	}
	if failures > 1 {
		t.Errorf("%d of %d commands failed", failures, many)
	}
}

// TestPipe: commands have an answer each, what scripts refuse has the words of the script, and a script that Redis
// does not have is sent.
func TestPipe(t *testing.T) {
	c, err := connect(t, "redis://"+services.Redis(t).Addr)
	if err != nil {
		t.Fatal(err)
	}
	answers, err := c.Pipe(t.Context(), redis.Args{"SET", "a", 1}, redis.Args{"LPUSH", "a", "b"}, redis.Args{"GET", "a"})
	if err != nil || len(answers) != 3 {
		t.Fatal(answers, err)
	}
	if err := redisclient.FirstError(answers, nil); err == nil || err != answers[1] || !strings.HasPrefix(err.Error(), "WRONGTYPE") {
		t.Errorf("the first error is %v", err)
	}
	if a, err := redis.Int(answers[2], nil); a != 1 || err != nil {
		t.Errorf("a is %d, %v", a, err)
	}
	if none, err := c.Pipe(t.Context()); err != nil || len(none) != 0 {
		t.Error(none, err)
	}
	refuses := redis.NewScript(-1, "return redis.error_reply(KEYS[1] .. ARGV[1])")
	for range 2 {
		if _, err := c.Eval(t.Context(), refuses, []string{"NO"}, []string{"PE"}); err == nil || err.Error() != "NOPE" {
			t.Errorf("a script that refuses: %v", err)
		}
	}
}

// TestEntries: what an answer with entries holds. A deleted entry has no fields.
func TestEntries(t *testing.T) {
	b := func(s string) any { return []byte(s) }
	entry := func(id any, fields any) any { return []any{id, fields} }
	for _, c := range []struct {
		what   string
		answer any
		want   int // -1: an error
	}{
		{"none", []any{}, 0},
		{"two", []any{entry(b("0-1"), []any{b("k"), b("v")}), entry(b("0-2"), nil)}, 2},
		{"no list", int64(1), -1},
		{"an entry that is no list", []any{b("0-1")}, -1},
		{"an entry of one part", []any{[]any{b("0-1")}}, -1},
		{"a key without a value", []any{entry(b("0-1"), []any{b("k")})}, -1},
	} {
		entries, err := redisclient.Entries(c.answer, nil)
		if (err != nil) != (c.want < 0) || (err == nil && len(entries) != c.want) {
			t.Errorf("%s: %v, %v", c.what, entries, err)
		}
		if c.what == "two" && (entries[0].Fields["k"] != "v" || entries[1].ID != "0-2" || len(entries[1].Fields) != 0) {
			t.Errorf("%s: %v", c.what, entries)
		}
	}
	if _, err := redisclient.Entries(nil, net.ErrClosed); !errors.Is(err, net.ErrClosed) {
		t.Errorf("an error before: %v", err)
	}
}
