package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	if _, err := v.cuts.passages(); err != nil {
		return j, err
	}
	return j, v.input.canReplace()
}

func (d *decideFlags) job(set *pflag.FlagSet, j *sparkJob) error {
	if len(d.against.paths) > 1 {
		return usage("--against: %d indexes (want one on Spark)", len(d.against.paths))
	}
	if err := d.against.check(); err != nil {
		return err
	}
	j.Variants, j.Against = d.withVariants, strings.Join(d.against.paths, "")
	for _, name := range ofFiles {
		if f := set.Lookup(name); f.Changed {
			full, err := filepath.Abs(f.Value.String())
			if err := errors.Join(err, f.Value.Set(full)); err != nil {
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

// unpack writes the Python package, its main program and the job into dir. It fails if the jar is missing.
func unpack(source fs.FS, dir string, job sparkJob) error {
	if _, err := fs.Stat(source, "src/neardup/spark/jar/neardup-spark.jar"); err != nil && os.Getenv("NEARDUP_JAR") == "" {
		return errors.New("no jar for Spark: this neardup was built without it (want a release, a build with Maven and JDK 17 or later: python3 python/jar.py and then go build, or NEARDUP_JAR with the path of the jar)")
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
	args := []string{"--deploy-mode", "client"} // an option that overrides spark-defaults.conf
	if v.master != "" {
		args = append(args, "--master", v.master)
	}
	bar := fmt.Sprintf("spark.ui.showConsoleProgress=%t", !v.quiet && onTerminal(v.stderr))
	for _, c := range slices.Concat(v.conf, v.ofOneMachine(s, more), []string{bar}) {
		args = append(args, "--conf", c)
	}
	args = append(append(args, more...), filepath.Join(dir, "run.py"), filepath.Join(dir, "job.json"))
	cmd := exec.CommandContext(ctx, s.submit, args...)
	path := filepath.Join(dir, "src")
	if old := os.Getenv("PYTHONPATH"); old != "" {
		path += string(os.PathListSeparator) + old
	}
	cmd.Env = append(os.Environ(), "SPARK_HOME="+s.home, "PYSPARK_PYTHON="+s.python, "PYSPARK_DRIVER_PYTHON="+s.python,
		"NEARDUP_COMMAND="+own, "PYTHONPATH="+path)
	said := &tail{w: v.stderr, quiet: v.quiet}
	cmd.Stdout, cmd.Stderr = said, said // both, because spark-submit writes the output of Python to both
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
			continue // Spark prints these lines before its log level is set
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
		if strings.Contains(line, "findLocalInetAddress") || strings.Contains(line, "Service 'sparkDriver' failed") {
			return ": Spark found no address of this machine (set SPARK_LOCAL_IP, to 127.0.0.1 on a single machine)"
		}
	}
	return found
}

type sparkSummary struct {
	batch.Input
	batch.Outcomes
	Candidates   int64  `json:"candidates"`
	InComponents int64  `json:"inComponents"` // documents that may be near others; one task decides each component
	Largest      int64  `json:"largestComponent"`
	Digest       string `json:"digest"`
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
	var s sparkSummary
	var cut passageSummary
	for _, part := range []any{&s, &cut} {
		if err := json.Unmarshal(b, part); err != nil {
			return err
		}
	}
	switch v.verb {
	case "pairs":
		fmt.Fprintf(v.stderr, "pairs       %s\nrejected    %s\n", grouped(s.Pairs), grouped(s.Rejected))
	case "passages":
		cut.flags, cut.written = &v.cuts, true
		cut.found(v.stderr)
	default:
		s.print(v.stderr, &v.decides)
	}
	_, err = fmt.Fprintf(v.stderr, "time        %.1fs\n", cut.Seconds)
	return err
}

func (s *sparkSummary) print(w io.Writer, by *decideFlags) {
	documents(w, readCounts{s.Documents, s.Rejected})
	printOutcomes(w, &s.Outcomes)
	fmt.Fprintf(w, "method      %s\nwork        %s candidates; %s documents in components, the largest of %s\n",
		by.method.asked(), grouped(s.Candidates), grouped(s.InComponents), grouped(s.Largest))
	if by.overrides != "" {
		fmt.Fprintf(w, "overrides   %s pairs applied\n", grouped(s.Overrides))
	}
	noText(w, s.Blank)
	fmt.Fprintf(w, "digest      %s\n", s.Digest)
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

// A sparkHome is a Python with Spark. heap is the heap that its Java would take in MB, or 0 if unknown.
type sparkHome struct {
	python, submit, home string
	heap                 int
}

// askSpark is a Python program that prints the folder of pyspark. Importing pyspark would take half a second.
const askSpark = `
import importlib.util, os, runpy
for name in ("pyspark", "pyarrow", "numpy"):
    found = importlib.util.find_spec(name)
    assert found and found.origin, "No module named " + repr(name)
    if name == "pyspark":
        home = os.path.dirname(found.origin)
        version = runpy.run_path(os.path.join(home, "version.py"))["__version__"]
        assert int(version.split(".")[0]) >= 4, "Spark " + version + " is too old: 4 is needed"
print(home)
`

func (v *sparkVerb) findSpark(ctx context.Context) (s sparkHome, err error) {
	s.python = cmp.Or(v.python, os.Getenv("PYSPARK_PYTHON"), "python3")
	out, err := exec.CommandContext(ctx, s.python, "-c", askSpark).Output()
	if err != nil {
		reason := err.Error()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
			reason = lines[len(lines)-1]
		}
		return s, fmt.Errorf("no Spark: %s printed: %s (want python3 -m pip install 'pyspark>=4' pyarrow numpy, or --python with a Python that has them)", s.python, reason)
	}
	s.home = cmp.Or(os.Getenv("SPARK_HOME"), strings.TrimSpace(string(out)))
	s.submit = filepath.Join(s.home, "bin", "spark-submit")
	if _, err := os.Stat(s.submit); err != nil {
		return s, fmt.Errorf("no Spark: %w", err)
	}
	s.heap, err = s.checkJava(ctx)
	return s, err
}

const oldestJava = 17 // the oldest Java that Spark 4 supports

var javaVersion = regexp.MustCompile(`version "(?:1\.)?(\d+)`)

// checkJava reports a missing or old Java, which spark-submit would not explain, and returns the heap that Java
// would take. It checks nothing if Spark's own configuration may name another Java.
func (s sparkHome) checkJava(ctx context.Context) (heap int, err error) {
	_, err = os.Stat(filepath.Join(s.home, "conf", "spark-env.sh"))
	if err == nil || os.Getenv("SPARK_CONF_DIR") != "" {
		return 0, nil
	}
	java := "java"
	if home := os.Getenv("JAVA_HOME"); home != "" {
		java = filepath.Join(home, "bin", "java")
	}
	const want = "Spark needs Java %d or later (such as the package openjdk-17-jre-headless), on PATH or in JAVA_HOME"
	said, err := exec.CommandContext(ctx, java, "-XshowSettings:vm", "-version").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("no Java: %w; "+want, err, oldestJava)
	}
	if m := javaVersion.FindSubmatch(said); m != nil {
		if n, err := strconv.Atoi(string(m[1])); err == nil && n < oldestJava {
			return 0, fmt.Errorf("%s is Java %d; "+want, java, n, oldestJava)
		}
	}
	return heapOf(said), nil
}

// mostHeap is the largest default heap of the JVM, because Spark stores data between stages on disk.
const mostHeap = 8 << 10

var heapSize = regexp.MustCompile(`Max\. Heap Size \(Estimated\): ([\d.]+)([MG])`)

// heapOf returns the heap, in MB, that a JVM chooses by default according to -XshowSettings:vm. That is a
// quarter of the memory of the machine or container. It returns 0 if the output has no heap size.
func heapOf(said []byte) int {
	m := heapSize.FindSubmatch(said)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(string(m[1]), 64)
	if string(m[2]) == "G" {
		n *= 1 << 10
	}
	return int(min(n, mostHeap))
}

// lightJVM holds JVM options for a short run on one machine. By default, half of its CPU time is spent on
// compilation that pays off too late (docs/scale.md).
const lightJVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// leastHeap is the default heap of Spark's JVM, in MB.
const leastHeap = 1 << 10

// submitted returns the options of spark-submit with their values, and the settings of --conf.
func submitted(args []string) map[string]string {
	set := map[string]string{}
	for i, a := range args {
		name, value, is := strings.Cut(strings.TrimPrefix(a, "--conf="), "=")
		if !is && i+1 < len(args) {
			value = args[i+1]
		}
		set[name] = strings.TrimSpace(value)
	}
	return set
}

// inCluster reports whether options of spark-submit select cluster deploy mode.
func inCluster(args []string) bool {
	set := submitted(args)
	return set["--deploy-mode"] == "cluster" || set["spark.submit.deployMode"] == "cluster"
}

// ofOneMachine returns settings NAME=VALUE for a Spark in one local JVM, without those that the user has set.
func (v *sparkVerb) ofOneMachine(s sparkHome, more []string) (conf []string) {
	set := submitted(slices.Concat(v.conf, more))
	master := cmp.Or(set["--master"], set["spark.master"], v.master, os.Getenv("MASTER"), "local[*]")
	dir := cmp.Or(os.Getenv("SPARK_CONF_DIR"), filepath.Join(s.home, "conf"))
	_, err := os.Stat(filepath.Join(dir, "spark-defaults.conf"))
	switch {
	case err == nil || set["--properties-file"] != "": // the file or the environment may define all settings
		return nil
	case !strings.HasPrefix(master, "local") || strings.HasPrefix(master, "local-cluster"):
		return nil
	}
	java := set["--driver-java-options"] + set["spark.driver.extraJavaOptions"] + set["spark.driver.defaultJavaOptions"]
	if java+os.Getenv("JDK_JAVA_OPTIONS")+os.Getenv("SPARK_SUBMIT_OPTS") == "" {
		conf = append(conf, "spark.driver.defaultJavaOptions="+lightJVM)
	}
	memory := set["--driver-memory"] + set["spark.driver.memory"] + os.Getenv("SPARK_DRIVER_MEMORY")
	if memory == "" && s.heap > leastHeap {
		conf = append(conf, fmt.Sprintf("spark.driver.memory=%dm", s.heap))
	}
	return conf
}
