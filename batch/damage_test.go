package batch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
)

// damages lists ways to damage a file of an index.
var damages = []struct {
	name string
	do   func(rng *rand.Rand, content, other []byte) []byte
}{
	{"a bit is flipped", func(rng *rand.Rand, b, _ []byte) []byte {
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		return b
	}},
	{"it is cut", func(rng *rand.Rand, b, _ []byte) []byte { return b[:rng.IntN(len(b))] }},
	{"its end is zero", func(rng *rand.Rand, b, _ []byte) []byte {
		clear(b[rng.IntN(len(b)):])
		return b
	}},
	{"something is appended", func(rng *rand.Rand, b, _ []byte) []byte { return append(b, make([]byte, 1+rng.IntN(100))...) }},
	{"another file is in its place", func(_ *rand.Rand, _, other []byte) []byte { return other }},
	{"it is gone", func(*rand.Rand, []byte, []byte) []byte { return nil }},
}

// After any change to a file of an index, a run names the damaged file or decides as without the change.
func TestDamagedIndexesAreRefused(t *testing.T) {
	cfg := Config{Method: shingled{threshold: .5}, Tmp: t.TempDir()}
	dir := filepath.Join(t.TempDir(), "index")
	if err := CreateIndex(dir, cfg, nil); err != nil {
		t.Fatal(err)
	}
	docs := randomDocs(3, 700)
	addTo(t, dir, docs[:500], cfg)
	addTo(t, dir, docs[500:600], cfg)
	want, err := decideAgainst(dir, docs[600:], cfg)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	var names []string
	for _, e := range entries {
		files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name())
	}
	rng, refused := rand.New(rand.NewPCG(5, 5)), 0
	for i := range 300 {
		how, name := damages[i%len(damages)], names[rng.IntN(len(names))]
		other := files[names[rng.IntN(len(names))]]
		content := how.do(rng, append([]byte(nil), files[name]...), append([]byte(nil), other...))
		t.Run(fmt.Sprintf("%d/%s/%s", i, name, how.name), func(t *testing.T) {
			spoilt := t.TempDir()
			for each, b := range files {
				if each == name {
					b = content
				}
				if b == nil {
					continue
				}
				if err := os.WriteFile(filepath.Join(spoilt, each), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := decideAgainst(spoilt, docs[600:], cfg)
			switch {
			case err == nil:
				if diff := gocmp.Diff(want, got); diff != "" {
					t.Errorf("it decides otherwise (-undamaged +damaged):\n%s", diff)
				}
			case errors.Is(err, reference.ErrNone) && name == reference.ManifestName && content == nil:
				refused++
			case !errors.Is(err, reference.ErrDamaged) || !strings.Contains(err.Error(), name):
				t.Errorf("it says %v, which does not name the file", err)
			default:
				refused++
			}
			if string(content) == string(files[name]) {
				return
			}
			x, err := reference.Open(spoilt)
			if err == nil {
				err = errors.Join(CheckIndex(context.Background(), x), x.Close())
			}
			if !errors.Is(err, reference.ErrDamaged) && !errors.Is(err, reference.ErrNone) {
				t.Errorf("the check says %v", err)
			}
		})
	}
	if refused < 200 {
		t.Errorf("only %d of 300 damages were noticed by a run", refused)
	}
}

func decideAgainst(dir string, docs []neardup.Document, cfg Config) (all []neardup.Decision, err error) {
	x, err := reference.Open(dir)
	if err != nil {
		return nil, err
	}
	cfg.Reference = x
	_, err = Dedup(context.Background(), Documents(docs), cfg, func(o Outcome) error {
		all = append(all, o.Decision)
		return nil
	})
	return all, errors.Join(err, x.Close())
}
