// Package passage finds all passages of documents that occur in several places. It uses bounded memory and all cores.
//
// A window is a passage of the least length. It is repeated if the same bytes occur earlier in the documents and end before
// it begins. [Find] returns exactly the bytes of all repeated windows, with the first occurrence of each. Memory, workers
// and temporary files never change the result.
//
// The documents are read twice. The first pass counts the anchors of all windows, and the second stores the windows with
// recurring anchors. The stored windows are sorted by anchor. Each is compared byte for byte with the distinct windows
// before it, so a passage with a million copies takes a million comparisons. If an anchor has too many distinct windows,
// they are divided in two by how far they extend before the anchor. Each half is sorted by the hash of the text that its
// windows share.
package passage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/internal/external"
)

// Config sets what to find and which resources to use.
type Config struct {
	Least Length // least length of a passage, or of a whole; the zero value means 200 bytes for a passage, and any length for a whole
	// Whole finds repeated sentences, lines or paragraphs instead of passages. Those without a letter or a digit are not
	// compared.
	Whole Border
	// Near is used with Whole. It is the method that decides which wholes are near-duplicates; if nil, they must be equal.
	// Clean cleans the texts first, unless it is nil.
	Near  neardup.Method
	Clean neardup.Cleaner
	// First also reports the first occurrences of repeated passages.
	First bool
	// Memory limits the memory of the run in bytes. It must be at least batch.MinMemory; 0 means 1 GiB. The largest
	// documents need additional memory.
	Memory int64
	// Tmp is the folder for temporary files; "" means the folder of the system.
	Tmp string
	// Workers is the number of cores to use; 0 means all.
	Workers int
	// Reject is called for each rejected item with its index. If nil, rejected items are ignored.
	Reject func(item int, err error) error
	// Progress is called occasionally with the progress of the run; may be nil.
	Progress func(batch.Progress)
}

// DefaultLength is the default least length of a passage.
var DefaultLength = Length{200, Bytes}

// leastMemory is batch.MinMemory, except in tests.
var leastMemory = int64(batch.MinMemory)

func (c Config) withDefaults() (Config, error) {
	if c.Least == (Length{}) && c.Whole == "" {
		c.Least = DefaultLength
	}
	switch c.Whole {
	case "", WholeSentences, WholeLines, WholeParagraphs:
	default:
		return c, fmt.Errorf("passage: Whole %q: invalid (want sentences, lines or paragraphs)", c.Whole)
	}
	if c.Near != nil && c.Whole == "" {
		return c, errors.New("passage: Near needs Whole")
	}
	if c.Least != (Length{}) && (c.Least.N < MinLength || c.Least.N > MaxLength || c.Least.Unit > Words) {
		return c, fmt.Errorf("passage: length %d: invalid (want %d to %d)", c.Least.N, MinLength, MaxLength)
	}
	if c.Memory == 0 {
		c.Memory = 1 << 30
	}
	if c.Memory < leastMemory {
		return c, fmt.Errorf("passage: memory of %d bytes: too small (want at least %d)", c.Memory, leastMemory)
	}
	if c.Tmp == "" {
		c.Tmp = os.TempDir()
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Reject == nil {
		c.Reject = func(int, error) error { return nil }
	}
	if c.Progress == nil {
		c.Progress = func(batch.Progress) {}
	}
	return c, nil
}

// Summary describes the input, the result and the work of a run.
type Summary struct {
	Documents      int64 `json:"documents"`
	Rejected       int64 `json:"rejected"`
	TextBytes      int64 `json:"textBytes"`
	StoredBytes    int64 `json:"storedBytes"`    // bytes of text whose anchors may recur
	Anchors        int64 `json:"anchors"`        // anchors in that text
	TemporaryBytes int64 `json:"temporaryBytes"` // bytes written to disk
}

type job struct {
	cfg      Config
	disk     *external.Files
	samplers sync.Pool
	seen     *seen // needed until the windows are stored
	store    store
	bytes    atomic.Int64
	sum      Summary

	mu      sync.Mutex
	matches *external.Sorter[anchorRow] // protected by mu
}

// memory returns a share, in thousandths, of the memory limit. About 450 thousandths are planned. The rest is for documents
// in progress and the garbage collector.
func (j *job) memory(thousandths int64) int64 { return j.cfg.Memory * thousandths / 1000 }

func (j *job) sampler() *sampler {
	if s, ok := j.samplers.Get().(*sampler); ok {
		return s
	}
	return newSampler(j.cfg.Least)
}

// Find returns the repeated passages. It reads the documents twice, each time from a source that open returns. The caller
// closes the Spans. The time is linear in the text.
func Find(ctx context.Context, open func() (batch.Source, error), cfg Config) (*Spans, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if open == nil {
		return nil, errors.New("passage: no source of documents given")
	}
	given := open
	open = func() (batch.Source, error) {
		src, err := given()
		if err == nil && src == nil {
			err = errors.New("passage: no source of documents given")
		}
		return src, err
	}
	if cfg.Near != nil {
		return findNear(ctx, open, cfg)
	}
	j := newJob(cfg)
	j.seen = &seen{make([]uint64, max(cfg.Memory*22/100/8, 1))}
	spans, err := j.find(ctx, open)
	if err != nil {
		j.disk.Close()
		return nil, err
	}
	return spans, nil
}

// newJob returns a job with an empty store.
func newJob(cfg Config) *job {
	d := external.NewFiles(cfg.Tmp)
	j := &job{cfg: cfg, disk: d}
	j.store = store{
		text:      external.NewSpool(d, j.memory(70)),
		stretches: external.NewArray[stretch](d, j.memory(20)),
		documents: external.NewArray[document](d, j.memory(20)),
		ids:       external.NewSpool(d, j.memory(20)),
		rows:      external.NewSorter[anchorRow](d, j.memory(80)),
	}
	return j
}

func (j *job) find(ctx context.Context, open func() (batch.Source, error)) (*Spans, error) {
	for _, read := range []func(context.Context, batch.Source) error{j.count, j.gather} {
		src, err := open()
		if err != nil {
			return nil, err
		}
		if err := read(ctx, src); err != nil {
			return nil, err
		}
	}
	j.seen = nil
	j.sum.TextBytes = j.bytes.Load()
	j.sum.StoredBytes, j.sum.Anchors = j.store.text.Len(), int64(j.store.rows.Len())
	sorted, err := j.compare(ctx)
	if err != nil {
		return nil, err
	}
	next, err := sorted.Reader()
	return &Spans{job: j, sorted: sorted, read: next}, err
}

// compare finds the repeated windows in the store.
func (j *job) compare(ctx context.Context) (*external.Sorted[anchorRow], error) {
	j.matches = external.NewSorter[anchorRow](j.disk, j.memory(100))
	rows, err := j.store.rows.Sort()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(j.compareAll(ctx, rows), rows.Close()); err != nil {
		return nil, err
	}
	return j.matches.Sort()
}
