package batch

import (
	"context"
	"time"
	"unsafe"

	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/internal/inorder"
)

// job is the shared state of the stages of one run: the configuration, the temporary files and the summary.
type job struct {
	cfg   Config
	disk  *external.Files
	begun time.Time
	sum   Summary
	// copies is set if a text has several documents.
	copies bool
	pairs  bool           // find all near texts, not only leaders
	audit  *audit.Auditor // nil if the run is not measured
	// The postings of all texts that were read, and their number.
	byKey    *external.Sorted[Posting]
	postings int
}

func newJob(cfg Config) (*job, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &job{cfg: cfg, disk: external.NewFiles(cfg.Tmp), begun: time.Now()}, nil
}

// memory returns a share, in thousandths, of the memory bound. Stages that run at the same time plan for about
// 600. The rest is for blocks in flight and the garbage collector.
func (j *job) memory(thousandths int64) int64 { return j.cfg.Memory * thousandths / 1000 }

// Thousandths of the memory for clean texts, for the index of leaders, for outlines, and for postings in memory.
const (
	textShare    = 70
	indexShare   = 150
	outlineShare = 140
	postingShare = 180
)

// ForeseeDisk estimates the temporary bytes of a run: texts and rows beyond their share of memory, and all postings if beyond theirs.
func ForeseeDisk(memory int64, documents, textBytes, postings float64) float64 {
	beyond := func(bytes, share float64) float64 { return max(0, bytes-float64(memory)*share/1000) }
	const row, rowShare = 112, 165 // rows and state of a document and its text, and the hash of its id
	bytes := beyond(textBytes, textShare) + beyond(documents*row, rowShare)
	if sorted := postings * float64(unsafe.Sizeof(Posting{})); beyond(sorted, postingShare) > 0 {
		bytes += sorted
	}
	return bytes
}

// unused returns the memory that remains of a share after used bytes.
func (j *job) unused(thousandths, used int64) int64 { return max(0, j.memory(thousandths)-used) }

func (j *job) progress(phase string, done, total int) {
	j.cfg.Progress(Progress{Phase: phase, Documents: int64(done), Total: int64(total)})
}

func (j *job) summary() *Summary {
	j.sum.Time = time.Since(j.begun)
	j.sum.TemporaryBytes = j.disk.Written()
	return &j.sum
}

// parallel runs fn for each i in [0, n) on all workers. begin makes the state of each worker.
func parallel[W any](ctx context.Context, workers, n int, begin func() W, fn func(w W, i int) error) error {
	return inorder.EachWith(ctx, workers, n, func() func(int) error {
		w := begin()
		return func(i int) error { return fn(w, i) }
	})
}
