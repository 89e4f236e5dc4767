//go:build full

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// certificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fatal(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	fatal(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	fatal(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	fatal(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}), 0o600))
	fatal(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *syncBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *syncBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serving runs neardup serve until the test ends and returns its address.
func serving(t *testing.T, args ...string) string {
	t.Helper()
	return servingTo(t, &syncBuffer{}, args...)
}

// servingTo does so with a log that is read meanwhile.
func servingTo(t *testing.T, stderr *syncBuffer, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	addr := filepath.Join(dir, "addr")
	args = append([]string{"serve", "--data", filepath.Join(dir, "data"), "--addr", "127.0.0.1:0", "--addr-file", addr, "--metrics-addr", "off"}, args...)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, args, strings.NewReader(""), io.Discard, stderr) }()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != exitDone {
			t.Errorf("exit %d: %s", code, stderr.String())
		}
	})
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if at, err := os.ReadFile(addr); err == nil {
			return strings.TrimSpace(string(at))
		}
	}
	t.Fatal("the server does not listen")
	return ""
}

// awaitReady waits until a server is ready: one that is ended before was interrupted.
func awaitReady(t *testing.T, config *tls.Config, url string) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if resp, err := (&http.Client{Transport: transport}).Get(url + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatal("the server is not ready")
}

// With a certificate the service accepts TLS 1.2 and newer only.
func TestTLS(t *testing.T) {
	cert, key := certificate(t, t.TempDir())
	addr := serving(t, "--tls-cert", cert, "--tls-key", key)
	trusted := x509.NewCertPool()
	public, err := os.ReadFile(cert)
	fatal(t, err)
	trusted.AppendCertsFromPEM(public)
	awaitReady(t, &tls.Config{RootCAs: trusted}, "https://"+addr)
	for _, test := range []struct {
		name   string
		config *tls.Config
		works  bool
	}{
		{"whoever trusts the certificate", &tls.Config{RootCAs: trusted}, true},
		{"TLS 1.2", &tls.Config{RootCAs: trusted, MaxVersion: tls.VersionTLS12}, true},
		{"TLS 1.1", &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, false},
		{"whoever does not trust it", &tls.Config{}, false},
	} {
		transport := &http.Transport{TLSClientConfig: test.config, ForceAttemptHTTP2: true}
		resp, err := (&http.Client{Transport: transport}).Get("https://" + addr + "/healthz")
		if (err == nil) != test.works {
			t.Errorf("%s: %v", test.name, err)
		}
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
				t.Errorf("%s: %d over %s", test.name, resp.StatusCode, resp.Proto)
			}
		}
		transport.CloseIdleConnections()
	}
	resp, err := http.Get("http://" + addr + "/healthz")
	fatal(t, err)
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "HTTPS") {
		t.Errorf("plain HTTP: %d %q, %v", resp.StatusCode, body, err)
	}
}

// A certificate that cannot be used ends the start with its reason, before
// anything listens.
func TestBadCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir)
	_, other := certificate(t, t.TempDir())
	garbage, missing := filepath.Join(dir, "garbage.pem"), filepath.Join(dir, "missing.pem")
	fatal(t, os.WriteFile(garbage, []byte("no certificate"), 0o600))
	for _, test := range []struct{ name, cert, key, says string }{
		{"no such certificate", missing, key, "missing.pem: no such file"},
		{"no such key", cert, missing, "missing.pem: no such file"},
		{"not a certificate", garbage, key, "failed to find any PEM data"},
		{"not a key", cert, garbage, "failed to find any PEM data"},
		{"the key of another", cert, other, "does not match"},
		{"a key for a certificate", key, key, "failed to find certificate"},
	} {
		addr := filepath.Join(t.TempDir(), "addr")
		code, _, stderr := command(t, "serve", "--data", filepath.Join(t.TempDir(), "data"), "--addr", "127.0.0.1:0", "--addr-file", addr,
			"--metrics-addr", "off", "--tls-cert", test.cert, "--tls-key", test.key)
		if code == exitDone || !strings.Contains(stderr, "--tls-") || !strings.Contains(stderr, test.says) {
			t.Errorf("%s: exit %d, %q", test.name, code, stderr)
		}
		if _, err := os.Stat(addr); err == nil {
			t.Errorf("%s: it listened", test.name)
		}
	}
}
