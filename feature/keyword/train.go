package keyword

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/neardup/neardup/internal/external"
)

// TrainOptions are options for training a table. The zero value suits most cases.
type TrainOptions struct {
	// Memory limits the memory of the counts, in bytes. 0 means 256 MiB, and at least 1 MiB is used. Further counts go to
	// files, and the result is the same.
	Memory int64
	// Dir is the folder for these files. "" means the temporary folder of the system.
	Dir string
}

const (
	defaultMemory = 256 << 20
	leastMemory   = 1 << 20
	// wordMemory is the memory of a word in the map in addition to its bytes, if the map is half empty after growing.
	wordMemory = 96
	// maxRuns runs are merged at once.
	maxRuns = 64
)

// Trainer counts the documents that each word occurs in. Add is safe for concurrent use. Neither the order nor the number
// of workers changes the result.
type Trainer struct {
	words Splitter
	opt   TrainOptions

	mu        sync.Mutex
	counts    map[string]int64
	memory    int64 // approximate memory of counts
	documents int64 // documents counted in counts
	disk      *external.Files
	runs      *external.Runs // spilled tables
}

// NewTrainer returns a Trainer. The caller closes it.
func NewTrainer(words Splitter, opt TrainOptions) *Trainer {
	if opt.Memory == 0 {
		opt.Memory = defaultMemory
	}
	opt.Memory = max(opt.Memory, leastMemory)
	disk := external.NewFiles(opt.Dir)
	return &Trainer{words: words, opt: opt, counts: map[string]int64{}, disk: disk, runs: external.NewRuns(disk)}
}

// Add counts the words of a clean text. O(n log n) for n words.
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

// spill writes the counts to a file and resets them.
func (t *Trainer) spill() error {
	err := t.runs.Write(func(w io.Writer) error { return writeTable(w, header{kindCounts, t.documents}, t.counts) })
	if err != nil {
		return fmt.Errorf("spill counts: %w", err)
	}
	t.counts, t.memory, t.documents = map[string]int64{}, 0, 0
	tables := t.runs.Sections()
	if len(tables) < maxRuns {
		return nil
	}
	all := external.NewRuns(t.disk)
	err = all.Write(func(w io.Writer) error { return Merge(context.Background(), w, 1, tables...) })
	if err != nil {
		return fmt.Errorf("spill counts: %w", err)
	}
	defer func() { t.runs = all }()
	return t.runs.Close()
}

// WriteTable writes the table of all added texts. Add must not be called afterwards.
func (t *Trainer) WriteTable(ctx context.Context, w io.Writer) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.spill(); err != nil {
		return err
	}
	return Merge(ctx, w, 0, t.runs.Sections()...)
}

// Close removes the files of the Trainer.
func (t *Trainer) Close() error {
	t.disk.Close()
	return nil
}
