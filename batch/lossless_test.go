package batch_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/methods"
)

// greedy decides documents one after the other, each against all leaders before it.
func greedy(docs []neardup.Document, m neardup.Method) (all []neardup.Decision) {
	views, leaders := make([]batch.Text, len(docs)), []int(nil)
	for i, d := range docs {
		views[i] = batch.Text{Clean: d.Text, Prepared: m.Prepare(d.Text)}
		var best batch.Edge
		for _, l := range leaders {
			e := batch.Edge{Earlier: batch.Ordinal(l), Later: batch.Ordinal(i), Match: batch.Verify(m, views[i], views[l])}
			if (e.Near || e.Variant) && e.Stronger(best) {
				best = e
			}
		}
		got := neardup.Decision{ID: d.ID, Decision: neardup.New}
		switch {
		case best.Near:
			got.Decision, got.Leader, got.Similarity = neardup.Duplicate, docs[best.Earlier].ID, best.Similarity
		case best.Variant:
			got.VariantOf = docs[best.Earlier].ID
		}
		if !best.Near {
			leaders = append(leaders, i)
		}
		all = append(all, got)
	}
	return all
}

// With lossless what is removed is held by what stays, with any workers and memory, in pieces against
// an index, and in any order. Methods that find every pair decide as the definition does.
func TestLosslessDecidesAsDefined(t *testing.T) {
	for name, test := range map[string]struct {
		spec  string
		exact bool
	}{
		"auto": {"limit=4000", false}, "weighted": {"weighted", false},
		"jaccard": {"jaccard threshold=.5", true}, "edit": {"ngram threshold=.6", true},
		"cosine": {"ngram similarity=cosine threshold=.7", true},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := methods.New(test.spec + " lossless=.9")
			if err != nil {
				t.Fatal(err)
			}
			for seed, own := range []int{0, 3, 12} {
				docs := notices(uint64(seed)+40, 150, own)
				want, _ := decided(t, docs, batch.Config{Method: m, Workers: 1, Memory: 1 << 26})
				if test.exact {
					want = greedy(docs, m)
				}
				losslessOnce(t, m, docs, essence(want))
			}
		})
	}
}

func losslessOnce(t *testing.T, m neardup.Method, docs []neardup.Document, want []neardup.Decision) {
	text := map[string]string{}
	removed, overlaps := 0, 0
	for i, d := range docs {
		text[d.ID] = d.Text
		if w := want[i]; w.Leader != "" {
			removed++
			if methods.Held(d.Text, text[w.Leader]) < .9 {
				t.Fatalf("%s goes for %s, which does not hold it", w.ID, w.Leader)
			}
		}
	}
	for _, cfg := range []batch.Config{{Workers: 1, Memory: 1 << 26}, {Workers: 3, Memory: 1 << 26}, {Workers: 2, Memory: batch.MinMemory}} {
		defer batch.JoinFrom(5)()
		cfg.Method = m
		got, sum := decided(t, docs, cfg)
		if diff := gocmp.Diff(want, essence(got)); diff != "" {
			t.Fatalf("%d workers, %d bytes (-defined +got):\n%s", cfg.Workers, cfg.Memory, diff)
		}
		overlaps = int(sum.Overlaps)
		for _, d := range got {
			if d.Relation == neardup.Overlaps && d.Conflicts[0].A == "" {
				t.Errorf("nothing is named that %s says more than %s", d.ID, d.VariantOf)
			}
		}
	}
	if removed < 3 || overlaps < 3 {
		t.Errorf("%d are removed, %d overlap: too few to tell", removed, overlaps)
	}
	// In pieces.
	dir := filepath.Join(t.TempDir(), "index")
	cfg := batch.Config{Method: m, Memory: batch.MinMemory}
	if err := batch.CreateIndex(dir, cfg, nil); err != nil {
		t.Fatal(err)
	}
	var pieces []neardup.Decision
	for at := 0; at < len(docs); at += 50 {
		w, err := reference.Change(dir)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Add, cfg.Reference = w, w.Index
		got, _ := decided(t, docs[at:at+50], cfg)
		pieces = append(pieces, got...)
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(want, essence(pieces)); diff != "" {
		t.Fatalf("in pieces (-defined +got):\n%s", diff)
	}
	// In another order, of which --keep makes the same one.
	_, first := decided(t, docs, batch.Config{Method: m, Keep: batch.Longest, Memory: batch.MinMemory})
	shuffled := append([]neardup.Document(nil), docs...)
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(docs), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if _, again := decided(t, shuffled, batch.Config{Method: m, Keep: batch.Longest, Memory: batch.MinMemory}); again.Digest != first.Digest {
		t.Errorf("the digest is %s, of another order of the input %s", first.Digest, again.Digest)
	}
}

func decided(t *testing.T, docs []neardup.Document, cfg batch.Config) (all []neardup.Decision, sum *batch.Summary) {
	t.Helper()
	sum, err := batch.Dedup(context.Background(), batch.Documents(docs), cfg, func(o batch.Outcome) error {
		all = append(all, o.Decision)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, sum
}

// essence returns the fields of decisions that the definition determines.
func essence(all []neardup.Decision) (out []neardup.Decision) {
	for _, d := range all {
		out = append(out, neardup.Decision{ID: d.ID, Decision: d.Decision, Leader: d.Leader, Similarity: d.Similarity, VariantOf: d.VariantOf})
	}
	return out
}
