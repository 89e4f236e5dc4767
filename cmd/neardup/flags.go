package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/neardup/neardup/image"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/override"
	"github.com/neardup/neardup/text"
	"github.com/neardup/neardup/text/html"
	"github.com/spf13/pflag"
)

type inputFlags struct {
	opt         corpus.Options
	format      string
	delimiter   string
	maxDocument size
	maxPixels   int64
	textCommand string
	maxInput    size
}

func (f *inputFlags) add(fs *pflag.FlagSet) {
	f.maxDocument = corpus.DefaultMaxDocument
	bindSpec(fs, "", "format", "name", flags{"name": &f.format, "delimiter": &f.delimiter, "charset": &f.opt.Charset, "sheet": &f.opt.Sheet, "max-pixels": &f.maxPixels})
	bind(fs, "", flags{
		"id-field": &f.opt.IDField, "text-field": &f.opt.TextField, "title-field": &f.opt.TitleField,
		"compare": (*string)(&f.opt.Compare), "url-field": &f.opt.URLField, "time-field": &f.opt.TimeField,
		"html-field": &f.opt.HTMLField, "text-command": &f.textCommand, "skip-damaged": &f.opt.SkipDamaged,
		"max-document": &f.maxDocument, "max-decompressed": &f.maxInput,
	})
}

// open opens the inputs. If spool is not "", standard input is copied into that folder so that it can be read
// twice.
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

var codecs = []corpus.Codec{parquet.Codec{}, arrow.Codec{}}

func (f *inputFlags) options() (corpus.Options, error) {
	opt := f.opt
	var err error
	opt.Format, err = corpus.ParseFormat(f.format)
	if err != nil {
		return opt, usage("--format: %w", err)
	}
	if opt.Charset != "" && !text.IsCharset(opt.Charset) {
		return opt, usage("--format: unknown charset %q (want for example utf-8, utf-16le, gb18030, big5 or windows-1252)", opt.Charset)
	}
	if f.delimiter != "" {
		opt.Delimiter, err = corpus.ParseDelimiter(f.delimiter)
		if err != nil {
			return opt, usage("--format: delimiter %w", err)
		}
	}
	opt.MaxDocument, opt.MaxDecompressed = int64(f.maxDocument), int64(f.maxInput)
	opt.Codecs = codecs
	if f.textCommand != "" {
		opt.Command, err = textCommand(f.textCommand, opt.MaxDocument)
		if err != nil {
			return opt, usage("--text-command: %w", err)
		}
	}
	opt.Pixels = func(text string) int {
		f, _ := image.Parse(text) // an invalid text gives a fingerprint without a size
		return f.Width * f.Height
	}
	opt.Extract = func(page []byte, charset, url string) (corpus.Page, error) {
		p, err := html.Extract(page, charset, url)
		return corpus.Page{Title: p.Title, Text: p.Text, Canonical: p.Canonical}, err
	}
	if opt.Picture == nil {
		opt.Picture = func(data []byte) (string, error) {
			if isFingerprint(string(data)) { // lists of hashes contain such texts
				p, err := image.Parse(string(data))
				return p.String(), err
			}
			p, err := image.Read(data, image.Limits{Bytes: int64(len(data)), Pixels: f.maxPixels}) // the reader has already checked the size
			return p.String(), err
		}
	}
	if opt.Format == corpus.Images && f.maxDocument == corpus.DefaultMaxDocument {
		opt.MaxDocument = image.DefaultBytes
	}
	return opt, nil
}

type methodFlags struct {
	spec      string   // the value of --method, such as "minhash recall=.999"
	usual     string   // the method of a spec that names none; "" means auto
	only      []string // settings that the spec may contain; nil allows all but those that name files
	normalize string
	fs        *pflag.FlagSet // the flag set of these flags
}

func (f *methodFlags) add(fs *pflag.FlagSet) {
	f.addTo(fs, methodGroup, append([]string{"method", "threshold", normalizeSetting}, ofFiles...)...)
}

func (f *methodFlags) addTo(fs *pflag.FlagSet, group string, names ...string) {
	f.fs = pflag.NewFlagSet("method", pflag.ContinueOnError)
	f.fs.StringVar(&f.spec, "method", "auto", "method: "+strings.Join(methods.Names(), ", ")+
		"; and its settings, 'minhash recall=.999 shingle=words:3': see neardup help method")
	method := f.fs.Lookup("method")
	method.Value = specText{method.Value}
	f.fs.Float64("threshold", 0, "")
	f.fs.String("idf", "", "")
	for _, s := range methods.Settings() {
		if own := f.fs.Lookup(s.Name); own != nil {
			own.Usage = settingHelp(s)
		}
	}
	bind(f.fs, "", flags{normalizeSetting: &f.normalize})
	for _, name := range names {
		own := f.fs.Lookup(name)
		own.Annotations = map[string][]string{groupKey: {group}}
		fs.AddFlag(own)
	}
}

func settingHelp(s methods.Setting) string {
	if s.Default != "" {
		s.Help += " (default " + s.Default + ")"
	}
	return s.Help
}

// specText is a text that the help calls SPEC. The method is parsed when it is made.
type specText struct{ pflag.Value }

// Type returns the name of the value's type for the help.
func (specText) Type() string { return "SPEC" }

// parsed returns the method and the settings of --method alone.
func (f *methodFlags) parsed() (c methods.Choice, err error) {
	words := strings.Fields(f.spec)
	if len(words) > 0 && strings.Contains(words[0], "=") {
		words = slices.Insert(words, 0, cmp.Or(f.usual, "auto"))
	}
	if f.usual != "" && !f.fs.Changed("method") {
		words = []string{f.usual}
	}
	known := f.only
	if known == nil {
		for _, s := range methods.Settings() {
			if !slices.Contains(ofFiles, s.Name) {
				known = append(known, s.Name)
			}
		}
		slices.Sort(known)
	}
	for _, word := range words {
		if name, _, isSetting := strings.Cut(word, "="); isSetting && !slices.Contains(known, name) {
			return c, usage("--method: unknown setting %q (want %s)", name, strings.Join(known, ", "))
		}
	}
	c, err = methods.Parse(strings.Join(words, " "))
	if err != nil {
		return c, usage("%w", err)
	}
	return c, nil
}

func (f *methodFlags) choice() (c methods.Choice, err error) {
	c, err = f.parsed()
	if err != nil {
		return c, err
	}
	for _, name := range append([]string{"threshold"}, ofFiles...) {
		s := f.fs.Lookup(name)
		switch {
		case !s.Changed:
			continue
		case c.Get(name) != "":
			return c, usage("%s is given twice", name)
		}
		c, err = c.With(name, s.Value.String())
		if err != nil {
			return c, usage("%w", err)
		}
	}
	return c, nil
}

func (f *methodFlags) method() (neardup.Method, text.Normalizer, error) { return f.made(f.choice()) }

// at makes the method with another threshold, if it takes one.
func (f *methodFlags) at(threshold float64) (neardup.Method, text.Normalizer, error) {
	c, err := f.choice()
	if err == nil && c.Takes("threshold") {
		c, err = c.With("threshold", fmt.Sprint(threshold))
	}
	return f.made(c, err)
}

func (f *methodFlags) made(c methods.Choice, err error) (neardup.Method, text.Normalizer, error) {
	if err != nil {
		return nil, text.Normalizer{}, err
	}
	n, err := text.ParseNormalizer(f.normalize)
	if err != nil {
		return nil, n, usage("--normalize: %w", err)
	}
	m, err := c.Method()
	switch {
	case errors.As(err, new(*fs.PathError)):
		return nil, n, fmt.Errorf("--%w", err)
	case err != nil:
		return nil, n, usage("--method: %w", err)
	}
	return m, n, nil
}

// readOverrides reads a file of rulings. It returns nil if path is empty.
func readOverrides(path string) (*override.Set, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, usage("--overrides: %w", err)
	}
	defer file.Close()
	set, err := override.Read(file)
	if err != nil {
		return nil, usage("--overrides %s: %w", path, err)
	}
	return set, nil
}

type runFlags struct {
	//lint:ignore U1000 --config, read by reflection
	settings             string `flags:"config"`
	keep, per, overrides string
	audit                auditFlag

	memory  size // more memory was not faster for up to a million documents
	tmp     string
	workers int

	overwrite bool
	limit     int64
	sample    sampleFlag

	rejects             string
	strict, json, quiet bool // unless --strict is given (true or false), a run fails if most records are rejected
}

const (
	// ownPages is the part of --memory that the program's code takes.
	ownPages    = 37 << 20
	leastMemory = ownPages + batch.MinMemory
)

func limitGarbage(memory int64) {
	const late = 4 << 20 // memory that the collector may use before it reacts
	debug.SetMemoryLimit(memory - ownPages - late)
}

// machine checks --memory (for method m, unless nil) and --tmp. It also sets the memory limit of the garbage
// collector.
func (f *runFlags) machine(m neardup.Method) error {
	if f.memory < leastMemory {
		return usage("--memory %v: too small (want at least 64MiB)", &f.memory)
	}
	if m != nil && int64(f.memory) < leastMemory+methods.Tables(m) {
		least, tables := size(leastMemory+methods.Tables(m)), size(methods.Tables(m))
		return usage("--memory %v: too small for %s (want at least %v, %v of it for Chinese words)", &f.memory, m.Spec().Method, &least, &tables)
	}
	limitGarbage(int64(f.memory))
	if f.tmp != "" {
		if info, err := os.Stat(f.tmp); err != nil || !info.IsDir() {
			return usage("--tmp %s: not a directory", f.tmp)
		}
	}
	return nil
}

func (f *runFlags) config(of *methodFlags) (batch.Config, error) {
	m, n, err := of.method()
	if err == nil {
		err = f.machine(m)
	}
	if err != nil {
		return batch.Config{}, err
	}
	keep := cmp.Or(batch.Keep(f.keep), usualKeep(m))
	if err := keep.Check(); err != nil {
		return batch.Config{}, usage("--keep %w", err)
	}
	per := fieldList(f.per)
	if f.per != "" && len(per) == 0 {
		return batch.Config{}, usage("--per %q: a field name is missing", f.per)
	}
	rulings, err := readOverrides(f.overrides)
	return batch.Config{
		Clean: n, Method: m, Keep: keep, Memory: int64(f.memory) - ownPages - methods.Tables(m), Tmp: f.tmp, Workers: f.workers,
		Overrides: rulings, Per: per,
	}, err
}

// usualKeep returns the default of --keep. With containment, the longest text comes before those that it contains.
func usualKeep(m neardup.Method) batch.Keep {
	if methods.Containment(m) > 0 {
		return batch.Longest
	}
	return batch.First
}

// sampleFlag is the flag --sample: a share of the texts, and a seed.
type sampleFlag struct {
	share float64
	seed  uint64
}

func (f *sampleFlag) add(fs *pflag.FlagSet) {
	f.share = 1
	bindSpec(fs, "", "sample", "share", flags{"share": &f.share, "seed": &f.seed})
}

// fieldList splits a comma-separated list of fields and removes repetitions.
func fieldList(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// size is a flag value for a number of bytes, such as 256MiB, 1GiB, 64M or 1000.
type size int64

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	n, unit := int64(*s), ""
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, larger
	}
	return fmt.Sprint(n, unit)
}

func (s *size) Set(v string) error {
	digits := strings.TrimRight(v, "iBbKkMmGgTt")
	n, err := strconv.ParseFloat(digits, 64)
	unit := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(v[len(digits):]), "b"), "i"))
	factor, ok := map[string]float64{"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}[unit]
	if err != nil || !ok || !(n >= 0) || n*factor > math.MaxInt64/2 {
		return fmt.Errorf("invalid size %q (want for example 256MiB)", v)
	}
	*s = size(n * factor)
	return nil
}
