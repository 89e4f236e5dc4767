package ngram_test

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/shared"
)

// pair is two texts by their place, the smaller first.
type pair struct{ a, b int32 }

// work is what a join did.
type work struct{ keys, scanned, compared, near int }

// train tallies the texts and returns the trained method.
func train(m neardup.Trainable, texts []string) neardup.Method {
	tally := m.Tally()
	for _, t := range texts {
		tally.Add(t)
	}
	return tally.Method()
}

// entry is one key of one text; slot numbers the keys of all texts in order.
type entry struct {
	key  uint64
	slot uint32
}

// join finds the near pairs of distinct texts in the way of the batch engine,
// in memory: group by key, scan each bucket up to the text's own place,
// reject by sketch, compare. The probe keys must be the index keys.
func join(m neardup.Method, texts []string, found func(pair, neardup.Match)) work {
	entries, starts, sketches := record(m, texts)
	w := work{keys: len(entries)}
	sortByKey(entries)
	place := make([]uint32, len(entries))
	first := make([]uint32, len(entries))
	owner := make([]int32, len(entries))
	for i := range texts {
		for slot := starts[i]; slot < starts[i+1]; slot++ {
			owner[slot] = int32(i)
		}
	}
	bucketText := make([]int32, len(entries))
	bucketSketch := make([]uint64, len(entries))
	for at, e := range entries {
		place[e.slot] = uint32(at)
		first[at] = uint32(at)
		if at > 0 && entries[at-1].key == e.key {
			first[at] = first[at-1]
		}
		bucketText[at] = owner[e.slot]
		bucketSketch[at] = sketches[owner[e.slot]]
	}
	views := make([]neardup.View, len(texts))
	seen := make([]int32, len(texts))
	for i := range texts {
		sketch := sketches[i]
		for slot := starts[i]; slot < starts[i+1]; slot++ {
			end := place[slot]
			for at := first[end]; at < end; at++ {
				w.scanned++
				if !m.Plausible(sketch, bucketSketch[at]) {
					continue
				}
				other := bucketText[at]
				if seen[other] == int32(i) {
					continue
				}
				seen[other] = int32(i)
				w.compared++
				for _, t := range [...]int32{int32(i), other} {
					if views[t] == nil {
						views[t] = m.View(texts[t])
					}
				}
				if match := m.Compare(views[i], views[other]); match.Near {
					w.near++
					found(pair{other, int32(i)}, match)
				}
			}
		}
	}
	return w
}

func record(m neardup.Method, texts []string) ([]entry, []uint32, []uint64) {
	var entries []entry
	var rec neardup.Record
	starts := make([]uint32, len(texts)+1)
	sketches := make([]uint64, len(texts))
	for i, t := range texts {
		m.Record(t, &rec)
		sketches[i] = rec.Sketch
		for _, k := range rec.Index {
			entries = append(entries, entry{k, uint32(len(entries))})
		}
		starts[i+1] = uint32(len(entries))
	}
	return entries, starts, sketches
}

// sortByKey is a stable radix sort, 16 bits at a time.
func sortByKey(entries []entry) {
	other := make([]entry, len(entries))
	for shift := 0; shift < 64; shift += 16 {
		var count [1<<16 + 1]uint32
		for _, e := range entries {
			count[int(uint16(e.key>>shift))+1]++
		}
		for i := 1; i < len(count); i++ {
			count[i] += count[i-1]
		}
		for _, e := range entries {
			at := &count[uint16(e.key>>shift)]
			other[*at] = e
			*at++
		}
		entries, other = other, entries
	}
}

// headlines returns the distinct headlines in order.
func headlines(tb testing.TB) []string {
	tb.Helper()
	packed, err := os.ReadFile(shared.Path(tb, "zh_weibo_hotsearch/titles.tsv.zst"))
	if err != nil {
		tb.Fatal(err)
	}
	reader, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		tb.Fatal(err)
	}
	defer reader.Close()
	all, err := io.ReadAll(reader)
	if err != nil {
		tb.Fatal(err)
	}
	seen := make(map[string]bool, 600_000)
	var texts []string
	for line := range strings.Lines(string(all)) {
		_, title, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !seen[title] {
			seen[title] = true
			texts = append(texts, title)
		}
	}
	return slices.Clip(texts)
}
