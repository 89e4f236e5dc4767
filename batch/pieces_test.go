package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/reference"
)

// add decides documents against the index of a folder, adds them, and returns the digest
// of the index.
func add(t testing.TB, dir string, docs []neardup.Document, cfg batch.Config) *batch.Summary {
	t.Helper()
	w, err := reference.Change(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Reference, cfg.Add = w.Index, w
	sum, err := batch.Dedup(context.Background(), batch.Documents(docs), cfg, func(batch.Outcome) error { return nil })
	if err == nil {
		err = commitTo(w)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return sum
}

// removeTenth removes every tenth document of an index and returns the others.
func removeTenth(t testing.TB, dir string, docs []neardup.Document, cfg batch.Config) (left []neardup.Document) {
	t.Helper()
	gone := map[string]bool{}
	for i, d := range docs {
		if i%10 == 0 {
			gone[d.ID] = true
		}
	}
	for _, d := range docs {
		if !gone[d.ID] {
			left = append(left, d)
		}
	}
	w, err := reference.Change(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = batch.Remove(context.Background(), w, cfg, func(id string, _ int64) bool { return gone[id] }, func(neardup.Decision) error { return nil })
	if err == nil {
		err = commitTo(w)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return left
}

func commitTo(w *reference.Writer) error {
	err := w.Commit()
	if err == nil {
		err = w.Settle(context.Background())
	}
	return err
}

// Real texts in pieces are decided as in one run, by every method.
func TestPiecesOfRealTextsAreOneRun(t *testing.T) {
	sets := []string{"uci_sms/docs.jsonl", "en_license_texts/docs.jsonl.zst", "zh_tidb_docs_versions/docs.jsonl.zst", "zh_lctt_proofread/docs.jsonl.zst", "zh_laws/docs.jsonl.zst", "ota_terms_versions/docs.jsonl.zst"}
	names, most := []string{"auto", "minhash", "weighted", "simhash", "jaccard", "ngram", "exact"}, 200
	if testing.Short() {
		sets, names, most = sets[:1], names[:2], 200
	}
	rng := rand.New(rand.NewPCG(26, 1))
	for _, set := range sets {
		docs := cleaned(t, set)
		if len(docs) > most {
			docs = docs[:most]
		}
		for _, name := range names {
			if name == "ngram" && set != sets[0] {
				continue // edit similarity is for short texts
			}
			pieces := []int{2, 5, 10}[rng.IntN(3)]
			t.Run(fmt.Sprintf("%s/%s/%d", name, set, pieces), func(t *testing.T) {
				cfg := batch.Config{Method: method(t, name), Tmp: t.TempDir()}
				one, err := batch.Dedup(context.Background(), batch.Documents(docs), cfg, func(batch.Outcome) error { return nil })
				if err != nil {
					t.Fatal(err)
				}
				dir := filepath.Join(t.TempDir(), "index")
				if err := batch.CreateIndex(dir, cfg, nil); err != nil {
					t.Fatal(err)
				}
				var sum *batch.Summary
				kept := int64(0)
				for left := docs; len(left) > 0; {
					n := min(len(left), 1+rng.IntN(2*len(docs)/pieces))
					sum = add(t, dir, left[:n], cfg)
					left, kept = left[n:], kept+sum.Kept
				}
				if sum.IndexDigest != one.Digest || kept != one.Kept {
					t.Errorf("in pieces %d are kept, of the digest %s; in one run %d, %s", kept, sum.IndexDigest, one.Kept, one.Digest)
				}
				if one.Removed == 0 && name != "exact" {
					t.Error("nothing is near: this proves nothing")
				}
				left := removeTenth(t, dir, docs, cfg)
				one, err = batch.Dedup(context.Background(), batch.Documents(left), cfg, func(batch.Outcome) error { return nil })
				if err != nil {
					t.Fatal(err)
				}
				x, err := reference.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(batch.CheckIndex(context.Background(), x), x.Close()); err != nil {
					t.Error(err)
				}
				if x.Digest() != one.Digest {
					t.Errorf("without %d documents the index has the digest %s, the others alone %s", len(docs)-len(left), x.Digest(), one.Digest)
				}
			})
		}
	}
}
