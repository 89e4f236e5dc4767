package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/inorder"
	"github.com/neardup/neardup/report"
)

// reporter holds the outputs of a run, and prints its progress and summary.
type reporter struct {
	*outputs
	flags    *runFlags
	method   *methodFlags // nil if the command has no method
	page     *page        // nil if not requested
	rejected rejects
	terminal bool
	start    time.Time
	again    int64 // documents whose id and text the index already has

	mu      sync.Mutex
	r       *corpus.Reader
	phase   string
	since   time.Time
	told    time.Time
	written bool // the terminal shows a progress line
}

// A result is the report of a command at the end of a run. With --json it is encoded as JSON, otherwise print prints it.
type result interface{ print(w io.Writer) }

// batchRun opens the inputs, if any, and calls do, which begins and fills the outputs. Then it commits all outputs or none,
// runs the functions that follow the commit, and reports the result unless it is nil. Standard input can be read twice only
// if again is set.
func (a *app) batchRun(in *inputFlags, flags *runFlags, inputs []string, again bool, do func(*corpus.Reader, *reporter) (result, error)) error {
	rep := &reporter{outputs: &outputs{app: a, json: flags.json}, flags: flags, start: time.Now(), terminal: !flags.quiet && (onTerminal(a.stderr) || os.Getenv(envPrefix+"PROGRESS") == "true")}
	defer rep.end()
	defer rep.clear()
	if has := a.cmd != nil && a.cmd.Flags().Lookup("overwrite") != nil; has {
		rep.keeps = !flags.overwrite && os.Getenv(envPrefix+"OVERWRITE") != "true"
	}
	if len(inputs) > 0 {
		in.opt.Part = corpus.Part{Limit: flags.limit, Sample: flags.sample.share, Seed: flags.sample.seed}
		spool := ""
		if again {
			spool = cmp.Or(flags.tmp, os.TempDir())
		}
		r, err := in.open(a, inputs, spool)
		if err != nil {
			return err
		}
		rep.r, rep.check, rep.closes = r, r.CheckOutput, []io.Closer{r}
	}
	rep.rejected.w, rep.rejected.file = a.stderr, rep.open(flags.rejects, corpus.JSONL)
	if rep.err != nil {
		return rep.err
	}
	sum, err := do(rep.r, rep)
	if err == nil {
		err = rep.commit()
	}
	if err != nil || sum == nil {
		return err
	}
	return rep.summarize(sum)
}

// begun ends the beginning of outputs and returns its error. It prints an estimate of the disk space if the run
// will not fit in memory, and warns if less is available.
func (p *reporter) begun() error {
	_, total := p.r.Progress()
	need := 2 * total
	for _, path := range p.r.Inputs() {
		if strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".zst") {
			need = 8 * total
			break
		}
	}
	if p.err != nil || p.flags.quiet || total < int64(p.flags.memory)/8 {
		return p.err
	}
	dir := cmp.Or(p.flags.tmp, os.TempDir())
	free, known := freeDisk(dir)
	switch {
	case known && free < need:
		fmt.Fprintf(p.stderr, "warning: temporary files may need about %s in %s, but only %s are free (use --tmp for another folder)\n",
			mebibytes(need), dir, mebibytes(free))
	default:
		fmt.Fprintf(p.stderr, "temporary files may need about %s in %s\n", mebibytes(need), dir)
	}
	return nil
}

// reread begins to read the inputs again, as r.
func (p *reporter) reread() error {
	r, err := p.r.Again()
	if err != nil {
		return err
	}
	p.closes = append(p.closes, r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.r = r
	return nil
}

func (p *reporter) reject(_ int, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rejected.add(err)
}

type readCounts struct {
	Documents int64 `json:"documents"`
	Rejected  int64 `json:"rejected"`
}

// eachDocument calls work with every document on all cores, and take with the results in input order. It counts the
// documents and the rejected records. An error of work rejects a document. It returns an error if an output could not be
// begun.
func eachDocument[T any](ctx context.Context, p *reporter, phase string, n *readCounts, work func(*corpus.Decoder, corpus.Item, *neardup.Document) (T, error), take func(T) error) error {
	type result struct {
		of  T
		err error
	}
	if p.err != nil {
		return p.err
	}
	err := inorder.Map(ctx, p.flags.workers, newSource(p.r).Next, func(records batch.Block) []result {
		b := records.(*block)
		results := make([]result, 0, len(b.entries))
		b.each(func(dec *corpus.Decoder, it corpus.Item, doc *neardup.Document, err error) {
			r := result{err: err}
			if err == nil {
				r.of, r.err = work(dec, it, doc)
			}
			if r.err != nil && corpus.Rejected(r.err) == nil {
				r.err = &corpus.RejectError{File: it.File, Line: it.Line, Reason: r.err.Error(), Err: r.err}
			}
			results = append(results, r)
		})
		return results
	}, func(results []result) error {
		for _, r := range results {
			if r.err != nil {
				n.Rejected++
				r.err = p.reject(0, r.err)
			} else {
				n.Documents++
				r.err = take(r.of)
			}
			if r.err != nil {
				return r.err
			}
		}
		p.progress(batch.Progress{Phase: phase, Documents: n.Documents})
		return nil
	})
	if err != nil {
		return err
	}
	return p.nothingRead(n.Documents)
}

// nothingRead returns an error if all or most records were rejected, or if all lack a requested field. It
// warns if there was no record. A wrong setting is the usual cause of these.
func (p *reporter) nothingRead(documents int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &p.rejected
	switch {
	case documents > 0 && r.count > documents && !p.cmd.Flags().Changed("strict"):
		r.end()
		return fmt.Errorf("most records were rejected, %s of %s, the first: %w (--strict=false reads the others)", grouped(r.count), grouped(r.count+documents), r.first)
	case documents > 0:
		if fields := p.r.Unmet(); len(fields) > 0 {
			return fmt.Errorf("no record has a field %q (the first has %s)", fields[0], strings.TrimPrefix(p.r.Names(), "it has "))
		}
		return nil
	case r.count == 0:
		if !p.flags.quiet {
			fmt.Fprintln(p.stderr, "warning: the inputs have no records")
		}
		return nil
	case r.count == 1:
		return fmt.Errorf("no record could be read: %w", r.first)
	case len(r.kinds) > 1:
		r.tell()
	}
	return fmt.Errorf("all %s records were rejected, the first: %w", grouped(r.count), r.first)
}

// progress prints a line on a terminal, at most every half second.
func (p *reporter) progress(g batch.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if g.Phase != p.phase {
		p.phase, p.since = g.Phase, now
		if p.page != nil {
			p.page.reached(g.Phase)
		}
	}
	if g.Documents > p.rejected.count && p.rejected.waits() {
		p.clear()
		p.rejected.tell()
	}
	if !p.terminal || now.Sub(p.told) < time.Second/2 {
		return
	}
	p.told = now
	p.clear()
	fmt.Fprint(p.stderr, progressLine(g, p.r, now.Sub(p.since)))
	p.written = true
}

func (p *reporter) clear() {
	if p.written {
		fmt.Fprint(p.stderr, "\r\x1b[K")
		p.written = false
	}
}

func progressLine(g batch.Progress, r *corpus.Reader, d time.Duration) string {
	line := fmt.Sprintf("%-7s %s", g.Phase, counted(g.Documents, "document"))
	if s := d.Seconds(); s > 1 {
		line += fmt.Sprintf(", %s/s", grouped(int64(float64(g.Documents)/s)))
	}
	share := 0.0
	if g.Total > 0 {
		share = float64(g.Documents) / float64(g.Total)
	} else if done, total := r.Progress(); total > 0 {
		share = float64(done) / float64(total)
	}
	if share > 0 && share <= 1 {
		line += fmt.Sprintf(", %.0f %%", 100*share)
		if left := time.Duration(float64(d) * (1 - share) / share); d > time.Second {
			line += fmt.Sprintf(", %s left", left.Round(time.Second))
		}
	}
	return line
}

// A summary is the result of dedup and pairs.
type summary struct {
	*batch.Summary
	// These fields replace those of the Summary that are omitted if 0. The command that computes them sets them.
	Kept     *int64          `json:"kept,omitempty"`
	Removed  *int64          `json:"removed,omitempty"`
	Clusters *int64          `json:"clusters,omitempty"`
	Pairs    *int64          `json:"pairs,omitempty"`
	Audit    *report.Quality `json:"audit,omitempty"`
	spent
	rep *reporter
}

// spent holds the time and memory that a run has used so far.
type spent struct {
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpuSeconds"`
	PeakMemory int64   `json:"peakMemoryBytes"`
	time, cpu  time.Duration
}

func (s *spent) measure(start time.Time) {
	s.time = time.Since(start)
	s.cpu, s.PeakMemory = resources()
	s.Seconds, s.CPUSeconds = s.time.Seconds(), s.cpu.Seconds()
}

func (s *spent) effort(w io.Writer) {
	fmt.Fprintf(w, "time        %s, CPU %s, peak memory %s\n", s.time.Round(time.Millisecond), s.cpu.Round(time.Millisecond), mebibytes(s.PeakMemory))
}

func disk(w io.Writer, n int64) {
	if n > 0 {
		fmt.Fprintf(w, "disk        %s of temporary files\n", mebibytes(n))
	}
}

// summary completes the result of a batch.
func (p *reporter) summary(s summary) (result, error) {
	var err error
	s.rep = p
	s.Audit, err = quality(s.Summary.Audit)
	return &s, err
}

func (s *summary) print(w io.Writer) {
	documents(w, readCounts{s.Documents, s.Rejected})
	if s.Pairs != nil {
		fmt.Fprintf(w, "pairs       %s\n", grouped(*s.Pairs))
	} else {
		printOutcomes(w, &s.Outcomes)
	}
	if len(s.Largest) > 0 {
		fmt.Fprintf(w, "clusters    %s; the largest:\n", grouped(*s.Clusters))
	}
	for _, c := range s.Largest {
		shown := "shares: " + oneLine(c.Shared)
		if c.Shared == "" || isFingerprint(c.Opening) { // the equal part of two picture hashes is meaningless
			shown = "begins: " + oneLine(c.Opening)
		}
		fmt.Fprintf(w, "  %8s  %s\n            %s\n", grouped(int64(c.Size)), oneLine(c.Leader), shown)
		if p := c.Weakest; p != nil {
			fmt.Fprintf(w, "            weakest pair that connects it: %s ~ %s (%.4f)\n", oneLine(p.A), oneLine(p.B), p.Similarity)
		}
	}
	fmt.Fprintf(w, "method      %s\n", s.rep.method.asked())
	fmt.Fprintf(w, "work        %s, %s compared exactly, %s near\n",
		counted(s.Work.Candidates, "candidate"), grouped(s.Work.Verified), grouped(s.Work.Near))
	if s.rep.flags.overrides != "" {
		fmt.Fprintf(w, "overrides   %s applied, %s ignored\n", counted(s.Overrides, "pair"), grouped(s.OverridesIgnored))
	}
	noText(w, s.Blank)
	if s.SharedIDs > 0 {
		fmt.Fprintf(w, "warning     %s with the id of an earlier document, first %q\n", counted(s.SharedIDs, "document"), s.SharedID)
	}
	printQuality(w, s.Audit, s.rep.flags.audit.list > 0)
	s.effort(w)
	disk(w, s.TemporaryBytes)
	if s.Digest != "" {
		fmt.Fprintf(w, "digest      %s\n", s.Digest)
	}
	if s.IndexDigest != "" {
		fmt.Fprintf(w, "index       digest %s\n", s.IndexDigest)
	}
}

func printOutcomes(w io.Writer, s *batch.Outcomes) {
	held := ""
	if s.Contained > 0 {
		held = ", " + grouped(s.Contained) + " contained in it"
	}
	fmt.Fprintf(w, "kept        %s\nremoved     %s (%s of them equal to the kept text%s)\n", grouped(s.Kept), grouped(s.Removed), grouped(s.Equal), held)
	if s.Variants > 0 {
		fmt.Fprintf(w, "variants    %s kept documents are like another but say something else; %s of them unsure\n", grouped(s.Variants), grouped(s.Unsure))
	}
}

func documents(w io.Writer, n readCounts) {
	fmt.Fprintf(w, "documents   %s", grouped(n.Documents))
	if n.Rejected > 0 {
		fmt.Fprintf(w, " (%s rejected)", grouped(n.Rejected))
	}
	fmt.Fprintln(w)
}

// summarize runs the functions that follow the commit, and prints the result on standard error, because standard output
// holds only results. With --json, the summary is a result.
func (p *reporter) summarize(sum result) error {
	for _, next := range p.next {
		if err := next(); err != nil {
			return err
		}
	}
	if s, ok := sum.(interface{ measure(start time.Time) }); ok {
		s.measure(p.start)
	}
	p.clear()
	p.rejected.end()
	switch {
	case p.flags.json:
		if err := indented(p.stdout, sum); err != nil {
			return fmt.Errorf("summary: %w", err)
		}
	case !p.flags.quiet:
		sum.print(p.stderr)
	}
	if p.again > 0 { // printed even with --quiet, because the index now has duplicates
		fmt.Fprintf(p.stderr, "warning     %s have an id and text of the index: were the inputs added before?\n", counted(p.again, "document"))
	}
	if p.flags.strict && p.rejected.count > 0 {
		return fmt.Errorf("%s %w, the first: %w", grouped(p.rejected.count), errRejects, p.rejected.first)
	}
	return nil
}

// mebibytes formats a number of bytes in MiB, or in KiB if smaller than a MiB.
func mebibytes(n int64) string {
	switch {
	case n == 0:
		return "0"
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", (n+1<<10-1)>>10)
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
}

// counted prints "1 copy", or "1,234 copies".
func counted(n int64, thing string) string {
	switch y, ends := strings.CutSuffix(thing, "y"); {
	case n == 1:
	case ends:
		thing = y + "ies"
	default:
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// grouped prints 1234567 as 1,234,567.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// oneLine replaces control characters and line breaks by blanks, so that a text of the input can be shown on
// a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
}

func jsonText(s string) []byte {
	q, _ := json.Marshal(s) // strings always marshal
	return q
}

func noText(w io.Writer, n int64) {
	if n > 0 {
		fmt.Fprintf(w, "warning     documents without a text: %s, each kept as new\n", grouped(n))
	}
}
