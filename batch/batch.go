// Package batch decides a whole collection of documents on one machine:
// documents -> clean texts -> keys -> candidates -> verified matches ->
// decisions, on all cores and in bounded memory. It knows no algorithm: a
// [neardup.Method] gives keys and compares pairs. It knows no file format: a
// [Source] gives documents.
//
// The outcome equals a sequential specification. In the order of Keep, each document is compared with the
// previous leaders, and becomes a leader or the duplicate of the best one. Workers, memory and the order of the
// input (unless Keep uses it) never change the outcome.
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/batch/resume"
	"github.com/neardup/neardup/override"
)

// Source yields documents in blocks. Next is called by one goroutine at a
// time and returns io.EOF at the end; blocks are decoded side by side.
type Source interface {
	Next() (Block, error)
}

// Block is a run of consecutive items of the input.
type Block interface {
	// Decode calls item once for each item, in order: with a document, or
	// with the reason why it is rejected. The document's strings must not
	// change afterwards.
	Decode(item func(doc *neardup.Document, err error))
}

// Config configures a run.
type Config struct {
	Clean  neardup.Cleaner // nil: texts are clean already
	Method neardup.Method  // needed
	Keep   Keep            // "" means First
	Link   Link            // "" means ByLeader
	// Per names fields of Document.Fields, or PerSite. A document is only removed for one with equal values in
	// all of them; a missing value counts as one. Rulings of people apply across groups.
	Per []string
	// Overrides are rulings of people about pairs of documents, by their ids:
	// one that must be linked is near with the basis "override", one that
	// cannot be is not. They are part of the method that the summary names.
	Overrides *override.Set
	// Variants adds variants to Pairs: similar, but not the same.
	Variants bool
	// Reference is an index whose documents precede all others. The outcome is as if all were decided in one
	// run, those of the index first. Pairs of two of its documents are not reported. nil: none.
	Reference *reference.Index
	// Add is the writer of the Reference that the decided documents are added to; nil: none. The caller closes it.
	Add *reference.Writer
	// Resume stores the progress of Dedup, which continues from it after a kill; nil: none. The caller removes
	// or closes it.
	Resume *resume.Folder
	// Audit sets the measurements of the run; nil: none. They change no decision.
	Audit *audit.Config
	// Memory bounds the memory of the run in bytes; at least MinMemory, 0 means 1 GiB. The largest documents need several
	// times their size in addition.
	Memory int64
	// Tmp is the folder of temporary files; "" means the system's.
	Tmp string
	// Workers is the number of cores to use; 0 means all.
	Workers int
	// Clusters is called after all documents are decided, for the documents of each cluster of several, the leader
	// first. size is the size of the cluster. A document of the Reference has the item -1; its earlier duplicates are
	// not reported. May be nil.
	Clusters func(o Outcome, size int) error
	// Reject is called for each rejected item with its index; nil ignores them.
	Reject func(item int, err error) error
	// Progress is called occasionally with the progress of the run; may be nil. One goroutine calls it at a
	// time.
	Progress func(Progress)
}

// Progress describes how far a run is.
type Progress struct {
	Phase     string // "read", for some methods "count" and "keys", then "group", "compare", "write"
	Documents int64  // read so far; after that, how far the phase is, of Total
	Total     int64  // 0 while reading
}

// MinMemory is the smallest memory bound that a run obeys.
const MinMemory = 27 << 20

// leastMemory is MinMemory. Tests lower it.
var leastMemory = int64(MinMemory)

func (c Config) withDefaults() (Config, error) {
	if c.Method == nil {
		return c, errors.New(`batch: no method given (want for example methods.New("auto"), or batch/standard.Config)`)
	}
	c.Keep = cmp.Or(c.Keep, First)
	if err := c.Keep.Check(); err != nil {
		return c, fmt.Errorf("batch: keep: %w", err)
	}
	switch c.Link {
	case "":
		c.Link = ByLeader
	case ByLeader, Components:
	default:
		return c, fmt.Errorf("batch: cannot link by %q (leader, components)", c.Link)
	}
	if c.Memory == 0 {
		c.Memory = 1 << 30
	}
	if c.Memory < leastMemory {
		return c, fmt.Errorf("batch: %d bytes of memory are too few, at least %d are needed", c.Memory, leastMemory)
	}
	if c.Tmp == "" {
		c.Tmp = os.TempDir()
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Clean == nil {
		c.Clean = asIs{}
	}
	if len(c.Per) > 0 && (c.Audit != nil || c.Reference != nil) {
		return c, errors.New("batch: per group there is neither an audit nor an index")
	}
	if err := c.checkReference(); err != nil {
		return c, err
	}
	if c.Progress == nil {
		c.Progress = func(Progress) {}
	}
	if c.Reject == nil {
		c.Reject = func(int, error) error { return nil }
	}
	return c, nil
}

type asIs struct{}

func (asIs) Clean(s string) string { return s }
func (asIs) String() string        { return "none" }

// Dedup decides all documents and calls decided for each in the order of
// Keep, so that leaders come before their duplicates. Time is linear in the
// text and in the pairs that share a key; see [Summary] for what was done.
// The error of decided, of the source or of ctx ends the run.
func Dedup(ctx context.Context, src Source, cfg Config, decided func(Outcome) error) (*Summary, error) {
	j, err := newJob(cfg)
	if err != nil {
		return nil, err
	}
	defer j.disk.Close()
	if decided == nil {
		return nil, errors.New("batch: no function for the results")
	}
	if err := j.cfg.begin(); err != nil {
		return nil, err
	}
	v, from, err := j.candidates(ctx, src)
	if err != nil {
		return nil, err
	}
	decide := j.lead
	if j.cfg.Link == Components {
		decide = j.link
	}
	verdicts, err := decide(ctx, v, from)
	if err != nil {
		return nil, err
	}
	if err := j.report(ctx, verdicts, decided); err != nil {
		return nil, err
	}
	return j.summary(), nil
}

// candidates runs the first stages of Dedup and Pairs: documents -> records -> candidates.
func (j *job) candidates(ctx context.Context, src Source) (*verifier, *candidates, error) {
	if src == nil {
		return nil, nil, errors.New("batch: no source of documents given")
	}
	r, err := j.read(ctx, src)
	if err != nil {
		return nil, nil, err
	}
	j.audit, err = j.newAuditor(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	from, err := j.group(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	r.viewCache.memory += j.unused(textShare, r.bodies.Len()) + j.unused(indexShare, int64(from.indexed)*bucketBytes) + max(0, r.outlines.memory)
	v := newVerifier(r)
	v.audit = j.audit
	return v, from, nil
}

// Pairs finds every pair of documents that shares a key and is near. It calls found for each, ordered by the later
// document, then the earlier one, in the order of Keep. A text with n equal copies gives n*(n-1)/2 pairs of
// similarity 1. So the output is quadratic in the number of copies. The work for all other texts is not.
func Pairs(ctx context.Context, src Source, cfg Config, found func(Pair) error) (*Summary, error) {
	j, err := newJob(cfg)
	if err != nil {
		return nil, err
	}
	defer j.disk.Close()
	if found == nil {
		return nil, errors.New("batch: no function for the results")
	}
	j.pairs = true
	if cfg.Resume != nil {
		return nil, errors.New("batch: a run for all pairs leaves nothing to go on from")
	}
	v, from, err := j.candidates(ctx, src)
	if err != nil {
		return nil, err
	}
	all, err := j.match(ctx, v, from)
	if err != nil {
		return nil, err
	}
	defer all.close()
	if err := j.reportPairs(ctx, v, all, found); err != nil {
		return nil, err
	}
	return j.summary(), nil
}
