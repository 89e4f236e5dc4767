package batch

import (
	"slices"
	"strings"

	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/text"
)

// sharedRunes is the number of runes of a text that are searched for a part that all texts share.
const sharedRunes = 5000

// longestShared returns the longest part of a text whose runs of 8 runes all occur in every other text. Nearly
// always all texts have that part, which is enough for a description.
func longestShared(s string, others []string) string {
	const run = 8
	grams := feature.Shingle{Unit: feature.Runes, K: run}
	s = head(s, sharedRunes)
	own := grams.Append(nil, s, 0)
	if len(others) == 0 || len(own) == 0 {
		return s
	}
	in := make([]int, len(own))
	for _, o := range others {
		has := feature.Set(grams.Append(nil, head(o, sharedRunes), 0))
		for i, h := range own {
			if _, ok := slices.BinarySearch(has, h); ok {
				in[i]++
			}
		}
	}
	start, best, from := 0, 0, 0
	for i := range in {
		if in[i] < len(others) {
			start = i + 1
		} else if i+1-start > best {
			best, from = i+1-start, start
		}
	}
	if best == 0 {
		return ""
	}
	return alphanumerics(s, from, from+best+run-1)
}

// opening returns the first 60 runes.
func opening(s string) string {
	if begin := head(s, 60); begin != s {
		return begin + "..."
	}
	return s
}

// head returns the first n runes.
func head(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// alphanumerics returns the part of s from its from-th to its to-th
// alphanumeric rune.
func alphanumerics(s string, from, to int) string {
	n, start := 0, -1
	for i, r := range s {
		if !text.IsAlnum(r) {
			continue
		}
		if n == from {
			start = i
		}
		if n == to {
			return strings.TrimSpace(s[start:i])
		}
		n++
	}
	return strings.TrimSpace(s[max(start, 0):])
}
