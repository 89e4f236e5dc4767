package main

import (
	"fmt"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/simhash"
)

// kind is a way of making a fingerprint.
type kind struct {
	name        string
	fingerprint func(clean string) uint64
}

// allKinds returns shingles with counts, shingles that count once, words in five
// levels of frequency, and 20 keywords by TF-IDF.
func allKinds() ([]kind, error) {
	var out []kind
	for _, spec := range []string{
		"words:1", "words:2", "words:3", "runes:1", "runes:2", "runes:3", "runes:4", "auto:1", "auto:2", "auto:3",
	} {
		s, err := feature.ParseShingle(spec)
		if err != nil {
			return nil, err
		}
		out = append(out, kind{spec, func(clean string) uint64 { return simhash.Of(s.Append(nil, clean, 0)) }})
	}
	for _, k := range []int{1, 2} {
		s := feature.Shingle{Unit: feature.Auto, K: k}
		out = append(out, kind{s.String() + " once", func(clean string) uint64 {
			return simhash.Of(feature.Set(s.Append(nil, clean, 0)))
		}})
	}
	splitter, err := keyword.DefaultSplitter()
	if err != nil {
		return nil, fmt.Errorf("words: %w", err)
	}
	extractor, err := keyword.Default()
	if err != nil {
		return nil, fmt.Errorf("keywords: %w", err)
	}
	return append(out,
		kind{"levels", func(clean string) uint64 {
			return ofWords(keyword.Levels(nil, splitter.Append(nil, clean), nil, 5))
		}},
		kind{"keywords", func(clean string) uint64 { return ofWords(extractor.Append(nil, clean)) }},
	), nil
}

func ofWords(words []keyword.Keyword) uint64 {
	features := make([]simhash.Weighted, len(words))
	for i, w := range words {
		features[i] = simhash.Weighted{Hash: simhash.HashWord(w.Word, 0), Weight: w.Weight}
	}
	return simhash.OfWeighted(features)
}

// lengths are the upper ends of the length buckets, in units of auto:1 (English words, Chinese characters).
var lengths = []int{8, 16, 32, 64, 128, 256, 1024, 4096}

// bucketOf returns the bucket of a text with n units, from 1. Bucket 0 is for all texts.
func bucketOf(units int) int {
	for i, l := range lengths {
		if units < l {
			return i + 1
		}
	}
	return len(lengths) + 1
}

func bucketName(b int) string {
	switch {
	case b == 0:
		return "all"
	case b == 1:
		return fmt.Sprintf("0-%d", lengths[0]-1)
	case b > len(lengths):
		return fmt.Sprintf("%d-", lengths[len(lengths)-1])
	}
	return fmt.Sprintf("%d-%d", lengths[b-2], lengths[b-1]-1)
}
