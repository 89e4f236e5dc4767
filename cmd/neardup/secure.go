//go:build full

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	iofs "io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup/server"
)

// loopback reports whether only this machine can reach an address.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}

// entrance holds the addresses of a server and its access flags.
type entrance struct {
	addr, addrFile  string
	metricsAddr     string
	tokens          string
	tlsCert, tlsKey string
	insecure        bool
	host            []string
}

// access makes the access rules and rejects settings that would open the server by mistake.
func (s *serve) access() (*server.Access, error) {
	host, _, err := net.SplitHostPort(s.addr)
	if err != nil {
		return nil, usage("--addr: %w", err)
	}
	local := loopback(s.addr)
	switch ip := net.ParseIP(host); {
	case !local && s.tokens == "":
		return nil, usage("--addr %s: a public address without --tokens (see neardup token)", s.addr)
	case !local && s.tlsCert == "" && !s.insecure:
		return nil, usage("--addr %s: a public address without TLS (want --tls-cert and --tls-key, or --insecure)", s.addr)
	case len(s.host) > 0:
	case local:
		s.host = []string{"localhost", "127.0.0.1", "::1", host}
	case host == "" || (ip != nil && ip.IsUnspecified()):
		return nil, usage("--addr %s: listens on every address (want --host with the names that clients use)", s.addr)
	default:
		s.host = []string{host}
	}
	if s.tokens == "" {
		// Every user of this machine may submit and read, and users who can read the token file may administer.
		token, err := adminToken(s.data)
		if err != nil {
			return nil, fmt.Errorf("token of the administrator: %w", err)
		}
		a := &server.Access{Anonymous: &server.Grant{Tenant: defaultTenant, Roles: []server.Role{server.Submit, server.Read}}}
		a.Allow(server.HashOf(token), server.Grant{Tenant: defaultTenant, Roles: []server.Role{server.Admin, server.Operator}, Name: "admin"})
		return a, nil
	}
	f, err := os.Open(s.tokens)
	if err != nil {
		return nil, fmt.Errorf("--tokens: %w", err)
	}
	defer f.Close()
	return server.ReadTokens(f)
}

// adminToken reads the token in a data folder, or creates the folder and the token.
func adminToken(data string) (string, error) {
	path := filepath.Join(data, "admin-token")
	b, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, iofs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return "", err
	}
	token, err := server.NewToken()
	if err != nil {
		return "", err
	}
	return token, replaceFile(path, []byte(token+"\n"), 0o600)
}

func (s *serve) tls() (*tls.Config, error) {
	if s.tlsCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert: %w", err)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	}, nil
}

type token struct {
	*app
	tokens, tenant, roles, name string
}

func (v *token) do(context.Context, []string) error {
	g := server.Grant{Tenant: v.tenant, Name: v.name}
	if err := server.ValidTenant(g.Tenant); err != nil {
		return usage("--tenant: %w", err)
	}
	if len(strings.Fields(g.Name)) > 1 {
		return usage("--name: invalid (want one word)")
	}
	var err error
	g.Roles, err = server.ParseRoles(v.roles)
	if err != nil {
		return usage("--roles %q: %w", v.roles, err)
	}
	token, err := server.NewToken()
	if err != nil {
		return err
	}
	line := server.Line(server.HashOf(token), g)
	if _, err := server.ReadTokens(strings.NewReader(line)); err != nil {
		return usage("--name: %w", err)
	}
	if err := appendLine(v.tokens, line); err != nil {
		return fmt.Errorf("--tokens: %w", err)
	}
	fmt.Fprintln(v.stdout, token)
	return nil
}

// appendLine appends a line. It first ends the last line if an editor has left it without a newline.
func appendLine(file, line string) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return err
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		line = "\n" + line
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}
