package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/neardup/neardup/server"
)

type token struct {
	*app
	tokens, tenant, roles, name string
}

func (v *token) do(context.Context, []string) error {
	g := server.Grant{Tenant: v.tenant, Name: v.name}
	if v.tokens == "" {
		return usage("--tokens is missing")
	}
	if err := server.ValidTenant(g.Tenant); err != nil {
		return usage("--tenant: %w", err)
	}
	if len(strings.Fields(g.Name)) > 1 {
		return usage("--name: one word")
	}
	var err error
	if g.Roles, err = server.ParseRoles(v.roles); err != nil {
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

// appendLine appends a line of its own, also where somebody's editor has left
// the last one without an end.
func appendLine(file, line string) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var last [1]byte
	if size, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	} else if size > 0 {
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = fmt.Fprintln(f, line)
	return err
}
