// Package batch decides a whole collection of documents on one machine: documents -> clean texts -> keys -> candidates ->
// verified matches -> decisions, on all cores and in bounded memory. The algorithm is a [neardup.Method], which makes keys
// and compares pairs. The documents come from a [Source].
//
// The outcome equals a sequential specification. In the order of Keep, each document is compared with the previous leaders,
// and becomes a leader or the duplicate of the best one. Workers, memory and the order of the input (unless Keep uses it)
// never change the outcome.
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

// Source yields documents in blocks. Next is called by one goroutine at a time and returns io.EOF at the end. Workers
// decode blocks concurrently.
type Source interface {
	Next() (Block, error)
}

// Block is a run of consecutive items of the input.
type Block interface {
	// Decode calls item once for each item, in order, either with a document or with the reason for its rejection. The
	// document's strings must not change afterwards.
	Decode(item func(doc *neardup.Document, err error))
}

// Config configures a run.
type Config struct {
	Clean  neardup.Cleaner // nil if the texts are clean already
	Method neardup.Method  // required
	Keep   Keep            // "" means First
	Link   Link            // "" means ByLeader
	// Per names fields of Document.Fields, or PerSite. A document is only removed as a duplicate of a document with equal
	// values in all of them. A missing value is a value of its own. Rulings of people apply across groups.
	Per []string
	// Overrides are rulings of people about pairs of documents, by id. A pair that must be linked is near, with the basis
	// "override"; a pair that cannot be linked is not near. They are part of the method that the summary names.
	Overrides *override.Set
	// Variants adds variants to Pairs: similar, but not the same.
	Variants bool
	// Reference is an index whose documents precede all others. The outcome is as if all were decided in one run, those of
	// the index first. Pairs of two of its documents are not reported. It may be nil.
	Reference *reference.Index
	// Add is the writer of the Reference, to which the decided documents are added. It may be nil. The caller closes it.
	Add *reference.Writer
	// Resume stores the progress of Dedup, which continues from it after a kill. It may be nil. The caller removes or
	// closes it.
	Resume *resume.Folder
	// Audit sets the measurements of the run, which change no decision. It may be nil.
	Audit *audit.Config
	// Memory bounds the memory of the run in bytes; at least MinMemory, 0 means 1 GiB. The largest documents need several
	// times their size in addition.
	Memory int64
	// Tmp is the folder for temporary files; "" means the folder of the system.
	Tmp string
	// Workers is the number of cores to use; 0 means all.
	Workers int
	// Clusters is called after all documents are decided, for each document of a cluster that has at least two, the leader
	// first. size is the size of the cluster. A document of the Reference has the item -1; its earlier duplicates are not
	// reported. May be nil.
	Clusters func(o Outcome, size int) error
	// Reject is called for each rejected item with its index. If nil, rejected items are ignored.
	Reject func(item int, err error) error
	// Progress is called occasionally with the progress of the run; may be nil. One goroutine calls it at a
	// time.
	Progress func(Progress)
}

// Progress describes the progress of a run.
type Progress struct {
	Phase     string // "read", "group", "compare" or "write"; some methods also have "count" and "keys" after "read"
	Documents int64  // documents read so far; in later phases, the units of Total that are done
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
		return c, fmt.Errorf("batch: link %q: invalid (want leader or components)", c.Link)
	}
	if c.Memory == 0 {
		c.Memory = 1 << 30
	}
	if c.Memory < leastMemory {
		return c, fmt.Errorf("batch: memory of %d bytes: too small (want at least %d)", c.Memory, leastMemory)
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
		return c, errors.New("batch: Per cannot be combined with an audit or an index")
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

// Dedup decides all documents and calls decided for each in the order of Keep, so that leaders come before their
// duplicates. Time is linear in the text and in the pairs that share a key. The [Summary] counts the work. The error of
// decided, of the source or of ctx ends the run.
func Dedup(ctx context.Context, src Source, cfg Config, decided func(Outcome) error) (*Summary, error) {
	j, err := newJob(cfg)
	if err != nil {
		return nil, err
	}
	defer j.disk.Close()
	if decided == nil {
		return nil, errors.New("batch: no callback for the results given")
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
		return nil, errors.New("batch: no callback for the results given")
	}
	j.pairs = true
	if cfg.Resume != nil {
		return nil, errors.New("batch: a run for all pairs cannot be resumed")
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
