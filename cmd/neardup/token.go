package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/neardup/neardup/server"
	"github.com/spf13/cobra"
)

func tokenCommand(a *app) *cobra.Command {
	var file, tenant, roles string
	cmd := &cobra.Command{
		Use:   "token --tokens FILE [--tenant NAME] [--roles submit,read]",
		Short: "Make a token for the service",
		Long: `Draws a token, appends its SHA-256 with tenant and roles to the file that neardup
serve --tokens reads at its start, and prints the token. It is shown this once:
the file does not hold it. To withdraw a token, delete its line and start the
server again.

Roles: submit decides on articles, read looks up and compares, admin may all of
it and delete, end docIds, read the log. A backup holds all tenants and takes the
role operator, which none of the others includes.

` + exitHelp,
		Example: `  neardup token --tokens tokens --tenant news --roles submit,read`,
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			return makeToken(a, file, tenant, roles)
		},
	}
	cmd.Flags().StringVar(&file, "tokens", "", "file of tokens to append to; made if it is not there")
	cmd.Flags().StringVar(&tenant, "tenant", defaultTenant, "tenant that the token belongs to")
	cmd.Flags().StringVar(&roles, "roles", "submit,read", "roles of the token: submit, read, admin, operator")
	return cmd
}

func makeToken(a *app, file, tenant, roles string) error {
	if file == "" {
		return usage("--tokens is missing")
	}
	if err := server.ValidTenant(tenant); err != nil {
		return usage("--tenant: %w", err)
	}
	g := server.Grant{Tenant: tenant}
	for _, r := range strings.Split(roles, ",") {
		g.Roles = append(g.Roles, server.Role(r))
	}
	token, err := server.NewToken()
	if err != nil {
		return err
	}
	line := server.Line(server.HashOf(token), g)
	if _, err := server.ReadTokens(strings.NewReader(line)); err != nil {
		return usage("--roles: %w", err)
	}
	if err := appendLine(file, line); err != nil {
		return fmt.Errorf("--tokens: %w", err)
	}
	fmt.Fprintln(a.stdout, token)
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
