package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/python"
	"github.com/neardup/neardup/text"
	"github.com/spf13/pflag"
)

// sparkVerb runs dedup, pairs or passages on Spark.
type sparkVerb struct {
	*app
	verb        string `flags:"-"`
	input       inputFlags
	decides     decideFlags
	cuts        cutFlags
	out, master string
	partitions  int
	compression string
	json, quiet bool
	python      string
	conf        []string
}

// decideFlags are the flags that dedup and pairs share.
type decideFlags struct {
	method       methodFlags
	overrides    string
	against      againstFlags
	withVariants bool
}

func (v *sparkVerb) only() string {
	return "input out master partitions conf python json quiet " + map[string]string{
		"dedup":    "compression method overrides against add",
		"pairs":    "method overrides with-variants",
		"passages": "compression cuts",
	}[v.verb]
}

// inOrder returns the method, or an error if the method needs an order other than that of the input.
func (f *methodFlags) inOrder() (neardup.Method, text.Normalizer, error) {
	m, n, err := f.method()
	if err == nil && methods.Containment(m) > 0 {
		err = usage("--method: containment is not supported on Spark, which decides in the order of the input")
	}
	return m, n, err
}

// ofFiles lists flags that name local files, which are sent to the executors.
var ofFiles = []string{"idf"}

// given returns the flags of a set that were given, as arguments.
func given(set *pflag.FlagSet, add func(*pflag.FlagSet)) []string {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	add(known)
	out := []string{}
	set.Visit(func(f *pflag.Flag) {
		if known.Lookup(f.Name) != nil && f.Name != "format" {
			out = append(out, "--"+f.Name+"="+f.Value.String())
		}
	})
	return out
}

type sparkJob struct {
	Verb        string   `json:"verb"`
	Inputs      []string `json:"inputs"`
	Out         string   `json:"out"`
	Format      string   `json:"format"`
	Input       []string `json:"input"`
	Method      []string `json:"method"`
	Partitions  int      `json:"partitions,omitempty"`
	Overrides   string   `json:"overrides,omitempty"`
	Against     string   `json:"against,omitempty"`
	Variants    bool     `json:"variants,omitempty"`
	Compression string   `json:"compression,omitempty"`
	Summary     string   `json:"summary"`
}

func (v *sparkVerb) job(set *pflag.FlagSet, inputs []string) (sparkJob, error) {
	j := sparkJob{Verb: v.verb, Inputs: inputs, Out: v.out, Format: v.input.format, Partitions: v.partitions, Compression: v.compression}
	if v.out == "" {
		return j, usage("--out is missing (want a new folder)")
	}
	for word := range strings.FieldsSeq(set.Lookup("format").Value.String()) {
		if strings.Contains(word, "=") {
			j.Format += " " + word
		}
	}
	j.Input = given(set, new(inputFlags).add)
	if v.verb != "passages" {
		return j, v.decides.job(set, &j)
	}
	j.Method = given(set, new(cutFlags).add)
	if _, err := v.cuts.steps(); err != nil {
		return j, err
	}
	return j, v.input.canReplace()
}

func (d *decideFlags) job(set *pflag.FlagSet, j *sparkJob) error {
	if err := d.checkAgainst(); err != nil {
		return err
	}
	j.Variants, j.Against = d.withVariants, strings.Join(d.against.paths, "")
	for _, name := range ofFiles {
		if f := set.Lookup(name); f.Changed {
			full, err := filepath.Abs(f.Value.String())
			if err == nil {
				err = f.Value.Set(full)
			}
			if err != nil {
				return err
			}
		}
	}
	if _, _, err := d.method.inOrder(); err != nil {
		return err
	}
	j.Method = given(set, new(methodFlags).add)
	if d.overrides == "" {
		return nil
	}
	if _, err := readOverrides(d.overrides); err != nil {
		return err
	}
	full, err := filepath.Abs(d.overrides)
	j.Overrides = full
	return err
}

// checkAgainst rejects flags that do not work on Spark.
func (d *decideFlags) checkAgainst() error {
	switch {
	case d.against.append:
		return usage("--add is not for Spark: neardup index add INDEX INPUT... adds to an index on one machine, from where it is copied")
	case len(d.against.paths) > 1:
		return usage("--against: %d indexes (want one on Spark)", len(d.against.paths))
	}
	return d.against.refuse(map[string]bool{"overrides": d.overrides != ""})
}

func (v *sparkVerb) do(ctx context.Context, args []string) (err error) {
	inputs, submit, n := args, []string(nil), v.cmd.ArgsLenAtDash()
	if len(args) == 0 || n == 0 {
		return usage("INPUT is missing")
	}
	if n >= 0 {
		inputs, submit = args[:n], args[n:]
	}
	job, err := v.job(v.cmd.Flags(), inputs)
	if err != nil {
		return err
	}
	if inCluster(slices.Concat(v.conf, submit)) {
		return usage("--deploy-mode cluster: not supported, because the driver needs the files of this machine (want client; --master may name the cluster)")
	}
	spark, err := v.findSpark(ctx)
	if err != nil {
		return err
	}
	dir, remove, err := heldFolder("", sparkPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	job.Summary = filepath.Join(dir, "summary.json")
	if err := unpack(python.Source, dir, job); err != nil {
		return err
	}
	if err := v.submit(ctx, spark, dir, submit); err != nil {
		return err
	}
	return v.report(job.Summary)
}

// inCluster reports whether options of spark-submit select cluster deploy mode.
func inCluster(args []string) bool {
	for i, a := range args {
		name, value, ok := strings.Cut(strings.TrimPrefix(a, "--conf="), "=")
		if name == "--deploy-mode" && !ok && i+1 < len(args) {
			value = args[i+1]
		}
		if (name == "--deploy-mode" || name == "spark.submit.deployMode") && strings.TrimSpace(value) == "cluster" {
			return true
		}
	}
	return false
}

// unpack writes the Python package, its main program and the job into dir. It fails if the jar is missing.
func unpack(source fs.FS, dir string, job sparkJob) error {
	if _, err := fs.Stat(source, "src/neardup/spark/jar/neardup-spark.jar"); err != nil && os.Getenv("NEARDUP_JAR") == "" {
		return errors.New("no jar for Spark: this neardup was built without it; take a released one, build it where Maven and a JDK (17 or later) are (python3 python/jar.py, and then go build), or name the jar by NEARDUP_JAR")
	}
	src, err := fs.Sub(source, "src")
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, "src"), src); err != nil {
		return err
	}
	b, err := json.Marshal(job)
	if err != nil {
		return err
	}
	main := "import sys\nfrom neardup.spark._run import main\nmain(sys.argv[1])\n"
	return errors.Join(os.WriteFile(filepath.Join(dir, "job.json"), b, 0o600), os.WriteFile(filepath.Join(dir, "run.py"), []byte(main), 0o600))
}

func (v *sparkVerb) submit(ctx context.Context, s sparkHome, dir string, more []string) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"--deploy-mode", "client"} // overrides spark-defaults.conf
	if v.master != "" {
		args = append(args, "--master", v.master)
	}
	for _, c := range v.conf {
		args = append(args, "--conf", c)
	}
	for _, c := range v.ofOneMachine(s, more) {
		args = append(args, "--conf", c)
	}
	args = append(args, "--conf", "spark.ui.showConsoleProgress="+strconv.FormatBool(!v.quiet && onTerminal(v.stderr)))
	args = append(append(args, more...), filepath.Join(dir, "run.py"), filepath.Join(dir, "job.json"))
	cmd := exec.CommandContext(ctx, s.submit, args...)
	path := filepath.Join(dir, "src")
	if old := os.Getenv("PYTHONPATH"); old != "" {
		path += string(os.PathListSeparator) + old
	}
	cmd.Env = append(os.Environ(), "SPARK_HOME="+s.home, "PYSPARK_PYTHON="+s.python, "PYSPARK_DRIVER_PYTHON="+s.python,
		"NEARDUP_COMMAND="+own, "PYTHONPATH="+path)
	said := &tail{w: v.stderr, quiet: v.quiet}
	cmd.Stdout, cmd.Stderr = said, said // spark-submit mixes the output of Python into both streams
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("spark-submit: %w%s", err, said.reason())
	}
	return nil
}

// greetings are uninformative lines that Spark prints at its start.
var greetings = []string{
	"WARNING: Using incubator modules: jdk.incubator.vector", "Using Spark's default log4j profile: ", "Setting default log level to ", "To adjust logging level use ",
	" WARN NativeCodeLoader: ", "FutureWarning: PySpark does not yet fully support pandas",
}

// tail copies the output of a program, or stores its end if quiet. It remembers the last line with a reason.
type tail struct {
	w     io.Writer
	quiet bool
	last  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p...)
	if n := len(t.last) - 1<<14; n > 0 {
		t.last = t.last[n:]
	}
	if t.quiet {
		return len(p), nil
	}
	for line := range bytes.Lines(p) {
		if bytes.Contains(line[:min(len(line), 40)], []byte(" INFO ")) || slices.ContainsFunc(greetings, func(s string) bool { return bytes.Contains(line, []byte(s)) }) {
			continue // Spark prints these before its log level is set
		}
		if _, err := t.w.Write(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// reason returns the last line in which the Python side or a stage gives a reason.
func (t *tail) reason() string {
	found := ""
	for line := range strings.Lines(string(t.last)) {
		if strings.Contains(line, "neardup: ") || strings.Contains(line, "neardup worker ") || strings.Contains(line, "Error: ") || strings.Contains(line, "Exception: ") {
			found = ": " + strings.TrimSpace(line)
		}
	}
	return found
}

type sparkSummary struct {
	batch.Input
	batch.Outcomes
	Candidates   int64   `json:"candidates"`
	InComponents int64   `json:"inComponents"` // documents that may be near others; one task decides a component
	Largest      int64   `json:"largestComponent"`
	Seconds      float64 `json:"seconds"`
	Digest       string  `json:"digest"`
}

func (v *sparkVerb) report(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("the Spark job ended without a summary: %w", err)
	}
	if v.json {
		_, err := fmt.Fprintf(v.stdout, "%s\n", b)
		return err
	}
	if v.quiet {
		return nil
	}
	if v.verb == "passages" {
		return v.reportPassages(b)
	}
	var s sparkSummary
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if v.verb == "pairs" {
		_, err = fmt.Fprintf(v.stderr, "pairs       %s\nrejected    %s\ntime        %.1fs\n", grouped(s.Pairs), grouped(s.Rejected), s.Seconds)
		return err
	}
	fmt.Fprintf(v.stderr, "documents   %s (%s rejected)\n", grouped(s.Documents), grouped(s.Rejected))
	printOutcomes(v.stderr, &s.Outcomes)
	fmt.Fprintf(v.stderr, "method      %s\nwork        %s candidates; %s documents in components, the largest of %s\n",
		v.decides.method.asked(), grouped(s.Candidates), grouped(s.InComponents), grouped(s.Largest))
	if v.decides.overrides != "" {
		fmt.Fprintf(v.stderr, "overrides   %s pairs of documents that are there\n", grouped(s.Overrides))
	}
	noText(v.stderr, s.Blank)
	_, err = fmt.Fprintf(v.stderr, "time        %.1fs\ndigest      %s\n", s.Seconds, s.Digest)
	return err
}

// canReplace returns an error if the text is not a separate field, so that a cut text cannot be written.
func (f *inputFlags) canReplace() error {
	asLines := *f
	if f.format != string(corpus.Lines) {
		asLines.format = string(corpus.JSONL)
	}
	_, d, err := asLines.lines()
	if err != nil {
		return err
	}
	if err := d.CanReplace(); err != nil {
		return usage("%w", err)
	}
	return nil
}

func (v *sparkVerb) reportPassages(b []byte) error {
	var s struct {
		passageSummary
		Seconds float64 `json:"seconds"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	_, err := fmt.Fprintf(v.stderr, "documents   %s (%s rejected): %s cut, %s left out\nrepeated    %s bytes, in %s spans of %s\nto cut      %s bytes; %s more would end within %s, %s would leave a heading alone\ntime        %.1fs\n",
		grouped(s.Documents), grouped(s.Rejected), grouped(s.Changed), grouped(s.Dropped), grouped(s.Repeated), grouped(s.Spans), v.cuts.what(),
		grouped(s.Cut), grouped(s.Within), v.cuts.whole, grouped(s.Headings), s.Seconds)
	return err
}
