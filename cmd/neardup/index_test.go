//go:build full

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/neardup/neardup/store/memory"
	"github.com/spf13/pflag"
)

// TestStandard checks that the service decides like docid/standard without flags.
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

// TestIndexOverrides checks that the settings have the rulings, and that an invalid file is reported as a
// wrong flag.
func TestIndexOverrides(t *testing.T) {
	path := filepath.Join(t.TempDir(), "overrides.jsonl")
	for content, want := range map[string]int{`{"a":"1","b":"2","link":"must"}`: 1, `{"a":"1"}`: -1} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, fs := indexFlags{}, pflag.NewFlagSet("serve", pflag.ContinueOnError)
		f.add(fs)
		if err := fs.Parse([]string{"--overrides", path}); err != nil {
			t.Fatal(err)
		}
		switch s, err := f.settings(); {
		case want < 0 && (err == nil || !strings.Contains(err.Error(), "overrides.jsonl")):
			t.Errorf("%s: %v", content, err)
		case want >= 0 && (err != nil || s.Overrides.Len() != want):
			t.Errorf("%s: %d rulings, %v", content, s.Overrides.Len(), err)
		}
	}
}

// TestIndexCompare: titles are compared where it is asked for, and refused where
// nothing is.
func TestIndexCompare(t *testing.T) {
	for args, want := range map[string]string{
		"": "text", "--compare text": "text", "--compare title,text": "title,text", "--compare title,text --content exact": "title,text",
		"--compare title": "want \"text\" or",
	} {
		f, fs := indexFlags{}, pflag.NewFlagSet("serve", pflag.ContinueOnError)
		f.add(fs)
		if err := fs.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		switch s, err := f.settings(); {
		case err != nil:
			if !strings.Contains(err.Error(), want) || !errors.Is(err, errUsage) {
				t.Errorf("%s: %v", args, err)
			}
		case s.Titled != (want == "title,text"):
			t.Errorf("%s: titled %v", args, s.Titled)
		}
	}
}

// --before removes what is earlier: neither a document of that time nor one without a time.
func TestRemoveBefore(t *testing.T) {
	at, err := corpus.ParseTime("2025-01-01")
	fatal(t, err)
	gone, err := (&indexRemove{before: "2025-01-01"}).gone()
	fatal(t, err)
	for _, test := range []struct {
		name string
		time int64
		want bool
	}{
		{"earlier", at - 1, true}, {"that time", at, false}, {"later", at + 1, false}, {"none", 0, false},
	} {
		if got := gone("id", test.time); got != test.want {
			t.Errorf("%s: removed %v, want %v", test.name, got, test.want)
		}
	}
}
