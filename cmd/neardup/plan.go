package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/batch/audit"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/methods"
)

type planVerb struct {
	*app
	input         inputFlags
	method        methodFlags
	methods       list
	sample, cores int
	read          size
	run           runFlags `flags:"json quiet memory tmp workers"`
}

func (p *planVerb) do(ctx context.Context, inputs []string) error {
	if p.sample != 0 && p.sample < 100 {
		return usage("--sample: too small (want at least 100)")
	}
	if err := p.run.machine(nil); err != nil {
		return err
	}
	all, err := p.chosen()
	if err != nil {
		return err
	}
	return p.batchRun(&p.input, &p.run, inputs, false, func(r *corpus.Reader, _ *reporter) (result, error) {
		return p.forecasts(ctx, r, all)
	})
}

func (p *planVerb) forecasts(ctx context.Context, r *corpus.Reader, all []methodFlags) (out planned, err error) {
	begun, _ := resources()
	s, err := p.draw(ctx, r)
	if err != nil {
		return out, err
	}
	read, _ := resources()
	s.start, s.reading = begun.Seconds(), (read-begun).Seconds()*s.documents.Value/max(s.read, 1)
	out = planned{Documents: s.documents, Sample: int64(len(s.docs)), TextBytes: s.documents.scaled(s.meanBytes()), Cores: p.cores}
	for _, m := range all {
		before, _ := resources()
		method, n, err := m.method()
		if err != nil {
			return out, err
		}
		c := batch.Config{Method: method, Clean: n, Memory: int64(p.run.memory), Tmp: p.run.tmp, Workers: p.run.workers}
		once, err := s.once(ctx, c, before)
		if err != nil {
			return out, err
		}
		forecast, err := s.forecast(ctx, c, p.cores, once, m.audit(auditFlag{}, method, true))
		if err != nil {
			return out, err
		}
		forecast.asked = m.asked()
		out.Methods = append(out.Methods, forecast)
	}
	return out, nil
}

// chosen returns the methods to plan for: those of --methods, or the one of the method flags.
func (p *planVerb) chosen() ([]methodFlags, error) {
	if len(p.methods) == 0 {
		return []methodFlags{p.method}, nil
	}
	var out []methodFlags
	settings := strings.TrimSpace(p.method.spec)
	if first, rest, _ := strings.Cut(settings, " "); !strings.Contains(first, "=") {
		settings = rest
	}
	for _, name := range p.methods {
		if !slices.Contains(methods.Names(), name) {
			return nil, usage("--methods: unknown method %q (want %s)", name, strings.Join(methods.Names(), ", "))
		}
		m := p.method
		m.spec = name + " " + settings
		out = append(out, m)
	}
	return out, nil
}

type estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

func exactly(v float64) estimate { return estimate{v, v, v} }

func (e estimate) scaled(by float64) estimate { return estimate{e.Value * by, e.Low * by, e.High * by} }

func (e estimate) atMost(o estimate) estimate {
	return estimate{min(e.Value, o.Value), min(e.Low, o.Low), min(e.High, o.High)}
}

// widened widens the interval of a price. The range covers a busy machine, which is slower, and a second run, which is
// faster.
func (e estimate) widened() estimate { return estimate{e.Value, e.Low * .7, e.High * 1.5} }

func (e estimate) plus(o estimate) estimate {
	return estimate{e.Value + o.Value, e.Low + o.Low, e.High + o.High}
}

// sampled is a sample of the documents in input order.
type sampled struct {
	docs      []neardup.Document
	documents estimate // number in all inputs
	read      float64  // records that were read to draw the sample
	start     float64  // CPU seconds before the first read
	reading   float64  // CPU seconds to read all inputs
}

func (s *sampled) meanBytes() float64 {
	n := 0
	for _, d := range s.docs {
		n += len(d.Text)
	}
	return float64(n) / float64(max(len(s.docs), 1))
}

// draw samples the records, each with the same probability.
func (p *planVerb) draw(ctx context.Context, r *corpus.Reader) (*sampled, error) {
	kept := newReservoir(p.sample)
	n, whole := int64(-1), true
	for it, err := range r.Items() {
		if err != nil && corpus.Rejected(err) == nil {
			return nil, err
		}
		n++
		if n&0xfff == 0 {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if done, _ := r.Progress(); done > int64(p.read) {
				n, whole = n-1, false
				break
			}
		}
		if err != nil {
			continue
		}
		kept.add(sampledRecord{n, it})
	}
	n++
	s := &sampled{documents: exactly(float64(n)), read: float64(n)}
	if !whole {
		done, total := r.Progress()
		if total <= 0 {
			return nil, usage("--read: the length of standard input is unknown (want files)")
		}
		share := float64(total) / float64(done)
		s.documents = estimate{float64(n) * share, float64(n) * (1 + (share-1)*.8), float64(n) * (1 + (share-1)*1.25)}
	}
	return s, s.decode(r, kept.drawn)
}

// decode makes documents of the records, in the order of the input.
func (s *sampled) decode(r *corpus.Reader, kept []sampledRecord) error {
	slices.SortFunc(kept, func(a, b sampledRecord) int { return int(a.at - b.at) })
	dec := r.NewDecoder()
	var first error
	for _, k := range kept {
		var d neardup.Document
		if err := dec.Decode(k.it, &d); err != nil {
			first = cmp.Or(first, err)
			continue
		}
		s.docs = append(s.docs, d)
	}
	switch {
	case first != nil && len(s.docs) == 0:
		return fmt.Errorf("no record could be read: %w", first)
	case len(s.docs) == 0:
		return errors.New("the inputs have no records")
	}
	s.documents = s.documents.scaled(float64(len(s.docs)) / float64(len(kept)))
	return nil
}

// A forecast estimates what one method will take.
type forecast struct {
	asked    string
	Method   string   `json:"method"`
	Keys     float64  `json:"keysPerDocument"`
	Postings estimate `json:"postings"`
	Verified estimate `json:"verified"` // pairs compared exactly
	Removed  estimate `json:"removed"`
	CPU      estimate `json:"cpuSeconds"`     // on one machine, sum over all cores
	Disk     estimate `json:"temporaryBytes"` // on one machine
	Memory   int64    `json:"memoryBytes"`    // memory limit on one machine
	Used     estimate `json:"usedBytes"`      // expected memory on one machine
	onSpark
	MachineTime estimate `json:"machineSeconds"` // with the cores of this machine
	Advice      string   `json:"advice"`
}

// A planRun holds the measured cost of one run over some documents.
type planRun struct {
	documents         float64
	verified, removed float64
	linear, compare   float64 // CPU seconds
	textBytes         float64
	keys              float64
}

func (r planRun) cpu() float64 { return r.linear + r.compare }

func runOver(ctx context.Context, docs []neardup.Document, cfg batch.Config) (planRun, error) {
	before, _ := resources()
	compared := time.Duration(0)
	cfg.Progress = func(g batch.Progress) {
		if g.Phase == "compare" && compared == 0 {
			compared, _ = resources()
		}
	}
	sum, err := batch.Dedup(ctx, batch.Documents(docs), cfg, func(batch.Outcome) error { return nil })
	if err != nil {
		return planRun{}, err
	}
	after, _ := resources()
	if compared == 0 {
		compared = after
	}
	r := planRun{
		documents: float64(sum.Documents), verified: float64(sum.Work.Verified), removed: float64(sum.Removed),
		linear: (compared - before).Seconds(), compare: (after - compared).Seconds(), textBytes: float64(sum.TextBytes),
	}
	var rec neardup.Record
	for i := 0; i < len(docs); i += 1 + len(docs)/1000 {
		rec.Reset()
		cfg.Method.Record(cfg.Clean.Clean(docs[i].Text), &rec)
		r.keys += float64(len(rec.Index)+len(rec.Probe)) * float64(1+len(docs)/1000) / float64(len(docs))
	}
	return r, nil
}

// forecast estimates the cost of deciding all documents. once is the startup cost of the method, and audit
// configures the audit of a run on one machine.
func (s *sampled) forecast(ctx context.Context, cfg batch.Config, cores int, once float64, audit *audit.Config) (f forecast, err error) {
	g, err := s.grows(ctx, cfg)
	if err != nil {
		return f, err
	}
	n, last := s.documents, g.all
	of := func(get func(planRun) float64) estimate { return g.grown(get, n.Value) }
	f.Method, f.Keys, f.Memory = cfg.Method.Spec().String(), last.keys, cfg.Memory
	f.Verified = of(func(r planRun) float64 { return r.verified })
	f.Removed = of(func(r planRun) float64 { return r.removed })
	f.Removed = f.Removed.atMost(exactly(n.High)) // a run cannot remove more documents than exist
	f.Postings = n.scaled(last.keys)
	f.machine(last, n, s.start+s.reading+once)
	f.onSpark = s.onSpark(f, n, cores) // Spark runs have no audit
	cfg.Audit = audit
	audited, err := runOver(ctx, s.docs, cfg)
	if err != nil {
		return f, err
	}
	f.CPU = f.CPU.plus(exactly(max(audited.cpu()-last.cpu(), 0)))
	f.MachineTime = f.CPU.scaled(1 / float64(coresHere()))
	fits := func(seconds float64) bool { return seconds < 6*3600 && n.High < math.MaxUint32 } // a user is assumed to wait at most six hours
	switch {
	case fits(f.MachineTime.High):
		f.Advice = "one machine: neardup dedup"
	case fits(f.MachineTime.Low):
		f.Advice = "one machine if the lower figures are right, else neardup spark dedup"
	default:
		f.Advice = "a cluster: neardup spark dedup"
	}
	return f, nil
}

// machine estimates the cost on one machine. It adds the part linear in the text, comparisons at the measured
// price, and the fixed part.
func (f *forecast) machine(last planRun, n estimate, fixed float64) {
	linear := n.scaled(last.linear / last.documents)
	price := last.compare / max(last.verified, 1)
	f.CPU = linear.plus(f.Verified.scaled(price)).plus(exactly(fixed)).widened()
	disk := func(n float64) float64 {
		return batch.ForeseeDisk(f.Memory, n, n*last.textBytes/last.documents, n*f.Keys)
	}
	f.Disk = estimate{disk(n.Value), disk(n.Low), disk(n.High)}
	f.Used = exactly(usedFixed).plus(n.scaled(usedDocument + usedText*last.textBytes/last.documents)).widened().atMost(exactly(float64(f.Memory)))
}

// Generous estimates of the memory of a process, fitted to the sets of `bench/spark/foretold --fit`: per process, per
// document and per byte of text.
const (
	usedFixed    = 64 << 20
	usedDocument = 2 << 10
	usedText     = 3.1
)
