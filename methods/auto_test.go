package methods_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
)

// borderTexts returns texts of every Length around a limit, of letters, of Chinese and of both. Each has copies
// with runes changed, added or left out in one place: as many as edit similarity .8 allows, and one more.
func borderTexts(limit int) []neardup.Document {
	rng := rand.New(rand.NewPCG(3, 4))
	texts := map[string]bool{}
	for length := limit * 3 / 2; length < limit*3; length += 1 + limit/20 {
		for chinese := range 3 {
			var base []rune
			for methods.Length(string(base)) < length {
				r := 'a' + rune(rng.IntN(26))
				if chinese == 1 || (chinese == 2 && len(base)%7 == 0) {
					r = '一' + rune(rng.IntN(3000))
				}
				base = append(base, r)
			}
			texts[string(base)] = true
			edits := len(base) / 5
			for n := edits - 1; n <= edits+2; n++ {
				at := rng.IntN(len(base) - n)
				added := slices.Repeat([]rune{'加'}, n)
				texts[string(slices.Insert(slices.Clone(base), at, added...))] = true
				texts[string(slices.Delete(slices.Clone(base), at, at+n))] = true
				texts[string(slices.Replace(slices.Clone(base), at, at+n, added...))] = true
			}
		}
	}
	var docs []neardup.Document
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		docs = append(docs, neardup.Document{ID: fmt.Sprintf("%04d", len(docs)), Text: text})
	}
	return docs
}

type link struct{ a, b string }

// Decisions on short texts do not depend on the order of the input, the
// workers or the memory, for each kind of similarity.
func TestShortTextsAreDecidedAlike(t *testing.T) {
	docs := borderTexts(60)
	for _, c := range []string{
		"ngram", "ngram threshold=.6", "ngram similarity=jaccard threshold=.5",
		"ngram similarity=containment",
		"auto limit=60",
	} {
		m, err := methods.New(c)
		if err != nil {
			t.Fatal(err)
		}
		digests := map[string]bool{}
		for round, workers := range []int{1, 2, 4} {
			rand.New(rand.NewPCG(uint64(round), 1)).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
			digest := batch.NewResultDigest()
			cfg := batch.Config{Method: m, Keep: batch.ByID, Workers: workers, Memory: batch.MinMemory << (2 * round)}
			_, err := batch.Dedup(context.Background(), batch.Documents(docs), cfg, func(o batch.Outcome) error {
				digest.Add(o.Decision)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			digests[digest.String()] = true
		}
		if len(digests) != 1 {
			t.Errorf("%s: %d different results", m.Spec(), len(digests))
		}
	}
}
