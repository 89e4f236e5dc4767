package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/neardup/neardup/server/api"
)

// remoteFlags say which server to talk to.
type remoteFlags struct {
	server, tokenFile string
}

// refusedToken reports the answer of a server that needs another token, or one.
func refusedToken(err error) bool {
	var p *api.Problem
	return errors.As(err, &p) && (p.Code() == api.CodeToken || p.Code() == api.CodeForbidden)
}

// client makes a client that tells once where it has to wait. Tokens never come as
// a flag: others could see it.
func (f *remoteFlags) client(tell io.Writer) (*api.Client, error) {
	if f.server == "" {
		return nil, usage("--server is missing")
	}
	token := os.Getenv("NEARDUP_TOKEN")
	if f.tokenFile != "" {
		b, err := os.ReadFile(f.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
		if token = strings.TrimSpace(string(b)); token == "" {
			return nil, fmt.Errorf("--token-file: %s holds no token", f.tokenFile)
		}
	}
	var once sync.Once
	c, err := api.NewClient(f.server, api.Options{Token: token, Waits: func(err error) {
		once.Do(func() { fmt.Fprintf(tell, "no answer yet: %s; trying again for half a minute\n", plainly(err)) })
	}})
	if err != nil {
		return nil, usage("--server: %w", err)
	}
	return c, nil
}
