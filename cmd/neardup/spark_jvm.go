package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lightJVM are options of a JVM that runs on one machine and ends soon: by default half of its CPU goes
// to compiling for speed that comes too late (docs/scale.md).
const lightJVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// leastHeap is what Spark's JVM has by default, in MB.
const leastHeap = 1 << 10

// ofOneMachine returns the settings, NAME=VALUE, for a Spark in one JVM on local cores, but for those that somebody has named.
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
