//go:build full

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// neardup sets options of the JVM only if the JVM is all of Spark, and none that the user has set.
func TestOfOneMachine(t *testing.T) {
	for _, name := range []string{"MASTER", "SPARK_CONF_DIR", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS", "SPARK_DRIVER_MEMORY"} {
		t.Setenv(name, "")
	}
	const java, memory = "spark.driver.defaultJavaOptions=" + lightJVM, "spark.driver.memory=4000m"
	home := sparkHome{home: t.TempDir(), heap: 4000}
	for _, c := range []struct {
		master string
		conf   []string
		more   []string
		want   []string
	}{
		{"", nil, nil, []string{java, memory}},
		{"local[4]", []string{"spark.ui.enabled=false"}, nil, []string{java, memory}},
		{"local[4,2]", nil, []string{"--driver-memory", "8g"}, []string{java}},
		{"local", nil, []string{"--driver-memory=8g"}, []string{java}},
		{"local", []string{"spark.driver.memory=1g"}, nil, []string{java}},
		{"yarn", nil, nil, nil},
		{"spark://host:7077", nil, nil, nil},
		{"local-cluster[2,1,1024]", nil, nil, nil},
		{"", nil, []string{"--master", "yarn"}, nil},
		{"", []string{"spark.master=yarn"}, nil, nil},
		{"", nil, []string{"--conf=spark.master=yarn"}, nil},
		{"", nil, []string{"--master=yarn"}, nil},
		{"", []string{"spark.master=local[2]"}, nil, []string{java, memory}},
		{"local", []string{"spark.driver.extraJavaOptions=-XX:+UseZGC"}, nil, []string{memory}},
		{"local", nil, []string{"--conf", "spark.driver.defaultJavaOptions=-Xss4m"}, []string{memory}},
		{"local", nil, []string{"--driver-java-options", "-Xss4m", "--driver-memory", "1g"}, nil},
		{"local", nil, []string{"--properties-file=mine.conf"}, nil},
	} {
		v := &sparkVerb{master: c.master, conf: c.conf}
		if got := v.ofOneMachine(home, c.more); !slices.Equal(got, c.want) {
			t.Errorf("master %q, conf %q, %q: %q", c.master, c.conf, c.more, got)
		}
	}
	v := &sparkVerb{master: "local"}
	if got := v.ofOneMachine(sparkHome{home: home.home, heap: 900}, nil); !slices.Equal(got, []string{java}) {
		t.Errorf("on a small machine: %q", got)
	}
	t.Setenv("SPARK_DRIVER_MEMORY", "2g")
	if got := v.ofOneMachine(home, nil); !slices.Equal(got, []string{java}) {
		t.Errorf("with SPARK_DRIVER_MEMORY: %q", got)
	}
	if err := os.Mkdir(filepath.Join(home.home, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home.home, "conf", "spark-defaults.conf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := v.ofOneMachine(home, nil); got != nil {
		t.Errorf("settings of the place are not looked at: %q", got)
	}
}

// A program without the jar says so before it starts Spark.
func TestUnpackNeedsJar(t *testing.T) {
	for _, c := range []struct{ file, env, want string }{
		{"README", "", "NEARDUP_JAR with the path of the jar"},
		{"neardup-spark.jar", "", ""},
		{"README", "named.jar", ""},
	} {
		t.Setenv("NEARDUP_JAR", c.env)
		err := unpack(fstest.MapFS{"src/neardup/spark/jar/" + c.file: {}}, t.TempDir(), sparkJob{})
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, NEARDUP_JAR=%s: %v, want %q", c.file, c.env, err, c.want)
		}
	}
}

// A driver elsewhere would have none of the files it is given, and is refused before Spark is looked for.
func TestNoDriverElsewhere(t *testing.T) {
	for _, c := range []struct {
		args []string
		want bool
	}{
		{nil, false},
		{[]string{"--deploy-mode", "client"}, false},
		{[]string{"--num-executors", "cluster"}, false},
		{[]string{"--deploy-mode", "cluster"}, true},
		{[]string{"--num-executors", "50", "--deploy-mode=cluster"}, true},
		{[]string{"--conf", "spark.submit.deployMode=cluster"}, true},
		{[]string{"--conf=spark.submit.deployMode=cluster"}, true},
		{[]string{"spark.submit.deployMode=client"}, false},
	} {
		if got := inCluster(c.args); got != c.want {
			t.Errorf("%q: %v", c.args, got)
		}
	}
}

func TestHeapOf(t *testing.T) {
	for said, want := range map[string]int{
		"VM settings:\n    Max. Heap Size (Estimated): 5.89G\n    Using VM: X\n": 6031,
		"    Max. Heap Size (Estimated): 500.00M\n":                              500,
		"    Max. Heap Size (Estimated): 29.97G\n":                               8192,
		"openjdk version \"17.0.15\"":                                            0,
	} {
		if got := heapOf([]byte(said)); got != want {
			t.Errorf("%q: %d MB", said, got)
		}
	}
}

// askSpark finds what a Python has without importing it.
func TestAskSpark(t *testing.T) {
	all := map[string]string{"pyspark/__init__.py": "raise SystemExit('imported')", "pyspark/version.py": "__version__: str = '4.2.0.dev1'", "pyarrow/__init__.py": "", "numpy/__init__.py": ""}
	for _, c := range []struct{ name, content, want string }{
		{"numpy/__init__.py", "", ""},
		{"numpy/__init__.py", "-", "No module named 'numpy'"},
		{"pyspark/__init__.py", "-", "No module named 'pyspark'"},
		{"pyspark/version.py", "__version__ = '3.5.6'", "Spark 3.5.6 is too old: 4 is needed"},
	} {
		dir := t.TempDir()
		for name, content := range all {
			if name == c.name {
				content = c.content
			}
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if content == "-" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("python3", "-S", "-c", askSpark) // -S: nothing that is installed
		cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
		said, err := cmd.CombinedOutput()
		got := strings.TrimSpace(string(said))
		if (c.want == "" && (err != nil || got != filepath.Join(dir, "pyspark"))) || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s %q: %v, %s", c.name, c.content, err, got)
		}
	}
}

func TestReasonsOfSpark(t *testing.T) {
	for said, want := range map[string]string{
		"x\njava.net.UnknownHostException: vm\n\tat org.apache.spark.util.Utils$.findLocalInetAddress(Utils.scala:893)\nCaused by: java.net.UnknownHostException: vm\n": "set SPARK_LOCAL_IP",
		"java.net.BindException: Cannot assign requested address: Service 'sparkDriver' failed after 16 retries\n":                                                      "set SPARK_LOCAL_IP",
		"java.net.UnknownHostException: namenode\nneardup: the input has changed\n":                                                                                     "neardup: the input has changed",
	} {
		spark := &tail{quiet: true}
		if _, err := spark.Write([]byte(said)); err != nil {
			t.Fatal(err)
		}
		if got := spark.reason(); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
