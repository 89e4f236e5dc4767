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
	"github.com/neardup/neardup/internal/test/shared"
	"github.com/neardup/neardup/ngram"
)

// pair is two texts by their place, the smaller first.
type pair struct{ a, b int32 }

// work is the work of a join.
type work struct{ keys, scanned, compared, near int }

// train counts the texts and returns the trained method, with the keys of
// pieces.go; trainAsFits returns it with those that suit the texts.
func train(m neardup.Trainable, texts []string) neardup.Method {
	return trainAsFits(ngram.Selecting(m), texts)
}

func trainAsFits(m neardup.Trainable, texts []string) neardup.Method {
	return trainBy(m, func(add func(string)) {
		for _, t := range texts {
			add(t)
		}
	})
}

// trainBy makes as many passes as the method wants.
func trainBy(m neardup.Trainable, pass func(add func(string))) neardup.Method {
	for trainer := m.Trainer(1 << 27); ; {
		pass(trainer.Add)
		next := trainer.NextPass()
		if next == nil {
			return trainer.Method()
		}
		trainer = next
	}
}

// entry is one key of one text; slot numbers the keys of all texts in order.
type entry struct {
	key  uint64
	slot uint32
}

// keys are the keys of one kind of all texts.
type keys struct {
	entries []entry
	starts  []uint32 // a text's first slot
}

func (k *keys) add(all []uint64) {
	k.starts = append(k.starts, uint32(len(k.entries)))
	for _, key := range all {
		k.entries = append(k.entries, entry{key, uint32(len(k.entries))})
	}
}

// join finds the near pairs of distinct texts in the way of the batch engine,
// in memory: group by key, scan each bucket up to the text's own place,
// reject by sketch, compare.
func join(m neardup.Method, texts []string, found func(pair, neardup.Match)) work {
	index, probes, sketches := record(m, texts)
	w := work{keys: len(index.entries)}
	owner := make([]int32, len(index.entries))
	for i := range texts {
		for slot := index.starts[i]; slot < index.starts[i+1]; slot++ {
			owner[slot] = int32(i)
		}
	}
	sortByKey(index.entries)
	sortByKey(probes.entries)
	buckets := make([][2]uint32, len(probes.entries)) // by slot
	at, end := 0, 0
	for _, e := range probes.entries {
		for at < len(index.entries) && index.entries[at].key < e.key {
			at++
		}
		for end = max(end, at); end < len(index.entries) && index.entries[end].key == e.key; {
			end++
		}
		buckets[e.slot] = [2]uint32{uint32(at), uint32(end)}
	}
	views := make([]neardup.Prepared, len(texts))
	seen := make([]int32, len(texts))
	for i := range texts {
		for slot := probes.starts[i]; slot < probes.starts[i+1]; slot++ {
			for _, e := range index.entries[buckets[slot][0]:buckets[slot][1]] {
				other := owner[e.slot]
				if other >= int32(i) {
					break
				}
				w.scanned++
				if seen[other] == int32(i) || !m.Plausible(sketches[i], sketches[other]) {
					continue
				}
				seen[other] = int32(i)
				w.compared++
				for _, t := range [...]int32{int32(i), other} {
					if views[t] == nil {
						views[t] = m.Prepare(texts[t])
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

func record(m neardup.Method, texts []string) (index, probes keys, sketches []uint64) {
	var rec neardup.Record
	sketches = make([]uint64, len(texts))
	for i, t := range texts {
		m.Record(t, &rec)
		sketches[i] = rec.Sketch
		index.add(rec.Index)
		probes.add(rec.Probes())
	}
	index.add(nil)
	probes.add(nil)
	return index, probes, sketches
}

// sortByKey sorts stably by radix, 16 bits at a time.
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
