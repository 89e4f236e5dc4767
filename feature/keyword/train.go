package keyword

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
)

// TrainOptions say how a table is trained. The zero value is good.
type TrainOptions struct {
	// Memory bounds what the counts take, in bytes; 0 is 256 MiB. Beyond it
	// they go to files, and the result is the same. At least 1 MiB is used.
	Memory int64
	// Dir is where these files go; empty is the system's temporary folder.
	Dir string
	// Least drops words that fewer documents have; 0 and 1 drop none.
	// Merging stays exact only if none were dropped.
	Least int
}

const (
	defaultMemory = 256 << 20
	leastMemory   = 1 << 20
	// wordMemory is what a word in the map takes beside its bytes, with
	// the map half empty after it grew.
	wordMemory = 96
	// maxRuns files are merged at once.
	maxRuns = 64
)

// Trainer counts in how many documents each word occurs. Add is safe for
// concurrent use; order and workers change nothing.
type Trainer struct {
	words Splitter
	opt   TrainOptions

	mu        sync.Mutex
	counts    map[string]int64
	memory    int64 // taken by counts, about
	documents int64 // counted in counts
	dir       string
	runs      []string // spilled tables
	spilled   int      // number of files ever made, for their names
}

// NewTrainer returns a Trainer. Close it.
func NewTrainer(words Splitter, opt TrainOptions) *Trainer {
	if opt.Memory == 0 {
		opt.Memory = defaultMemory
	}
	opt.Memory = max(opt.Memory, leastMemory)
	return &Trainer{words: words, opt: opt, counts: map[string]int64{}}
}

// Add counts the words of one clean text. O(n log n) in its words.
func (t *Trainer) Add(clean string) error {
	words := t.words.Append(nil, clean)
	slices.Sort(words)
	words = slices.Compact(words)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range words {
		if n, known := t.counts[w]; known {
			t.counts[w] = n + 1
		} else if validWord([]byte(w)) {
			t.counts[strings.Clone(w)] = 1
			t.memory += int64(len(w)) + wordMemory
		}
	}
	t.documents++
	if t.memory > t.opt.Memory {
		return t.spill()
	}
	return nil
}

// spill writes the counts to a file and starts anew.
func (t *Trainer) spill() error {
	err := t.run(func(w io.Writer) error { return writeCounts(w, t.documents, t.counts) })
	if err != nil {
		return err
	}
	t.counts, t.memory, t.documents = map[string]int64{}, 0, 0
	if len(t.runs) < maxRuns {
		return nil
	}
	old := t.runs
	t.runs = nil
	err = t.run(func(w io.Writer) error { return MergeFiles(context.Background(), w, 1, old...) })
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// run makes one more file and has it written.
func (t *Trainer) run(write func(io.Writer) error) error {
	if t.dir == "" {
		dir, err := os.MkdirTemp(t.opt.Dir, "neardup-idf-")
		if err != nil {
			return fmt.Errorf("spill counts: %w", err)
		}
		t.dir = dir
	}
	t.spilled++
	path := fmt.Sprintf("%s/%d", t.dir, t.spilled)
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("spill counts: %w", err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("spill counts: %w", err)
	}
	t.runs = append(t.runs, path)
	return nil
}

func writeCounts(w io.Writer, documents int64, counts map[string]int64) error {
	out, err := newTableWriter(w, header{kindCounts, documents})
	if err != nil {
		return err
	}
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		if err := out.write(word, counts[word]); err != nil {
			return err
		}
	}
	return out.close()
}

// WriteTable writes the table of all texts added. No Add may follow.
func (t *Trainer) WriteTable(ctx context.Context, w io.Writer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.spill(); err != nil {
		return err
	}
	return MergeFiles(ctx, w, t.opt.Least, t.runs...)
}

// Close removes the files of the Trainer.
func (t *Trainer) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		return nil
	}
	return os.RemoveAll(t.dir)
}
