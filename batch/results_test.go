package batch_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/text"
)

// results returns the results of the first engine on real texts. The meaning of near has not changed since, so
// they must not.
func results(t *testing.T) (rows [][]string) {
	t.Helper()
	b, err := os.ReadFile("testdata/results.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSpace(line), "\t"))
		}
	}
	return rows
}

// cleanedSets are the sets that cleaned has read.
var cleanedSets sync.Map

// cleaned returns a set of the shared data, read and cleaned once for all tests.
func cleaned(t *testing.T, set string) []neardup.Document {
	if docs, ok := cleanedSets.Load(set); ok {
		return slices.Clone(docs.([]neardup.Document))
	}
	docs, clean := documents(t, set), text.Default()
	for i := range docs {
		docs[i].Text = clean.Clean(docs[i].Text)
	}
	cleanedSets.Store(set, slices.Clone(docs))
	return docs
}

// TestResultsStay decides real texts, lists their pairs, and decides again from the list alone.
func TestResultsStay(t *testing.T) {
	var docs []neardup.Document
	set := ""
	for _, row := range results(t) {
		if testing.Short() && (row[0] != "uci_sms/docs.jsonl" || row[1] == "ngram") {
			continue
		}
		if row[0] != set {
			set, docs = row[0], cleaned(t, row[0])
		}
		t.Run(row[1]+"/"+set, func(t *testing.T) {
			cfg := batch.Config{Method: method(t, row[1])}
			sum, err := batch.Dedup(context.Background(), batch.Documents(docs), cfg, func(batch.Outcome) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			if sum.Digest != row[2] {
				t.Errorf("dedup has the digest %s, want %s", sum.Digest, row[2])
			}
			var edges []batch.Edge
			lines := sha256.New()
			_, err = batch.Pairs(context.Background(), batch.Documents(docs), cfg, func(p batch.Pair) error {
				edges = append(edges, p.Edge)
				fmt.Fprintf(lines, "%s\t%s\t%.4f\n", p.A, p.B, p.Similarity)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if n, sum := fmt.Sprint(len(edges)), hex.EncodeToString(lines.Sum(nil)); n != row[3] || sum != row[4] {
				t.Errorf("%s pairs of SHA-256 %s, want %s of %s", n, sum, row[3], row[4])
			}
			if got := digestOf(t, docs, edges); got != row[2] {
				t.Errorf("decided from the pairs, the digest is %s, want %s", got, row[2])
			}
		})
	}
}

// sequence gives edges as a stream.
func sequence(edges []batch.Edge) iter.Seq2[batch.Edge, error] {
	return func(yield func(batch.Edge, error) bool) {
		for _, e := range edges {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// digestOf decides documents, kept first, from nothing but their pairs.
func digestOf(t *testing.T, docs []neardup.Document, edges []batch.Edge) string {
	t.Helper()
	digest, next := batch.NewResultDigest(), 0
	kept := func(to int) {
		for ; next < to; next++ {
			digest.Add(neardup.Decision{ID: docs[next].ID, Decision: neardup.New})
		}
	}
	for e, err := range batch.Leaders(sequence(edges)) {
		if err != nil {
			t.Fatal(err)
		}
		kept(int(e.Later))
		next++
		digest.Add(neardup.Decision{
			ID: docs[e.Later].ID, Decision: neardup.Duplicate, Leader: docs[e.Earlier].ID, Similarity: e.Similarity,
		})
	}
	kept(len(docs))
	return digest.String()
}
