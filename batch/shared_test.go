package batch_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// documents reads a set of the shared data.
func documents(tb testing.TB, name string) []neardup.Document {
	tb.Helper()
	r, err := corpus.Open([]string{shared.Path(tb, name)}, corpus.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	dec := r.NewDecoder()
	var docs []neardup.Document
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			return docs
		}
		var d neardup.Document
		if err == nil {
			err = dec.Decode(it, &d)
		}
		if err != nil {
			tb.Fatal(err)
		}
		docs = append(docs, d)
	}
}

func method(tb testing.TB, name string) neardup.Method {
	tb.Helper()
	m, err := methods.New(name)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestEveryRemovalHasItsEvidence compares, with the defaults, each removed
// document of each set with the leader it names: by itself, not through the
// engine.
func TestEveryRemovalHasItsEvidence(t *testing.T) {
	for _, set := range []string{
		"ota_terms_versions/docs.jsonl.zst", "zh_lctt_proofread/docs.jsonl.zst", "zh_tidb_docs_versions/docs.jsonl.zst",
		"zh_laws/docs.jsonl.zst", "en_license_texts/docs.jsonl.zst", "uci_sms/docs.jsonl",
	} {
		t.Run(set, func(t *testing.T) {
			docs := cleaned(t, set)
			if testing.Short() {
				docs = docs[:200]
			}
			m := method(t, "auto")
			removed := 0
			leaders := map[int]bool{}
			_, err := batch.Dedup(context.Background(), batch.Documents(docs), batch.Config{Method: m}, func(o batch.Outcome) error {
				if o.Decision.Decision == neardup.New {
					leaders[o.Item] = true
					return nil
				}
				removed++
				if !leaders[o.LeaderItem] || docs[o.LeaderItem].ID != o.Leader {
					t.Errorf("%s names %s, which is not a leader before it", o.ID, o.Leader)
				}
				a, b := docs[o.Item].Text, docs[o.LeaderItem].Text
				got := neardup.Match{Similarity: 1, Near: true, Basis: neardup.BasisEqual}
				if a != b {
					got = m.Compare(m.Prepare(a), m.Prepare(b))
				}
				if !got.Near || got.Similarity < .5 || got.Similarity != o.Similarity || got.Basis != o.Basis {
					t.Errorf("%s was removed for %s at %v (%s); compared again they are %v (%s)",
						o.ID, o.Leader, o.Similarity, o.Basis, got.Similarity, got.Basis)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if removed == 0 {
				t.Error("nothing was removed")
			}
		})
	}
}

// TestSameDigestEverywhere decides real texts with many workers and memories.
func TestSameDigestEverywhere(t *testing.T) {
	docs := append(documents(t, "zh_tidb_docs_versions/docs.jsonl.zst"), documents(t, "uci_sms/docs.jsonl")...)[1100:3100]
	if testing.Short() {
		docs = docs[200:800]
	}
	digest := func(cfg batch.Config, docs []neardup.Document) string {
		cfg.Clean, cfg.Tmp = text.Default(), t.TempDir()
		sum, err := batch.Dedup(context.Background(), batch.Documents(docs), cfg, func(batch.Outcome) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return sum.Digest
	}
	for _, name := range []string{"auto", "minhash", "simhash", "jaccard"} {
		m := method(t, name)
		want := digest(batch.Config{Method: m, Workers: 1}, docs)
		for _, cfg := range []batch.Config{
			{Workers: 2, Memory: 4 << 30}, {Workers: 7, Memory: 64 << 20},
		} {
			cfg.Method = m
			if got := digest(cfg, docs); got != want {
				t.Errorf("%s with %d workers and %d bytes: digest %s, want %s", name, cfg.Workers, cfg.Memory, got, want)
			}
		}
	}
	for _, keep := range []batch.Keep{batch.Longest, batch.ByID} {
		m := method(t, "auto")
		want := digest(batch.Config{Method: m, Keep: keep}, docs)
		for seed := range uint64(2) {
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
			if got := digest(batch.Config{Method: m, Keep: keep}, docs); got != want {
				t.Errorf("keep %s, shuffled: digest %s, want %s", keep, got, want)
			}
		}
	}
}
