package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
)

type sampledRecord struct {
	at int64 // index among all records
	it corpus.Item
}

const (
	usualSample = 20000 // documents
	// smallInput is the size of records, in bytes, up to which all are sampled. Deciding them takes about a
	// second, and the result is exact.
	smallInput = 4 << 20
)

// A reservoir samples records with equal probability (Vitter's algorithm R). It keeps all records while they
// are few or small.
type reservoir struct {
	rng   *rand.Rand
	most  int // number of records to keep
	small int // bytes up to which all records are kept
	bytes int
	full  bool // not all records are kept
	drawn []sampledRecord
}

// newReservoir makes a reservoir of the given size. For 0, it has the usual size and keeps all of a small input.
func newReservoir(records int) *reservoir {
	r := &reservoir{rng: rand.New(rand.NewPCG(1, 1)), most: records}
	if records == 0 {
		r.most, r.small = usualSample, smallInput
	}
	return r
}

// add samples a record and copies its bytes if it keeps it.
func (r *reservoir) add(d sampledRecord) {
	at := len(r.drawn)
	if r.full {
		at = int(r.rng.Int64N(d.at + 1))
		if at >= r.most {
			return
		}
	}
	d.it.Raw = bytes.Clone(d.it.Raw)
	if r.full {
		r.drawn[at] = d
		return
	}
	r.drawn, r.bytes = append(r.drawn, d), r.bytes+len(d.it.Raw)
	if len(r.drawn) > r.most && r.bytes > r.small {
		r.rng.Shuffle(len(r.drawn), func(i, j int) { r.drawn[i], r.drawn[j] = r.drawn[j], r.drawn[i] })
		clear(r.drawn[r.most:])
		r.drawn, r.full = r.drawn[:r.most], true
	}
}

type growth struct {
	quarters, halves []planRun
	all              planRun
}

// grown extrapolates a figure to n documents from the runs on quarters, halves and all of the sample. It assumes growth by
// a power between 1 (a share) and 2 (pairs). It takes the power of the last step. If the quarters agree, it lets the power
// fall further at the same rate. The interval covers these powers and the random error of the figure, estimated from the
// quarters.
func (g growth) grown(get func(planRun) float64, n float64) estimate {
	c, at := get(g.all), g.all.documents
	if c == 0 || n <= at {
		return exactly(c)
	}
	a, off := spread(g.quarters, get)
	b, _ := spread(g.halves, get)
	first, last := math.Log2(b/a), math.Log2(c/b)
	if a <= 0 || b <= 0 {
		first, last = 2, 2
	}
	falling := last + min(last-first, 0)*(math.Log2(n/at)+1)/2 // average over the remaining doublings
	of := func(power, v float64) float64 { return v * math.Pow(n/at, min(max(power, 1), 2)) }
	likely := last
	if off < agree {
		likely = falling
	}
	noise := max(2*math.Sqrt(c), c*off)
	return estimate{
		of(likely, c),
		of(min(first, falling), max(c-noise, c/4)),
		of(max(first, last), c+noise),
	}
}

// agree is the largest relative error of the quarters for which their trend is used.
const agree = .5

// spread returns the mean of a figure over runs and its relative error at 95 % confidence (Student, three
// degrees of freedom).
func spread(runs []planRun, get func(planRun) float64) (mean, off float64) {
	n := float64(len(runs))
	for _, r := range runs {
		mean += get(r) / n
	}
	if n < 2 || mean == 0 {
		return mean, 0
	}
	squares := 0.0
	for _, r := range runs {
		squares += (get(r) - mean) * (get(r) - mean)
	}
	return mean, 3.2 * math.Sqrt(squares/(n-1)/n) / mean
}

// divided splits the sample at random into the given number of parts. Halves consist of quarters.
func (s *sampled) divided(parts int) [][]neardup.Document {
	rng := rand.New(rand.NewPCG(2, 2))
	out := make([][]neardup.Document, parts)
	for _, d := range s.docs {
		at := rng.IntN(4) * parts / 4
		out[at] = append(out[at], d)
	}
	return slices.DeleteFunc(out, func(p []neardup.Document) bool { return len(p) == 0 })
}

// grows runs over all quarters, both halves and the whole sample. The growth of a single quarter would be
// random if few documents are near.
func (s *sampled) grows(ctx context.Context, cfg batch.Config) (g growth, err error) {
	runs := func(parts int) (out []planRun) {
		for _, docs := range s.divided(parts) {
			r, failed := runOver(ctx, docs, cfg)
			err = errors.Join(err, failed)
			out = append(out, r)
		}
		return out
	}
	if float64(len(s.docs)) < s.documents.Value { // otherwise the sample holds all documents
		g.quarters, g.halves = runs(4), runs(2)
	}
	g.all = runs(1)[0]
	return g, err
}

// once returns the CPU seconds that a method takes once for any number of documents, such as for its tables.
func (s *sampled) once(ctx context.Context, cfg batch.Config, before time.Duration) (float64, error) {
	few := s.docs[:min(len(s.docs), 200)]
	ends := [3]time.Duration{before}
	for i := 1; i < len(ends); i++ {
		if _, err := runOver(ctx, few, cfg); err != nil {
			return 0, err
		}
		ends[i], _ = resources()
	}
	return max(ends[1]-ends[0]-(ends[2]-ends[1]), 0).Seconds(), nil
}

type planned struct {
	Documents estimate   `json:"documents"`
	Sample    int64      `json:"sample"`
	TextBytes estimate   `json:"textBytes"`
	Cores     int        `json:"cores"` // cores of the cluster
	Methods   []forecast `json:"methods"`
}

func coresHere() int { return runtime.GOMAXPROCS(0) }

func (p planned) print(w io.Writer) {
	from := "from a sample of " + grouped(p.Sample)
	if p.Documents == exactly(float64(p.Sample)) {
		from = "all of them read"
	}
	fmt.Fprintf(w, "documents   %s, %s\ntext        %s\n", p.Documents.count(), from, p.TextBytes.bytes())
	for _, f := range p.Methods {
		fmt.Fprintf(w, "\nmethod      %s\n", f.asked)
		fmt.Fprintf(w, "keys        %.1f a document, %s postings\n", f.Keys, f.Postings.count())
		pairs := "pairs"
		if f.Verified == exactly(1) {
			pairs = "pair"
		}
		fmt.Fprintf(w, "compared    %s %s\nremoved     %s\n", f.Verified.count(), pairs, f.Removed.count())
		fmt.Fprintf(w, "machine     CPU %s: %s on %d cores; memory %s of at most %s, disk %s\n",
			f.CPU.time(), f.MachineTime.time(), coresHere(), f.Used.bytes(), mebibytes(f.Memory), f.Disk.bytes())
		fmt.Fprintf(w, "spark       CPU %s: %s on %d cores; shuffles %s, %.0f bytes a document\n",
			f.SparkCPU.time(), f.SparkTime.time(), p.Cores, f.Shuffle.bytes(), f.Shuffle.Value/p.Documents.Value)
		fmt.Fprintf(w, "use         %s\n", f.Advice)
	}
}

// format prints an estimate by a printer of its parts. It prints one value if all agree.
func (e estimate) format(of func(float64) string) string {
	v, low, high := of(e.Value), of(e.Low), of(e.High)
	if low == v && high == v {
		return v
	}
	return fmt.Sprintf("%s (%s to %s)", v, low, high)
}

func (e estimate) count() string {
	return e.format(func(v float64) string { return grouped(int64(v + .5)) })
}

func (e estimate) bytes() string {
	return e.format(func(v float64) string {
		switch {
		case v >= 1<<40:
			return fmt.Sprintf("%.1f TiB", v/(1<<40))
		case v >= 1<<30:
			return fmt.Sprintf("%.1f GiB", v/(1<<30))
		}
		return mebibytes(int64(v))
	})
}

func (e estimate) time() string {
	return e.format(func(v float64) string {
		unit := time.Second
		if v < 60 {
			unit = 100 * time.Millisecond
		}
		if v < 1 {
			unit = time.Millisecond
		}
		return time.Duration(v * float64(time.Second)).Round(unit).String()
	})
}

type onSpark struct {
	Shuffle   estimate `json:"shuffleBytes"`      // compressed, as written
	Texts     estimate `json:"shuffledTextBytes"` // texts sent between executors for comparison, uncompressed
	SparkCPU  estimate `json:"sparkCpuSeconds"`   // sum over all executors and the driver
	SparkTime estimate `json:"sparkSeconds"`      // with the cores of the cluster
}

// Sizes of shuffled rows before compression, in bytes: a posting, a document with its hash, each of its keys,
// and a pair in a block.
const (
	postingRow = 24
	hashRow    = 56
	keyRow     = 8
	pairRow    = 60
)

// Costs of Spark in addition to the stages, which cost the same as on one machine. They reproduce the runs of
// `bench/spark/foretold --fit` within a tenth. docs/scale.md shows predictions for other sets. The first three are CPU
// seconds per run, per document and per byte of text, for all passes together. The last two are the sizes of rows and texts
// after compression, as a share.
const (
	sparkRun      = 13
	sparkDocument = 20e-6
	sparkByte     = 10e-9
	packsWritten  = .78
	textsWritten  = .60
)

// onSpark estimates the cost on Spark from the cost on one machine without an audit.
func (s *sampled) onSpark(f forecast, n estimate, cores int) (o onSpark) {
	o.Texts = f.Verified.scaled(2).atMost(n).scaled(s.meanBytes() + 64)
	packs := f.Postings.scaled(postingRow).plus(n.scaled(hashRow + keyRow*f.Keys))
	o.Shuffle = packs.scaled(packsWritten).plus(o.Texts.plus(f.Verified.scaled(pairRow)).scaled(textsWritten)).widened()
	o.SparkCPU = f.CPU.plus(n.scaled(sparkDocument + sparkByte*s.meanBytes()).plus(exactly(sparkRun)).widened())
	o.SparkTime = o.SparkCPU.scaled(1 / float64(cores)).plus(exactly(sparkRun))
	return o
}
