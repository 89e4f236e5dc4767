package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/corpus/arrow"
	"github.com/neardup/neardup/corpus/parquet"
	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/feature/keyword"
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/simhash"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/html"
	"github.com/spf13/pflag"
)

// inputFlags say how documents are read.
type inputFlags struct {
	opt         corpus.Options
	format      string
	delimiter   string
	maxDocument size
	maxPixels   int64
	maxInput    size
}

func (f *inputFlags) add(fs *pflag.FlagSet) {
	f.maxDocument = corpus.DefaultMaxDocument
	bindSpec(fs, "", "format", "name", flags{"name": &f.format, "delimiter": &f.delimiter, "charset": &f.opt.Charset, "max-pixels": &f.maxPixels})
	bind(fs, "", flags{
		"id-field": &f.opt.IDField, "text-field": &f.opt.TextField, "title-field": &f.opt.TitleField,
		"compare": (*string)(&f.opt.Compare), "url-field": &f.opt.URLField, "time-field": &f.opt.TimeField,
		"html-field": &f.opt.HTMLField, "skip-damaged": &f.opt.SkipDamaged,
		"max-document": &f.maxDocument, "max-decompressed": &f.maxInput,
	})
}

func formatNames() string {
	var names []string
	for _, f := range corpus.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// open opens the inputs; spool is where standard input is kept if it must be
// read twice, "" if not.
func (f *inputFlags) open(a *app, inputs []string, spool string) (*corpus.Reader, error) {
	opt, err := f.options()
	if err != nil {
		return nil, err
	}
	opt.Stdin, opt.SpoolDir = a.stdin, spool
	opt.Warn = func(file, what string) { fmt.Fprintf(a.stderr, "warning: %s: %s\n", oneLine(file), what) }
	r, err := corpus.Open(inputs, opt)
	if errors.Is(err, corpus.ErrNoEffect) {
		return nil, usage("%w", err)
	}
	return r, err
}

// openFor opens the inputs and sees to it that no output is one of them.
func (f *inputFlags) openFor(a *app, inputs []string, spool string, outputs ...string) (*corpus.Reader, error) {
	r, err := f.open(a, inputs, spool)
	if err != nil {
		return nil, err
	}
	if err := r.CheckOutput(outputs...); err != nil {
		return nil, errors.Join(usage("%w", err), r.Close())
	}
	return r, nil
}

// codecs are those of the formats that corpus is given.
var codecs = []corpus.Codec{parquet.Codec{}, arrow.Codec{}}

// options are those of the flags.
func (f *inputFlags) options() (corpus.Options, error) {
	opt := f.opt
	var err error
	if opt.Format, err = corpus.ParseFormat(f.format); err != nil {
		return opt, usage("--format: %w", err)
	}
	if _, err := titled(string(opt.Compare)); err != nil {
		return opt, err
	}
	if opt.Charset != "" && !text.IsCharset(opt.Charset) {
		return opt, usage("--format: no charset is named %q: try utf-8, utf-16le, gb18030, big5 or windows-1252", opt.Charset)
	}
	if f.delimiter != "" {
		if opt.Delimiter, err = corpus.ParseDelimiter(f.delimiter); err != nil {
			return opt, usage("--format: delimiter %w", err)
		}
	}
	opt.MaxDocument, opt.MaxDecompressed = int64(f.maxDocument), int64(f.maxInput)
	opt.Codecs = codecs
	opt.Extract, opt.Pixels = extract, pixelsOf
	if opt.Picture == nil {
		opt.Picture = pictureText(f.maxPixels)
	}
	if opt.Format == corpus.Images && f.maxDocument == corpus.DefaultMaxDocument {
		opt.MaxDocument = image.DefaultBytes
	}
	return opt, nil
}

func extract(page []byte, charset, url string) (corpus.Page, error) {
	p, err := html.Extract(page, charset, url)
	return corpus.Page{Title: p.Title, Text: p.Text, Canonical: p.Canonical}, err
}

// methodFlags say what near means.
type methodFlags struct {
	cfg       methods.Config
	distance  int
	shingle   string
	m         string
	normalize string
	variants  string
	evidence  string
	verify    string
	features  featureFlags
	prepare   string
	fs        *pflag.FlagSet
}

func (f *methodFlags) add(fs *pflag.FlagSet) {
	f.fs = pflag.NewFlagSet("method", pflag.ContinueOnError)
	f.addSettings(f.fs)
	grouping(fs, methodGroup, func(fs *pflag.FlagSet) {
		addSpec(fs, f.fs, append([]string{"threshold"}, ofFiles...)...)
		bind(fs, "", flags{"normalize": &f.normalize})
	})
}

// addSettings defines what --method takes.
func (f *methodFlags) addSettings(fs *pflag.FlagSet) {
	fs.StringVar(&f.cfg.Name, "method", "auto", "method: "+strings.Join(methods.Names(), ", "))
	fs.Float64Var(&f.cfg.Threshold, "threshold", 0, "least similarity of near texts, 0..1 (default .8; auto: probability .5; weighted .6)")
	fs.Float64Var(&f.cfg.Lossless, "lossless", 0, "a duplicate goes only if the kept copy holds this share of its pairs of words (of characters in Chinese), such as .98; else it is an overlap, and kept")
	fs.Float64Var(&f.cfg.Containment, "containment", 0, "a text goes, too, if the kept one holds this share of its passages of eight words, such as .9: the relation is contained")
	fs.IntVar(&f.distance, "distance", -1, "largest Hamming distance: of simhash 0..7 (default "+strconv.Itoa(simhash.DefaultDistance)+"), of images 0..31 (default 31)") // -1 is not given
	fs.IntVar(&f.cfg.Quality, "quality", 0, "pictures of less quality, 1..100, are only ever duplicates of equal files (default 50)")
	fs.BoolVar(&f.cfg.Turned, "turned", false, "find pictures that were rotated by quarters or mirrored, too")
	fs.StringVar(&f.verify, "verify", "on", "off gives the classic verdict, by distance alone (default on)")
	fs.IntVar(&f.cfg.MinFeatures, "min-features", 0, "texts with fewer different features are only ever duplicates of equal ones (default "+strconv.Itoa(simhash.DefaultMinFeatures)+")")
	f.features.add(fs)
	fs.StringVar(&f.shingle, "shingle", "", `words:3, runes:3, auto:3 (words, but runes of Chinese, Japanese, Korean), scripts:3 (runes of Thai, Khmer and all that is written without spaces, too) (default: scripts:2 for auto, else auto:3)`)
	fs.Float64Var(&f.cfg.Recall, "recall", 0, "share of the pairs at the threshold to find (default .99)")
	fs.StringVar((*string)(&f.cfg.Similarity), "similarity", "", "edit, jaccard, cosine, containment (default edit)")
	fs.StringVar((*string)(&f.cfg.Keys), "keys", "", "exact (every pair) or any (texts with any m units in common) (default exact)")
	fs.StringVar(&f.prepare, "prepare", "asis", "compare texts as they are, or what is left of them: "+strings.Join(methods.Preparers()[1:], ", "))
	fs.StringVar(&f.m, "m", "", "with keys=any: length of the shared substrings, runes:4 or words:4")
	fs.StringVar(&f.variants, "variants", "", "what becomes of texts of one template that state other numbers: keep or merge (default merge)")
	fs.StringVar(&f.evidence, "weights", "", "what each piece of evidence is worth, a table of weights (default: the built-in one)")
	fs.Float64Var(&f.cfg.Bias, "bias", 0, "bits added to the score of every pair, as tune learns them from your labels (default 0)")
	fs.IntVar(&f.cfg.Limit, "limit", 0, fmt.Sprintf("texts of fewer Chinese characters than this, or two thirds as many letters, are judged by their words (default %d)", methods.DefaultLimit))
	fs.Uint64Var(&f.cfg.Seed, "seed", 0, "seed of the feature hashes: that of an index, to decide as it does")
}

// method makes the method, and the normaliser of its texts.
func (f *methodFlags) method() (neardup.Method, text.Normalizer, error) {
	c, err := f.config()
	if err != nil {
		return nil, text.Normalizer{}, err
	}
	n, err := text.ParseNormalizer(f.normalize)
	if err != nil {
		return nil, n, usage("--normalize: %w", err)
	}
	m, err := methods.New(c)
	if err != nil {
		return nil, n, usage("--method: %w", err)
	}
	return m, n, nil
}

// config checks the settings.
func (f *methodFlags) config() (c methods.Config, err error) {
	c = f.cfg
	if err := checkEffect(f.fs, c.Name); err != nil {
		return c, err
	}
	if c.Shingle, err = parseShingle("shingle", f.shingle); err != nil {
		return c, err
	}
	if c.M, err = parseShingle("m", f.m); err != nil {
		return c, err
	}
	if f.distance >= 0 {
		c.Distance = &f.distance
	}
	if c.Prepare, err = methods.Preparer(f.prepare); err != nil {
		return c, usage("prepare: %w", err)
	}
	if err := f.weights(&c); err != nil {
		return c, err
	}
	if f.evidence != "" {
		w, err := readWeights(f.evidence)
		if err != nil {
			return c, err
		}
		c.Weights = &w
	}
	c.Verify, c.Variants = methods.Verify(f.verify), methods.Variants(f.variants)
	return c, nil
}

// weights reads what simhash counts and weighs, or the table that the words of
// auto and weighted are weighed by.
func (f *methodFlags) weights(c *methods.Config) (err error) {
	if c.Name == "simhash" {
		c.Features, err = f.features.features(c.Shingle, c.Seed)
	} else {
		c.IDF, err = readNamed("idf", f.features.idf, keyword.ReadTable)
	}
	return err
}

// readNamed reads the file that a flag names; nil where it names none.
func readNamed[T any](flag, path string, read func(io.Reader) (*T, error)) (*T, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	defer file.Close()
	is, err := read(file)
	if err != nil {
		return nil, usage("--%s %s: %w", flag, path, err)
	}
	return is, nil
}

// readOverrides reads a file of rulings; nil for none.
func readOverrides(path string) (*override.Set, error) {
	set, err := readNamed("overrides", path, override.Read)
	if err != nil {
		return nil, usage("%w", err)
	}
	return set, nil
}

func parseShingle(flag, s string) (feature.Shingle, error) {
	if s == "" {
		return feature.Shingle{}, nil
	}
	sh, err := feature.ParseShingle(s)
	if err != nil {
		return sh, usage("%s: %w", flag, err)
	}
	return sh, nil
}

// runFlags say how a batch runs and what it tells.
type runFlags struct {
	settings             string `flags:"config"`
	keep, per, overrides string
	audit                auditFlag

	memory  size // more made nothing faster up to a million documents
	tmp     string
	workers int

	rejects     string
	strict      strictness
	json, quiet bool
}

const (
	// ownPages is what the program's code takes of a bound of memory.
	ownPages    = 37 << 20
	leastMemory = ownPages + batch.MinMemory
)

// limitGarbage tells the collector of garbage about a bound of memory.
func limitGarbage(memory int64) {
	const late = 4 << 20 // what the collector notices late
	debug.SetMemoryLimit(memory - ownPages - late)
}

// machine checks what the run may take, for a method or nil. It also tells the collector of
// garbage about the bound.
func (f *runFlags) machine(m neardup.Method) error {
	if f.memory < leastMemory {
		return usage("--memory %v is too little: at least 64MiB", &f.memory)
	}
	if m != nil && int64(f.memory) < leastMemory+methods.Tables(m) {
		least, tables := size(leastMemory+methods.Tables(m)), size(methods.Tables(m))
		return usage("--memory %v is too little for %s: at least %v, %v of it for Chinese words", &f.memory, m.Spec().Method, &least, &tables)
	}
	limitGarbage(int64(f.memory))
	if f.tmp != "" {
		if info, err := os.Stat(f.tmp); err != nil || !info.IsDir() {
			return usage("--tmp %s is no folder", f.tmp)
		}
	}
	return nil
}

// config checks the flags and makes the engine's configuration.
func (f *runFlags) config(of *methodFlags) (batch.Config, error) {
	m, n, err := of.method()
	if err == nil {
		err = f.machine(m)
	}
	if err != nil {
		return batch.Config{}, err
	}
	keep := batch.Keep(f.keep)
	if keep == "" && methods.Containment(m) > 0 { // what comes after is contained in what is kept
		keep = batch.Longest
	}
	keep = cmp.Or(keep, batch.First)
	if err := keep.Check(); err != nil {
		return batch.Config{}, usage("--keep %w", err)
	}
	if f.per != "" && f.audit.asked() {
		return batch.Config{}, usage("--audit cannot be had with --per: it samples texts of any group")
	}
	per := fieldList(f.per)
	if f.per != "" && len(per) == 0 {
		return batch.Config{}, usage("--per %q names no field", f.per)
	}
	rulings, err := readOverrides(f.overrides)
	return batch.Config{
		Clean: n, Method: m, Keep: keep, Memory: int64(f.memory) - ownPages - methods.Tables(m), Tmp: f.tmp, Workers: f.workers,
		Overrides: rulings, Per: per,
	}, err
}

// fieldList are the names of a list of fields.
func fieldList(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// size is a flag for a number of bytes: 256MiB, 1GiB, 64M, 1000.
type size int64

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	for _, u := range []struct {
		name string
		n    size
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if *s >= u.n && *s%u.n == 0 {
			return fmt.Sprintf("%d%s", *s/u.n, u.name)
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *size) Set(v string) error {
	digits := strings.TrimRight(v, "iBbKkMmGgTt")
	n, err := strconv.ParseFloat(digits, 64)
	unit := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(v[len(digits):]), "b"), "i"))
	factor, ok := map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}[unit]
	if err != nil || !ok || !(n >= 0) || n*factor > math.MaxInt64/2 {
		return fmt.Errorf("%q is no size such as 256MiB or 4GiB", v)
	}
	*s = size(n * factor)
	return nil
}

// readWeights reads a table of weights of auto.
func readWeights(path string) (evidence.Weights, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return evidence.Weights{}, err
	}
	w, err := evidence.ReadWeights(string(data))
	if err != nil {
		return w, usage("%s: %w", path, err)
	}
	return w, nil
}
