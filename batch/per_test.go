package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/batch/reference"
)

// Per a list of fields documents are decided as if each group were a run of its own, with any
// workers and memory, whether or not the method is trained, and so are their pairs.
func TestPerIsOneRunAGroup(t *testing.T) {
	for seed := range uint64(8) {
		docs, rng := randomDocs(seed, 150), rand.New(rand.NewPCG(seed, 5))
		groups := map[string][]neardup.Document{}
		for i := range docs {
			d := &docs[i]
			d.Fields = map[string]string{"language": []string{"en", "zh", ""}[rng.IntN(3)], "other": fmt.Sprint(i)}
			at := [][2]string{{"https://www.A.example:80/p", "a.example"}, {"http://a.example", "a.example"}, {"b.example/q?at=http://c", "b.example"}, {"", ""}, {"::", ""}, {"/q", ""}}[rng.IntN(6)]
			d.URL = at[0]
			key := d.Fields["language"] + " " + at[1]
			groups[key] = append(groups[key], *d)
		}
		cfg := Config{Method: shingled{threshold: .5}, Per: []string{"language", PerSite}, Keep: ByID}
		want, pairs := map[string]neardup.Decision{}, map[[2]string]bool{}
		for _, group := range groups {
			alone := cfg
			alone.Per = nil
			all, _ := decideAll(t, group, alone)
			for _, d := range all {
				want[d.ID] = d
			}
			eachPair(t, group, alone, func(p Pair) { pairs[[2]string{p.A, p.B}] = true })
		}
		for _, test := range []Config{{Workers: 1}, {Workers: 3, Memory: 1 << 14}, {Workers: 2, Method: trained{shingled{threshold: .5}}}, {Memory: 1 << 12, Method: trained{shingled{threshold: .5}}}} {
			test.Per, test.Keep = cfg.Per, cfg.Keep
			if test.Method == nil {
				test.Method = cfg.Method
			}
			all, _ := decideAll(t, docs, test)
			got := map[string]neardup.Decision{}
			for _, d := range all {
				got[d.ID] = d
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %d workers, %d bytes (-each group alone +per):\n%s", seed, test.Workers, test.Memory, diff)
			}
			listed := map[[2]string]bool{}
			eachPair(t, docs, test, func(p Pair) { listed[[2]string{p.A, p.B}] = true })
			if diff := gocmp.Diff(pairs, listed); diff != "" {
				t.Fatalf("seed %d: pairs (-each group alone +per):\n%s", seed, diff)
			}
		}
	}
}

func eachPair(t *testing.T, docs []neardup.Document, cfg Config, found func(Pair)) {
	t.Helper()
	_, err := Pairs(context.Background(), Documents(docs), cfg, func(p Pair) error {
		found(p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Settings that cannot be combined with Per are refused.
func TestPerRefuses(t *testing.T) {
	for _, cfg := range []Config{{Audit: &audit.Config{}}, {Reference: &reference.Index{}}} {
		cfg.Method, cfg.Per = shingled{threshold: .5}, []string{"language"}
		_, err := Dedup(context.Background(), Documents(nil), cfg, func(Outcome) error { return nil })
		if want := "batch: Per cannot be combined with an audit or an index"; fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
