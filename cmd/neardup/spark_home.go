package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

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
	for _, s.python = range []string{v.python, os.Getenv("PYSPARK_PYTHON"), "python3"} {
		if s.python != "" {
			break
		}
	}
	out, err := exec.CommandContext(ctx, s.python, "-c", askSpark).Output()
	if err != nil {
		reason := err.Error()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
			reason = lines[len(lines)-1]
		}
		return s, fmt.Errorf("no Spark: %s says: %s; install it (python3 -m pip install 'pyspark>=4' pyarrow numpy), or name a Python that has it with --python", s.python, reason)
	}
	s.home = os.Getenv("SPARK_HOME")
	if s.home == "" {
		s.home = strings.TrimSpace(string(out))
	}
	s.submit = filepath.Join(s.home, "bin", "spark-submit")
	if _, err := os.Stat(s.submit); err != nil {
		return s, fmt.Errorf("no Spark: %w", err)
	}
	s.heap, err = s.checkJava(ctx)
	return s, err
}

const oldestJava = 17 // of Spark 4

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
	n, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		return 0
	}
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

// ofOneMachine returns settings NAME=VALUE for a Spark in one local JVM, without those that the user has set.
func (v *sparkVerb) ofOneMachine(s sparkHome, more []string) (conf []string) {
	master := v.master
	java, memory := os.Getenv("JDK_JAVA_OPTIONS")+os.Getenv("SPARK_SUBMIT_OPTS"), os.Getenv("SPARK_DRIVER_MEMORY")
	args := slices.Clone(more)
	for _, c := range v.conf {
		args = append(args, "--conf", c)
	}
	for i, a := range args {
		a = strings.TrimPrefix(a, "--conf=")
		switch {
		case a == "--master" && i+1 < len(args):
			master = args[i+1]
		case strings.HasPrefix(a, "spark.master="), strings.HasPrefix(a, "--master="):
			_, master, _ = strings.Cut(a, "=")
		case strings.HasPrefix(a, "--properties-file"):
			return nil // it may name all
		case strings.HasPrefix(a, "--driver-java-options"), strings.Contains(a, "JavaOptions="):
			java = a
		case strings.HasPrefix(a, "--driver-memory"), strings.HasPrefix(a, "spark.driver.memory="):
			memory = a
		}
	}
	dir := cmp.Or(os.Getenv("SPARK_CONF_DIR"), filepath.Join(s.home, "conf"))
	if _, err := os.Stat(filepath.Join(dir, "spark-defaults.conf")); err == nil {
		return nil
	}
	if !strings.HasPrefix(cmp.Or(master, os.Getenv("MASTER"), "local[*]"), "local") || strings.HasPrefix(master, "local-cluster") {
		return nil
	}
	if java == "" {
		conf = append(conf, "spark.driver.defaultJavaOptions="+lightJVM)
	}
	if memory == "" && s.heap > leastHeap {
		conf = append(conf, fmt.Sprintf("spark.driver.memory=%dm", s.heap))
	}
	return conf
}
