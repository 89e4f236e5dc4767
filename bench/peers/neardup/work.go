package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/minhash"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/text"
)

// work is the measured function. It takes texts, and for MinHash it returns verified pairs.
type work func(texts []string) ([]pair, error)

// newWork prepares a job of peer.py. If the job ends in "+clean", texts are cleaned like the command does by default. No
// other program does that.
func newWork(job string) (work, error) {
	job, cleaned := strings.CutSuffix(job, "+clean")
	clean, err := normalizer(job, cleaned)
	if err != nil {
		return nil, err
	}
	words, runes := feature.Shingle{Unit: feature.Words, K: 3}, feature.Shingle{Unit: feature.Runes, K: 3}
	switch job {
	case "minhash-words":
		return pairsByMinHash(words, clean)
	case "minhash-runes":
		return pairsByMinHash(runes, clean)
	case "simhash-chars":
		return fingerprints(feature.Shingle{Unit: feature.Runes, K: 4}, clean), nil
	case "simhash-words":
		return fingerprints(words, clean), nil
	case "simhash-runes":
		return fingerprints(runes, clean), nil
	}
	return nil, fmt.Errorf("no job %q", job)
}

// normalizer returns the same normalization as the other programs: lower case for MinHash, and none for SimHash.
func normalizer(job string, cleaned bool) (text.Normalizer, error) {
	switch {
	case cleaned:
		return text.Default(), nil
	case strings.HasPrefix(job, "simhash-"):
		return text.ParseNormalizer("none")
	}
	return text.ParseNormalizer("lower")
}

const threshold = .7

func pairsByMinHash(shingle feature.Shingle, clean text.Normalizer) (work, error) {
	method, err := minhash.New(minhash.Config{Shingle: shingle, Threshold: threshold})
	return pairsBy(method, clean), err
}

// pairsBy runs the whole batch engine with at most 4 GiB of memory: clean texts, keys, candidates, exact verification.
func pairsBy(method neardup.Method, clean text.Normalizer) work {
	return func(texts []string) ([]pair, error) {
		documents := make([]neardup.Document, len(texts))
		for i, t := range texts {
			documents[i] = neardup.Document{ID: strconv.Itoa(i), Text: t}
		}
		var pairs []pair
		config := batch.Config{Method: method, Clean: clean, Memory: 4 << 30}
		_, err := batch.Pairs(context.Background(), batch.Documents(documents), config, func(p batch.Pair) error {
			a, err := strconv.Atoi(p.A)
			if err != nil {
				return err
			}
			b, err := strconv.Atoi(p.B)
			pairs = append(pairs, pair{a, b})
			return err
		})
		return pairs, err
	}
}

// fingerprints folds the fingerprints of all texts into one value, like chdb.
func fingerprints(shingle feature.Shingle, clean text.Normalizer) work {
	return func(texts []string) ([]pair, error) {
		var hashes []uint64
		sum := uint64(0)
		for _, t := range texts {
			hashes = shingle.Append(hashes[:0], clean.Clean(t), 0)
			sum ^= simhash.Of(hashes)
		}
		if sum == 0 {
			return nil, fmt.Errorf("the fingerprints of %d texts cancel out", len(texts))
		}
		return nil, nil
	}
}
