package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"github.com/neardup/neardup/text"
)

// perBucket is the number of texts of each length that are edited.
const perBucket = 150

// measureEdits counts, for each kind, length and k, the texts that stay within k bits of themselves when a share of their
// units is edited.
func measureEdits(s source, t texts, kinds []kind) table {
	samples := sampleByLength(t)
	var out table
	for _, percent := range []int{1, 2, 5, 10} {
		edited := make([][][2]string, len(samples))
		for b, sample := range samples {
			for i, clean := range sample {
				rng := rand.New(rand.NewPCG(uint64(percent), uint64(b*perBucket+i)))
				edited[b] = append(edited[b], [2]string{clean, edit(rng, clean, t.clean, percent)})
			}
		}
		for _, k := range kinds {
			found, all := newCounts(), make([]int, len(samples))
			for b, pairs := range edited {
				for _, p := range pairs {
					all[0]++
					all[b]++
					found.add(b, bits.OnesCount64(k.fingerprint(p[0])^k.fingerprint(p[1])))
				}
			}
			found.sum()
			for b := range found {
				r := row{set: s.name, language: s.language, length: bucketName(b), kind: k.name}
				out = out.add(r, fmt.Sprintf("edits %d %%", percent), all[b], func(k int) float64 {
					return share(found[b][k], all[b])
				})
			}
		}
	}
	return out
}

// sampleByLength takes up to perBucket texts of each length, evenly.
func sampleByLength(t texts) [][]string {
	byLength := make([][]string, len(lengths)+2)
	for _, c := range t.clean {
		b := bucketOf(len(unitsOf(c)))
		byLength[b] = append(byLength[b], c)
	}
	out := make([][]string, len(byLength))
	for b, all := range byLength {
		for i := range min(perBucket, len(all)) {
			out[b] = append(out[b], all[i*len(all)/min(perBucket, len(all))])
		}
	}
	return out
}

// unit is a unit of auto:1 in a text, with the text up to the next unit.
type unit struct{ word, gap string }

// unitsOf cuts a text into units: Chinese characters and words.
func unitsOf(clean string) []unit {
	var out []unit
	open := false // the last unit is a word that may continue
	for _, r := range clean {
		switch {
		case text.IsCJK(r):
			out = append(out, unit{word: string(r)})
			open = false
		case text.IsWord(r):
			if !open {
				out = append(out, unit{})
				open = true
			}
			out[len(out)-1].word += string(r)
		default:
			open = false
			if len(out) > 0 {
				out[len(out)-1].gap += string(r)
			}
		}
	}
	return out
}

// edit replaces, deletes or inserts n percent of a text's units, and at least one. New units come from another text of the
// set.
func edit(rng *rand.Rand, clean string, others []string, percent int) string {
	units := unitsOf(clean)
	if len(units) == 0 {
		return clean
	}
	foreign := unitsOf(others[rng.IntN(len(others))])
	pick := func(gap string) unit {
		if len(foreign) == 0 {
			return unit{"x", gap}
		}
		return unit{foreign[rng.IntN(len(foreign))].word, gap}
	}
	at := map[int]bool{}
	for n := max(1, len(units)*percent/100); len(at) < min(n, len(units)); {
		at[rng.IntN(len(units))] = true
	}
	var b strings.Builder
	for i, u := range units {
		if at[i] {
			switch rng.IntN(4) {
			case 0: // deleted
				u = unit{}
			case 1: // inserted
				more := pick(u.gap)
				b.WriteString(more.word + more.gap)
			default:
				u = pick(u.gap)
			}
		}
		b.WriteString(u.word + u.gap)
	}
	return b.String()
}
