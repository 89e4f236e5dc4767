package main

import (
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/store/memory"
	"github.com/spf13/pflag"
)

// TestStandard: without flags the service decides as docid/standard says.
func TestStandard(t *testing.T) {
	var f indexFlags
	f.add(pflag.NewFlagSet("serve", pflag.ContinueOnError))
	flags, err := f.settings()
	if err != nil {
		t.Fatal(err)
	}
	var specs []string
	for _, s := range []docid.Settings{flags, standard.Settings()} {
		store, err := memory.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s.Identity = func(string) (docid.Identity, error) { return docid.Identity{Seed: 1}, nil }
		d, err := docid.NewDetector(t.Context(), store, "tenant", s)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, d.Index().Identity().Spec)
	}
	if specs[0] != specs[1] {
		t.Errorf("the command has %q, the library %q", specs[0], specs[1])
	}
}
