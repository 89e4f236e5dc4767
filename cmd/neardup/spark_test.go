package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The JVM gets options of ours only where it is all of Spark and nobody has named others.
func TestOnOneMachine(t *testing.T) {
	for _, name := range []string{"MASTER", "SPARK_CONF_DIR", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"} {
		t.Setenv(name, "")
	}
	home := sparkHome{home: t.TempDir()}
	for _, c := range []struct {
		master string
		conf   []string
		more   []string
		want   bool
	}{
		{"", nil, nil, true},
		{"local[4]", []string{"spark.ui.enabled=false"}, nil, true},
		{"local[4,2]", nil, []string{"--driver-memory", "8g"}, true},
		{"yarn", nil, nil, false},
		{"spark://host:7077", nil, nil, false},
		{"local-cluster[2,1,1024]", nil, nil, false},
		{"", nil, []string{"--master", "yarn"}, false},
		{"", []string{"spark.master=yarn"}, nil, false},
		{"", []string{"spark.master=local[2]"}, nil, true},
		{"local", []string{"spark.driver.extraJavaOptions=-XX:+UseZGC"}, nil, false},
		{"local", nil, []string{"--conf", "spark.driver.defaultJavaOptions=-Xss4m"}, false},
		{"local", nil, []string{"--driver-java-options", "-Xss4m"}, false},
		{"local", nil, []string{"--properties-file=mine.conf"}, false},
	} {
		v := &sparkVerb{master: c.master, conf: c.conf}
		if got := v.onOneMachine(home, c.more); got != c.want {
			t.Errorf("master %q, conf %q, %q: %v", c.master, c.conf, c.more, got)
		}
	}
	if err := os.Mkdir(filepath.Join(home.home, "conf"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home.home, "conf", "spark-defaults.conf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if (&sparkVerb{master: "local"}).onOneMachine(home, nil) {
		t.Error("settings of the place are not looked at")
	}
}

// What a Python has is told without importing it.
func TestAskSpark(t *testing.T) {
	all := map[string]string{"pyspark/__init__.py": "raise SystemExit('imported')", "pyspark/version.py": "__version__: str = '4.2.0.dev1'", "pandas/__init__.py": "", "pyarrow/__init__.py": "", "numpy/__init__.py": ""}
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
		if c.want == "" && (err != nil || got != filepath.Join(dir, "pyspark")) || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s %q: %v, %s", c.name, c.content, err, got)
		}
	}
}
