package server_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/neardup/neardup/server"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/store/memory"
)

// A server in a program of one's own, and its client.
func Example() {
	ctx := context.Background()
	store, err := memory.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	s, err := server.New(ctx, server.Config{
		Store: store, Settings: settings, Hosts: []string{"127.0.0.1"},
		Access: &server.Access{Anonymous: &server.Grant{Tenant: "news", Roles: []server.Role{server.Submit, server.Read}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	listener := httptest.NewServer(s)
	defer listener.Close()

	c, err := api.NewClient(listener.URL, api.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for _, text := range []string{"The quick brown fox jumps over the lazy dog.", "The quick brown fox jumped over the lazy dog."} {
		a, err := c.Submit(ctx, api.Submission{Article: api.Article{Content: text}}, "")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %s %q\n", a.Seq, a.Decision.Decision, a.Basis)
	}
	// Output:
	// 1 new ""
	// 2 duplicate "probability by the evidence of the words"
}
