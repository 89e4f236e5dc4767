package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// lightJVM are options of a JVM that runs on one machine and ends soon: by default half of its CPU goes
// to compiling for speed that comes too late (docs/scale.md).
const lightJVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// onOneMachine reports whether Spark runs in one JVM, on local cores, whose options nobody has named.
func (v *sparkVerb) onOneMachine(s sparkHome, more []string) bool {
	master, named := v.master, os.Getenv("JDK_JAVA_OPTIONS")+os.Getenv("SPARK_SUBMIT_OPTS")
	args := slices.Clone(more)
	for _, c := range v.conf {
		args = append(args, "--conf", c)
	}
	for i, a := range args {
		switch {
		case a == "--master" && i+1 < len(args):
			master = args[i+1]
		case strings.HasPrefix(a, "spark.master="):
			master = strings.TrimPrefix(a, "spark.master=")
		case strings.HasPrefix(a, "--properties-file"), strings.HasPrefix(a, "--driver-java-options"), strings.Contains(a, "JavaOptions="):
			named += a
		}
	}
	dir := cmp.Or(os.Getenv("SPARK_CONF_DIR"), filepath.Join(s.home, "conf"))
	if _, err := os.Stat(filepath.Join(dir, "spark-defaults.conf")); err == nil {
		return false // it may name both
	}
	return named == "" && strings.HasPrefix(cmp.Or(master, os.Getenv("MASTER"), "local[*]"), "local") && !strings.HasPrefix(master, "local-cluster")
}
